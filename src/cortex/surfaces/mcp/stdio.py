"""The stdio transport."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from cortex.surfaces.mcp.server import build_server

if TYPE_CHECKING:
    from cortex.engine.facade import Engine


async def run(
    open_engine: Callable[[], Engine], *, version: str, budget: int, after_first: Callable[[], None], wire: int
) -> None:
    """Serve on stdin and on the descriptor ``wire`` until stdin ends."""
    server = build_server(open_engine, version=version, budget=budget, after_first=after_first)
    output = anyio.wrap_file(os.fdopen(wire, "w", encoding="utf-8", newline="\n"))
    async with stdio_server(stdout=output) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
