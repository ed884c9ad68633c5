"""Cutting a text into pieces that an embedding model can read whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from cortex.core.text.clusters import cut_before, extends, joined
from cortex.errors import InvalidInput

_CHARS_PER_TOKEN = 6
_LONG_WORD = 60  # a longer run may be cut: it is data, not a word
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_UNIT = re.compile(rf"[A-Za-z0-9]+|\s+|{_FLAG}|.", re.DOTALL)
_SENTENCE_END = re.compile("[.!?\u2026\u3002\uff01\uff1f\u061f\u0964][\"')\\]\u201d\u2019\u300d\u00bb]*\\s*\\Z")
_SENTENCE_TAIL = 12  # characters before a cut that can show a sentence end
_FULL_STOPS = frozenset("\u3002\uff01\uff1f\u0964")  # end a sentence without white space

_NEVER, _ANYWHERE, _SPACE, _SENTENCE, _PARAGRAPH = range(5)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: character offsets, the end not included."""

    start: int
    end: int


class _Unit(NamedTuple):
    start: int
    cost: int
    grade: int  # how good a cut before this unit is


def _cost(unit: str) -> int:
    if unit.isspace():
        return 0
    if unit.isascii() and unit.isalnum():
        return 1 + len(unit) // _CHARS_PER_TOKEN
    return sum(1 for char in unit if not extends(char))


def estimate_tokens(text: str) -> int:
    """About how many tokens a WordPiece model reads: a guess to cut by, not a count to report."""
    return sum(_cost(found.group()) for found in _UNIT.finditer(text))


def _grade(text: str, position: int) -> int:
    if position == 0 or joined(text[position - 1], text[position]):
        return _NEVER
    before = text[position - 1]
    if text[position].isspace():
        return _ANYWHERE
    if before in _FULL_STOPS:
        return _SENTENCE
    if not before.isspace():
        return _ANYWHERE
    tail = text[max(0, position - _SENTENCE_TAIL) : position]
    if tail[len(tail.rstrip()) :].count("\n") > 1:
        return _PARAGRAPH
    return _SENTENCE if before == "\n" or _SENTENCE_END.search(tail) else _SPACE


def _parts(text: str, end: int, longest: int) -> Iterator[tuple[int, int]]:
    for found in _UNIT.finditer(text, 0, end):
        start, stop = found.span()
        if stop - start <= longest or text[start].isspace():
            yield start, stop
            continue
        for at in range(start, stop, longest):
            yield at, min(at + longest, stop)


def _units(text: str, end: int, room: int) -> list[_Unit]:
    longest = min(_LONG_WORD, room * _CHARS_PER_TOKEN - 1)
    units = [_Unit(start, _cost(text[start:stop]), _grade(text, start)) for start, stop in _parts(text, end, longest)]
    units.append(_Unit(end, 0, _PARAGRAPH))
    return units


def _fill(units: list[_Unit], first: int, budget: int) -> tuple[int, list[int]]:
    """The last unit before which a piece from the first on can end, and the cost before each unit on the way.

    Within the budget, unless what a reader sees as one character is larger.
    """
    spent = [0]
    last = first
    while last < len(units) - 1 and spent[-1] + units[last].cost <= budget:
        spent.append(spent[-1] + units[last].cost)
        last += 1
    end = last
    while end > first and units[end].grade == _NEVER:
        end -= 1
    if end > first:
        return end, spent[: end - first + 1]
    while last == first or units[last].grade == _NEVER:
        spent.append(spent[-1] + units[last].cost)
        last += 1
    return last, spent


def _best_cut(units: list[_Unit], first: int, reached: int, spent: list[int]) -> int:
    """Where to end a full piece: a paragraph or sentence end in its second half, white space, anywhere.

    The cut lies beyond the unit that the pieces before have reached.
    """
    last = first + len(spent) - 1
    total = spent[-1]
    best = last
    wanted = _NEVER
    for at in range(last, reached, -1):
        if spent[at - first] * 4 < total:
            break
        grade = units[at].grade
        enough = spent[at - first] * 2 >= total or grade == _SPACE
        if grade > wanted and enough:
            best, wanted = at, grade
    return best


def _step_back(units: list[_Unit], first: int, cut: int, overlap: int) -> int:
    """The unit to start the next piece at, so that it repeats at most ``overlap`` tokens of this one."""
    if not overlap:
        return cut
    shared = 0
    start = cut
    for at in range(cut - 1, first, -1):
        shared += units[at].cost
        if shared > overlap:
            break
        if units[at].grade >= _SPACE:
            start = at
    return start


def split_pieces(text: str, budget: int = 200, limit_chars: int = 20_000, overlap: int = 0) -> list[Piece]:
    """The pieces of the first ``limit_chars`` characters, in order, each within ``budget`` estimated tokens.

    Cuts at paragraphs, then sentence ends, then white space, and only then inside a run; never inside what a
    reader sees as one character, even if the limit falls there. Each piece repeats up to ``overlap`` tokens of
    the one before; without overlap the pieces join without a gap. An empty text has no pieces.
    """
    if budget < 1:
        raise InvalidInput("budget", f"{budget} tokens; expected at least 1")
    if not 0 <= overlap <= budget // 2:
        raise InvalidInput("overlap", f"{overlap} tokens; expected 0 to half the budget ({budget // 2})")
    if 0 < len(text) <= min(budget, limit_chars):
        return [Piece(0, len(text))]  # as below, and most texts are
    end = cut_before(text, limit_chars) or min(len(text), max(limit_chars, 0))
    if 0 < end <= budget:  # no character costs more than one token
        return [Piece(0, end)]
    units = _units(text, end, budget - overlap)
    pieces: list[Piece] = []
    first = reached = 0
    while reached < len(units) - 1:
        last, spent = _fill(units, first, budget)
        if last <= reached:  # what follows is too large to repeat anything before it
            first = reached
            continue
        cut = last if last == len(units) - 1 else _best_cut(units, first, reached, spent)
        pieces.append(Piece(units[first].start, units[cut].start))
        first = _step_back(units, first, cut, overlap)
        reached = cut
    return pieces
