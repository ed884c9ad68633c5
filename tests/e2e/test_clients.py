"""Clients that nobody here wrote, over stdio: the SDK's old major, FastMCP's command line, the MCP inspector.

`make clients` installs them under .clients/, at the versions of tests/e2e/clients/.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cortex.surfaces.mcp.server import SPECS
from tests.conftest import require_service
from tests.e2e.wire import SERVER, environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / ".clients"
OLD_CLIENT = Path(__file__).with_name("clients") / "old_client.py"


@dataclass(frozen=True, slots=True)
class Said:
    """What a client got: whether it is an error, and everything that it printed."""

    is_error: bool
    printed: str
    answer: Mapping[str, Any]


Ask = Callable[[str | None, Mapping[str, Any], dict[str, str]], Said]


def old_sdk(tool: str | None, arguments: Mapping[str, Any], env: dict[str, str]) -> Said:
    """The SDK's old major."""
    request = {} if tool is None else {"tool": tool, "arguments": arguments}
    python = CLIENTS / "mcp-1" / "bin" / "python"
    done = run([str(python), str(OLD_CLIENT), json.dumps(request), *SERVER], env)
    found = json.loads(done.stdout)
    assert found["sdk"].startswith("1.")
    return Said(bool(found["answer"].get("isError")), done.stdout, found["answer"])


def fastmcp(tool: str | None, arguments: Mapping[str, Any], env: dict[str, str]) -> Said:
    """FastMCP's command line."""
    program = str(CLIENTS / "fastmcp" / "bin" / "fastmcp")
    more = [] if tool is None else ["--target", tool, "--input-json", json.dumps(arguments)]
    done = run([program, "list" if tool is None else "call", "--command", shlex.join(SERVER), *more, "--json"], env)
    answer = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    return Said(done.returncode != 0, done.stdout + done.stderr, answer)


def inspector(tool: str | None, arguments: Mapping[str, Any], env: dict[str, str]) -> Said:
    """The MCP inspector's command line; it reads the value of an argument as JSON where it can."""
    program = str(CLIENTS / "inspector" / "node_modules" / ".bin" / "mcp-inspector")
    pairs = [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in arguments.items()]
    called = ["--method", "tools/call", "--tool-name", str(tool), *(["--tool-arg", *pairs] if pairs else [])]
    more = ["--method", "tools/list", "--strict"] if tool is None else called
    done = run([program, "--cli", *SERVER, *more, "--format", "json", "-q"], env)
    answer = json.loads(done.stdout)["result"] if done.stdout else {}
    return Said(done.returncode != 0, done.stdout + done.stderr, answer)


def run(command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A client's program, to its end."""
    return subprocess.run(
        command, env=env, cwd=env["HOME"], capture_output=True, text=True, encoding="utf-8", check=False, timeout=50
    )


@dataclass(frozen=True, slots=True)
class Guest:
    """One client with a home of its own, which its server shares."""

    ask: Ask
    env: dict[str, str]

    def tools(self) -> list[str]:
        """The names of the tools that it sees."""
        said = self.ask(None, {}, self.env)
        assert not said.is_error, said.printed
        return [tool["name"] for tool in said.answer["tools"]]

    def call(self, tool: str, **arguments: Any) -> Said:
        """What it gets from a tool."""
        return self.ask(tool, arguments, self.env)


@pytest.fixture(params=[old_sdk, fastmcp, inspector], ids=lambda ask: ask.__name__)
def guest(request: pytest.FixtureRequest, tmp_path: Path) -> Guest:
    """Each of the clients."""
    require_service("mcp-clients", (CLIENTS / ".installed").is_file(), "not installed; run: make clients")
    path = f"{CLIENTS / 'node' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return Guest(request.param, environment(tmp_path, PATH=path, FASTMCP_CHECK_FOR_UPDATES="off", NO_COLOR="1"))


def test_it_lists_the_tools(guest: Guest) -> None:
    """Every tool is there, and the inspector's strict reading of the schemas finds nothing to report."""
    assert guest.tools() == list(SPECS)


def test_it_remembers_and_recalls(guest: Guest) -> None:
    """What one process of it has kept, the next one finds."""
    kept = guest.call("memorize", content="The harbour master is called Ines", tags=["harbour"])
    assert not kept.is_error, kept.printed
    assert "Remembered as " in kept.printed
    found = guest.call("recall", query="harbour master", limit=3)
    assert not found.is_error, found.printed
    assert "The harbour master is called Ines" in found.printed
    assert "1 memory, best first" in found.printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "harbour", "top": 3}, ["top", "unknown argument, did you mean 'limit'"]),
        ({"query": "harbour", "limit": 2.5}, ["limit", "expected integer", "2.5"]),
        ({}, ["query", "issing"]),
    ],
    ids=["unknown", "type", "missing"],
)
def test_what_does_not_fit_is_refused_with_help(guest: Guest, arguments: dict[str, Any], words: list[str]) -> None:
    """An unknown argument, a wrong type and a missing one are errors whose text says what to do instead."""
    said = guest.call("recall", **arguments)
    assert said.is_error, said.printed
    assert [word for word in words if word not in said.printed] == []
