"""Which tokens of an embedding model stand in words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Span = tuple[int, int]
_WORD = re.compile(r"\w+")


def words_of(text: str, spans: Sequence[Span]) -> Iterator[tuple[str, slice]]:
    """Each word of a text with its tokens, those that begin in it. ``spans``: the characters of each token, rising."""
    starts = [start for start, _ in spans]
    for word in _WORD.finditer(text):
        yield word.group(), slice(bisect_left(starts, word.start()), bisect_left(starts, word.end()))


def telling(text: str, spans: Sequence[Span]) -> npt.NDArray[np.bool_]:
    """Which tokens stand in a word, since what is between words tells nothing; all, where a text has none.

    bool [tokens].
    """
    import numpy as np  # help and its errors, which read no vectors, do without

    told = np.zeros(len(spans), dtype=np.bool_)
    for _, own in words_of(text, spans):
        told[own] = True
    return told if told.any() else np.ones(len(spans), dtype=np.bool_)
