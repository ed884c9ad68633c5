"""Whether two texts say the same in other words: strictly, since what is taken for the same is not kept twice."""

from __future__ import annotations

from typing import Final

from cortex.core.understanding.statement import telling, words_of

_MOST_CHARS: Final = 4_000  # longer texts are the same only when they are equal, and those are found by fingerprint
# Below this, turning words round makes another statement: "Ada trusts Bob".
_FEW: Final = 3
# What joins two clauses that may not change places: "if it rains, we stay" and "if we stay, it rains".
_ORDERED: Final = frozenset("if when then before after becaus sinc until unless than over from to instead not".split())


def same(one: str, other: str) -> bool:
    """Whether each says what the other says, and nothing else.

    The same words in the same order, inflection aside; articles, fillers and forms of "to be" do not count, "the
    port of the API" is "the API port", and a clause may stand first or last. A word of time, doubt or negation, a
    number, a name or any other word that only one of them has makes them different, whatever vectors say.
    """
    if max(len(one), len(other)) > _MOST_CHARS:
        return False
    first, second = telling(words_of(one)), telling(words_of(other))
    if len(first) != len(second) or not first or sorted(first) != sorted(second):
        return False
    return first == second or (len(first) > _FEW and _turned(first, second))


def _turned(first: list[str], second: list[str]) -> bool:
    """Whether one begins where the other goes on, as "for storage we use X" and "we use X for storage" do."""
    if not _ORDERED.isdisjoint(first):
        return False
    places = (place for place, word in enumerate(second) if word == first[0] and place)
    return any(second[place:] + second[:place] == first for place in places)
