"""The layers of a write: what a text says, what becomes of it beside its neighbours, and the changes that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from cortex.core import keep, moments
from cortex.core.matching import out_of_time
from cortex.core.settle import NOTHING, Clash, Neighbour, Settled, settle
from cortex.core.understanding.contradiction import judge
from cortex.core.understanding.names import reading
from cortex.core.understanding.whole import OFFLINE
from cortex.engine.deps import Deps
from cortex.engine.neighbours import beside
from cortex.engine.read import Read, read
from cortex.model.change import AddConflict, AddLink, Batch, Layered, SetReading, Supersede
from cortex.model.conflict import Conflict, ConflictState, Resolution
from cortex.model.embedding import Embedding
from cortex.model.memory import EmbeddingState, Link, Memory, Status
from cortex.model.policy import Grant
from cortex.model.understanding import Reading

RELATED = "related"
_COMPARING = frozenset({"dedup", "soft_update", "link", "conflict"})


@dataclass(frozen=True, slots=True)
class Outlook:
    """A memory as its layers leave it, what was read from it, and what becomes of it beside its neighbours.

    ``seen``: how many rows the scope had in the search cache when it was held against them.
    """

    memory: Memory
    reading: Reading
    settled: Settled = NOTHING
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Again:
    """What came of a second look at a memory: how many are superseded, how many conflicts wait, what is missing."""

    seq: int
    superseded: int = 0
    conflicts: int = 0
    problem: str = ""


def look(deps: Deps, grant: Grant, memory: Memory, embedding: Embedding | None, found: Read) -> Outlook:
    """What the layers make of one memory that is not kept yet, of a new text of one that is, or of one anew.

    Without its vectors it cannot be compared by meaning: the layers that do so are then not noted as done.
    """
    has_vectors = embedding is not None or memory.embedding is EmbeddingState.READY
    done = [name for name in deps.layers if has_vectors or name not in _COMPARING]
    noted = reading(found.understanding, done, found.maker)
    memory = keep.understood(memory, found.understanding)
    if not deps.layers.compares or memory.status is not Status.ACTIVE:
        return Outlook(memory, noted)
    seen = deps.index.views([memory.scope])[0].rows
    near = beside(deps, grant, memory, embedding, noted)
    if embedding is None and memory.seq:  # the later one of two that are there is held against the earlier one
        near = [each for each in near if each.memory.seq < memory.seq]
    layers = deps.layers
    if memory.expires_at or memory.valid_to or out_of_time(memory, deps.clock.now()):
        # What holds for a while, or not yet, takes the place of nothing that holds for good.
        layers = replace(layers, soft_update=False, conflict=False)
    return Outlook(memory, noted, settle(memory, near, layers, deps.thresholds, judge), seen)


def as_settled(outlook: Outlook) -> Memory:
    """The memory as it is to be added: with its links, and out of recall where it yields to another."""
    links = tuple(Link(RELATED, each.memory.id, _cosine(each)) for each in outlook.settled.links)
    memory = replace(outlook.memory, links=(*outlook.memory.links, *links))
    if (clash := outlook.settled.yields) is None:
        return memory
    return replace(memory, status=Status.SUPERSEDED, superseded_by=clash.neighbour.memory.id)


def as_revised(outlook: Outlook) -> Memory:
    """The next version of a memory, with the links that its new text has instead of those of the old one."""
    kept = tuple(link for link in outlook.memory.links if link.relation not in (RELATED, "supersedes"))
    return as_settled(replace(outlook, memory=replace(outlook.memory, links=kept)))


def revised(outlook: Outlook) -> Outlook:
    """As for a new text of a memory that stays: it is not dropped for what it repeats; what it yields to, waits."""
    settled = outlook.settled
    doubtful = settled.doubtful if settled.yields is None else (settled.yields, *settled.doubtful)
    return replace(outlook, settled=replace(settled, repeats=None, yields=None, doubtful=doubtful))


def changes_again(deps: Deps, outlook: Outlook, now: datetime) -> list[Layered]:
    """What happens when the layers look at a memory that is there: to it, and to others."""
    memory, settled = outlook.memory, outlook.settled
    changes: list[Layered] = [SetReading(memory, outlook.reading)]
    if settled.repeats is not None:
        return [*changes, Supersede(memory.seq, memory.version, settled.repeats.id, "says the same", now)]
    if (yielding := settled.yields) is not None:
        by, reason = yielding.neighbour.memory.id, yielding.verdict.reason
        changes.append(Supersede(memory.seq, memory.version, by, reason, now))
    links = (AddLink(memory.id, Link(RELATED, each.memory.id, _cosine(each))) for each in settled.links)
    return [*changes, *links, *consequences(deps, outlook, now)]


def again(deps: Deps, grant: Grant, memories: Sequence[Memory]) -> list[Again]:
    """Have the layers look at memories that are there, a commit each."""
    active = [memory for memory in memories if memory.status is Status.ACTIVE]
    found = read(deps, active, None)
    return [_again(deps, grant, memory, said) for memory, said in zip(active, found, strict=True)]


def _again(deps: Deps, grant: Grant, memory: Memory, found: Read) -> Again:
    now = moments.after(memory.updated_at, deps.clock.now())
    outlook = look(deps, grant, memory, None, found)
    changes = changes_again(deps, outlook, now)
    outcomes = deps.store.apply(Batch(grant=grant, changes=tuple(changes))).outcomes
    if not outcomes[0].applied:  # it changed meanwhile, and whoever changed it had it read
        return Again(memory.seq)
    done = [change for change, outcome in zip(changes, outcomes, strict=True) if outcome.applied]
    superseded = sum(isinstance(change, Supersede) for change in done)
    return Again(memory.seq, superseded, len(outlook.settled.doubtful), found.problem)


def catch_up(deps: Deps, grant: Grant, outlook: Outlook, seq: int) -> None:
    """After the commit: what others wrote meanwhile is looked at, too; the later of two does it."""
    memory, settled = outlook.memory, outlook.settled
    own = 1 + len(settled.superseded)
    if deps.index.views([memory.scope])[0].rows > outlook.seen + own:
        again(deps, grant, deps.store.read([seq]))


def consequences(deps: Deps, outlook: Outlook, now: datetime) -> list[Layered]:
    """What happens to others when the memory is added."""
    memory, settled = outlook.memory, outlook.settled
    changes: list[Layered] = [
        AddLink(each.memory.id, Link(RELATED, memory.id, _cosine(each))) for each in settled.links
    ]
    for clash in settled.superseded:
        other = clash.neighbour.memory
        changes.append(Supersede(other.seq, other.version, memory.id, clash.verdict.reason, now))
    if (yielding := settled.yields) is not None:
        changes.append(AddLink(yielding.neighbour.memory.id, Link("supersedes", memory.id, yielding.verdict.reason)))
    if deps.layers.conflict:
        changes += [AddConflict(_conflict(deps, memory, clash, now, settled=True)) for clash in _decided(settled)]
        changes += [AddConflict(_conflict(deps, memory, clash, now, settled=False)) for clash in settled.doubtful]
    return changes


def told(outlook: Outlook, found: Read) -> dict[str, Any]:
    """What the receipt says of it."""
    settled = outlook.settled
    return {
        "notes": [found.problem] if found.problem else [],
        "superseded": [clash.neighbour.memory.id for clash in settled.superseded],
        "superseded_by": None if settled.yields is None else settled.yields.neighbour.memory.id,
        "conflicts": [clash.neighbour.memory.id for clash in settled.doubtful],
        "linked": [each.memory.id for each in settled.links],
    }


def _decided(settled: Settled) -> list[Clash]:
    return [*settled.superseded, *(() if settled.yields is None else (settled.yields,))]


def _conflict(deps: Deps, memory: Memory, clash: Clash, now: datetime, *, settled: bool) -> Conflict:
    other = clash.neighbour.memory
    older, newer = (memory, other) if clash.wins is False else (other, memory)
    return Conflict(
        id=deps.new_id(),
        scope=memory.scope,
        older=older.id,
        newer=newer.id,
        similarity=clash.neighbour.cosine,
        detector=OFFLINE,
        confidence=clash.verdict.confidence,
        reason=clash.verdict.reason,
        state=ConflictState.AUTO_RESOLVED if settled else ConflictState.OPEN,
        found_at=now,
        resolution=Resolution.KEEP_NEWER if settled else None,
        decided_by="authority and time" if settled else None,
        decided_at=now if settled else None,
    )


def _cosine(neighbour: Neighbour) -> str:
    return "" if neighbour.cosine is None else f"cosine {neighbour.cosine:.2f}"
