"""How an answer is made: guard, gather candidates from each leg, fuse, check every row, cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from cortex.core import citing
from cortex.core.lexical import Corpus, bm25, idf
from cortex.core.matching import details_pass, hidden, passes
from cortex.core.moments import microseconds
from cortex.core.scoring.fusion import fuse, parts, pool
from cortex.core.scoring.rank import Ranked, merge, top
from cortex.core.scoring.similarity import NOTHING
from cortex.core.text import analyse_query
from cortex.engine import guard, vectors
from cortex.engine.deps import Deps
from cortex.engine.shelf import View
from cortex.model.embedding import FloatArray
from cortex.model.memory import Memory
from cortex.model.policy import Action, Caller, Grant
from cortex.model.query import Filter, Question, Selection
from cortex.model.scope import Scope
from cortex.model.score import Hit, LeftOut, Recall

Mask = npt.NDArray[np.bool_] | None


@dataclass(frozen=True, slots=True)
class _Gate:
    """What a memory must pass to leave, at the moment that is asked about."""

    grant: Grant
    filter: Filter
    now: datetime
    past: datetime | None

    def why_not(self, memory: Memory) -> str | None:
        """The reason that a memory stays; None for one that may leave."""
        if not guard.covers(self.grant, memory):
            return "denied"
        if memory.status not in self.filter.statuses:
            return memory.status.value
        reason = hidden(memory, self.grant.clearance, self.now)
        if reason is None and not (self.filter.trivial or passes(memory, self.filter)):
            return "filter"
        return reason


@dataclass(frozen=True, slots=True)
class _Search:
    """What all legs of one recall share."""

    views: Sequence[View]
    masks: Sequence[Mask]
    vector: FloatArray | None
    terms: Sequence[str]
    size: int


def recall(deps: Deps, caller: Caller, scopes: Sequence[Scope], question: Question) -> Recall:
    """The best memories of these scopes for a question."""
    grant, past = guard.authorise(caller, Action.READ, scopes), question.as_of
    gate = _Gate(grant, question.filter, past or deps.clock.now(), past)
    vector, problem = vectors.embed_query(deps, question.text)
    views = deps.index.past(grant.scopes, past) if past else deps.index.views(grant.scopes)
    search = _Search(views, _masks(deps, gate, views), vector, analyse_query(question.text), pool(question.limit))
    legs = _legs(search)
    hits = _collect(deps, gate, question, legs)
    near = _left_out(deps, gate, question, search) if question.explain else ()
    return Recall(
        hits=hits,
        legs=tuple(legs),
        degraded=("dense",) if problem else (),
        notes=(problem,) if problem else _past_notes(deps, views),
        pending=sum(view.pending for view in views),
        limit=question.limit,
        ranking=question.ranking.value,
        fusion=question.fusion.value,
        times=question.filter.times,
        left_out=tuple(item for item in near if item.id not in {hit.memory.id for hit in hits}),
    )


def _past_notes(deps: Deps, views: Sequence[View]) -> tuple[str, ...]:
    """What nobody will make good: vectors die with their model, and the past is not embedded anew."""
    lost = sum(view.lost for view in views)
    if not lost:
        return ()
    memories = "1 memory is" if lost == 1 else f"{lost} memories are"
    return (f"{memories} found by words only, since what was said then has no vectors of {deps.embedder.signature}",)


def _masks(deps: Deps, gate: _Gate, views: Sequence[View]) -> list[Mask]:
    grant, wanted = gate.grant, gate.filter
    if wanted.trivial:
        return [view.visible(int(grant.clearance), microseconds(gate.now)) for view in views]
    past = gate.past is not None
    selection = Selection(scopes=grant.scopes, clearance=grant.clearance, now=gate.now, past=past, filter=wanted)
    rows = deps.store.matching(selection, details=bool(wanted.tags or wanted.metadata))
    seqs = [row.seq for row in rows if details_pass(row.tags, row.metadata, wanted)]
    return [view.chosen(seqs) for view in views]


def _legs(search: _Search) -> dict[str, Ranked]:
    legs = {}
    if search.vector is not None:
        legs["dense"] = _dense(search, search.vector)
    legs["lexical"] = _lexical(search)
    return legs


def _dense(search: _Search, vector: FloatArray) -> Ranked:
    lists = [
        top(view.pieces.similarities(vector, search.size, mask), view.seqs, search.size, float(NOTHING))
        for view, mask in zip(search.views, search.masks, strict=True)
    ]
    return merge(lists, search.size)


def _lexical(search: _Search) -> Ranked:
    corpus = sum((view.corpus for view in search.views), Corpus(0, 0.0))
    found = [[view.find(term) for view in search.views] for term in search.terms]
    weights = [idf(corpus.documents, sum(postings.frequency for postings in group)) for group in found]
    lists = []
    for i, (view, mask) in enumerate(zip(search.views, search.masks, strict=True)):
        terms = [(group[i], weight) for group, weight in zip(found, weights, strict=True)]
        scores = bm25(terms, view.columns["length"], corpus)
        lists.append(top(scores if mask is None else scores * mask, view.seqs, search.size, 0.0))
    return merge(lists, search.size)


def _collect(deps: Deps, gate: _Gate, question: Question, legs: Mapping[str, Ranked]) -> tuple[Hit, ...]:
    """The first ``limit`` candidates whose rows, read now, may really leave."""
    fused = fuse(legs, question.fusion)
    found: list[tuple[Memory, float]] = []
    start = 0
    while len(found) < question.limit and start < len(fused):
        batch = fused[start : start + question.limit - len(found)]
        start += len(batch)
        rows = {memory.seq: memory for memory in deps.store.read([seq for seq, _ in batch], gate.past)}
        passed = ((rows[seq], score) for seq, score in batch if seq in rows)
        found.extend((memory, score) for memory, score in passed if gate.why_not(memory) is None)
    said = parts(legs, [memory.seq for memory, _ in found])
    return tuple(Hit(memory, score, said[memory.seq], citing.cite(memory, score)) for memory, score in found)


def _left_out(deps: Deps, gate: _Gate, question: Question, search: _Search) -> tuple[LeftOut, ...]:
    """Everyone who came close: candidates of the pool, and those that only their state keeps out of it."""
    masked, unmasked = _legs(search), _legs(replace(search, masks=[view.alive() for view in search.views]))
    best = {seq: score for legs in (unmasked, masked) for seq, score in fuse(legs, question.fusion)}
    near = sorted(best, key=lambda seq: (-best[seq], seq))[: search.size + question.limit]
    said = parts(unmasked, best) | parts(masked, {seq for ranked in masked.values() for seq in ranked.seqs})
    found = []
    for memory in deps.store.read(near, gate.past):
        if guard.covers(gate.grant, memory):
            reason = gate.why_not(memory) or f"below the limit of {question.limit}"
            found.append(LeftOut(memory.id, reason, said[memory.seq]))
    return tuple(found)
