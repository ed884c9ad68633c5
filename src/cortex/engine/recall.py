"""How an answer is made: guard, gather candidates from each leg, fuse, check every row, cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cortex.core import citing
from cortex.core.lexical import Corpus, bm25, idf
from cortex.core.matching import details_pass, hidden, passes
from cortex.core.moments import microseconds
from cortex.core.scoring.fusion import Fused, fuse, pool
from cortex.core.scoring.rank import Ranked, merge, top
from cortex.core.scoring.similarity import NOTHING
from cortex.core.text import analyse_query
from cortex.engine import guard, vectors
from cortex.engine.deps import Deps
from cortex.engine.shelf import View
from cortex.model.embedding import FloatArray
from cortex.model.memory import Memory
from cortex.model.policy import Action, Caller, Grant
from cortex.model.query import Question, Selection
from cortex.model.scope import Scope
from cortex.model.score import Hit, LeftOut, Recall

Mask = npt.NDArray[np.bool_] | None


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
    grant = guard.authorise(caller, Action.READ, scopes)
    vector, problem = vectors.embed_query(deps, question.text)
    views = deps.index.views(grant.scopes)
    masks = _masks(deps, grant, question, views)
    search = _Search(views, masks, vector, analyse_query(question.text), pool(question.limit))
    legs = _legs(search)
    fused = fuse(legs, question.fusion)
    hits = _collect(deps, grant, question, fused)
    near = _left_out(deps, grant, question, search, fused) if question.explain else ()
    return Recall(
        hits=hits,
        legs=tuple(legs),
        degraded=("dense",) if problem else (),
        notes=(problem,) if problem else (),
        pending=sum(view.pending for view in views),
        limit=question.limit,
        ranking=question.ranking.value,
        fusion=question.fusion.value,
        left_out=tuple(item for item in near if item.id not in {hit.memory.id for hit in hits}),
    )


def _masks(deps: Deps, grant: Grant, question: Question, views: Sequence[View]) -> list[Mask]:
    now = deps.clock.now()
    if question.filter.trivial:
        return [view.visible(int(grant.clearance), microseconds(now)) for view in views]
    selection = Selection(scopes=grant.scopes, clearance=grant.clearance, now=now, filter=question.filter)
    details = bool(question.filter.tags or question.filter.metadata)
    rows = deps.store.matching(selection, details=details)
    seqs = [row.seq for row in rows if details_pass(row.tags, row.metadata, question.filter)]
    return [view.chosen(seqs) for view in views]


def _legs(search: _Search) -> dict[str, Ranked]:
    legs = {}
    if search.vector is not None:
        legs["dense"] = _dense(search, search.vector)
    legs["lexical"] = _lexical(search)
    return legs


def _dense(search: _Search, vector: FloatArray) -> Ranked:
    lists = [
        top(view.similarities(vector, mask), view.seqs, search.size, float(NOTHING))
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


def _collect(deps: Deps, grant: Grant, question: Question, fused: Sequence[Fused]) -> tuple[Hit, ...]:
    """The first ``limit`` candidates whose rows, read now, may really leave."""
    hits: list[Hit] = []
    start = 0
    while len(hits) < question.limit and start < len(fused):
        batch = fused[start : start + question.limit - len(hits)]
        start += len(batch)
        rows = {memory.seq: memory for memory in deps.store.read([item.seq for item in batch])}
        for item in batch:
            memory = rows.get(item.seq)
            if memory is not None and _why_not(deps, grant, question, memory) is None:
                hits.append(Hit(memory, item.score, item.parts, citing.cite(memory, item.score)))
    return tuple(hits)


def _why_not(deps: Deps, grant: Grant, question: Question, memory: Memory) -> str | None:
    if not guard.covers(grant, memory):
        return "denied"
    if memory.status not in question.filter.statuses:
        return memory.status.value
    reason = hidden(memory, grant.clearance, deps.clock.now())
    return reason if reason is not None else None if passes(memory, question.filter) else "filter"


def _left_out(
    deps: Deps, grant: Grant, question: Question, search: _Search, fused: Sequence[Fused]
) -> tuple[LeftOut, ...]:
    """Everyone who came close: candidates of the pool, and those that only their state keeps out of it."""
    unmasked = replace(search, masks=[view.alive() for view in search.views])
    ranked = {item.seq: item for item in (*fuse(_legs(unmasked), question.fusion), *fused)}
    near = sorted(ranked.values(), key=lambda item: (-item.score, item.seq))[: search.size + question.limit]
    found = []
    for memory in deps.store.read([item.seq for item in near]):
        if guard.covers(grant, memory):
            reason = _why_not(deps, grant, question, memory) or f"below the limit of {question.limit}"
            found.append(LeftOut(memory.id, reason, ranked[memory.seq].parts))
    return tuple(found)
