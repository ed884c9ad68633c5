"""What recall cannot do without: the matrix product with its top-k, and BM25 over postings.

Written for this measurement alone, on plain arrays, as fast as numpy makes it; no store, no gate, no rows.
"""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import numpy.typing as npt

from cortex_bench.synthetic import Collection

_K1, _B = 1.5, 0.75


class Floor:
    """The arrays of one collection."""

    def __init__(self, collection: Collection) -> None:
        self._vectors = collection.vectors
        tokens = [text.split() for text in collection.texts]
        self._lengths = np.array([len(document) for document in tokens], dtype=np.float32)
        places: dict[str, list[tuple[int, int]]] = {}
        for row, document in enumerate(tokens):
            for term, count in Counter(document).items():
                places.setdefault(term, []).append((row, count))
        self._postings = {
            term: (np.array([row for row, _ in found]), np.array([count for _, count in found], dtype=np.float32))
            for term, found in places.items()
        }

    def dense(self, vector: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.intp]:
        """The rows of the ``k`` nearest vectors, best first."""
        return _top(np.vecdot(self._vectors, vector), k)

    def lexical(self, question: str, k: int) -> npt.NDArray[np.intp]:
        """The rows of the ``k`` best BM25 scores, best first."""
        scores = np.zeros(len(self._lengths), dtype=np.float32)
        mean = float(self._lengths.mean())
        for term in dict.fromkeys(question.split()):
            if term in self._postings:
                rows, counts = self._postings[term]
                weight = log(1 + (len(scores) - len(rows) + 0.5) / (len(rows) + 0.5))
                norm = _K1 * (1 - _B + _B * self._lengths[rows] / mean)
                scores[rows] += weight * (_K1 + 1) * counts / (counts + norm)
        found = np.flatnonzero(scores)
        return found[_top(scores[found], k)]


def _top(scores: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.intp]:
    best = np.argpartition(scores, len(scores) - k)[len(scores) - k :] if len(scores) > k else np.arange(len(scores))
    return best[np.argsort(-scores[best])]
