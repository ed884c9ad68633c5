"""The legs of a recall: what each search finds by itself, over the views of the scopes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cortex.core.lexical import Corpus, Postings, bm25, idf
from cortex.core.scoring.rank import Ranked, merge, top
from cortex.core.scoring.similarity import NOTHING
from cortex.engine.shelf import View
from cortex.engine.vectors import EmbeddedQuery
from cortex.model.embedding import FloatArray
from cortex.model.memory import Memory
from cortex.model.ranking import USUAL, ConversationWeights
from cortex.model.score import LegScore

Mask = npt.NDArray[np.bool_] | None


@dataclass(frozen=True)
class Search:
    """What all legs of one recall share. ``weigh``: what the ranking `conversation` counts how much."""

    text: str
    terms: Sequence[str]
    query: EmbeddedQuery
    views: Sequence[View]
    masks: Sequence[Mask]
    size: int
    weigh: ConversationWeights = USUAL

    @cached_property
    def corpus(self) -> Corpus:
        """The statistics of all views together."""
        return sum((view.corpus for view in self.views), Corpus(0, 0.0))

    @cached_property
    def postings(self) -> list[list[Postings]]:
        """Where each term of the question occurs, view by view."""
        return [[view.find(term) for term in self.terms] for view in self.views]

    @cached_property
    def weights(self) -> list[float]:
        """The idf of each term of the question, over all views."""
        frequencies = [sum(found.frequency for found in group) for group in zip(*self.postings, strict=True)]
        return [idf(self.corpus.documents, frequency) for frequency in frequencies]

    def terms_in(self, place: int) -> list[tuple[Postings, float]]:
        """The terms in one view, with their weights."""
        return list(zip(self.postings[place], self.weights, strict=True))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every candidate as (seq, score), best first; the names of what looked at them, and what it says of some.

    ``rows``: those of all candidates, where a ranking had to read them. ``weights``: how much each part counts for one
    candidate. ``again``: the candidates with a reranker's order of some of them as a part of their scores; None where
    such an order takes the place of the ranking's.
    """

    ranked: list[tuple[int, float]]
    names: tuple[str, ...]
    parts: Callable[[Collection[int]], dict[int, dict[str, LegScore]]]
    rows: Mapping[int, Memory] | None = None
    weights: Callable[[int], Mapping[str, float]] = lambda _: {}
    again: Callable[[Sequence[int]], Candidates] | None = None


def legs(search: Search) -> dict[str, Ranked]:
    """The best of each leg that there is."""
    found = {}
    if search.query.vector is not None:
        found["dense"] = _dense(search, search.query.vector)
    found["lexical"] = _lexical(search)
    return found


def _dense(search: Search, vector: FloatArray) -> Ranked:
    lists = []
    for view, mask in zip(search.views, search.masks, strict=True):
        rows, cosines = view.pieces.nearest(vector, search.size, mask)
        lists.append(top(cosines, view.seqs[rows], search.size, float(NOTHING)))
    return merge(lists, search.size)


def _lexical(search: Search) -> Ranked:
    lists = []
    for place, (view, mask) in enumerate(zip(search.views, search.masks, strict=True)):
        scores = bm25(search.terms_in(place), view.columns["length"], search.corpus)
        lists.append(top(scores if mask is None else scores * mask, view.seqs, search.size, 0.0))
    return merge(lists, search.size)
