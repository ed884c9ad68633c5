"""Cosine similarity of a query with the pieces of every memory; a memory counts by its best piece."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt
import simsimd

from cortex.model.embedding import FloatArray

NOTHING = np.float32(-np.inf)
_UNIT_TOLERANCE = 1e-5
_LARGEST_CODE = np.float32(127.0)
_STRIP = 512
_ROUNDING = 1e-4  # float32 sums of a few hundred products of unit vectors are far closer than this
_BLOCKS_PER_HIT = 8
_FEW = 4096  # pieces below this are compared in full: it takes microseconds

Mask = npt.NDArray[np.bool_] | None


def unit(vectors: npt.NDArray[np.generic], dim: int) -> FloatArray | None:
    """The rows scaled to length 1, float32 [n, dim]; None for anything that cannot be compared.

    That is no rows, another dimension, no numbers, or a row that is all zero or not finite.
    """
    if vectors.ndim != 2 or len(vectors) == 0 or vectors.shape[1] != dim:
        return None
    if vectors.dtype.kind != "f":
        return None
    if vectors.dtype == np.float32:  # and of length 1 is what most models give: half the time
        whole = np.ascontiguousarray(vectors)
        if all(abs(_square(row) - 1.0) < _UNIT_TOLERANCE for row in whole):
            return whole
    return _scaled(vectors)


def _square(row: FloatArray) -> float:
    square: float = simsimd.dot(row, row)  # type: ignore[assignment]  # one number for two rows
    return square


@np.errstate(over="ignore", invalid="ignore")
def _scaled(vectors: npt.NDArray[np.generic]) -> FloatArray | None:
    exact = vectors.astype(np.float64)
    squares = [float(row.dot(row)) for row in exact]  # most calls have one row: faster than whole arrays
    # A value that is not finite makes its row's sum so, and NaN fails every comparison.
    if not all(0.0 < square < inf for square in squares):
        return None
    if all(abs(square - 1.0) < _UNIT_TOLERANCE for square in squares):
        return np.ascontiguousarray(vectors, dtype=np.float32)
    return np.ascontiguousarray(exact / np.sqrt(squares)[:, None], dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """Unit vectors as whole numbers: row i is close to ``values[i] * scales[i]``.

    ``values``: int8 [n, dim]. ``scales``: float32 [n]. ``error``: no row is further off than this length.
    """

    values: npt.NDArray[np.int8]
    scales: FloatArray
    error: float


def encode(vectors: FloatArray) -> Codes:
    """The codes of unit vectors, each scaled by its own largest value."""
    values = np.empty(vectors.shape, dtype=np.int8)
    scales = np.empty(len(vectors), dtype=np.float32)
    error = 0.0
    for start in range(0, len(vectors), _STRIP):  # a strip stays in the processor's cache
        strip = vectors[start : start + _STRIP]
        scale = np.abs(strip).max(axis=1, initial=np.float32(1e-30), keepdims=True) / _LARGEST_CODE
        rounded = np.rint(strip / scale)
        values[start : start + _STRIP] = rounded
        scales[start : start + _STRIP] = scale[:, 0]
        rest = strip - rounded * scale
        error = max(error, float(np.vecdot(rest, rest).max(initial=0.0)) ** 0.5)
    return Codes(values, scales, error)


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The embedded pieces of the memories of a scope.

    ``vectors``: unit, float32 [p, dim], and their ``codes``. ``owners``: the memory row of each piece, or None
    when piece i is the only piece of row i. ``rows``: how many memory rows there are.
    """

    vectors: FloatArray
    codes: Codes
    owners: npt.NDArray[np.int32] | None
    rows: int

    def nearest(self, query: FloatArray, k: int, mask: Mask) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """Rows in rising order, with the exact cosine of each one's best piece: the ``k`` best at least.

        -inf for a row without pieces or hidden by the mask.
        """
        if len(self.vectors) < _FEW:
            return np.arange(self.rows), self._all(query, mask)
        chosen = self._chosen(query, k, mask)
        rows = chosen if self.owners is None else distinct(self.owners[chosen].astype(np.intp))
        return rows, _hide(self.of_rows(query, rows), None if mask is None else mask[rows])

    def _all(self, query: FloatArray, mask: Mask) -> FloatArray:
        # A row at a time: BLAS would use every core for a product this small, and take longer for it;
        # and a row's value does not depend on how many rows there are.
        return _hide(self._per_row(np.vecdot(self.vectors, query)), mask)

    def of_rows(self, query: FloatArray, rows: npt.NDArray[np.intp]) -> FloatArray:
        """Cosine of the best piece of each of these rows; -inf for one without pieces."""
        if self.owners is None:
            products: FloatArray = np.vecdot(self.vectors.take(rows, axis=0), query)
            return products
        # Pieces are appended with their rows, so owners rise.
        starts, ends = (np.searchsorted(self.owners, rows, side) for side in ("left", "right"))
        best = np.full(len(rows), NOTHING, dtype=np.float32)
        sizes = ends - starts
        filled = np.flatnonzero(sizes)
        if len(filled):
            firsts = np.cumsum(sizes[filled]) - sizes[filled]
            places = np.repeat(starts[filled] - firsts, sizes[filled]) + np.arange(sizes.sum())
            best[filled] = np.maximum.reduceat(np.vecdot(self.vectors.take(places, axis=0), query), firsts)
        return best

    def first_of(self, row: int) -> FloatArray | None:
        """The vector of the first piece of a row; None for one without pieces."""
        start = row if self.owners is None else int(np.searchsorted(self.owners, row))
        there = start < len(self.vectors) and (self.owners is None or self.owners[start] == row)
        return self.vectors[start] if there else None

    def near(self, query: FloatArray, mask: Mask) -> FloatArray:
        """The cosine of every row, off by a little where there are many: enough to choose candidates."""
        if len(self.vectors) < _FEW:
            return self._all(query, mask)
        return _hide(self._per_row(self._by_codes(query)[0]), mask)

    def _chosen(self, query: FloatArray, k: int, mask: Mask) -> npt.NDArray[np.intp]:
        """Every piece that can be the best of one of the ``k`` best rows.

        By Cauchy and Schwarz a product of codes is off by at most ``slack``, so all of those are within twice that
        of the k-th best row by codes: the result is the same to the last digit as without codes.
        """
        near, slack = self._by_codes(query)
        bound = lower_bound(_hide(self._per_row(near), mask), k)
        return np.flatnonzero(near >= bound - 2.0 * slack)

    def _by_codes(self, query: FloatArray) -> tuple[FloatArray, float]:
        """The product of the codes, which reads a quarter of the memory, and how far off it may be."""
        probe = encode(query[None, :])
        product = simsimd.cdist(probe.values, self.codes.values, "inner")
        near: FloatArray = np.asarray(product, dtype=np.float32)[0] * (self.codes.scales * probe.scales[0])
        return near, self.codes.error + probe.error * (1.0 + self.codes.error) + _ROUNDING

    def _per_row(self, scores: FloatArray) -> FloatArray:
        if self.owners is None:
            return scores
        best = np.full(self.rows, NOTHING, dtype=np.float32)
        np.maximum.at(best, self.owners, scores)
        return best


def distinct(rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Each row once, in rising order; NumPy's own way takes ten times as long for a few hundred."""
    ordered = np.sort(rows)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def lower_bound(scores: FloatArray, k: int) -> float:
    """A value that at least ``k`` scores reach: the k-th best of the maxima of equal blocks.

    Much cheaper than partitioning all scores, and close enough to leave few candidates; -inf for few scores.
    """
    width = len(scores) // (_BLOCKS_PER_HIT * k)
    if width < 2:
        return float(NOTHING)
    blocks = len(scores) // width
    maxima = scores[: blocks * width].reshape(blocks, width).max(axis=1)
    return float(np.partition(maxima, blocks - k)[blocks - k])


def _hide(scores: FloatArray, mask: Mask) -> FloatArray:
    return scores if mask is None else np.where(mask, scores, NOTHING)
