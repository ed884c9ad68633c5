from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.matching import details_pass, hidden, holds, passes, same
from cortex.model.memory import Clearance, Kind, Status, Tier
from cortex.model.query import Condition, Filter, Operator
from cortex.testing import memory
from cortex.testing.factories import WRITTEN_AT

STEP = timedelta(microseconds=1)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from(["", "2", "x", "true"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


def typed(value: Any) -> Any:
    """A value in which equal things of different JSON types differ, for plain comparison."""
    match value:
        case bool() | None | str():
            return type(value).__name__, value
        case int() | float():
            return "number", float(value)
        case list():
            return "list", [typed(item) for item in value]
        case _:
            return "object", {key: typed(item) for key, item in value.items()}


@given(left=json_values, right=json_values)
def test_sameness_is_equality_of_json(left: Any, right: Any) -> None:
    """Two values are the same when they are equal and of the same JSON type, at any depth."""
    assert same(left, right) == (typed(left) == typed(right))
    assert same(left, left)
    assert same(left, right) == same(right, left)


@given(value=json_values, wanted=json_values, operator=st.sampled_from(["gt", "gte", "lt", "lte"]))
def test_order_is_within_a_type(value: Any, wanted: Any, operator: str) -> None:
    """Numbers are compared with numbers and texts with texts; everything else is in no order."""
    found = holds({"k": value}, Condition("k", Operator(operator), wanted))
    kinds = typed(value)[0], typed(wanted)[0]
    if kinds not in {("number", "number"), ("str", "str")}:
        assert not found
    else:
        assert (
            found
            == {
                "gt": value > wanted,
                "gte": value >= wanted,
                "lt": value < wanted,
                "lte": value <= wanted,
            }[operator]
        )


@pytest.mark.parametrize(
    ("metadata", "operator", "value", "expected"),
    [
        ({}, "eq", None, False),
        ({"k": None}, "eq", None, True),
        ({}, "exists", False, True),
        ({"k": None}, "exists", True, True),
        ({"k": None}, "exists", False, False),
        ({"k": 2}, "in", [1, 2.0], True),
        ({"k": True}, "in", [1], False),
        ({}, "in", [None], False),
        ({"k": "green tea"}, "contains", "tea", True),
        ({"k": "green tea"}, "contains", "Tea", False),
        ({"k": "123"}, "contains", 2, False),
        ({"k": [1, "2"]}, "contains", 2, False),
        ({"k": [1, "2"]}, "contains", "2", True),
        ({"k": [[1]]}, "contains", [1], True),
        ({"k": {"a": 1}}, "contains", "a", False),
        ({"k": 5}, "contains", 5, False),
    ],
)
def test_operators(metadata: dict[str, Any], operator: str, value: Any, expected: bool) -> None:
    """Each operator means one thing, and a key that is not there matches none but exists: false."""
    assert holds(metadata, Condition("k", Operator(operator), value)) is expected


def test_tags_must_all_be_there() -> None:
    """Every tag asked for is among the memory's, letter by letter."""
    assert details_pass(["a", "b"], {}, Filter(tags=("b", "a")))
    assert not details_pass(["a"], {}, Filter(tags=("a", "b")))
    assert not details_pass(["ab"], {}, Filter(tags=("a",)))
    assert details_pass([], {}, Filter())


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(), True),
        (Filter(kinds=frozenset({Kind.EVENT, Kind.FACT})), True),
        (Filter(kinds=frozenset({Kind.EVENT})), False),
        (Filter(tiers=frozenset({Tier.WORKING})), False),
        (Filter(statuses=frozenset()), True),
        (Filter(statuses=frozenset({Status.ARCHIVED})), False),
        (Filter(session="s"), True),
        (Filter(session="S"), False),
        (Filter(author="ada"), True),
        (Filter(speaker="x"), False),
        (Filter(min_importance=5), True),
        (Filter(min_importance=6), False),
        (Filter(created_since=WRITTEN_AT), True),
        (Filter(created_since=WRITTEN_AT + STEP), False),
        (Filter(created_until=WRITTEN_AT + STEP), True),
        (Filter(created_until=WRITTEN_AT), False),
        (Filter(event_since=WRITTEN_AT), False),
        (Filter(tags=("t",)), True),
        (Filter(metadata=(Condition("k", Operator.EQ, 2),)), False),
    ],
    ids=range(19),
)
def test_every_field_narrows(wanted: Filter, expected: bool) -> None:
    """Each field of a filter lets a memory through or not; ranges are half-open; no event time is in no range."""
    assert passes(memory("tea", session="s", tags=("t", "u"), metadata={"k": 1}), wanted) is expected


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, None),
        ({"clearance_min": Clearance.RESTRICTED}, "clearance"),
        ({"expires_at": WRITTEN_AT}, "expired"),
        ({"expires_at": WRITTEN_AT + STEP}, None),
        ({"valid_from": WRITTEN_AT}, None),
        ({"valid_from": WRITTEN_AT + STEP}, "not yet valid"),
        ({"valid_to": WRITTEN_AT}, "no longer valid"),
        ({"valid_to": WRITTEN_AT + STEP}, None),
    ],
    ids=range(8),
)
def test_hidden_says_why(fields: dict[str, Any], reason: str | None) -> None:
    """A memory is hidden by clearance, expiry or validity, to the microsecond."""
    assert hidden(memory("tea", **fields), Clearance.CONFIDENTIAL, WRITTEN_AT) == reason
