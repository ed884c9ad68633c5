"""What each part of the ranking `conversation` is worth, and whether its weights hold where they were not chosen.

Every part is switched off on the same questions, and the differences are told with bootstrap intervals. And for each
conversation the weights are chosen anew on all the others, out of a few mixtures.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from statistics import mean
from typing import Any

from cortex import ConversationWeights
from cortex_bench.evaluation.compare import interval
from cortex_bench.evaluation.measure import LIMIT, USUAL, Asked, milliseconds
from cortex_bench.evaluation.runs import Row

METRICS = ("recall@10", "ndcg@10")
CHOSEN_BY = METRICS[0]
WITHOUT: Mapping[str, Mapping[str, float]] = {
    "cosine of the vectors": {"dense": 0},
    "BM25 in context": {"lexical_context": 0},
    "late interaction in context": {"late_context": 0},
    "tokens of neighbours": {"neighbour_tokens": 0, "answer_tokens": 0},
    "words of neighbours": {"neighbour_words": 0},
    "more from a question to its answer": {"answer_tokens": USUAL.neighbour_tokens},
    "named speaker": {"named_speaker": 0},
    "user of an assistant": {"by_user": 0},
    "turns that ask": {"asking": 0},
    "best three of a session": {"session": 0},
    "neighbours as candidates": {"neighbours": 0},
}
_MIXED: Mapping[str, Sequence[float]] = {
    "lexical_context": (0.5, 1.0),
    "late_context": (2.0, 3.0, 4.0),
    "session": (0.3, 0.45, 0.8),
    "neighbour_tokens": (0.6, 0.7),
}
MIXTURES: Mapping[str, Mapping[str, float]] = {
    ", ".join(f"{name} {value:g}" for name, value in zip(_MIXED, values, strict=True)): dict(
        zip(_MIXED, values, strict=True)
    )
    for values in product(*_MIXED.values())
}


class Ablation:
    """The metrics of each question by the usual weights, without each part, and by each mixture."""

    needs_gold = True
    weights: Mapping[str, ConversationWeights]

    def __init__(self) -> None:
        others = {**WITHOUT, **MIXTURES}
        self.weights = {"usual": USUAL, **{name: replace(USUAL, **given) for name, given in others.items()}}  # type: ignore[arg-type]

    def answer(self, asked: Asked) -> tuple[Row, Row]:
        """The metrics of every system."""
        started = time.perf_counter()
        names = list(self.weights)
        hits = [asked.recall(LIMIT, weights=name, ranking="conversation").hits for name in names]
        found = dict(zip(names, map(asked.metrics, hits), strict=True))
        systems = {name: {metric: values[metric] for metric in METRICS} for name, values in found.items()}
        return {"systems": systems}, {"recalls": milliseconds(started)}


def ablation(rows: Sequence[Row], left_out: Mapping[str, int], seed: int) -> dict[str, Any]:
    """What is lost without each part, and what weights chosen on the other conversations give."""
    return {
        "n": len(rows),
        "left_out": dict(left_out),
        "usual": _means(rows, "usual"),
        "without": {name: {metric: _lost(rows, name, metric, seed) for metric in METRICS} for name in WITHOUT},
        "chosen_elsewhere": _chosen_elsewhere(rows),
    }


def _means(rows: Sequence[Row], name: str) -> dict[str, float]:
    return {metric: mean(row["systems"][name][metric] for row in rows) for metric in METRICS}


def _lost(rows: Sequence[Row], name: str, metric: str, seed: int) -> dict[str, float]:
    lost = [row["systems"]["usual"][metric] - row["systems"][name][metric] for row in rows]
    middle, low, high = interval(lost, seed)
    return {"lost": middle, "low": low, "high": high}


def _chosen_elsewhere(rows: Sequence[Row]) -> dict[str, Any]:
    """Each conversation by the mixture that is best on all the others; and the worst and best mixture on everything."""
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(row["part"], []).append(row)
    held: list[Row] = []
    for part, own in parts.items():
        others = [row for row in rows if row["part"] != part] or own
        sums = {name: _means(others, name)[CHOSEN_BY] for name in MIXTURES}
        best = max(sums.items(), key=lambda pair: pair[1])[0]
        held += [{"systems": {"held": row["systems"][best]}} for row in own]
    means = [_means(rows, name)[CHOSEN_BY] for name in MIXTURES]
    return {**_means(held, "held"), "mixtures": len(MIXTURES), "worst": min(means), "best": max(means)}
