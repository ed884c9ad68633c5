"""The server in this process, on a store in memory, behind the SDK's own client."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # comes with mcp, ships no types
from mcp import Client

from cortex import Cortex
from cortex.surfaces.mcp.server import build_server
from cortex.testing import FakeEmbedder

BUDGET = 20_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered: its text, its structured content, and whether it is an error."""

    text: str
    data: dict[str, Any]
    is_error: bool

    @property
    def sizes(self) -> tuple[int, int]:
        """Characters of the text and of the structured content as compact JSON."""
        return len(self.text), len(json.dumps(self.data, ensure_ascii=False, separators=(",", ":")))


Call = Callable[..., Answer]


def answer_of(result: types.CallToolResult) -> Answer:
    """The answer that a result carries."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return Answer(block.text, result.structured_content or {}, bool(result.is_error))


def check_schema(schema: dict[str, Any]) -> None:
    """Raise unless this is valid JSON Schema."""
    Draft202012Validator.check_schema(schema)


def problems(value: object, schema: dict[str, Any]) -> list[str]:
    """What keeps a value from fitting a schema."""
    return [f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(schema).iter_errors(value)]


@pytest.fixture
def cortex() -> Iterator[Cortex]:
    """An empty Cortex of the user ada, in memory."""
    with Cortex(":memory:", user="ada", embedder=FakeEmbedder()) as cortex:
        yield cortex


@dataclass
class Door:
    """A server on an engine; each use is a client of its own."""

    open_engine: Callable[[], Any]
    budget: int = BUDGET
    firsts: int = 0
    mode: str = "2026-07-28"

    def call(self, tool: str, **arguments: Any) -> Answer:
        """Call one tool."""
        return answer_of(self.ask(lambda client: client.call_tool(tool, arguments)))

    def tools(self) -> list[types.Tool]:
        """What the server publishes."""
        listed: types.ListToolsResult = self.ask(lambda client: client.list_tools())
        return listed.tools

    def ask(self, what: Callable[[Client], Coroutine[Any, Any, Any]]) -> Any:
        """Whatever a client is asked to do."""

        async def run() -> Any:
            server = build_server(self.open_engine, version="1.2.3", budget=self.budget, after_first=self._first)
            async with Client(server, mode=self.mode, raise_exceptions=True) as client:
                return await what(client)

        return anyio.run(run)

    def _first(self) -> None:
        self.firsts += 1


@pytest.fixture
def door(cortex: Cortex) -> Door:
    """The door to `cortex`."""
    return Door(lambda: cortex)
