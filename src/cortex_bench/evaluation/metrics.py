"""Retrieval metrics, each from 0 to 1, and their means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log2

DEPTHS = (5, 10, 20, 50)


def score(ranked: Sequence[str], gold: Mapping[str, float]) -> dict[str, float]:
    """The metrics of one question: ``ranked`` ids best first, ``gold`` the gains of those that answer (one or more).

    recall@k is the share of gold among the first k; hit@10 whether any is; mrr one over the rank of the
    first; ndcg@10 with the gains as they are (Järvelin and Kekäläinen, 2002).
    """
    gains = [gold.get(item, 0.0) for item in ranked]
    found = [gain > 0 for gain in gains]
    values = {f"recall@{k}": sum(found[:k]) / len(gold) for k in DEPTHS}
    values["hit@10"] = float(any(found[:10]))
    values["mrr"] = next((1.0 / rank for rank, hit in enumerate(found, start=1) if hit), 0.0)
    values["ndcg@10"] = _gain(gains[:10]) / _gain(sorted(gold.values(), reverse=True)[:10])
    return values


def any_all(ranked: Sequence[str], gold: Collection[str], depths: Sequence[int] = (5, 10)) -> dict[str, float]:
    """recall_any@k, recall_all@k and ndcg@k as LongMemEval defines them: the second rank is not discounted either."""
    values = {}
    for k in depths:
        found = [item in gold for item in ranked[:k]]
        values[f"recall_any@{k}"] = float(any(found))
        values[f"recall_all@{k}"] = float(set(gold) <= set(ranked[:k]))
        values[f"ndcg@{k}"] = _late_gain(found) / _late_gain([True] * min(len(gold), k))
    return values


def mean(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric over the rows that have it; empty for no rows."""
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            values.setdefault(name, []).append(value)
    return {name: sum(each) / len(each) for name, each in values.items()}


def _gain(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain > 0)


def _late_gain(found: Sequence[bool]) -> float:
    return sum(1.0 / log2(max(rank, 2)) for rank, hit in enumerate(found, start=1) if hit)
