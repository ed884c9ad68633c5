"""What comes after ranking, where it is asked for: a reranker's order, and hits that do not all say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cortex.core.scoring.diversity import diversified
from cortex.core.scoring.reranked import by_place
from cortex.engine.deps import Deps
from cortex.engine.legs import Candidates, Search
from cortex.engine.rerank import LEAST
from cortex.model.embedding import FloatArray
from cortex.model.memory import Memory
from cortex.model.query import Question
from cortex.model.score import LegScore

Found = list[tuple[Memory, float]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The hits, best first, with their scores; the candidates whose parts say why, and what else does, by seq.

    ``problem``: why there is no reranker's order though there should be one.
    """

    found: Found
    candidates: Candidates
    said: dict[int, dict[str, LegScore]] = field(default_factory=dict)
    problem: str = ""


def choose(
    deps: Deps, question: Question, search: Search, candidates: Candidates, best: Callable[[Candidates, int], Found]
) -> Chosen:
    """The hits of a question. ``best``: so many of some candidates that may really leave, as they stand."""
    if deps.reranking is None and not question.diversity:
        return Chosen(best(candidates, question.limit), candidates)
    most = wider(deps, question)
    chosen = Chosen(best(candidates, most), candidates)
    if deps.reranking is not None and len(chosen.found) > 1:
        chosen = _reranked(deps, question, chosen, lambda anew: best(anew, most))
    if question.diversity:
        chosen = _diversified(question, search, chosen)
    return Chosen(chosen.found[: question.limit], chosen.candidates, chosen.said, chosen.problem)


def wider(deps: Deps, question: Question) -> int:
    """How many candidates are wanted for a question before any is left out."""
    return max(LEAST, question.limit) if deps.reranking is not None or question.diversity else question.limit


def _reranked(deps: Deps, question: Question, chosen: Chosen, best: Callable[[Candidates], Found]) -> Chosen:
    """Only what may leave is shown to a reranker."""
    memories = [memory for memory, _ in chosen.found]
    shown = [memory.content for memory in memories], [memory.id for memory in memories]
    answer = deps.reranking.rerank(question.text, *shown)  # type: ignore[union-attr]
    if answer.problem:
        return Chosen(chosen.found, chosen.candidates, problem=answer.problem)
    if chosen.candidates.again is not None:
        anew = chosen.candidates.again([memories[place].seq for place in answer.order])
        return Chosen(best(anew), anew)
    shares = by_place(len(memories)).tolist()
    ordered = [chosen.found[place] for place in answer.order]
    said = {
        memory.seq: {"rerank": LegScore(rank, share)}
        for rank, ((memory, _), share) in enumerate(zip(ordered, shares, strict=True), start=1)
    }
    return Chosen(ordered, chosen.candidates, said)


def _diversified(question: Question, search: Search, chosen: Chosen) -> Chosen:
    """What stands first by a reranker has the best score here, since its order has the last word on relevance."""
    memories = [memory for memory, _ in chosen.found]
    own = [chosen.said[m.seq]["rerank"].score if m.seq in chosen.said else s for m, s in chosen.found]
    vectors = _vectors(search, [memory.seq for memory in memories])
    order, nearness = diversified(np.array(own, dtype=np.float32), vectors, question.diversity, question.limit)
    said = {
        memories[place].seq: {**chosen.said.get(memories[place].seq, {}), "diversity": LegScore(rank, 1.0 - near)}
        for rank, (place, near) in enumerate(zip(order, nearness, strict=True), start=1)
    }
    return Chosen([chosen.found[place] for place in order], chosen.candidates, said, chosen.problem)


def _vectors(search: Search, seqs: Sequence[int]) -> FloatArray:
    """Float32 [memories, dim]: the vector of the first piece of each; zero for one without."""
    place_of = {seq: place for place, seq in enumerate(seqs)}
    vectors = np.zeros((len(seqs), search.views[0].pieces.vectors.shape[1]), dtype=np.float32)
    for view in search.views:
        for row in view.rows_of(np.array(seqs, dtype=np.int64)).tolist():
            vector = view.pieces.first_of(row)
            if vector is not None:
                vectors[place_of[int(view.seqs[row])]] = vector
    return vectors
