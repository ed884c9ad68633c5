"""Late interaction: how well each word of a question is met by some word of a memory (Khattab and Zaharia, 2020).

Not one vector a text is compared but one a token, of the same small model. The score of a memory is the mean, over
the tokens of the question, of the best cosine with any of its own tokens; a token counts by the idf of its word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import simsimd

from cortex.model.embedding import CodeArray, FloatArray

MOST_TOKENS = 192  # of a memory: what follows in a long text has its pieces
_UNIT = np.float32(127.0)
_WORD = re.compile(r"\w+")


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
    lengths = np.maximum(np.linalg.norm(first, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    codes: CodeArray = np.rint(first / lengths * _UNIT).astype(np.int8)
    return codes


def asked(
    text: str, vectors: FloatArray, spans: Sequence[tuple[int, int]], weigh: Callable[[str], float]
) -> Asked | None:
    """The tokens of the words that ``weigh`` gives a weight; None where no word has one.

    ``spans``: the characters of each token. The pieces of a word share its weight.
    """
    weights = np.zeros(len(spans), dtype=np.float32)
    for word in _WORD.finditer(text):
        own = [place for place, (start, _) in enumerate(spans) if word.start() <= start < word.end()]
        if own:
            weights[own] = weigh(word.group()) / len(own)
    counted = np.flatnonzero(weights)
    if len(counted) == 0:
        return None
    return Asked(compact(vectors[counted]), weights[counted] / weights[counted].sum())


def best_cosines(question: Asked, tokens: Tokens, rows: npt.NDArray[np.intp]) -> FloatArray:
    """float32 [rows, tokens of the question]: the best cosine in each row; 0 for a row without tokens, and for -1."""
    best = np.zeros((len(rows), len(question.values)), dtype=np.float32)
    starts = np.where(rows >= 0, tokens.starts[rows], 0)
    sizes = np.where(rows >= 0, tokens.starts[rows + 1] - starts, 0)
    filled = np.flatnonzero(sizes)
    if len(filled) == 0:
        return best
    starts, sizes = starts[filled], sizes[filled]
    firsts = np.cumsum(sizes) - sizes
    places = np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())
    product = np.asarray(simsimd.cdist(question.values, tokens.values[places], "inner"), dtype=np.float32)
    best[filled] = np.maximum.reduceat(product, firsts, axis=1).T / (_UNIT * _UNIT)
    return best
