"""Where the installed commands are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TypedDict


class Command(TypedDict):
    """A command as MCP clients configure it."""

    command: str
    args: list[str]


def mcp_command() -> Command:
    """How to start the stdio server of this installation."""
    script = Path(sys.executable).parent / "cortex-mcp"
    if script.exists():
        return {"command": str(script), "args": []}
    return {"command": sys.executable, "args": ["-m", "cortex.mcp.server"]}
