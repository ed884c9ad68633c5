"""A plain MCP client for one spawned server: what the demonstration and the tests talk through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent


class Client:
    """Calls the tools of a server."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def tools(self) -> list[str]:
        """The names of the server's tools."""
        return [tool.name for tool in (await self._session.list_tools()).tools]

    async def call(self, tool: str, **arguments: Any) -> tuple[str, Mapping[str, Any]]:
        """The text and the structured content of a tool's answer; `RuntimeError` for an error."""
        result = await self._session.call_tool(tool, arguments)
        text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
        if result.is_error:
            raise RuntimeError(text)
        return text, result.structured_content or {}


@asynccontextmanager
async def spawned(command: Sequence[str], environment: Mapping[str, str]) -> AsyncIterator[Client]:
    """A client of a server started with this command; both end with the block."""
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment))
    async with stdio_client(parameters) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
        await session.initialize()
        yield Client(session)
