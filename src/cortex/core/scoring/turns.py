"""What rows are to each other as turns of a conversation: who comes before and after, who is of one session."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NOBODY = -1
_WORD = re.compile(r"\w+")
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """For each row of a scope its session (-1 for none), and the rows before and after it there (-1 for none).

    ``any``: whether some row has a neighbour.
    """

    session: npt.NDArray[np.int32]
    before: npt.NDArray[np.int32]
    after: npt.NDArray[np.int32]
    any: bool


def in_order(
    session: npt.NDArray[np.int32],
    position: npt.NDArray[np.int64],
    seq: npt.NDArray[np.int64],
    alive: npt.NDArray[np.bool_],
) -> Turns:
    """The neighbours of each living row in its session: by position, then in the order of writing."""
    rows = np.flatnonzero(alive & (session != NOBODY))
    order = rows[np.lexsort((seq[rows], position[rows], session[rows]))]
    joined = session[order[1:]] == session[order[:-1]]
    before, after = (np.full(len(session), NOBODY, dtype=np.int32) for _ in range(2))
    before[order[1:][joined]] = order[:-1][joined]
    after[order[:-1][joined]] = order[1:][joined]
    return Turns(session, before, after, bool(joined.any()))


def named(speakers: Sequence[str], question: str) -> npt.NDArray[np.bool_]:
    """Which speakers a question names, by the first word of the name, in any case."""
    words = set(_WORD.findall(question.casefold()))
    firsts = (speaker.casefold().split(maxsplit=1) for speaker in speakers)
    return np.array([bool(first) and first[0] in words for first in firsts], dtype=np.bool_)
