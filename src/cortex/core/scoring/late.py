"""Late interaction: how well each word of a question is met by some word of a memory (Khattab and Zaharia, 2020).

Not one vector a text is compared but one a token, of the same small model. The score of a memory is the mean, over
the tokens of the question, of the best cosine with any of its own tokens; a token counts by the idf of its word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import simsimd

from cortex.core.text.words import words_of
from cortex.model.embedding import CodeArray, FloatArray

MOST_TOKENS = 192  # of a memory: what follows in a long text has its pieces
_UNIT = np.float32(127.0)
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The token vectors of the rows of a scope: row i has ``values[starts[i] : starts[i + 1]]``, int8 [n, width]."""

    values: CodeArray
    starts: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The tokens of a question that count: int8 [n, width], and their weights, which sum to 1."""

    values: CodeArray
    weights: FloatArray


def compact(vectors: FloatArray) -> CodeArray:
    """Token vectors as they are kept: the first of them, of length 127, as whole numbers."""
    first = vectors[:MOST_TOKENS]
    exact = first.astype(np.float64)  # whatever is finite in float32 has a length then
    lengths = np.maximum(np.sqrt(np.vecdot(exact, exact)), _TINY)
    codes: CodeArray = np.rint(exact / lengths[:, np.newaxis] * _UNIT).astype(np.int8)
    return codes


def asked(
    text: str, vectors: FloatArray, spans: Sequence[tuple[int, int]], weigh: Callable[[str], float]
) -> Asked | None:
    """The tokens of the words that ``weigh`` gives a weight; None where no word has one.

    ``spans``: the characters of each token. The pieces of a word share its weight.
    """
    weights = np.zeros(len(spans), dtype=np.float32)
    for word, own in words_of(text, spans):
        weights[own] = weigh(word) / max(1, own.stop - own.start)
    counted = np.flatnonzero(weights)[:MOST_TOKENS]
    if len(counted) == 0:
        return None
    return Asked(compact(vectors[counted]), weights[counted] / weights[counted].sum())


def best_cosines(question: Asked, tokens: Tokens, rows: npt.NDArray[np.intp]) -> FloatArray:
    """float32 [rows, tokens of the question]: the best cosine in each row; 0 for a row without tokens, and for -1."""
    starts = tokens.starts[rows]
    sizes = np.where(rows >= 0, tokens.starts[rows + 1] - starts, 0)
    filled = np.flatnonzero(sizes)
    best = np.zeros((len(question.values), len(rows)), dtype=np.float32)
    if len(filled):
        starts, sizes = starts[filled], sizes[filled]
        ends = sizes.cumsum()
        firsts = ends - sizes
        places = np.repeat(starts - firsts, sizes) + np.arange(ends[-1])
        product = simsimd.cdist(question.values, tokens.values.take(places, axis=0), "inner")
        best[:, filled] = np.maximum.reduceat(np.asarray(product, dtype=np.float32), firsts, axis=1)
    return best.T / (_UNIT * _UNIT)
