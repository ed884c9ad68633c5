"""What rows are to each other as turns of a conversation: who comes before and after, who is of one session."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cortex.core.text.stopwords import NONE, stop_words

NOBODY = -1
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")  # Thai, Lao, kana, Han
_FUNCTION_WORDS = stop_words("en", NONE)
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """For each row of a scope the rows before and after it in its session, -1 for none.

    ``order``: the rows that are of a session, by session, position and seq. ``any``: whether some row has a neighbour.
    """

    session: npt.NDArray[np.int32]
    order: Rows
    before: Rows
    after: Rows
    any: bool

    def among(self, mask: npt.NDArray[np.bool_] | None) -> Turns:
        """The same as if only the rows of the mask were there: what is hidden lends nothing and parts nobody."""
        return self if mask is None else _linked(self.session, self.order[mask[self.order]])


def in_order(
    session: npt.NDArray[np.int32],
    position: npt.NDArray[np.int64],
    seq: npt.NDArray[np.int64],
    alive: npt.NDArray[np.bool_],
) -> Turns:
    """The neighbours of each living row in its session (-1 for none): by position, then in the order of writing."""
    rows = np.flatnonzero(alive & (session != NOBODY))
    return _linked(session, rows[np.lexsort((seq[rows], position[rows], session[rows]))])


def _linked(session: npt.NDArray[np.int32], order: Rows) -> Turns:
    joined = session[order[1:]] == session[order[:-1]]
    earlier, later = order[:-1][joined], order[1:][joined]
    before, after = (np.full(len(session), NOBODY, dtype=np.intp) for _ in range(2))
    before[later] = earlier
    after[earlier] = later
    return Turns(session, order, before, after, len(earlier) > 0)


def named(speakers: Sequence[str], question: str) -> npt.NDArray[np.bool_]:
    """Which speakers a question names, by the first word of the name that is no title, in any case.

    A name that is a function word too (Will, May) must be written as a name, and not first. Where a script has no
    spaces it may stand anywhere.
    """
    asked = unicodedata.normalize("NFC", question)
    words, later = set(_WORD.findall(asked.casefold())), set(_WORD.findall(asked)[1:])
    return np.array([_is_named(speaker, asked, words, later) for speaker in speakers], dtype=np.bool_)


def _is_named(speaker: str, question: str, words: set[str], later: set[str]) -> bool:
    given = [part for part in unicodedata.normalize("NFC", speaker).split() if not part.endswith(".")]
    parts = _WORD.findall(given[0]) if given else []
    if not parts:
        return False
    if _UNSPACED.search(given[0]):
        return given[0] in question
    if len(parts) == 1 and parts[0].casefold() in _FUNCTION_WORDS:
        return parts[0][0].isupper() and parts[0] in later
    return all(part.casefold() in words for part in parts)
