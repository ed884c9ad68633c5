"""Whether two texts say the same in other words: strictly, since what is taken for the same is not kept twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cortex.core.text.normal import key_text
from cortex.core.text.stems import stems

_MOST_CHARS: Final = 4_000  # longer texts are the same only when they are equal, and those are found by fingerprint
_WORD: Final = re.compile(r"[^\W_]+(?:[-'./:@_#+][^\W_]+)*[+#%]*|[%$€£°]")
# Words that add nothing to a statement. Times, modes, negations, comparisons and prepositions all do.
_WEAK: Final = frozenset(
    "a an the is are am be being do does this that so well just please really actually basically simply currently now "
    "also note remember fyi hey ok okay".split()
)
_ONE_WORD: Final = {
    "me": "i", "my": "i", "mine": "i", "us": "we", "our": "we", "ours": "we", "cannot": "can not", "i'm": "i am",
    "can't": "can not", "won't": "will not", "shan't": "shall not", "it's": "it is", "that's": "that is",
    "i've": "i have", "i'd": "i would", "i'll": "i will", "we're": "we are", "we've": "we have", "we'll": "we will",
}  # fmt: skip


def same(one: str, other: str) -> bool:
    """Whether each says what the other says, and nothing else.

    The same words in the same order, inflection aside; articles, fillers and forms of "to be" do not count, "the
    port of the API" is "the API port", and a clause may stand first or last. A word of time, doubt or negation, a
    number, a name or any other word that only one of them has makes them different, whatever vectors say.
    """
    if max(len(one), len(other)) > _MOST_CHARS:
        return False
    first, second = list(_words(one)), list(_words(other))
    if len(first) != len(second) or not first or sorted(first) != sorted(second):
        return False
    return first == second or (len(first) > _FEW and _turned(first, second))


# Below this, turning words round makes another statement: "Ada trusts Bob".
_FEW: Final = 3
# What joins two clauses that may not change places: "if it rains, we stay" and "if we stay, it rains".
_ORDERED: Final = frozenset(
    "if when then before after because since until unless than over from to instead not".split()
)


def _turned(first: list[str], second: list[str]) -> bool:
    """Whether one begins where the other goes on, as "for storage we use X" and "we use X for storage" do."""
    if not _ORDERED.isdisjoint(first):
        return False
    places = (place for place, word in enumerate(second) if word == first[0] and place)
    return any(second[place:] + second[:place] == first for place in places)


def _words(text: str) -> Iterator[str]:
    """What counts of a text, in order, with the owner before what it owns."""
    raw: list[str] = []
    for word in _WORD.findall(key_text(text)):
        folded = word.casefold()
        raw += _ONE_WORD.get(folded, _without_not(folded)).split()
    found: list[str] = []
    place = 0
    while place < len(raw):
        word = raw[place]
        if word == "of" and found and place + 1 < len(raw):  # "the port of the API": the owner first
            owner, place = _owner(raw, place + 1)
            thing = found.pop()
            found += [*owner, thing]
            continue
        place += 1
        if word in _WEAK:
            continue
        found.append(_stem(word.removesuffix("'s")))
    return iter(found)


def _without_not(word: str) -> str:
    return word.removesuffix("n't") + " not" if word.endswith("n't") else word


def _owner(raw: list[str], place: int) -> tuple[list[str], int]:
    """The one word after "of", articles aside, and where to go on."""
    while place < len(raw) - 1 and raw[place] in _WEAK:
        place += 1
    return [_stem(raw[place])], place + 1


def _stem(word: str) -> str:
    """The word without its inflection; a past keeps a mark, since what was need not be."""
    if not word.isalpha():
        return word
    stem = stems(word, "en")[1][0]
    return f"{stem}<" if word.endswith("ed") else stem
