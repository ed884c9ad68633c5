"""The MCP server over stdio, as the command ``cortex-mcp`` and as ``python -m cortex.mcp.server``."""

from __future__ import annotations

import sys

from cortex.app.server import serve
from cortex.errors import CortexError


def main() -> None:
    """Serve until stdin ends; a wrong setting is one line on stderr and exit code 8."""
    try:
        serve()
    except CortexError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(8)


if __name__ == "__main__":
    main()
