from __future__ import annotations

from math import log2

import pytest

from cortex_bench.evaluation.compare import compare, interval
from cortex_bench.evaluation.metrics import any_all, mean, score
from cortex_bench.evaluation.report import latency


def test_what_is_found_is_scored_by_its_place() -> None:
    """recall, hit, mrr and ndcg of a list with gold at the second and the sixth place."""
    found = score(["x", "a", "y", "z", "w", "b"], {"a": 1.0, "b": 1.0})
    assert (found["recall@5"], found["recall@10"], found["hit@10"], found["mrr"]) == (0.5, 1, 1, 0.5)
    assert found["ndcg@10"] == pytest.approx((1 / log2(3) + 1 / log2(7)) / (1 + 1 / log2(3)))


def test_gains_count_as_they_are() -> None:
    """The better document before the lesser one is worth more, and the best order is 1."""
    gold = {"a": 3.0, "b": 1.0}
    assert score(["a", "b"], gold)["ndcg@10"] == 1
    assert score(["b", "a"], gold)["ndcg@10"] == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))


def test_more_gold_than_ten_can_still_be_perfect() -> None:
    """The ideal list is as long as ndcg looks."""
    ids = [str(n) for n in range(30)]
    assert score(ids, dict.fromkeys(ids, 1.0))["ndcg@10"] == 1


def test_any_and_all_of_several() -> None:
    """One of two suffices for any, not for all; the second place counts as much as the first."""
    found = any_all(["x", "a", "y", "z", "w", "b"], {"a", "b"})
    assert (found["recall_any@5"], found["recall_all@5"], found["recall_all@10"]) == (1, 0, 1)
    assert found["ndcg@5"] == pytest.approx(1 / 2)
    assert found["ndcg@10"] == pytest.approx((1 + 1 / log2(6)) / 2)
    assert any_all([], {"a"}) == dict.fromkeys(found, 0.0)


def test_the_mean_is_over_those_that_have_it() -> None:
    """A metric that a question lacks does not count as 0 for it."""
    assert mean([{"x": 1.0, "y": 1.0}, {"x": 0.0}]) == {"x": 0.5, "y": 1.0}
    assert mean([]) == {}


def test_an_interval_holds_the_mean_and_repeats_itself() -> None:
    """It is narrow where all questions agree, wide where they do not, and the same for the same seed."""
    assert interval([0.25] * 10, 0) == (0.25, 0.25, 0.25)
    middle, low, high = interval([1.0, -1.0] * 20, 0)
    assert low < middle == 0 < high
    assert interval([1.0, -1.0] * 20, 0) == (middle, low, high)
    uneven = [number / 7 for number in range(20)]
    assert interval(uneven, 1) != interval(uneven, 2)


def test_relevance_is_compared_with_its_better_leg() -> None:
    """A leg that is ahead is named, and what is surely below is said to be."""
    rows = [{"conversation": {"m": 0.5}, "relevance": {"m": 0.5}, "dense": {"m": 0.2}, "lexical": {"m": 0.9}}] * 20
    same, below = compare(rows, ["m"], 0)
    assert (same.ours, same.theirs, same.not_below) == ("conversation", "relevance", True)
    assert (below.ours, below.theirs, below.not_below) == ("relevance", "lexical", False)


def test_latency_is_by_nearest_rank() -> None:
    """The median and the 95th percentile are times that were measured."""
    timings = [{"id": str(n), "recall": float(n)} for n in range(1, 101)] + [{"id": "x", "reader": 7.0}]
    assert latency(timings) == {"recall": {"p50": 50.0, "p95": 95.0}, "reader": {"p50": 7.0, "p95": 7.0}}
