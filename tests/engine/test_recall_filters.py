"""What a filter means, in recall, listing and counting alike."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from cortex import Cortex, Kind, Status, Tier
from cortex.errors import InvalidInput
from tests.engine.support import Bench, kept


def through(cortex: Cortex, **filters: Any) -> set[str]:
    """What a filter lets through; recall, listing and counting must agree."""
    recalled = {hit.memory.content for hit in cortex.recall("item", limit=1000, **filters).hits}
    listed = {memory.content for memory in cortex.list_memories(limit=1000, **filters).memories}
    assert recalled == listed
    assert cortex.count(**filters) == len(listed)
    assert cortex.list_memories(limit=1, **filters).total == len(listed)
    return {content.removeprefix("item ") for content in listed}


def test_kinds_and_tiers(cortex: Cortex) -> None:
    """One or several, in any case; an unknown one is refused with the list."""
    cortex.memorize_many({"content": f"item {kind}", "kind": kind, "tier": "session"} for kind in Kind)
    cortex.memorize("item long", tier=Tier.LONG_TERM)
    assert through(cortex, kinds="DECISION") == {"decision"}
    assert through(cortex, kinds=[Kind.ERROR, "event"]) == {"error", "event"}
    assert through(cortex, tiers="long-term") == {"long"}
    assert through(cortex, kinds=["fact"], tiers=["session"]) == {"fact"}
    assert len(through(cortex, kinds=[])) == len(Kind) + 1
    with pytest.raises(InvalidInput, match=r"preference.*decision"):
        cortex.recall("item", kinds=["opinion"])


def test_tags_are_literal(cortex: Cortex) -> None:
    """Every tag must be there, letter by letter: no wildcard, no part of a tag, no other case."""
    for i, tags in enumerate((["a_b"], ["axb"], ["a%"], ["A_B"], ["a_b", "c"], ["a_bc"], ['"]'], [])):
        cortex.memorize(f"item {i}", tags=tags)
    assert through(cortex, tags=["a_b"]) == {"0", "4"}
    assert through(cortex, tags="a_b") == {"0", "4"}
    assert through(cortex, tags=["c", "a_b"]) == {"4"}
    assert through(cortex, tags=["a%"]) == {"2"}
    assert through(cortex, tags=['"]']) == {"6"}
    assert through(cortex, tags=["b"]) == set()
    assert len(through(cortex)) == 8


VALUES: dict[str, Any] = {
    "two": 2,
    "two point nought": 2.0,
    "text two": "2",
    "three": 3,
    "true": True,
    "one": 1,
    "false": False,
    "nought": 0,
    "null": None,
    "list": [2, "x"],
    "empty list": [],
    "object": {"a": 1},
    "text": "green tea",
    "empty": "",
}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (2, {"two", "two point nought"}),
        (2.0, {"two", "two point nought"}),
        ("2", {"text two"}),
        (True, {"true"}),
        (1, {"one"}),
        (False, {"false"}),
        (0, {"nought"}),
        (None, {"null"}),
        ("", {"empty"}),
        ([2, "x"], {"list"}),
        ([2.0, "x"], {"list"}),
        (["x", 2], set()),
        ([], {"empty list"}),
        ({"a": 1}, {"object"}),
        ({"a": True}, set()),
        ({"$eq": 2}, {"two", "two point nought"}),
        ({"$in": [1, "2", None]}, {"one", "text two", "null"}),
        ({"$in": []}, set()),
        ({"$gte": 2}, {"two", "two point nought", "three"}),
        ({"$gt": 2}, {"three"}),
        ({"$gte": 1, "$lt": 3}, {"one", "two", "two point nought"}),
        ({"$lte": 0}, {"nought"}),
        ({"$gte": "2"}, {"text two", "text"}),
        ({"$gt": True}, set()),
        ({"$contains": "tea"}, {"text"}),
        ({"$contains": 2}, {"list"}),
        ({"$contains": "x"}, {"list"}),
        ({"$exists": True}, set(VALUES)),
        ({"$exists": False}, {"absent"}),
    ],
    ids=str,
)
def test_metadata_knows_its_types(cortex: Cortex, wanted: Any, expected: set[str]) -> None:
    """2 is 2.0 but neither "2" nor true; null is a value and absent is none; order is within a type."""
    cortex.memorize_many({"content": f"item {name}", "metadata": {"k": value}} for name, value in VALUES.items())
    cortex.memorize("item absent", metadata={"other": 2})
    assert through(cortex, metadata={"k": wanted}) == expected


def test_every_metadata_condition_must_hold(cortex: Cortex) -> None:
    """Conditions of several keys are joined by and."""
    cortex.memorize_many({"content": f"item {a}{b}", "metadata": {"a": a, "b": b}} for a in (1, 2) for b in (1, 2))
    assert through(cortex, metadata={"a": 1, "b": {"$gt": 1}}) == {"12"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": {"$near": 1}}, {"k": {"$gt": 1, "lt": 2}}, {"k": {"$": 1}}, {"k": {"$in": 1}}, {"k": {"$exists": 1}},
        {"$and": {}}, {"$or": []}, {"$or": [1]}, {"$or": [{}]}, {"$not": [{"k": 1}]}, {"$not": {}},
        {"$nor": [{"k": 1}]}, {"k": {"a": {"$near": 1}}}, {"k": {"$not": {"$gt": 1}}}, {"k": {"$and": [1]}},
        {"$not": {"k": {"$near": 1}}},
        {"": 1}, {1: 1}, {"k": float("nan")}, {"k": object()}, {"k": "\0"}, {"k": "\ud800"}, ["k"], "k",
    ],
    ids=repr,
)  # fmt: skip
def test_a_wrong_metadata_filter_is_refused(cortex: Cortex, wrong: Any) -> None:
    """An unknown operator, a wrong operand and what is no JSON are errors of the caller, not empty answers."""
    for verb in (lambda: cortex.recall("x", metadata=wrong), lambda: cortex.count(metadata=wrong)):
        with pytest.raises(InvalidInput, match="metadata"):
            verb()


def test_names(cortex: Cortex) -> None:
    """Session and speaker are compared letter by letter; the author is who wrote."""
    for name in ("s_1", "sx1", "S_1"):
        cortex.memorize(f"item {name}", session=name, speaker=name)
    assert through(cortex, session="s_1") == {"s_1"}
    assert through(cortex, speaker="S_1") == {"S_1"}
    assert len(through(cortex, author="ada")) == 3
    assert through(cortex, author="bob") == set()


def test_importance(cortex: Cortex) -> None:
    """At least this important; out of 1 to 10 is an error."""
    cortex.memorize_many({"content": f"item {i}", "importance": i} for i in range(1, 11))
    assert through(cortex, min_importance=9) == {"9", "10"}
    assert len(through(cortex, min_importance=1)) == 10
    for wrong in (0, 11, True, 2.5, "5"):
        with pytest.raises(InvalidInput):
            cortex.recall("item", min_importance=wrong)  # type: ignore[arg-type] # wrong on purpose


def test_statuses(cortex: Cortex) -> None:
    """Only active memories unless asked; the status set is exactly what is asked for."""
    receipt = cortex.memorize("item one", expires_at="2020-01-01")
    cortex.memorize("item one")
    archived = cortex.get(kept(receipt.id))
    assert archived is not None
    assert archived.status is Status.ARCHIVED
    cortex.update(archived.id, expires_at=None, content="item old")
    assert through(cortex) == {"one"}
    assert through(cortex, statuses=["archived"]) == {"old"}
    assert through(cortex, statuses=[*Status]) == {"one", "old"}
    with pytest.raises(InvalidInput, match="superseded"):
        cortex.recall("item", statuses=["erased"])


EVENTS = ["2023-05-07T23:59:59.999999Z", "2023-05-08", "2023-05-08T12:00", "2023-05-08T23:59:59.999999Z", "2023-05-09"]


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2023-05-08", "2023-05-08", {1, 2, 3}),
        (date(2023, 5, 8), date(2023, 5, 8), {1, 2, 3}),
        ("2023-05-08T12:00", "2023-05-08T12:00", {2}),
        ("2023-05-08T14:00+02:00", "2023-05-08T14:00:00+02:00", {2}),
        ("2023-05-08T00:00:00.000001Z", None, {2, 3, 4}),
        (None, "2023-05-07", {0}),
        (None, "2023-05-08T00:00Z", {0, 1}),
        ("2023-05-09", None, {4}),
        ("0001-01-01", "9999-12-31", {0, 1, 2, 3, 4}),
        (datetime.fromisoformat("2023-05-08T00:00:00-10:00"), None, {2, 3, 4}),
    ],
    ids=str,
)
def test_times(cortex: Cortex, since: Any, until: Any, expected: set[int]) -> None:
    """Both ends are inclusive, a bare date is the whole day, zones are respected; no event time is in no range."""
    cortex.memorize_many({"content": f"item {i}", "event_time": at} for i, at in enumerate(EVENTS))
    cortex.memorize("item without")
    assert through(cortex, event_since=since, event_until=until) == {str(i) for i in expected}


def test_created() -> None:
    """The time of writing can be a filter too."""
    bench = Bench()
    cortex = bench.engine()
    for i in range(3):
        cortex.memorize(f"item {i}")
        bench.clock.tick(timedelta(days=1))
    day = (bench.clock.now() - timedelta(days=2)).date()
    assert [m.content for m in cortex.list_memories(created_since=day, created_until=day).memories] == ["item 1"]
    assert len(cortex.recall("item", created_since=day).hits) == 2


@pytest.mark.parametrize("wrong", ["yesterday", "2023-13-01", "2023-02-30", "08.05.2023", "", 20230508, True])
def test_a_wrong_time_is_refused(cortex: Cortex, wrong: Any) -> None:
    """What is no ISO 8601 time is an error that shows the form."""
    for field in ("event_since", "event_until", "created_since", "created_until"):
        options: dict[str, Any] = {field: wrong}
        with pytest.raises(InvalidInput, match="ISO 8601"):
            cortex.recall("x", **options)


def test_an_end_before_its_start_is_refused(cortex: Cortex) -> None:
    """A range that cannot hold anything is a mistake, not an empty answer."""
    with pytest.raises(InvalidInput, match="swap"):
        cortex.recall("x", event_since="2023-05-09", event_until="2023-05-08")


def test_filters_are_joined_by_and(cortex: Cortex) -> None:
    """All filters at once narrow together, and find beyond the pool of candidates."""
    for i in range(300):
        cortex.memorize(f"item {i}", tags=["even"] if i % 2 == 0 else [], importance=1 + i % 10, session=f"s{i % 3}")
    wanted = {str(i) for i in range(300) if i % 2 == 0 and 1 + i % 10 >= 7 and i % 3 == 1}
    assert through(cortex, tags=["even"], min_importance=7, session="s1") == wanted
    rare = cortex.recall("item 5", limit=1, tags=["even"], session="s1", min_importance=9)
    assert rare.hits[0].memory.tags == ("even",)
