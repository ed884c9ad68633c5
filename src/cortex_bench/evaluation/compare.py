"""Is one system below another: paired differences with bootstrap intervals over the questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cortex_bench.evaluation.measure import LEGS
from cortex_bench.evaluation.metrics import mean

RESAMPLES = 10_000
_BLOCK = 500

Systems = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """``ours`` less ``theirs`` in the mean of a metric, with the 95 % interval."""

    ours: str
    theirs: str
    metric: str
    difference: float
    low: float
    high: float

    @property
    def not_below(self) -> bool:
        """Whether ours is not below beyond the interval: 0 or more is inside of it or under it."""
        return self.high >= 0


def compare(rows: Sequence[Systems], metrics: Sequence[str], seed: int) -> list[Difference]:
    """Conversation against relevance, and relevance against the better of its legs, metric by metric."""
    found = []
    for metric in metrics:
        means = {leg: mean([row[leg] for row in rows])[metric] for leg in LEGS}
        better = max(LEGS, key=lambda leg: means[leg])
        for ours, theirs in (("conversation", "relevance"), ("relevance", better)):
            differences = [row[ours][metric] - row[theirs][metric] for row in rows]
            middle, low, high = interval(differences, seed)
            found.append(Difference(ours=ours, theirs=theirs, metric=metric, difference=middle, low=low, high=high))
    return found


def interval(differences: Sequence[float], seed: int) -> tuple[float, float, float]:
    """The mean of paired differences, and the 2.5th and 97.5th percentile of the means of resampled questions."""
    values = np.asarray(differences, dtype=np.float64)
    chance = np.random.default_rng(seed)
    means = np.concatenate([
        values[chance.integers(len(values), size=(_BLOCK, len(values)))].mean(axis=1)
        for _ in range(RESAMPLES // _BLOCK)
    ])  # fmt: skip
    low, high = np.percentile(means, [2.5, 97.5])
    return float(values.mean()), float(low), float(high)
