"""Whether two texts say the same in other words: strictly, since what is taken for the same is not kept twice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from cortex.core.understanding.statement import Word, words_of

_MOST_CHARS: Final = 4_000  # longer texts are the same only when they are equal, and those are found by fingerprint
# Below this, turning words round makes another statement: "Ada trusts Bob".
_FEW: Final = 3
# What joins two clauses that may not change places: "if it rains, we stay" and "if we stay, it rains".
_ORDERED: Final = frozenset(
    "if when then before after because since until unless than over from to instead not".split()
)
_ADDS_NOTHING: Final = frozenset("a an the is are am being now currently that".split())
# Signs that end or part sentences and may differ. Any other sign counts, and so do these beside a digit.
_PLAIN_SIGNS: Final = frozenset(".,;:!\"'\u2018\u2019\u201c\u201d")
_UNITS: Final = frozenset("%$\u20ac\u00a3\u00b0")
_CODE: Final = re.compile(r"[{}()\[\]<>=|&$\\^*`~+]|//|::|--")


def same(one: str, other: str) -> bool:
    """Whether each says what the other says, and nothing else.

    The same words in the same order; articles, "now" and forms of "to be" do not count, nor what is said before the
    statement ("note that …"); "the port of the API" is "the API port", and a clause may stand first or last. Any other
    word, form of a word, sign, accent, or capital of an abbreviation that only one of them has makes them different,
    whatever vectors say. What has signs such as those of code is the same when it is equal, which others find.
    """
    if max(len(one), len(other)) > _MOST_CHARS or _CODE.search(one) or _CODE.search(other):
        return False
    signs = _signs(one)
    if signs != _signs(other) or not _UNITS.issuperset(signs):
        return False
    first, second = _said(words_of(one)), _said(words_of(other))
    if len(first) != len(second) or not first or sorted(first) != sorted(second):
        return False
    return first == second or (len(first) > _FEW and _turned(first, second))


def _turned(first: list[str], second: list[str]) -> bool:
    """Whether one begins where the other goes on, as "for storage we use X" and "we use X for storage" do."""
    if not _ORDERED.isdisjoint(first):
        return False
    places = (place for place, word in enumerate(second) if word == first[0] and place)
    return any(second[place:] + second[:place] == first for place in places)


def _said(words: Sequence[Word]) -> list[str]:
    """The words that count, as they are written but for case; an abbreviation keeps its capitals."""
    found = []
    for place, word in enumerate(words):
        capital = word.written[:1].isupper() and place > 0
        if word.raw in _ADDS_NOTHING and not capital:
            continue
        following = words[place + 1].raw if place + 1 < len(words) else ""
        owns = word.raw.endswith("'s") and following not in _ADDS_NOTHING and following
        shouted = len(word.written) > 1 and word.written.isupper()
        found.append(word.written if shouted else word.raw.removesuffix("'s") if owns else word.raw)
    return [unicodedata.normalize("NFC", word) for word in found]


def _signs(text: str) -> list[str]:
    """Every sign that means something, in order: not what ends a sentence or parts words, unless beside a digit."""
    found = []
    for place, char in enumerate(text):
        if char.isalnum() or char.isspace() or unicodedata.combining(char):
            continue
        if _means_something(text[place - 1 : place], char, text[place + 1 : place + 2]):
            found.append(char)
    return found


def _means_something(before: str, char: str, after: str) -> bool:
    if before.isalnum() and after.isalnum():
        return before.isdigit() and char not in "'\u2019"
    if char not in _PLAIN_SIGNS or after.isdigit():
        return True
    return before.isdigit() and char in "!'\""
