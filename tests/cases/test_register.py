"""Every known case has its test, or its reason: none is lost."""

from __future__ import annotations

import ast
import re
from pathlib import Path

# The cases, and the doors at which each can happen.
CASES = {
    "MEM-001": "python rest mcp cli", "MEM-003": "rest mcp", "MEM-004": "mcp rest", "MEM-005": "python cli",
    "MEM-006": "python rest ui", "MEM-007": "mcp rest", "MEM-009": "python rest mcp cli",
    "MEM-010": "python rest mcp ui",
    "MEM-013": "cli mcp rest", "MEM-014": "mcp cli rest", "MEM-016": "python rest", "MEM-017": "python rest mcp",
    "MEM-020": "python rest mcp", "MEM-022": "python rest mcp", "MEM-025": "rest mcp python",
    "MEM-028": "python rest mcp",
    "MEM-029": "python rest mcp", "MEM-031": "rest mcp ui", "MEM-034": "mcp", "MEM-036": "python rest cli",
    "MEM-037": "mcp rest", "MEM-038": "cli python", "MEM-039": "rest mcp cli", "MEM-040": "python rest mcp cli",
    "MEM-041": "python rest", "MEM-042": "python rest", "MEM-043": "python rest mcp", "MEM-044": "rest python",
    "MEM-045": "python rest", "MEM-046": "rest mcp python", "MEM-047": "cli rest mcp", "MEM-051": "rest mcp",
    "MEM-052": "rest mcp cli", "MEM-053": "rest mcp cli", "MEM-054": "python rest mcp", "MEM-055": "cli rest",
    "MEM-057": "mcp", "MEM-058": "mcp", "MEM-059": "mcp cli rest", "MEM-060": "mcp",
}  # fmt: skip

# Cases of which nothing can be replayed yet, and what they wait for.
WAITING = {
    "MEM-051": "keys, REST, and MCP over HTTP",
    "MEM-052": "keys that can be revoked",
    "MEM-053": "the audit trail",
}

# Cases that are tested but for a part, and what that part waits for; REST and the dashboard are the same for all.
IN_PART = {
    "MEM-006": "taking in files such as Markdown and PDF",
    "MEM-013": "an MCP tool that erases by tag, if there will be one: today an agent erases one memory a call",
    "MEM-017": "as MEM-013",
    "MEM-022": "entities and context",
    "MEM-025": "the graph, and a vector index that is a server of its own",
    "MEM-028": "erasing a whole organisation; no MCP tool erases a scope",
    "MEM-031": "keys: today whoever opens the file may name any scope, and only the default keeps users apart",
    "MEM-037": "a container",
    "MEM-038": "more releases: there is a file of each schema so far",
    "MEM-040": "the graph and thresholds",
    "MEM-046": "the graph query and entities",
    "MEM-047": "bundles of several files, and import over MCP: an export is one file of lines",
    "MEM-055": "entities, sessions, feedback, identity and policies, which are not there to be exported",
    "MEM-058": "MCP over HTTP",
    "MEM-060": "reading the graph, and context with a budget of tokens",
}


def replayed() -> set[str]:
    """The cases that name a test of this folder."""
    names = [
        node.name
        for path in Path(__file__).parent.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    found = (re.match(r"test_mem_(\d{3})_", name) for name in names)
    return {f"MEM-{match[1]}" for match in found if match}


def test_every_case_is_tested_or_waits_for_something() -> None:
    """Each of the forty is in exactly one of the two; what is tested in part says what for."""
    assert len(CASES) == 40
    assert replayed() | WAITING.keys() == CASES.keys()
    assert replayed() & WAITING.keys() == set()
    assert IN_PART.keys() <= replayed()
    assert all(WAITING.values())
    assert all(IN_PART.values())
    doors = {door for surfaces in CASES.values() for door in surfaces.split()}
    assert doors == {"python", "mcp", "cli", "rest", "ui"}
