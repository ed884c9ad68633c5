"""What a caller may hand in, value by value."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core import intake
from cortex.errors import InvalidInput
from cortex.model.memory import Clearance, Kind, Tier
from cortex.model.query import AnyOf, Condition, Inside, Not, Operator

ACCEPTED: list[tuple[Callable[[Any], Any], Any, Any]] = [
    (lambda v: intake.text("f", v), " as it is \n", " as it is \n"),
    (lambda v: intake.text("f", v), "x" * 1_000_000, "x" * 1_000_000),
    (lambda v: intake.label("f", v), "  Ada L. ", "Ada L."),
    (lambda v: intake.label("f", v), None, None),
    (lambda v: intake.label("f", v), "x" * 200, "x" * 200),
    (lambda v: intake.member("f", v, Kind), Kind.EVENT, Kind.EVENT),
    (lambda v: intake.member("f", v, Kind), " EVENT ", Kind.EVENT),
    (lambda v: intake.member("f", v, Tier), "Long-Term", Tier.LONG_TERM),
    (lambda v: intake.members("f", v, Kind), None, frozenset()),
    (lambda v: intake.members("f", v, Kind), "fact", frozenset({Kind.FACT})),
    (lambda v: intake.members("f", v, Kind), Kind.FACT, frozenset({Kind.FACT})),
    (lambda v: intake.members("f", v, Kind), ("fact", Kind.FACT, "EVENT"), frozenset({Kind.FACT, Kind.EVENT})),
    (intake.clearance, "Public", Clearance.PUBLIC),
    (intake.clearance, 3, Clearance.RESTRICTED),
    (intake.clearance, Clearance.INTERNAL, Clearance.INTERNAL),
    (intake.tags, None, ()),
    (intake.tags, "one", ("one",)),
    (intake.tags, [" b ", "a", "b"], ("b", "a")),
    (intake.tags, ["x" * 100], ("x" * 100,)),
    (intake.tags, [str(i % 12) for i in range(24)], tuple(map(str, range(12)))),
    (intake.limit, 1, 1),
    (intake.limit, 1000, 1000),
    (intake.limit, 10**9, 1000),
    (lambda v: intake.share("f", v), 0, 0.0),
    (lambda v: intake.share("f", v), 1.0, 1.0),
    (lambda v: intake.json_object("f", v), None, {}),
    (lambda v: intake.json_object("f", v), {"a": (1, [None, True])}, {"a": [1, [None, True]]}),
]

REFUSED: list[tuple[Callable[[Any], Any], list[Any]]] = [
    (lambda v: intake.text("f", v), ["", " \u200b", "a\0", "\ud800", "x" * 1_000_001, None, 5, b"x"]),
    (lambda v: intake.label("f", v), ["", " ", "x" * 201, 5, "a\0", "\udfff"]),
    (lambda v: intake.member("f", v, Kind), ["", "opinion", None, 5, True, ["fact"]]),
    (lambda v: intake.members("f", v, Kind), [5, {"fact": 1}, ["fact", None], [["fact"]], ["fact", ""]]),
    (intake.clearance, ["top", "", 4, -1, 1.0, True, None, "3"]),
    (intake.tags, [5, {"a": 1}, [5], [""], ["x" * 101], [str(i) for i in range(13)], ["a\0"]]),
    (intake.limit, [0, -1, True, 1.0, "1", None, float("nan"), [1]]),
    (lambda v: intake.whole("f", v, 1, 10), [0, 11, 5.0, "5", False, None]),
    (lambda v: intake.share("f", v), [-0.1, 1.1, float("nan"), float("inf"), "0.5", True, None]),
    (
        lambda v: intake.json_object("f", v),
        [
            [], "x", 5, {1: 2}, {"": 1}, {"k" * 201: 1}, {"a": float("nan")}, {"a": {"b": float("-inf")}}, {"a": {1}},
            {"a": b"x"}, {"a": object()}, {"a": "\0"}, {"a": ["\ud800"]}, {"\0": 1}, {"a": "x" * 65_536},
        ],
    ),
    (
        intake.conditions,
        [
            [], "x", {"k": {"$near": 1}}, {"k": {"$gt": 1, "lt": 2}}, {"k": {"$in": "ab"}}, {"k": {"$in": {"a": 1}}},
            {"k": {"$exists": 1}}, {"k": {"$exists": None}}, {"k": {"$": 1}}, {"k": {"$EQ": 1}},
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("read", "value", "expected"), ACCEPTED, ids=range(len(ACCEPTED)))
def test_what_is_accepted(read: Callable[[Any], Any], value: Any, expected: Any) -> None:
    """A value means the same at every door."""
    assert read(value) == expected


WRONG = [(read, value) for read, values in REFUSED for value in values]


@pytest.mark.parametrize(("read", "value"), WRONG, ids=range(len(WRONG)))
def test_what_is_refused(read: Callable[[Any], Any], value: Any) -> None:
    """A wrong value is an error of ours with a message, never another exception and never a guess."""
    with pytest.raises(InvalidInput) as caught:
        read(value)
    assert len(str(caught.value)) < 400
    assert caught.value.field
    assert caught.value.problem


def test_an_unknown_member_lists_the_known() -> None:
    """The error names the value and every one that is allowed."""
    with pytest.raises(InvalidInput) as caught:
        intake.member("kind", "opinion", Kind)
    assert "'opinion'" in str(caught.value)
    assert all(kind.value in str(caught.value) for kind in Kind)


def test_a_range_is_named() -> None:
    """The error of a number says what is allowed."""
    for value, message in ((0, "1 or more"), ("5", "whole number")):
        with pytest.raises(InvalidInput, match=message):
            intake.limit(value)
    with pytest.raises(InvalidInput, match="1 to 10"):
        intake.whole("importance", 11, 1, 10)


def test_conditions() -> None:
    """A plain value means equal; an object of operators means each of them."""
    given = {"a": 1, "b": {"$gte": 2, "$lt": 9}, "c": {"x": 1}, "d": {"$in": (1, 2)}, "e": {}, "f": None}
    assert intake.conditions(given) == (
        Condition("a", Operator.EQ, 1),
        Condition("b", Operator.GTE, 2),
        Condition("b", Operator.LT, 9),
        Condition("c", Operator.EQ, {"x": 1}),
        Condition("d", Operator.IN, [1, 2]),
        Condition("e", Operator.EQ, {}),
        Condition("f", Operator.EQ, None),
    )
    assert intake.conditions(None) == intake.conditions({}) == ()


def test_joined_conditions() -> None:
    """An operator deep in an object tests what is inside; and, or and not take whole conditions."""
    equal = Condition("a", Operator.EQ, 1)
    more = Condition("b", Operator.GT, 2)
    assert intake.conditions({"x": {"y": {"b": {"$gt": 2}, "a": 1}}}) == (Inside("x", (Inside("y", (more, equal)),)),)
    assert intake.conditions({"$and": [{"a": 1}, {"b": {"$gt": 2}}]}) == (equal, more)
    assert intake.conditions({"$or": [{"a": 1}, {"a": 1, "b": {"$gt": 2}}]}) == (AnyOf(((equal,), (equal, more))),)
    assert intake.conditions({"$not": {"a": 1, "$not": {"b": {"$gt": 2}}}}) == (Not((equal, Not((more,)))),)
    assert intake.conditions({"a": {"$eq": {"$x": 1}}}) == (Condition("a", Operator.EQ, {"$x": 1}),)


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            max_leaves=8,
        ),
        max_size=4,
    )
)
def test_json_comes_back_equal_and_apart(value: dict[str, Any]) -> None:
    """What is accepted survives JSON unchanged, and nothing of the caller's is shared."""
    read = intake.json_object("f", value)
    assert json.loads(json.dumps(read)) == read == value
    for key, item in read.items():
        if isinstance(item, (list, dict)):
            assert item is not value[key]


def test_depth_has_an_end() -> None:
    """Nesting is allowed to a depth and refused beyond, without a crash."""
    deep: Any = 1
    for _ in range(18):
        deep = [deep]
    intake.json_object("f", {"k": deep})
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(InvalidInput, match="levels"):
        intake.json_object("f", {"k": deep})
