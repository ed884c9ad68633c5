"""Cosine similarity of a query with the pieces of every memory; a memory counts by its best piece."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cortex.model.embedding import FloatArray

NOTHING = np.float32(-np.inf)


def usable(vector: npt.NDArray[np.generic], dim: int) -> bool:
    """Whether an array can be compared: one or more rows of ``dim`` finite values, none all zero."""
    if vector.ndim != 2 or vector.shape[0] == 0 or vector.shape[1] != dim:
        return False
    if not np.issubdtype(vector.dtype, np.floating):
        return False
    return bool(np.isfinite(vector).all() and (np.abs(vector).max(axis=1) > 0).all())


def unit(vectors: npt.NDArray[np.floating]) -> FloatArray:
    """Rows scaled to length 1, float32; a row that already is stays as it is."""
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    scaled = np.where(np.abs(norms - 1.0) < 1e-5, vectors, vectors / norms)
    return np.ascontiguousarray(scaled, dtype=np.float32)


def best_pieces(pieces: FloatArray, owners: npt.NDArray[np.int32] | None, rows: int, query: FloatArray) -> FloatArray:
    """Cosine [rows] of each memory's best piece; -inf for a memory without one.

    ``pieces``: unit vectors [p, dim]. ``owners``: the memory row of each piece, or None when piece i
    is the only piece of row i.
    """
    scores: FloatArray = pieces @ query
    if owners is None:
        return scores
    best = np.full(rows, NOTHING, dtype=np.float32)
    np.maximum.at(best, owners, scores)
    return best
