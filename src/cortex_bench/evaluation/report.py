"""What came of a run, as numbers: means by group, what was left out, failures, tokens and their cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cortex_bench.evaluation.compare import compare
from cortex_bench.evaluation.measure import LEGS, RANKINGS
from cortex_bench.evaluation.metrics import mean
from cortex_bench.evaluation.parts import DataSet
from cortex_bench.evaluation.runs import Row

COMPARED = ("recall@10", "hit@10", "mrr", "ndcg@10")
_PERCENTILES = (50, 95)


@dataclass(frozen=True, slots=True)
class Prices:
    """In any currency, per million tokens that a model reads and writes; None for not known."""

    tokens_in: float | None = None
    tokens_out: float | None = None


NO_PRICES = Prices()


def summary(data: DataSet, rows: Sequence[Row], left_out: Mapping[str, int], prices: Prices) -> dict[str, Any]:
    """The whole result; ``overall`` and ``categories`` are the retrieval metrics where there are any."""
    measured = [row for row in rows if row.get("metrics")]
    result = _by_group(data, measured, lambda row: row["metrics"])
    if left_out:
        result["left_out"] = dict(left_out)
    if any("reader" in row or "failed" in row for row in rows):
        result["answers"] = _answers(data, rows, prices)
    return result


def comparison(rows: Sequence[Row], left_out: Mapping[str, int], seed: int) -> dict[str, Any]:
    """The means of each system, and the differences that count."""
    systems = [row["systems"] for row in rows]
    return {
        "n": len(rows),
        "left_out": dict(left_out),
        "systems": {name: mean([row[name] for row in systems]) for name in (*RANKINGS, *LEGS)},
        "differences": [
            {
                "ours": d.ours, "theirs": d.theirs, "metric": d.metric, "difference": d.difference,
                "low": d.low, "high": d.high, "not_below": d.not_below,
            }
            for d in compare(systems, COMPARED, seed)
        ],
    }  # fmt: skip


def latency(timings: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Milliseconds of each step: the 50th and the 95th percentile by nearest rank."""
    steps: dict[str, list[float]] = {}
    for timing in timings:
        for name, value in timing.items():
            if name != "id":
                steps.setdefault(name, []).append(value)
    return {
        name: {f"p{percent}": sorted(values)[-(-len(values) * percent // 100) - 1] for percent in _PERCENTILES}
        for name, values in steps.items()
    }


def _by_group(data: DataSet, rows: Sequence[Row], of: Callable[[Row], Mapping[str, float]]) -> dict[str, Any]:
    overall = [of(row) for row in rows if data.overall is None or row["group"] in data.overall]
    listed = frozenset(name for name, members in data.groups.items() if members == {name})
    others = sorted({row["group"] for row in rows} - listed)
    members = {**data.groups, **{name: frozenset({name}) for name in others}}
    groups = {name: [of(row) for row in rows if row["group"] in inside] for name, inside in members.items()}
    return {
        "n": len(overall),
        "overall": mean(overall),
        "categories": {name: {"n": len(values), **mean(values)} for name, values in groups.items()},
    }


def _answers(data: DataSet, rows: Sequence[Row], prices: Prices) -> dict[str, Any]:
    """How many answers are right; a failure is counted and has no part in it."""
    scored = [row for row in rows if "correct" in row]
    failures = Counter(row["failed"] for row in rows if "failed" in row)
    apart = {"answerable": False, "abstention": True}
    return {
        "asked": len(rows),
        "scored": len(scored),
        "failures": {step: failures[step] for step in ("reader", "judge")},
        "abstained": sum(row["abstained"] for row in scored),
        "truncated": sum(row["reader"]["truncated"] for row in rows if "reader" in row),
        **{name: _rates([row for row in scored if row["abstains"] is abstains]) for name, abstains in apart.items()},
        **_by_group(data, scored, _measures),
        "reader": _spent(rows, "reader", prices),
        "judge": _spent(rows, "judge", NO_PRICES),
    }


def _rates(rows: Sequence[Row]) -> dict[str, Any]:
    return {"n": len(rows), **mean([_measures(row) for row in rows])}


def _measures(row: Row) -> dict[str, float]:
    return {"accuracy": float(row["correct"]), **row["measures"]}


def _spent(rows: Sequence[Row], who: str, prices: Prices) -> dict[str, Any]:
    """Tokens of all calls that were answered; a cost only where counts and prices are known."""
    calls = [row[who] for row in rows if who in row]
    spent: dict[str, Any] = {
        name: None if any(call[name] is None for call in calls) else sum(call[name] for call in calls)
        for name in ("tokens_in", "tokens_out")
    }
    read, written = spent["tokens_in"], spent["tokens_out"]
    if None not in (read, written, prices.tokens_in, prices.tokens_out) and calls:
        spent["cost"] = (read * prices.tokens_in + written * prices.tokens_out) / 1e6
        spent["cost_per_question"] = spent["cost"] / len(calls)
    return spent
