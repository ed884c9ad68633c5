"""Making one list of several: by rank (RRF) or by score (min-max)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import assert_never

from cortex.core.scoring.rank import Ranked
from cortex.model.query import Fusion
from cortex.model.score import LegScore

RRF_K = 60
POOL_FACTOR = 4


def pool(limit: int) -> int:
    """How many candidates each leg supplies for ``limit`` hits."""
    return POOL_FACTOR * limit


def fuse(legs: Mapping[str, Ranked], fusion: Fusion) -> list[tuple[int, float]]:
    """Every candidate as (seq, score), best first; ties by the smaller seq."""
    scores: dict[int, float] = {}
    for ranked in legs.values():
        for seq, share in zip(ranked.seqs, _shares(ranked, fusion, len(legs)), strict=True):
            scores[seq] = scores.get(seq, 0.0) + share
    return [(seq, -negated) for negated, seq in sorted([(-score, seq) for seq, score in scores.items()])]


def parts(legs: Mapping[str, Ranked], seqs: Collection[int]) -> dict[int, dict[str, LegScore]]:
    """What each leg that found them said of these candidates."""
    said: dict[int, dict[str, LegScore]] = {seq: {} for seq in seqs}
    for name, ranked in legs.items():
        for rank, seq in enumerate(ranked.seqs):
            if seq in said:
                said[seq][name] = LegScore(rank + 1, ranked.scores[rank])
    return said


def _shares(ranked: Ranked, fusion: Fusion, legs: int) -> list[float]:
    match fusion:
        case Fusion.RRF:
            # Cormack, Clarke and Buettcher (2009).
            return [1.0 / (RRF_K + rank) for rank in range(1, len(ranked.seqs) + 1)]
        case Fusion.MINMAX:
            return [share / legs for share in _min_max(ranked.scores)]
        case _:
            assert_never(fusion)


def _min_max(scores: tuple[float, ...]) -> list[float]:
    """Scores of one list moved to [0, 1]; a list of equals is all 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    span = high - low
    return [(score - low) / span if span > 0 else 1.0 for score in scores]
