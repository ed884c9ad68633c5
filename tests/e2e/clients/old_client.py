"""A client on the SDK's old major: `python old_client.py REQUEST SERVER [ARGUMENT…]` prints one JSON document.

The request is ``{"tool": …, "arguments": {…}}`` or, to list the tools, ``{}``. Both majors of the SDK can run it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib.metadata import version
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def ask(request: dict[str, Any], command: list[str]) -> dict[str, Any]:
    """The answer to one request, as it came over the wire."""
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with stdio_client(server) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
        await session.initialize()
        if "tool" not in request:
            listed = await session.list_tools()
            return listed.model_dump(mode="json", by_alias=True)
        called = await session.call_tool(request["tool"], request["arguments"])
        return called.model_dump(mode="json", by_alias=True)


if __name__ == "__main__":
    answer = asyncio.run(ask(json.loads(sys.argv[1]), sys.argv[2:]))
    sys.stdout.write(json.dumps({"sdk": version("mcp"), "answer": answer}))
