"""Whether one statement can safely take the place of another that it contradicts.

That two statements clash says little about whether they are of the same thing: "host1 takes 10 minutes" and "host2
takes 20 minutes" differ in the thing as well. Safe is only what says the same but for one value, or denies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from cortex.core.understanding.slots import MANY, refilled
from cortex.core.understanding.statement import telling, words_of

_MOST_CHARS: Final = 600
_DENIALS: Final = frozenset("not no never longer".split())
# What may be said several times of the same thing, of different times or of others of its kind.
_SEVERAL: Final = frozenset(
    "my a an another other one some visit< met meet appoint flew went saw bought ate read wrote borrow< paid lent gave "
    "open close pass fail speak dream< said might mayb novel book film may if".split()
)
_FEWEST: Final = 3  # words that two statements must share before they are of the same thing


def is_replaced(older: str, newer: str) -> bool:
    """Whether the newer statement tells the present state of what the older one told of."""
    if max(len(older), len(newer)) > _MOST_CHARS:
        return False
    if refilled(older, newer) is not None:
        return True
    first, second = telling(words_of(older)), telling(words_of(newer))
    if not (_SEVERAL | MANY).isdisjoint((*first, *second)):
        return False
    return _denied(first, second) or _one_number(first, second)


def are_of_two_things(older: str, newer: str) -> bool:
    """Whether two statements in the same words differ in the thing as well as in what is said of it."""
    if max(len(older), len(newer)) > _MOST_CHARS or refilled(older, newer) is not None:
        return False
    first, second = telling(words_of(older)), telling(words_of(newer))
    return sum(kind == "replace" for kind, *_ in _differences(first, second)) > 1


def _denied(first: Sequence[str], second: Sequence[str]) -> bool:
    """The same statement with and without a denial."""
    plain = [[word for word in words if word not in _DENIALS] for words in (first, second)]
    return (first == plain[0]) != (second == plain[1]) and plain[0] == plain[1] and len(plain[0]) > 1


def _one_number(first: Sequence[str], second: Sequence[str]) -> bool:
    """Nothing differs but one number, which is no name: its unit, or what it counts, follows."""
    changed = [each for each in _differences(first, second) if each[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace" or len(first) <= _FEWEST:
        return False
    _, start, end, begin, stop = changed[0]
    alone = end - start == stop - begin == 1
    return alone and end < len(first) and all(word.replace(".", "").replace(",", "").isdigit()
                                              for word in (first[start], second[begin]))  # fmt: skip


def _differences(first: Sequence[str], second: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
