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
    everywhere = np.concatenate(places)

    def weighed(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        own, *others = values.reshape(len(places), -1)
        total: npt.NDArray[np.float32] = own + np.float32(share) * sum(others[1:], others[0])
        return total

    length = weighed(np.where(everywhere >= 0, lengths[everywhere], np.float32(0)))
    mean = corpus.mean_length * (1.0 + share * (len(places) - 1))
    norm = np.float32(K1 * (1.0 - B)) + np.float32(K1 * B / mean) * length
    scores = np.zeros(len(places[0]), dtype=np.float32)
    for postings, idf_ in terms:
        if len(postings.rows):
            count = weighed(_counts(postings, everywhere))
            scores += np.float32(idf_ * (K1 + 1.0)) * count / (count + norm)
    return scores


def _counts(postings: Postings, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """How often the term occurs in each of the rows."""
    # Beyond the last one is clipped to it, which is another row then.
    place = postings.rows.searchsorted(rows)
    there = postings.rows.take(place, mode="clip") == rows
    counts: npt.NDArray[np.float32] = postings.counts.take(place, mode="clip") * there
    return counts
