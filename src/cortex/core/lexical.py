"""Okapi BM25 over postings held in arrays.

Statistics come from the active memories of the scopes asked for, and from nothing else: what other
people wrote never changes a ranking. idf = ln(1 + (N - df + .5) / (df + .5)), k1 = 1.5, b = 0.75
(Robertson and Zaragoza, 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

K1 = 1.5
B = 0.75


@dataclass(frozen=True, slots=True)
class Corpus:
    """How many documents there are and how many tokens they have together."""

    documents: int
    tokens: float

    def __add__(self, other: Corpus) -> Corpus:
        return Corpus(self.documents + other.documents, self.tokens + other.tokens)

    @property
    def mean_length(self) -> float:
        """Tokens of the average document; 1 for an empty corpus."""
        return self.tokens / self.documents if self.documents and self.tokens else 1.0


class Postings(NamedTuple):
    """Where one term occurs: document rows, and how often in each; ``frequency`` counts the active ones."""

    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]
    frequency: int


def idf(documents: int, frequency: int) -> float:
    """How much a term tells apart; never negative."""
    return log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def bm25(
    terms: Sequence[tuple[Postings, float]], lengths: npt.NDArray[np.float32], corpus: Corpus
) -> npt.NDArray[np.float32]:
    """Scores float32 [documents]: 0 where no term occurs.

    ``terms``: postings and idf of each query term. ``lengths``: tokens of every document row.
    """
    scores = np.zeros(len(lengths), dtype=np.float32)
    flat = np.float32(K1 * (1.0 - B))
    slope = np.float32(K1 * B / corpus.mean_length)
    for postings, weight in terms:
        rows, counts = postings.rows, postings.counts
        saturation = counts + flat + slope * lengths[rows]
        # Rows of one term are distinct, so plain indexing adds each once.
        scores[rows] += np.float32(weight * (K1 + 1.0)) * counts / saturation
    return scores


def bm25_in_context(
    terms: Sequence[tuple[Postings, float]],
    places: Sequence[npt.NDArray[np.intp]],
    lengths: npt.NDArray[np.float32],
    corpus: Corpus,
    share: float,
) -> npt.NDArray[np.float32]:
    """BM25 of some rows, to whose words their neighbours' are added at a share.

    ``places``: the rows, then the neighbours of each on either side, -1 for none. ``terms``, ``lengths``: as in `bm25`.
    """
    weights = [1.0] + [share] * (len(places) - 1)
    length = sum(weight * np.where(rows >= 0, lengths[rows], 0) for weight, rows in zip(weights, places, strict=True))
    flat, slope = K1 * (1.0 - B), K1 * B / (corpus.mean_length * sum(weights))
    scores = np.zeros(len(places[0]), dtype=np.float32)
    for postings, idf_ in terms:
        if len(postings.rows):
            count = sum(weight * _counts(postings, rows) for weight, rows in zip(weights, places, strict=True))
            scores += np.float32(idf_ * (K1 + 1.0)) * count / (count + flat + slope * length)
    return scores


def _counts(postings: Postings, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """How often the term occurs in each of the rows."""
    place = np.minimum(np.searchsorted(postings.rows, rows), len(postings.rows) - 1)
    counts: npt.NDArray[np.float32] = np.where(postings.rows[place] == rows, postings.counts[place], np.float32(0))
    return counts
