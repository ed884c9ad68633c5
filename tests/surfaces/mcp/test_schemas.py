"""What the server publishes: the first thing a client's model pays for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from cortex.surfaces.mcp import tools
from cortex.surfaces.mcp.schemas import INSTRUCTIONS
from cortex.surfaces.mcp.server import SPECS
from tests.surfaces.mcp.conftest import Door, check_schema

TOOLS = ("memorize recall recall_about recall_timeline list_memories get_memory update_memory forget").split()
# Characters of the list as compact JSON: what every conversation of a client may cost before the first word.
MOST_INPUT = 6_000
MOST_LIST = 13_700
LONGEST_DESCRIPTION = 130


def objects(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object schema inside of a schema, with its path."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for name, inner in schema.items():
            yield from objects(inner, f"{path}/{name}")


@pytest.fixture
def published(door: Door) -> list[dict[str, Any]]:
    """The tools as they go over the wire."""
    return [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in door.tools()]


def test_the_tools_are_these(published: list[dict[str, Any]]) -> None:
    """Clients keep allow-lists by name: a name does not change by accident; each has one handler."""
    assert [tool["name"] for tool in published] == TOOLS
    assert set(tools.TOOLS) == set(SPECS) == set(TOOLS)


def test_the_first_ones_take_what_other_memories_take() -> None:
    """The parameter names that scripts and prompts already use are all there."""
    expected = {
        "memorize": {"content", "kind", "tags"},
        "recall": {"query", "limit"},
        "recall_about": {"entity", "limit"},
        "recall_timeline": {"since", "until", "limit"},
        "list_memories": {"limit"},
        "forget": {"memory_id"},
    }
    missing = {name: names - SPECS[name].takes["properties"].keys() for name, names in expected.items()}
    assert not any(missing.values()), missing


def test_every_schema_is_valid_and_closed(published: list[dict[str, Any]]) -> None:
    """Each is JSON Schema, of an object, and no object with named properties is open to unknown ones."""
    for tool in published:
        for side in ("inputSchema", "outputSchema"):
            schema = tool[side]
            check_schema(schema)
            assert schema["type"] == "object"
            still_open = [
                f"{tool['name']} {side} {path}"
                for path, inner in objects(schema)
                if "properties" in inner and inner.get("additionalProperties") is not False
            ]
            assert still_open == []
            assert set(schema.get("required", ())) <= schema["properties"].keys()


def test_only_metadata_and_source_are_free(published: list[dict[str, Any]]) -> None:
    """An object without a fixed shape is one that the caller fills."""
    free = {
        path.rpartition("/")[2]
        for tool in published
        for side in ("inputSchema", "outputSchema")
        for path, inner in objects(tool[side])
        if "properties" not in inner and "additionalProperties" not in inner
    }
    assert free == {"metadata", "source"}


def test_every_argument_is_described_in_few_words(published: list[dict[str, Any]]) -> None:
    """A model chooses by the description, and pays for it in every conversation."""
    texts = {tool["name"]: tool["description"] for tool in published}
    for tool in published:
        for name, schema in tool["inputSchema"]["properties"].items():
            texts[f"{tool['name']}.{name}"] = schema.get("description", "")
    assert {where: text for where, text in texts.items() if not 5 <= len(text) <= LONGEST_DESCRIPTION} == {}


def test_the_list_is_small(published: list[dict[str, Any]]) -> None:
    """The whole list stays under its budget, and what most clients show a model well under it."""
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in published]
    assert len(json.dumps(shown, separators=(",", ":"))) <= MOST_INPUT
    assert len(json.dumps(published, separators=(",", ":"))) <= MOST_LIST
    assert len(INSTRUCTIONS) <= 600


def test_every_write_takes_a_key_and_every_search_an_instant() -> None:
    """A client can repeat whatever writes, and look back wherever there are several memories to find."""
    takes = {name: spec.takes["properties"].keys() for name, spec in SPECS.items()}
    assert {name for name in takes if not SPECS[name].reads_only} == {
        name for name, names in takes.items() if "idempotency_key" in names
    }
    assert {name for name, names in takes.items() if "as_of" in names} == {
        "recall", "recall_timeline", "list_memories",
    }  # fmt: skip


def test_the_annotations_tell_what_a_client_may_do_unasked(published: list[dict[str, Any]]) -> None:
    """Reading is marked as such, what overwrites or erases too, and no tool reaches beyond the store."""
    hints = {tool["name"]: tool["annotations"] for tool in published}
    reading = {"recall", "recall_about", "recall_timeline", "list_memories", "get_memory"}
    assert {name for name, hint in hints.items() if hint["readOnlyHint"]} == reading
    assert {name for name, hint in hints.items() if hint["destructiveHint"]} == {"update_memory", "forget"}
    assert all(hint["idempotentHint"] and not hint["openWorldHint"] for hint in hints.values())
    assert all(tool["title"] for tool in published)
