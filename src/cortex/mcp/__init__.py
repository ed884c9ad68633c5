"""The MCP server as a module: ``python -m cortex.mcp.server``."""
