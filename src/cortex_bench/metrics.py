"""Retrieval metrics, each from 0 to 1, and their means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import log2

DEPTHS = (5, 10, 20, 50)


def score(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """The metrics of one question: ``ranked`` ids best first, ``gold`` ids that answer it (at least one).

    recall@k is the share of gold among the first k; hit@10 whether any is; mrr one over the rank of the
    first; ndcg@10 with binary gains (Järvelin and Kekäläinen, 2002).
    """
    found = [item in gold for item in ranked]
    values = {f"recall@{k}": sum(found[:k]) / len(gold) for k in DEPTHS}
    values["hit@10"] = float(any(found[:10]))
    values["mrr"] = next((1.0 / rank for rank, hit in enumerate(found, start=1) if hit), 0.0)
    values["ndcg@10"] = _gain(found[:10]) / _gain([True] * min(len(gold), 10))
    return values


def mean(rows: Iterable[dict[str, float]]) -> dict[str, float]:
    """The mean of each metric; empty for no rows."""
    collected = list(rows)
    if not collected:
        return {}
    return {name: sum(row[name] for row in collected) / len(collected) for name in collected[0]}


def _gain(found: Sequence[bool]) -> float:
    return sum(1.0 / log2(rank + 1) for rank, hit in enumerate(found, start=1) if hit)
