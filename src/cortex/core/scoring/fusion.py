"""Making one list of several: by what scores mean (calibrated), by rank (RRF), by scaled scores (min-max)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import itemgetter
from typing import assert_never

from cortex.core.scoring.rank import Ranked
from cortex.model.query import Fusion
from cortex.model.score import LegScore

RRF_K = 60
POOL_FACTOR = 4
LEAST_CALIBRATED = 60
# A cosine is taken to the third power, since near 1 it says that two texts mean the same and at .5 next to nothing,
# and from the last candidate on: what a model does not know looks all alike to it. BM25 says nothing by itself, so it
# is a share of the best. docs/decisions/0014 has the figures.
COSINE_POWER = 3
COSINE_WEIGHT = 4.0


def pool(limit: int, fusion: Fusion) -> int:
    """How many candidates each leg supplies for ``limit`` hits."""
    return max(LEAST_CALIBRATED if fusion is Fusion.CALIBRATED else 0, POOL_FACTOR * limit)


def fuse(legs: Mapping[str, Ranked], fusion: Fusion) -> list[tuple[int, float]]:
    """Every candidate as (seq, score), best first; ties by the smaller seq."""
    scores: dict[int, float] = {}
    for name, ranked in legs.items():
        for seq, share in zip(ranked.seqs, _shares(name, ranked, fusion, len(legs)), strict=True):
            scores[seq] = scores.get(seq, 0.0) + share
    # Two sorts that each compare one number are faster than one that compares pairs.
    by_seq = sorted(scores.items())
    return sorted(by_seq, key=itemgetter(1), reverse=True)


def parts(legs: Mapping[str, Ranked], seqs: Collection[int]) -> dict[int, dict[str, LegScore]]:
    """What each leg that found them said of these candidates."""
    said: dict[int, dict[str, LegScore]] = {seq: {} for seq in seqs}
    for name, ranked in legs.items():
        for rank, seq in enumerate(ranked.seqs):
            if seq in said:
                said[seq][name] = LegScore(rank + 1, ranked.scores[rank])
    return said


def _shares(name: str, ranked: Ranked, fusion: Fusion, legs: int) -> list[float]:
    match fusion:
        case Fusion.CALIBRATED:
            return _calibrated(name, ranked.scores)
        case Fusion.RRF:
            # Cormack, Clarke and Buettcher (2009).
            return [1.0 / (RRF_K + rank) for rank in range(1, len(ranked.seqs) + 1)]
        case Fusion.MINMAX:
            return [share / legs for share in _min_max(ranked.scores)]
        case _:
            assert_never(fusion)


def _calibrated(name: str, scores: tuple[float, ...]) -> list[float]:
    """What each score of a leg says by itself; all legs together give at most 1."""
    if name == "dense":
        cubes = [max(0.0, score) ** COSINE_POWER for score in scores]
        least = min(cubes) if len(cubes) > 1 else 0.0
        return [COSINE_WEIGHT / (COSINE_WEIGHT + 1) * (cube - least) for cube in cubes]
    best = max(scores, default=0.0)
    return [score / best / (COSINE_WEIGHT + 1) if best > 0 else 0.0 for score in scores]


def _min_max(scores: tuple[float, ...]) -> list[float]:
    """Scores of one list moved to [0, 1]; a list of equals is all 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    span = high - low
    return [(score - low) / span if span > 0 else 1.0 for score in scores]
