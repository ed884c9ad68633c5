"""Filters on metadata, and names that try to be a piece of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.engine.facade import Engine
from cortex.errors import InvalidInput
from cortex.testing import Failure, FakeEmbedder
from tests.cases.conftest import Cli
from tests.e2e.wire import Wire
from tests.engine.support import Bench, kept

# --- MEM-041: types, nesting, and, or, not ------------------------------------------------------------

KEPT: dict[str, dict[str, Any]] = {
    "whole": {"n": 2}, "point": {"n": 2.0}, "text": {"n": "2"}, "yes": {"n": True}, "one": {"n": 1},
    "null": {"n": None}, "absent": {"other": 1}, "huge": {"n": 2**63}, "near huge": {"n": 2**63 - 1},
    "list": {"n": ["x", "y"]},
    "deep": {"a": {"b": 1, "c": {"d": "z"}}}, "shallow": {"a": {"b": "1"}}, "flat": {"a.b": 1}, "no object": {"a": 5},
    "space": {"a b": 1}, "quote": {"a\"'b": 1}, "dollar inside": {"price": {"$eq": 9}}, "day": {"on": "2026-05-31"},
    "later": {"on": "2026-06-01T08:00"},
}  # fmt: skip
ASKED: list[tuple[dict[str, Any], set[str]]] = [
    ({"n": 2}, {"whole", "point"}),
    ({"n": 2.0}, {"whole", "point"}),
    ({"n": "2"}, {"text"}),
    ({"n": True}, {"yes"}),
    ({"n": 1}, {"one"}),
    ({"n": None}, {"null"}),
    ({"n": {"$exists": False}}, {name for name, metadata in KEPT.items() if "n" not in metadata}),
    ({"n": 2**63}, {"huge"}),
    ({"n": {"$gte": 2**63}}, {"huge"}),
    ({"n": {"$gt": 1, "$lt": 2**63}}, {"whole", "point", "near huge"}),
    ({"n": {"$in": ["2", None, 1.0]}}, {"text", "null", "one"}),
    ({"n": {"$contains": "x"}}, {"list"}),
    ({"n": ["x", "y"]}, {"list"}),
    ({"a": {"b": 1}}, set()),  # an object without operators is compared whole
    ({"a": {"b": "1"}}, {"shallow"}),
    ({"a": {"b": {"$eq": 1}}}, {"deep"}),
    ({"a": {"c": {"d": {"$contains": "z"}}}}, {"deep"}),
    ({"a": {"b": {"$exists": False}, "x": {"$exists": False}}}, KEPT.keys() - {"deep", "shallow"}),
    ({"a.b": 1}, {"flat"}),
    ({"a b": 1}, {"space"}),
    ({"a\"'b": {"$gte": 1}}, {"quote"}),
    ({"price": {"$eq": {"$eq": 9}}}, {"dollar inside"}),
    ({"on": {"$gte": "2026-05-31", "$lt": "2026-06-01"}}, {"day"}),
    ({"on": {"$gt": "2026-05-31"}}, {"later"}),
    ({"$or": [{"n": 1}, {"a.b": 1}]}, {"one", "flat"}),
    ({"$or": [{"n": {"$gt": 1}}, {"n": "2"}], "$not": {"n": 2}}, {"text", "huge", "near huge"}),
    ({"$and": [{"n": {"$gte": 1}}, {"$not": {"n": {"$gt": 1}}}]}, {"one"}),
    ({"$not": {"$not": {"n": True}}}, {"yes"}),
    ({"$not": {"$or": [{"n": {"$exists": True}}, {"a": {"$exists": True}}, {"on": {"$exists": True}}]}},
     {"absent", "flat", "space", "quote", "dollar inside"}),
    ({"$or": [{"a": {"b": {"$gte": 1}}}, {"a": {"b": {"$gte": ""}}}]}, {"deep", "shallow"}),
    ({}, set(KEPT)),
]  # fmt: skip


def nested(depth: int, innermost: Any, *names: str) -> dict[str, Any]:
    """Conditions inside of conditions; names with a list take one."""
    for level in range(depth):
        name = names[level % len(names)]
        innermost = {name: innermost if name not in ("$and", "$or") else [innermost]}
    result: dict[str, Any] = innermost
    return result


REFUSED: list[Any] = [
    {"n": {"$ne": 1}}, {"n": {"$regex": ".*"}}, {"$where": "true"}, {"$nor": [{"n": 1}]}, {"$": 1},
    {"n": {"$gt": 1, "x": 2}},
    {"$and": {"n": 1}}, {"$or": []}, {"$or": ["n"]}, {"$or": [{}]}, {"$not": {}}, {"$not": [{"n": 1}]}, {"$and": None},
    {"n": {"$in": 2}}, {"n": {"$in": "2"}}, {"n": {"$exists": "yes"}}, {"a": {"b": {"$like": "%"}}},
    {"n": {"$or": [1]}},
    {"$or": [{"n": 1}, {"n": {"$near": 1}}]}, {"$not": {"n": {"$near": 1}}}, {"n": float("nan")},
    {"n": {"$lt": float("inf")}},
    {1: 1}, {"": 1}, {"n": {1, 2}}, "n = 1", [["n", 1]], {"n": 10**200},
    nested(50, {"n": 1}, "$and"), nested(50, {"n": 1}, "$or", "$not"), nested(50, {"$gt": 1}, "a"),
    nested(5_000, {"n": 1}, "$not"),
    {f"k{i}": "x" * 60 for i in range(1_100)},
]  # fmt: skip


def passing(engine: Engine, metadata: Any) -> set[str]:
    """The names of what a filter lets through; every verb must agree."""
    listed = {memory.content for memory in engine.list_memories(metadata=metadata, limit=100).memories}
    assert {hit.memory.content for hit in engine.recall("memory", metadata=metadata, limit=100).hits} == listed
    assert engine.count(metadata=metadata) == len(listed)
    return {content.removeprefix("memory ") for content in listed}


def test_mem_041_a_filter_knows_types_and_nesting(ada: Engine) -> None:
    """Each condition lets through exactly what it says, in recall, list and count alike."""
    ada.memorize_many({"content": f"memory {name}", "metadata": metadata} for name, metadata in KEPT.items())
    for wanted, expected in ASKED:
        assert passing(ada, wanted) == expected, wanted
    ten_deep = nested(8, {"n": 1}, "$and", "$or")
    assert passing(ada, ten_deep) == {"one"}


@pytest.mark.parametrize("wrong", REFUSED, ids=range(len(REFUSED)))
def test_mem_041_what_nobody_understands_is_refused(ada: Engine, wrong: Any) -> None:
    """An operator, a shape or a depth that is not known is an error in every verb, erasure included."""
    ada.memorize("memory", metadata={"n": 1})
    with pytest.raises(InvalidInput, match="metadata"):
        ada.recall("memory", metadata=wrong)
    with pytest.raises(InvalidInput, match="metadata"):
        ada.list_memories(metadata=wrong)
    with pytest.raises(InvalidInput, match="metadata"):
        ada.count(metadata=wrong)
    with pytest.raises(InvalidInput, match="metadata"):
        ada.forget_all("user:ada", confirm="user:ada", metadata=wrong)
    with pytest.raises(InvalidInput, match="unknown argument"):
        ada.count(where=wrong)  # type: ignore[call-arg] # that is the point
    assert ada.count() == 1


VALUES = st.sampled_from([0, 1, 2, 2.0, "1", "2", True, False, None, "ab"])
CONDITIONS = st.recursive(
    st.dictionaries(
        st.sampled_from("kl"),
        VALUES
        | st.fixed_dictionaries({"$gt": VALUES})
        | st.fixed_dictionaries({"$lte": VALUES})
        | st.fixed_dictionaries({"$in": st.lists(VALUES, max_size=3)})
        | st.fixed_dictionaries({"$exists": st.booleans()}),
        min_size=1,
        max_size=2,
    ),
    lambda inner: (
        st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"$and": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"$not": inner})
    ),
    max_leaves=6,
)


def true_of(metadata: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """What a filter means, said once more as plainly as possible."""
    said = []
    for key, value in wanted.items():
        match key, value:
            case "$or", groups:
                said.append(any(true_of(metadata, group) for group in groups))
            case "$and", groups:
                said.append(all(true_of(metadata, group) for group in groups))
            case "$not", group:
                said.append(not true_of(metadata, group))
            case _, {"$exists": there}:
                said.append((key in metadata) is there)
            case _, _ if key not in metadata:
                said.append(False)
            case _, {"$in": items}:
                said.append(any(typed(metadata[key]) == typed(item) for item in items))
            case _, {"$gt": least}:
                said.append(ordered(metadata[key], least) and metadata[key] > least)
            case _, {"$lte": most}:
                said.append(ordered(metadata[key], most) and metadata[key] <= most)
            case _:
                said.append(typed(metadata[key]) == typed(value))
    return all(said)


def typed(value: Any) -> tuple[str, Any]:
    """A value beside its type, with all numbers one type."""
    return ("number" if type(value) in (int, float) else type(value).__name__, value)


def ordered(left: Any, right: Any) -> bool:
    """Whether two values can be more or less than each other."""
    return typed(left)[0] == typed(right)[0] and typed(left)[0] in ("number", "str")


@settings(max_examples=60)
@given(st.lists(st.dictionaries(st.sampled_from("klm"), VALUES, max_size=3), min_size=1, max_size=6), CONDITIONS)
def test_mem_041_any_filter_means_what_it_says(kept_ones: list[dict[str, Any]], wanted: dict[str, Any]) -> None:
    """Whatever is kept and asked, what passes is what a plain reading of the filter lets through."""
    ada = Bench(embedder=FakeEmbedder(fail=Failure.RAISE)).engine()
    ada.memorize_many({"content": f"memory {i}", "metadata": metadata} for i, metadata in enumerate(kept_ones))
    assert passing(ada, wanted) == {str(i) for i, metadata in enumerate(kept_ones) if true_of(metadata, wanted)}


def test_mem_041_on_the_command_line(cli: Cli) -> None:
    """A filter is a JSON object; an unknown operator is exit code 2."""
    for name in ("whole", "text", "deep", "flat"):
        cli("memorize", f"memory {name}", "--metadata", str(KEPT[name]).replace("'", '"'))
    assert cli("count", "--metadata", '{"$or": [{"n": 2.0}, {"a": {"b": {"$gte": 1}}}]}').out == "2\n"
    for wrong in ('{"n": {"$ne": 2}}', '{"n": NaN}', "n=2", "[1]", '{"$not": []}'):
        assert cli("recall", "memory", "--metadata", wrong).code == 2


# --- MEM-046: names that try to be a query ------------------------------------------------------------

NASTY = [
    "a' OR '1'='1", 'a" OR ""="', "a') OR 1=1 --", "x]; DROP TABLE memories; --", "$.a", "a->>'b'", "a.b[0]",
    "/* x */",
    "m.scope_id = 1) UNION SELECT * FROM memories --", "n}) DETACH DELETE (m", "`a`", "{{7*7}}", "${x}", "a\nOR 1=1",
    "%", "_",
]  # fmt: skip


@pytest.fixture
def walled(bench: Bench) -> Engine:
    """Ada's engine beside a secret of somebody else."""
    bench.engine("bob").memorize("the secret of bob", tags=["secret"], metadata={"a": 1})
    ada = bench.engine("ada")
    ada.memorize("a plain note", tags=["plain"], metadata={"a": 1})
    return ada


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_mem_046_a_name_is_bound_never_spliced(walled: Engine, name: str) -> None:
    """As a key, tag, speaker or session it is itself, letter by letter, and finds what has it and nothing else."""
    mine = kept(walled.memorize(
        f"holds {name!r}", tags=[name], metadata={name: {name: name}}, speaker=name, session=name, source={name: name},
    ).id)  # fmt: skip
    wanted: list[dict[str, Any]] = [{"tags": [name]}, {"speaker": name}, {"session": name}]
    keys: list[dict[str, Any]] = [
        {name: {"$exists": True}},
        {name: {name: {"$exists": True}}},
        {"$or": [{name: {"$gt": 1}}, {name: {name: name}}]},
    ]
    for within in wanted:
        assert [memory.id for memory in walled.list_memories(**within).memories] == [mine], within
        assert [hit.memory.id for hit in walled.recall("holds the secret", **within).hits] == [mine], within
    for metadata in keys:
        if name.startswith("$"):
            with pytest.raises(InvalidInput, match="metadata"):
                walled.count(metadata=metadata)
        else:
            assert [hit.memory.id for hit in walled.recall("holds the secret", metadata=metadata).hits] == [mine]
    assert walled.count(author=name) == walled.count(metadata={"a": name}) == 0
    assert walled.count() == 2


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_mem_046_a_scope_is_a_name_too(walled: Engine, name: str) -> None:
    """What a scope may be called is a scope of its own; what it may not is refused; neither reaches another."""
    scope = f"project:{name}"
    problem = "\n" in name
    if problem:
        with pytest.raises(InvalidInput, match="scope"):
            walled.memorize("elsewhere", scope=scope)
    else:
        walled.memorize("elsewhere", scope=scope)
        assert [hit.memory.content for hit in walled.recall("elsewhere secret note", scope=scope).hits] == ["elsewhere"]
        assert walled.forget_all(scope, confirm=scope).counts["memories"] == 1
    assert walled.stats().memories == 2


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_mem_046_a_closed_word_is_one_of_its_list(walled: Engine, name: str) -> None:
    """Where only some words have a meaning, every other is an error that lists them."""
    wrong: list[dict[str, Any]] = [
        {"order": name}, {"kinds": [name]}, {"tiers": name}, {"statuses": [name]}, {"cursor": name},
        {"event_since": name},
        {"created_until": name}, {"as_of": name}, {"metadata": {"a": {f"${name}": 1}}}, {"metadata": {f"${name}": 1}},
        {name: 1}, {"scope": name},
    ]  # fmt: skip
    for options in wrong:
        with pytest.raises(InvalidInput):
            walled.list_memories(**options)
    for options in ({"ranking": name}, {"fusion": name}):
        with pytest.raises(InvalidInput):
            walled.recall("secret", **options)  # type: ignore[arg-type] # the keywords are made
    assert walled.stats().memories == 2


@pytest.mark.slow
def test_mem_046_over_mcp(wire: Wire) -> None:
    """No argument of a tool reaches beyond the scope that was asked, and the store stays whole."""
    wire.call("memorize", content="the secret of bob", tags=["secret"], scope="project:vault")
    wire.call("memorize", content="a plain note", tags=["plain"], scope="project:open")
    before = wire.call("list_memories", scope="project:vault")
    for name in NASTY:
        wire.call("memorize", content=f"holds {name!r}", tags=[name], metadata={name: 1}, scope="project:open")
        (memory,) = wire.call("recall", query=f"holds {name}", tags=[name], scope="project:open")["memories"]
        assert (memory["tags"], memory["metadata"]) == ([name], {name: 1})
        for tool, arguments in (
            ("recall", {"query": "secret", "kinds": [name]}),
            ("recall", {"query": "secret", "event_since": name}),
            ("recall", {"query": "secret", "scope": name}),
            ("recall", {"query": "secret", name: 1}),
            ("list_memories", {"cursor": name}),
            ("recall_timeline", {"until": name}),
        ):
            wire.refusal(tool, **{"scope": "project:open", **arguments})
        memories = wire.call("recall", query=f"plain secret of bob {name}", scope="project:open", limit=100)["memories"]
        assert {memory["scope"] for memory in memories} == {"project:open"}
    for tool in ("graph_query", "sql", "query"):
        assert "unknown" in wire.refusal(tool, query="MATCH (n) RETURN n")
    assert wire.call("list_memories", scope="project:vault") == before
