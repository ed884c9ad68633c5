"""Cosine similarity of a query with the pieces of every memory; a memory counts by its best piece."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cortex.model.embedding import FloatArray

NOTHING = np.float32(-np.inf)
_UNIT_TOLERANCE = 1e-5


def unit(vectors: npt.NDArray[np.generic], dim: int) -> FloatArray | None:
    """The rows scaled to length 1, float32 [n, dim]; None for anything that cannot be compared.

    That is no rows, another dimension, no numbers, or a row that is all zero or not finite.
    """
    if vectors.ndim != 2 or len(vectors) == 0 or vectors.shape[1] != dim:
        return None
    if vectors.dtype.kind != "f":
        return None
    exact = vectors.astype(np.float64)
    squares = np.vecdot(exact, exact)
    least, most = squares.min(), squares.max()
    # A value that is not finite makes its row's sum so, and NaN fails every comparison.
    if not (least > 0.0 and most < np.inf):
        return None
    if least > 1.0 - _UNIT_TOLERANCE and most < 1.0 + _UNIT_TOLERANCE:
        return np.ascontiguousarray(vectors, dtype=np.float32)
    return np.ascontiguousarray(exact / np.sqrt(squares)[:, None], dtype=np.float32)


def best_pieces(pieces: FloatArray, owners: npt.NDArray[np.int32] | None, rows: int, query: FloatArray) -> FloatArray:
    """Cosine [rows] of each memory's best piece; -inf for a memory without one.

    ``pieces``: unit vectors [p, dim]. ``owners``: the memory row of each piece, or None when piece i
    is the only piece of row i.
    """
    # A row at a time: BLAS would use every core for a product this small, and take longer for it; and a
    # row's value does not depend on how many rows there are.
    scores: FloatArray = np.vecdot(pieces, query)
    if owners is None:
        return scores
    best = np.full(rows, NOTHING, dtype=np.float32)
    np.maximum.at(best, owners, scores)
    return best
