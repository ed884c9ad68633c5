"""What becomes of a new memory beside its neighbours: the same, linked, in the place of one, or in conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cortex.core.authority import outweighs
from cortex.core.understanding.replaced import are_of_two_things, is_replaced
from cortex.core.understanding.sameness import same
from cortex.model.layers import Layers, Thresholds
from cortex.model.memory import Memory
from cortex.model.understanding import Verdict

MOST_LINKS = 3

Judge = Callable[[str, str, float | None], Verdict]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory that is near: by words, meaning or what it is about. ``cosine`` is None where one has no vectors."""

    memory: Memory
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Clash:
    """A neighbour that contradicts the new memory.

    ``wins``: whether the new one counts more; None: nothing decides. ``safe``: whether the two are surely of the same
    thing, so that one can take the other's place without asking anybody.
    """

    neighbour: Neighbour
    verdict: Verdict
    wins: bool | None
    safe: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of a new memory.

    ``repeats``: the memory that says the same already. ``superseded``: those whose place it takes. ``yields``: the one
    that keeps its place. ``doubtful``: those that somebody must decide about. ``links``: the nearest others.
    """

    repeats: Memory | None = None
    superseded: tuple[Clash, ...] = ()
    yields: Clash | None = None
    doubtful: tuple[Clash, ...] = ()
    links: tuple[Neighbour, ...] = ()


NOTHING = Settled()


def settle(
    memory: Memory, neighbours: Sequence[Neighbour], layers: Layers, thresholds: Thresholds, judge: Judge
) -> Settled:
    """Decide, from the best neighbours first. ``judge`` is asked with the older text first."""
    if layers.dedup and (twin := _twin(memory, neighbours, thresholds)) is not None:
        return Settled(repeats=twin)
    clashes = [clash for clash in (_clash(memory, each, layers, thresholds, judge) for each in neighbours) if clash]
    lost = {clash.neighbour.memory.id for clash in clashes}
    near = [each for each in neighbours if each.memory.id not in lost and (each.cosine or 0.0) >= thresholds.link]
    near.sort(key=lambda each: (-(each.cosine or 0.0), each.memory.seq))
    links = tuple(near[:MOST_LINKS]) if layers.link else ()
    sure = [clash for clash in clashes if _is_sure(clash, layers, thresholds)]
    yields = next((clash for clash in sure if clash.wins is False), None)
    return Settled(
        superseded=() if yields else tuple(clash for clash in sure if clash.wins),
        yields=yields,
        doubtful=tuple(clash for clash in clashes if _is_doubtful(clash, sure, thresholds)) if layers.conflict else (),
        links=links,
    )


def _is_doubtful(clash: Clash, sure: Sequence[Clash], thresholds: Thresholds) -> bool:
    """Whether somebody must decide; what is hardly likely is not worth asking about."""
    least = thresholds.likely if clash.safe else thresholds.sure
    return clash.wins is None or (clash not in sure and clash.verdict.confidence >= least)


def _is_sure(clash: Clash, layers: Layers, thresholds: Thresholds) -> bool:
    """Of almost the same text less will do: a new value is all it can tell."""
    near = layers.soft_update and (clash.neighbour.cosine or 0.0) >= thresholds.soft_update
    return clash.safe and clash.verdict.confidence >= (thresholds.likely if near else thresholds.sure)


def _twin(memory: Memory, neighbours: Sequence[Neighbour], thresholds: Thresholds) -> Memory | None:
    """The neighbour that says the same; whoever said it and when it happened must agree, too."""
    for each in neighbours:
        other = each.memory
        close = each.cosine is None or each.cosine >= thresholds.dedup
        told = (other.speaker, other.role, other.event_time, other.clearance_min)
        alike = told == (memory.speaker, memory.role, memory.event_time, memory.clearance_min)
        taken = other.low_trust and not memory.low_trust  # the trusted word would be lost in it
        if close and alike and not taken and same(other.content, memory.content):
            return other
    return None


def _clash(memory: Memory, neighbour: Neighbour, layers: Layers, thresholds: Thresholds, judge: Judge) -> Clash | None:
    """Without the layer conflict only what is almost the same text can take the other's place."""
    in_band = neighbour.cosine is not None and neighbour.cosine >= thresholds.soft_update
    if not (layers.conflict or (layers.soft_update and in_band)):
        return None
    other = neighbour.memory
    wins = outweighs(memory, other)
    older, newer = (other, memory) if wins is not False else (memory, other)
    verdict = judge(older.content, newer.content, neighbour.cosine)
    if not verdict.contradicts or are_of_two_things(older.content, newer.content):
        return None
    return Clash(neighbour, verdict, wins, is_replaced(older.content, newer.content))
