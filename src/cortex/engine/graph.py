"""What memories say together: everything about an entity, what it is connected with, and how two are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cortex.core.understanding.names import norm
from cortex.engine import guard
from cortex.engine.deps import Deps
from cortex.errors import MESSAGES
from cortex.model.knowledge import About, Connection, Name
from cortex.model.memory import Memory
from cortex.model.policy import Action, Caller, Grant
from cortex.model.query import Selection
from cortex.model.scope import Scope
from cortex.model.understanding import SELF, Edge

MOST_CANDIDATES = 10
_OFF = (
    "the layer graph is switched off, so nothing new is read into the graph: set CORTEX_GRAPH=1; recall finds the rest"
)
_UNKNOWN = "no memory names {!r}; recall finds what is said in other words"

Edges = Sequence[tuple[int, Edge]]


def about(deps: Deps, caller: Caller, scopes: Sequence[Scope], entity: str, limit: int) -> About:
    """Everything about an entity: its edges, and the newest memories that name it.

    The name is looked for as it is, then as a beginning, then as a part of names; where several fit, the first is
    shown and all are named.
    """
    grant, selection = _selection(deps, caller, scopes)
    note = "" if deps.layers.graph else _OFF
    candidates = _candidates(deps, selection, entity)
    if not candidates:
        return About(entity=None, note="; ".join(filter(None, [MESSAGES.conceal(_UNKNOWN.format(entity)), note])))
    name = candidates[0]
    seqs = deps.store.knowledge.mentioning(selection, name.norm)
    memories = _read(deps, grant, seqs[:limit])
    return About(
        entity=name,
        connections=tuple(_connections(deps, grant, selection, name.norm)),
        memories=tuple(memories),
        total=len(seqs),
        candidates=tuple(candidates[1 : MOST_CANDIDATES + 1]),
        note=note,
    )


def neighbors(deps: Deps, caller: Caller, scopes: Sequence[Scope], entity: str, limit: int) -> list[Connection]:
    """What an entity is connected with, those that most memories state first; nothing for an unknown name."""
    grant, selection = _selection(deps, caller, scopes)
    candidates = _candidates(deps, selection, entity)
    return _connections(deps, grant, selection, candidates[0].norm)[:limit] if candidates else []


def path(
    deps: Deps, caller: Caller, scopes: Sequence[Scope], between: tuple[str, str], most_hops: int
) -> list[Connection]:
    """The shortest way from one entity to another, an edge a step, whichever way the edges go; nothing without one."""
    grant, selection = _selection(deps, caller, scopes)
    ends = [_candidates(deps, selection, name)[:1] for name in between]
    if not all(ends) or ends[0] == ends[1]:
        return []
    start, goal = ends[0][0].norm, ends[1][0].norm
    came: dict[str, tuple[str, int, Edge] | None] = {start: None}
    frontier = [start]
    for _ in range(most_hops):
        found = deps.store.knowledge.edges(selection, frontier)
        frontier = list(_step(frontier, found, came))
        if goal in came or not frontier:
            break
    return _way(deps, grant, selection, came, goal) if goal in came else []


def _step(frontier: Sequence[str], found: Edges, came: dict[str, tuple[str, int, Edge] | None]) -> Iterable[str]:
    for seq, edge in found:
        for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
            if here in frontier and there not in came:
                came[there] = (here, seq, edge)
                yield there


def _way(
    deps: Deps, grant: Grant, selection: Selection, came: dict[str, tuple[str, int, Edge] | None], goal: str
) -> list[Connection]:
    steps: list[tuple[str, int, Edge]] = []
    while (step := came[goal]) is not None:
        steps.append(step)
        goal = step[0]
    shown = _shown(deps, selection, {name for _, _, edge in steps for name in (edge.source, edge.target)})
    ids = {memory.seq: memory.id for memory in _read(deps, grant, [seq for _, seq, _ in steps])}
    return [
        Connection(
            label=edge.label,
            outgoing=edge.source == here,
            other=shown[edge.target if edge.source == here else edge.source],
            description=edge.description,
            memories=tuple(ids[seq] for seq in [seq] if seq in ids),
        )
        for here, seq, edge in reversed(steps)
    ]


def _selection(deps: Deps, caller: Caller, scopes: Sequence[Scope]) -> tuple[Grant, Selection]:
    grant = guard.authorise(caller, Action.READ, scopes)
    return grant, Selection(scopes=grant.scopes, clearance=grant.clearance, now=deps.clock.now())


def _candidates(deps: Deps, selection: Selection, entity: str) -> list[Name]:
    wanted = norm(entity)
    exact = deps.store.knowledge.named(selection, [wanted])
    if exact:
        return exact
    # Nobody means themselves by a part of a name.
    others = [name for name in deps.store.knowledge.names(selection, wanted) if name.norm != SELF]
    return sorted(others, key=lambda name: (not name.norm.startswith(wanted), -name.memories, name.norm))


def _connections(deps: Deps, grant: Grant, selection: Selection, entity: str) -> list[Connection]:
    """One for each edge, with every memory that states it; those that most state first."""
    stated: dict[tuple[str, bool, str], list[tuple[int, str]]] = {}
    for seq, edge in deps.store.knowledge.edges(selection, [entity]):
        outgoing = edge.source == entity
        key = (edge.label, outgoing, edge.target if outgoing else edge.source)
        stated.setdefault(key, []).append((seq, edge.description))
    ids = {memory.seq: memory.id for memory in _read(deps, grant, [seq for said in stated.values() for seq, _ in said])}
    shown = _shown(deps, selection, {other for _, _, other in stated})
    found = [
        Connection(
            label=label,
            outgoing=outgoing,
            other=shown[other],
            description=next((text for _, text in reversed(said) if text), ""),
            memories=tuple(ids[seq] for seq, _ in said if seq in ids),
        )
        for (label, outgoing, other), said in stated.items()
    ]
    return sorted(found, key=lambda each: (-len(each.memories), each.label, each.other))


def _shown(deps: Deps, selection: Selection, norms: Iterable[str]) -> dict[str, str]:
    """How these entities are written."""
    wanted = list(norms)
    found = {name.norm: name.name for name in deps.store.knowledge.named(selection, wanted)}
    return {one: "you" if one == SELF else found.get(one, one) for one in wanted}


def _read(deps: Deps, grant: Grant, seqs: Sequence[int]) -> list[Memory]:
    return [memory for memory in deps.store.read(list(dict.fromkeys(seqs))) if guard.covers(grant, memory)]
