"""How an answer is made: guard, gather candidates from each leg, rank, check every row, finish, cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from cortex.core import citing
from cortex.core.matching import details_pass, hidden, passes
from cortex.core.moments import microseconds
from cortex.core.scoring.fusion import POOL_FACTOR, fuse, parts, pool
from cortex.core.text import analyse_query
from cortex.engine import guard, vectors
from cortex.engine.appraise import POOL, appraise
from cortex.engine.converse import converse
from cortex.engine.deps import Deps
from cortex.engine.finish import Chosen, Found, choose, wider
from cortex.engine.legs import Candidates, Mask, Search, legs
from cortex.engine.shelf import View
from cortex.model.memory import Memory
from cortex.model.policy import Action, Caller, Grant
from cortex.model.query import COUNTING, Filter, Question, Ranking, Selection
from cortex.model.scope import Scope
from cortex.model.score import Hit, LeftOut, Recall


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


def recall(deps: Deps, caller: Caller, scopes: Sequence[Scope], question: Question) -> Recall:
    """The best memories of these scopes for a question."""
    grant, past = guard.authorise(caller, Action.READ, scopes), question.as_of
    gate = _Gate(grant, question.filter, past or deps.clock.now(), past)
    vectors.prepare(deps)
    tokens = question.ranking is Ranking.CONVERSATION
    views = deps.index.past(grant.scopes, past) if past else deps.index.views(grant.scopes, tokens=tokens)
    query = vectors.embed_query(deps, question.text)
    terms = analyse_query(question.text)
    masks = _masks(deps, gate, views)
    search = Search(question.text, terms, query, views, masks, _pool(deps, question), deps.conversation)
    candidates = _ranked(deps, gate, search, question)
    chosen = choose(deps, question, search, candidates, partial(_best, deps, gate))
    hits = _cited(chosen)
    near = _left_out(deps, gate, question, search) if question.explain else ()
    problems = {"dense": query.problem, "rerank": chosen.problem}
    return Recall(
        hits=hits,
        legs=candidates.names,
        degraded=tuple(name for name, problem in problems.items() if problem),
        notes=tuple(filter(None, problems.values())) or _past_notes(deps, views),
        pending=sum(view.pending for view in views),
        limit=question.limit,
        ranking=question.ranking.value,
        fusion=question.fusion.value,
        times=question.filter.times,
        left_out=tuple(item for item in near if item.id not in {hit.memory.id for hit in hits}),
    )


def _pool(deps: Deps, question: Question) -> int:
    """How many candidates each leg supplies."""
    size = max(pool(question.limit, question.fusion), wider(deps, question))
    return max(POOL, size) if question.ranking in COUNTING else size


def _ranked(deps: Deps, gate: _Gate, search: Search, question: Question) -> Candidates:
    if question.ranking in COUNTING:
        return appraise(deps, search, question, gate.now)
    if question.ranking is Ranking.CONVERSATION and (conversed := converse(search)) is not None:
        return conversed
    found = legs(search)
    return Candidates(fuse(found, question.fusion), tuple(found), partial(parts, found))


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


def _best(deps: Deps, gate: _Gate, candidates: Candidates, most: int) -> Found:
    """The first ``most`` candidates whose rows, as they are read for this answer, may really leave."""
    found: Found = []
    start = 0
    while len(found) < most and start < len(candidates.ranked):
        batch = candidates.ranked[start : start + most - len(found)]
        start += len(batch)
        rows = candidates.rows
        if rows is None:
            rows = {memory.seq: memory for memory in deps.store.read([seq for seq, _ in batch], gate.past)}
        passed = ((rows[seq], score) for seq, score in batch if seq in rows)
        found.extend((memory, score) for memory, score in passed if gate.why_not(memory) is None)
    return found


def _cited(chosen: Chosen) -> tuple[Hit, ...]:
    candidates, said = chosen.candidates, chosen.said
    parts = candidates.parts([memory.seq for memory, _ in chosen.found])
    return tuple(
        Hit(
            memory,
            score,
            parts[memory.seq] | said.get(memory.seq, {}),
            citing.cite(memory, score),
            candidates.weights(memory.seq),
        )
        for memory, score in chosen.found
    )


def _left_out(deps: Deps, gate: _Gate, question: Question, search: Search) -> tuple[LeftOut, ...]:
    """Everyone who came close: candidates of the pool, and those that only their state keeps out of it."""
    everyone = replace(search, masks=[view.alive() for view in search.views])
    seen, all_ = (_ranked(deps, gate, each, question) for each in (search, everyone))
    best = dict([*all_.ranked, *seen.ranked])
    near = sorted(best, key=lambda seq: (-best[seq], seq))[: POOL_FACTOR * question.limit + question.limit]
    said = all_.parts(near) | seen.parts([seq for seq, _ in seen.ranked])
    left = []
    for memory in deps.store.read(near, gate.past):
        if guard.covers(gate.grant, memory):
            reason = gate.why_not(memory) or f"below the limit of {question.limit}"
            left.append(LeftOut(memory.id, reason, said[memory.seq]))
    return tuple(left)
