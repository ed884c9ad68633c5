"""Which words of two statements stand for the same, which for the opposite."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from cortex.core.understanding.contradiction.lexicon import AXIS, OPPOSING_PREFIXES, PEOPLE

_COMMON = 5  # letters: shorter beginnings are shared by words that have nothing to do with each other


_MOST = 8  # of a class: natural statements have two or three


@dataclass(frozen=True, slots=True)
class Overlap:
    """The keys that two statements share, by meaning, and what each has alone."""

    shared: int
    older: frozenset[str]
    newer: frozenset[str]

    @property
    def containment(self) -> float:
        """The share of the statement that has less of its own, 0-1."""
        least = min(len(self.older), len(self.newer))
        return self.shared / (self.shared + least) if self.shared else 0.0

    @property
    def likeness(self) -> float:
        """Dice's coefficient, 0-1."""
        return 2 * self.shared / (2 * self.shared + len(self.older) + len(self.newer)) if self.shared else 0.0


@lru_cache(maxsize=16_384)
def _classes(key: str) -> tuple[object, ...]:
    """What a key may have in common with others that stand for the same; most have a beginning only."""
    found: list[object] = list(PEOPLE.get(key, ()))
    if key in AXIS:
        found.append(AXIS[key])
    if len(key) >= _COMMON and not found:
        found.append(key[:_COMMON])
    return tuple(found)


def _alike(one: str, other: str) -> bool:
    """Whether two keys of one class stand for the same: of two words, the longer goes on where the shorter ends."""
    if one[:_COMMON] != other[:_COMMON] or one in AXIS or one in PEOPLE:
        return True
    short, long = sorted((one, other), key=len)
    return long.startswith(short[: max(_COMMON, len(short) - 1)])


def matches(left: AbstractSet[str], right: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of different keys that may stand for the same thing, one of each side."""
    if not left:
        return []
    by_class: dict[object, list[str]] = {}
    for key in right:
        for each in _classes(key):
            by_class.setdefault(each, []).append(key)
    return [
        (one, other)
        for one in left
        for each in _classes(one)
        for other in by_class.get(each, ())[:_MOST]
        if _alike(one, other)
    ]


def missing(keys: AbstractSet[str], among: AbstractSet[str]) -> frozenset[str]:
    """The keys for which nothing stands among the others."""
    left = frozenset(keys - among)
    return left - {one for one, _ in matches(left, among)}


def opposites(left: Iterable[str], right: AbstractSet[str]) -> list[tuple[str, str]]:
    """The pairs of keys that are opposites: by the list, or by a prefix (stable, unstable)."""
    by_axis: dict[int, list[tuple[int, str]]] = {}
    for key in right:
        if key in AXIS:
            axis, side = AXIS[key]
            by_axis.setdefault(axis, []).append((side, key))
    found = []
    for key in left:
        if key in AXIS:
            axis, side = AXIS[key]
            found += [(key, other) for side_, other in by_axis.get(axis, ()) if side_ != side]
        found += [(key, other) for other in _by_prefix(key) if other in right]
    return found


@lru_cache(maxsize=16_384)
def _by_prefix(key: str) -> tuple[str, ...]:
    if len(key) < 4:
        return ()
    shorter = [key.removeprefix(prefix) for prefix in OPPOSING_PREFIXES if key.startswith(prefix)]
    return (*(prefix + key for prefix in OPPOSING_PREFIXES), *(each for each in shorter if len(each) > 3))


def overlap(older: frozenset[str], newer: frozenset[str]) -> Overlap:
    """What two sets of keys have in common."""
    same = older & newer
    left, right = older - same, newer - same
    pairs = matches(left, right)
    ours = {one for one, _ in pairs}
    return Overlap(len(same) + len(ours), left - ours, right - {other for _, other in pairs})
