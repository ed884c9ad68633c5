"""Gathering what the rankings `assistant` and `engineering` look at: the candidates of the legs, and their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
import numpy.typing as npt

from cortex.core.lexical import bm25
from cortex.core.scoring.assistant import assistant
from cortex.core.scoring.engineering import engineering
from cortex.core.scoring.fusion import fuse
from cortex.core.scoring.rank import said_of
from cortex.core.scoring.reranked import by_place
from cortex.core.scoring.semantic import semantic, words_shared
from cortex.core.scoring.similarity import NOTHING
from cortex.core.scoring.standing import Numbers, Standing, Weighed, standing
from cortex.engine.deps import Deps
from cortex.engine.legs import Candidates, Search, legs
from cortex.engine.shelf import View
from cortex.model.embedding import FloatArray
from cortex.model.memory import Memory
from cortex.model.query import Fusion, Question, Ranking

POOL = 80  # candidates a leg, at least


@dataclass(frozen=True, slots=True, eq=False)
class Appraised:
    """The candidates of one question: their rows, how near they are, and what their rows say of them."""

    deps: Deps
    ranking: Ranking
    names: tuple[str, ...]
    rows: Mapping[int, Memory]
    seqs: npt.NDArray[np.int64]
    semantic: Numbers
    standing: Standing
    evidence: Mapping[str, npt.NDArray[np.floating]]

    def candidates(self, rerank: Numbers | None = None) -> Candidates:
        """Every candidate with its score, from 0 to 1."""
        found = self._weighed(rerank)
        order = np.lexsort((self.seqs, -found.scores))
        ranked = list(zip(self.seqs[order].tolist(), found.scores[order].tolist(), strict=True))
        return Candidates(
            ranked,
            self.names,
            partial(said_of, self.seqs, {**found.signals, **self.evidence}),
            rows=self.rows,
            weights=partial(_weights, self.seqs, found.weights),
            again=self._reranked if self.ranking is Ranking.ENGINEERING and rerank is None else None,
        )

    def _weighed(self, rerank: Numbers | None) -> Weighed:
        if self.ranking is Ranking.ASSISTANT:
            return assistant(self.deps.assistant, self.semantic, self.standing)
        return engineering(self.deps.priority_days, self.semantic, self.standing, rerank)

    def _reranked(self, order: Sequence[int]) -> Candidates:
        """The same with a reranker's order of the first of them; the others follow as they stood."""
        rest = [seq for seq, _ in self.candidates().ranked]
        places = {seq: place for place, seq in enumerate(dict.fromkeys([*order, *rest]))}
        return self.candidates(by_place(len(places))[[places[seq] for seq in self.seqs.tolist()]])


def appraise(deps: Deps, search: Search, question: Question, now: datetime) -> Candidates:
    """Every candidate of the legs by what it says and by what its row says, which is read here, once."""
    found = legs(search)
    pool = [seq for seq, _ in fuse(found, Fusion.RRF)]
    rows = {memory.seq: memory for memory in deps.store.read(pool, question.as_of)}
    seqs = np.array([seq for seq in pool if seq in rows], dtype=np.int64)
    cosines, lexical = _evidence(search, seqs)
    return Appraised(
        deps=deps,
        ranking=question.ranking,
        names=tuple(found),
        rows=rows,
        seqs=seqs,
        semantic=semantic(cosines, words_shared(lexical, search.weights)),
        standing=standing([rows[seq] for seq in seqs.tolist()], now),
        evidence={"lexical": _only_found(lexical)} | ({} if cosines is None else {"dense": cosines}),
    ).candidates()


def _evidence(search: Search, seqs: npt.NDArray[np.int64]) -> tuple[FloatArray | None, FloatArray]:
    """Cosine (-inf for none; None where the question has none) and BM25 of each candidate, whichever leg found it."""
    vector = search.query.vector
    cosines = np.full(len(seqs), NOTHING, dtype=np.float32)
    lexical = np.zeros(len(seqs), dtype=np.float32)
    for place, view in enumerate(search.views):
        rows, candidates = _rows(view, seqs)
        if len(rows):
            if vector is not None:
                cosines[candidates] = view.pieces.of_rows(vector, rows)
            lexical[candidates] = bm25(search.terms_in(place), view.columns["length"], search.corpus)[rows]
    return (None if vector is None else cosines), lexical


def _rows(view: View, seqs: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Which rows of a view are candidates, and which candidates those are."""
    rows = view.rows_of(seqs)
    order = np.argsort(seqs)
    return rows, order[np.searchsorted(seqs, view.seqs[rows], sorter=order)]


def _only_found(lexical: FloatArray) -> FloatArray:
    """A memory without any word of the question has no part in the words."""
    return np.where(lexical > 0, lexical, NOTHING)


def _weights(seqs: npt.NDArray[np.int64], weights: Mapping[str, Numbers], seq: int) -> dict[str, float]:
    """How much each signal counts for one candidate."""
    place = int(np.flatnonzero(seqs == seq)[0])
    return {name: float(values[place]) for name, values in weights.items()}
