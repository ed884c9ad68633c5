"""Ranking one list: the best first, equal scores in the order the memories were written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cortex.core.scoring.similarity import lower_bound
from cortex.model.score import LegScore


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best of one leg, best first: seqs and scores, aligned."""

    seqs: tuple[int, ...]
    scores: tuple[float, ...]


def top(scores: npt.NDArray[np.float32], seqs: npt.NDArray[np.int64], k: int, above: float) -> Ranked:
    """The ``k`` best of the scores that are greater than ``above``; ties by the smaller seq."""
    best = best_rows(scores, k, above)
    values, keys = scores[best], seqs[best]
    order = np.lexsort((keys, -values))[:k]
    return Ranked(tuple(keys[order].tolist()), tuple(values[order].tolist()))


def merge(lists: list[Ranked], k: int) -> Ranked:
    """One list from the lists of several scopes, on one scale."""
    if len(lists) == 1:
        return lists[0]
    pairs = [(-score, seq) for ranked in lists for seq, score in zip(ranked.seqs, ranked.scores, strict=True)]
    pairs.sort()
    return Ranked(tuple(seq for _, seq in pairs[:k]), tuple(-score for score, _ in pairs[:k]))


def said_of(
    seqs: npt.NDArray[np.int64], signals: Mapping[str, npt.NDArray[np.floating]], wanted: Collection[int]
) -> dict[int, dict[str, LegScore]]:
    """What each signal says of these candidates, and in which place it has them among all; what is not finite is not.

    ``signals``: by name a value for each of ``seqs``.
    """
    said: dict[int, dict[str, LegScore]] = {seq: {} for seq in wanted}
    places = [(place, seq) for place, seq in enumerate(seqs.tolist()) if seq in said]
    for name, values in signals.items():
        ranks = np.empty(len(seqs), dtype=np.int64)
        ranks[np.lexsort((seqs, -values))] = np.arange(1, len(seqs) + 1)
        for place, seq in places:
            if np.isfinite(values[place]):
                said[seq][name] = LegScore(int(ranks[place]), float(values[place]))
    return said


def best_rows(scores: npt.NDArray[np.float32], k: int, above: float) -> npt.NDArray[np.intp]:
    """The places of at least the ``k`` best, ties with the k-th included, in rising order."""
    bound = lower_bound(scores, k)
    return np.flatnonzero(scores >= bound) if bound > above else _few(scores, k, above)


def _few(scores: npt.NDArray[np.float32], k: int, above: float) -> npt.NDArray[np.intp]:
    found = np.flatnonzero(scores > above)
    if len(found) <= k:
        return found
    values = scores[found]
    # Everything that ties with the k-th best stays in, so that the tie-break sees it.
    threshold = np.partition(values, len(found) - k)[len(found) - k]
    best: npt.NDArray[np.intp] = found[values >= threshold]
    return best
