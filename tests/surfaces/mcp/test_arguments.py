"""Arguments that do not fit: refused before anything happens, with a text that helps."""

from __future__ import annotations

from typing import Any

import pytest

from cortex import Cortex
from cortex.errors import StoreBusy
from cortex.surfaces.mcp.server import SPECS
from tests.surfaces.mcp.conftest import Answer, Door


def refused(answer: Answer, *words: str) -> bool:
    """Whether the answer is an error that says all of these words."""
    return answer.is_error and not answer.data and all(word in answer.text for word in words)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("recall", {"query": "tea", "top": 3}, ["top", "did you mean 'limit'"]),
        ("memorize", {"text": "tea"}, ["text", "did you mean 'content'"]),
        ("memorize", {"content": "tea", "contnet": "x"}, ["contnet", "did you mean 'content'"]),
        ("forget", {"memory_id": "abcd", "all": True}, ["all", "expected memory_id"]),
        ("update_memory", {"id": "abcd"}, ["id", "did you mean 'memory_id'"]),
        ("list_memories", {"": 1}, ["unknown argument", "expected limit"]),
    ],
)
def test_an_unknown_name_is_refused_with_the_closest(
    cortex: Cortex, door: Door, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    """A misspelt argument is not dropped in silence: nothing is done, and the right name is told."""
    assert refused(door.call(tool, **arguments), *words)
    assert cortex.count() == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("recall", {"query": "tea", "limit": "5"}, ["limit", "expected integer", "str '5'"]),
        ("recall", {"query": "tea", "limit": 2.5}, ["limit", "expected integer", "float '2.5'"]),
        ("recall", {"query": "tea", "limit": True}, ["limit", "expected integer", "bool 'True'"]),
        ("get_memory", {"memory_id": "abcd", "start": False}, ["start", "expected integer", "bool"]),
        ("recall", {"query": 5}, ["query", "expected string", "int '5'"]),
        ("recall", {"query": ["tea"]}, ["query", "expected string", "list"]),
        ("memorize", {"content": {"a": 1}}, ["content", "expected string", "dict"]),
        ("memorize", {"content": "tea", "tags": "drinks"}, ["tags", "expected array", "str 'drinks'"]),
        ("memorize", {"content": "tea", "tags": [1]}, ["tags", "expected text", "int"]),
        ("memorize", {"content": "tea", "metadata": "{}"}, ["metadata", "expected object", "str '{}'"]),
        ("forget", {"memory_id": 12345678}, ["memory_id", "expected string", "int"]),
    ],
)
def test_a_wrong_type_is_refused(
    cortex: Cortex, door: Door, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    """Nothing is converted on a guess: the name, what came and what is expected are told."""
    assert refused(door.call(tool, **arguments), *words)
    assert cortex.count() == 0


@pytest.mark.parametrize(
    ("tool", "name"), [(tool, name) for tool, spec in SPECS.items() for name in spec.takes.get("required", ())]
)
def test_a_missing_argument_is_refused(door: Door, tool: str, name: str) -> None:
    """What is required is asked for by name, with what it means; null is as good as missing."""
    for answer in (door.call(tool), door.call(tool, **{name: None})):
        assert refused(answer, f"{name}: missing", SPECS[tool].takes["properties"][name]["description"])


def test_null_is_as_good_as_not_given(cortex: Cortex, door: Door) -> None:
    """Clients that send every optional argument as null are served like those that leave them out."""
    kept = door.call("memorize", content="Ada prefers tea", kind=None, tags=None, scope=None, metadata=None)
    assert not kept.is_error, kept.text
    assert not door.call("recall", query="tea", limit=None, scope=None, kinds=None).is_error
    assert not door.call("update_memory", memory_id=kept.data["id"], content=None, importance=9).is_error
    memory = cortex.get(kept.data["id"])
    assert memory is not None
    assert (memory.content, memory.importance) == ("Ada prefers tea", 9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"limit": 0}, ["limit", "1 or more"]),
        ({"limit": -1}, ["limit", "1 or more"]),
        ({"scope": "nowhere"}, ["scope", "project:<name>"]),
        ({"kinds": ["fcat"]}, ["kinds", "fact, preference"]),
        ({"cursor": "x"}, ["cursor", "next_cursor"]),
    ],
)
def test_a_value_out_of_range_is_refused(door: Door, arguments: dict[str, Any], words: list[str]) -> None:
    """The engine's own errors reach the client as they are."""
    assert refused(door.call("list_memories", **arguments), *words)


def test_a_huge_limit_is_brought_down(cortex: Cortex, door: Door) -> None:
    """A billion means as many as may be."""
    cortex.memorize("Ada prefers tea")
    assert door.call("list_memories", limit=10**9).data["total"] == 1
    assert len(door.call("recall", query="tea", limit=10**9).data["memories"]) == 1


@pytest.mark.parametrize("content", ["", "   ", "\n\t", "\u200b", "\0"])
def test_blank_content_is_refused(cortex: Cortex, door: Door, content: str) -> None:
    """Nothing visible is nothing to remember, neither new nor as a change."""
    kept = cortex.memorize("Ada prefers tea")
    assert refused(door.call("memorize", content=content), "content")
    assert refused(door.call("update_memory", memory_id=kept.id, content=content), "content")
    assert refused(door.call("recall", query=content), "query")
    assert [memory.content for memory in cortex.list_memories().memories] == ["Ada prefers tea"]


@pytest.mark.parametrize("tool", ["get_memory", "update_memory", "forget"])
@pytest.mark.parametrize("memory_id", ["%", "_", "*", "", "____", "%%%%", "abc", "f" * 33])
def test_a_malformed_id_is_refused(cortex: Cortex, door: Door, tool: str, memory_id: str) -> None:
    """A wildcard is no id: nothing is touched."""
    cortex.memorize("Ada prefers tea")
    more = {"importance": 1} if tool == "update_memory" else {}
    assert refused(door.call(tool, memory_id=memory_id, **more), "id")
    assert cortex.count() == 1


@pytest.mark.parametrize("tool", ["get_memory", "update_memory", "forget"])
def test_an_unknown_id_is_another_error(door: Door, tool: str) -> None:
    """Well-formed but nobody's: said as such, with where ids are found."""
    more = {"importance": 1} if tool == "update_memory" else {}
    assert refused(door.call(tool, memory_id="0" * 32, **more), "no memory has the id", "list")


@pytest.mark.parametrize("name", ["recal", "search", "", "x" * 10_000])
def test_an_unknown_tool_is_an_error_of_the_call(door: Door, name: str) -> None:
    """A model that makes up a tool reads which there are."""
    answer = door.call(name)
    assert refused(answer, "is unknown", "recall_timeline")
    assert ("did you mean 'recall'" in answer.text) == (name == "recal")


def test_an_error_that_repeats_what_was_sent_stays_short(door: Door) -> None:
    """A megabyte in the wrong place does not come back."""
    for answer in (
        door.call("memorize", content="tea", kind="k" * 10**6),
        door.call("memorize", content="tea", **{"n" * 10**6: 1}),
        door.call("recall", query="tea", event_since="9" * 10**6),
    ):
        assert answer.is_error
        assert len(answer.text) <= 900


def test_wrong_arguments_open_nothing() -> None:
    """A call that cannot work does not pay for the model and the file."""
    opened: list[str] = []

    def open_engine() -> Any:
        opened.append("engine")
        raise StoreBusy("other writers held the store for 30 s; try again")

    door = Door(open_engine)
    assert refused(door.call("recall", query="tea", top=3), "did you mean 'limit'")
    assert opened == []
    assert refused(door.call("recall", query="tea"), "other writers held the store for 30 s; try again")
    assert opened == ["engine"]


def test_an_unexpected_error_is_an_answer_and_a_log_line(caplog: pytest.LogCaptureFixture) -> None:
    """A bug in one call is told as an error of that call; the trace is in the log, and the next call works."""

    class Broken:
        def recall(self, query: str) -> None:
            raise ZeroDivisionError("by zero")

    answer = Door(Broken).call("recall", query="tea")
    assert refused(answer, "internal error (ZeroDivisionError): by zero")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == ["tool recall failed"]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_first_answer_is_announced_once(cortex: Cortex, mode: str) -> None:
    """Background work begins after the first answer, whatever it was, and only once."""
    door = Door(lambda: cortex, mode=mode)

    async def three(client: Any) -> None:
        for _ in range(3):
            await client.list_tools(cache_mode="bypass")

    door.ask(three)
    assert door.firsts == 1
