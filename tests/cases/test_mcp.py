"""The protocol: nothing else on stdout, calls that are given up, arguments that are misspelt."""

from __future__ import annotations

import json
import os
import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.stores.sqlite.driver import sqlite3
from cortex.surfaces.mcp.server import SPECS
from tests.cases.conftest import Cli, Server
from tests.e2e.wire import Wire, environment, wait_for

# --- MEM-057: noise on stdout -------------------------------------------------------------------------

NOISE = """
import os, subprocess, sys, threading, time, warnings
print("printed at start")

def later():
    while "cortex.app.server" not in sys.modules or os.fstat(1).st_ino != os.fstat(2).st_ino:
        time.sleep(0.01)
    for _ in range(5):
        print("printed later", flush=True)
        os.write(1, b"written later\\n")
        subprocess.run([sys.executable, "-S", "-c", "print('printed by a child')"])
        warnings.warn("warned later", DeprecationWarning)
    raise RuntimeError("crashed later")

if "cortex-mcp" in sys.argv[0] or os.environ.get("NOISY"):
    threading.Thread(target=later).start()
"""


@pytest.mark.parametrize(
    "variables",
    [{"CORTEX_LOG_LEVEL": "debug", "PYTHONWARNINGS": "default"}, {"NOISY": "1", "PYTHONWARNINGS": "default"}],
    ids=["debug", "noisy"],
)
@pytest.mark.slow
def test_mem_057_stdout_is_protocol_only(tmp_path: Path, variables: dict[str, str]) -> None:
    """Logs, warnings, prints before and during, prints of child processes and crashes all go to stderr."""
    if "NOISY" in variables:
        (tmp_path / "sitecustomize.py").write_text(NOISE)
        variables = variables | {
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        }
    with Wire(environment(tmp_path, CORTEX_DB_PATH=tmp_path / "memory.db", **variables)) as wire:
        wire.call("memorize", content="Ada prefers tea")
        if "NOISY" in variables:
            wait_for(lambda: "crashed later" in wire.stderr)
        for _ in range(3):
            wire.call("recall", query="tea")
        wire.refusal("recall")
        assert wire.end() == 0
    assert wire.only_protocol
    assert len(wire.lines) == 6
    said = ["printed at start", "printed later", "written later", "printed by a child", "warned later"]
    expected = said if "NOISY" in variables else ["DEBUG "]
    assert [text for text in expected if text not in wire.stderr] == []


# --- MEM-058: cancellation ----------------------------------------------------------------------------


@pytest.fixture
def held(server: Server) -> Iterator[sqlite3.Connection]:
    """The store's write lock in other hands, so that a write takes as long as the test wants."""
    connection = sqlite3.connect(server.store, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    if connection.in_transaction:
        connection.execute("ROLLBACK")
    connection.close()


@pytest.mark.slow
def test_mem_058_a_cancelled_call_is_whole_and_silent(wire: Wire, held: sqlite3.Connection) -> None:
    """The server answers others meanwhile; the write is there wholly or not at all, and gets no answer."""
    slow = wire.begin_call("memorize", content="a slow gull", scope="project:slow")
    with pytest.raises(queue.Empty):
        wire.answer(slow, 0.5)
    wire.tell("notifications/cancelled", requestId=slow, reason="the user has changed their mind")
    assert len(wire.ask("tools/list")["tools"]) == 8
    assert wire.call("list_memories", scope="project:slow")["total"] == 0
    held.execute("ROLLBACK")
    wait_for(lambda: wire.call("list_memories", scope="project:slow")["total"] == 1)
    again = wire.call("memorize", content="a slow gull", scope="project:slow")
    assert again["deduplicated"] is True
    with pytest.raises(queue.Empty):
        wire.answer(slow, 0.1)


@pytest.mark.slow
def test_mem_058_a_late_or_unknown_cancellation_does_no_harm(wire: Wire) -> None:
    """Cancelling what is done, or was never asked, changes nothing."""
    number = wire.begin("tools/list")
    wire.answer(number)
    for unknown in (number, 10**9, "no-such-id"):
        wire.tell("notifications/cancelled", requestId=unknown)
    wire.tell("notifications/cancelled")
    assert len(wire.ask("tools/list")["tools"]) == 8
    assert wire.only_protocol


@pytest.mark.slow
def test_mem_058_hanging_up_during_a_call_ends_the_server(tmp_path: Path) -> None:
    """A client that goes while a write waits leaves no process behind, and the store sound."""
    store = tmp_path / "memory.db"
    with Wire(environment(tmp_path, CORTEX_DB_PATH=store)) as wire:
        wire.call("memorize", content="Ada prefers tea")
        connection = sqlite3.connect(store, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        wire.begin_call("memorize", content="Ada prefers coffee")
        time.sleep(0.3)
        began = time.monotonic()
        assert wire.end() == 0
        assert time.monotonic() - began < 15
        connection.execute("ROLLBACK")
        connection.close()
    assert "Traceback" not in wire.stderr
    with Cortex(store) as cortex:
        assert cortex.health().ok
        assert cortex.count() in (1, 2)


@pytest.mark.slow
def test_mem_058_cancelling_the_handshake_does_no_harm(tmp_path: Path) -> None:
    """A client that cancels initialize, which it may not, and goes on is served as if it had not."""
    with Wire(environment(tmp_path, CORTEX_STORE=tmp_path / "memory.db"), greet=False) as wire:
        wire.tell("notifications/cancelled", requestId=1)
        wire.greet()
        wire.tell("notifications/cancelled", requestId=1)
        assert len(wire.ask("tools/list")["tools"]) == len(SPECS)
        assert wire.end() == 0
    assert wire.only_protocol
    assert "Traceback" not in wire.stderr


@pytest.mark.slow
def test_mem_058_cancelled_calls_leave_nothing_open(server: Server, held: sqlite3.Connection) -> None:
    """Many writes given up at once: each is there once or not at all, none is answered twice, and writing goes on."""
    wire = server.wire
    numbers = [wire.begin_call("memorize", content=f"tern {i}", scope="project:terns") for i in range(15)]
    for number in numbers:
        wire.tell("notifications/cancelled", requestId=number)
    held.execute("ROLLBACK")
    wait_for(lambda: wire.call("list_memories", scope="project:terns")["total"] == 15)
    answered = [json.loads(line).get("id") for line in wire.lines]
    assert all(answered.count(number) <= 1 for number in numbers)
    assert wire.call("memorize", content="one more tern", scope="project:terns")["deduplicated"] is False
    connection = sqlite3.connect(server.store)
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    connection.close()


# --- MEM-059: misspelt arguments ----------------------------------------------------------------------

MISSPELT: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"query": "tea", "top": 3}, "did you mean 'limit'"),
    ("recall", {"query": "tea", "limt": 3}, "did you mean 'limit'"),
    ("recall", {"question": "tea"}, "did you mean 'query'"),
    ("memorize", {"text": "tea"}, "did you mean 'content'"),
    ("memorize", {"content": "tea", "Kind": "fact"}, "did you mean 'kind'"),
    ("memorize", {"content": "tea", "priority": 1}, "unknown argument"),
    ("forget", {"memory_id": "0" * 32, "all": True}, "unknown argument"),
    ("forget", {"id": "0" * 32}, "did you mean 'memory_id'"),
    ("list_memories", {"page": 2}, "unknown argument"),
    ("remember", {"content": "tea"}, "unknown"),
    ("recal", {"query": "tea"}, "did you mean 'recall'"),
]


@pytest.mark.slow
def test_mem_059_a_misspelt_argument_is_refused_with_the_right_one(wire: Wire) -> None:
    """Nothing is done with the rest of the call; null is as good as not given; a wrong type is told."""
    before = wire.call("list_memories")["total"]
    for tool, arguments, said in MISSPELT:
        assert said in wire.refusal(tool, **arguments), (tool, arguments)
    for tool, spec in SPECS.items():
        for name, schema in spec.takes["properties"].items():
            wrong = {"string": 5, "integer": "5", "array": "x", "object": "{}"}[schema["type"]]
            required = dict.fromkeys(spec.takes.get("required", ()), "0" * 32)
            assert name in wire.refusal(tool, **{**required, name: wrong}), (tool, name)
        optional = dict.fromkeys(spec.takes["properties"].keys() - set(spec.takes.get("required", ())))
        if not spec.destroys and tool not in ("memorize", "get_memory"):
            wire.call(tool, **dict.fromkeys(spec.takes.get("required", ()), "tea"), **optional)
    for shape in ('"{\\"query\\": \\"tea\\"}"', '["tea"]', "5", "true"):
        answer = wire.answer(wire.begin_raw(f'{{"name": "recall", "arguments": {shape}}}'))
        assert "error" in answer or answer["result"]["isError"]
    assert wire.call("list_memories")["total"] == before


@pytest.mark.slow
def test_mem_059_every_published_schema_is_closed(wire: Wire) -> None:
    """What goes over the wire says that unknown arguments are not taken."""
    tools = wire.ask("tools/list")["tools"]
    assert [tool["name"] for tool in tools if tool["inputSchema"].get("additionalProperties") is not False] == []
    assert len(tools) == len(SPECS)


def test_mem_059_on_the_command_line(cli: Cli) -> None:
    """A misspelt option or command is exit code 2 with the nearest one, and nothing is done."""
    for line, meant in (
        (["recall", "tea", "--top", "3"], "recall --help"),
        (["recall", "tea", "--limt", "3"], "--limit"),
        (["memorize", "tea", "--tags", "x"], "--tag"),
        (["memorize", "tea", "coffee"], "coffee"),
        (["forget", "0" * 32, "--all"], "--all"),
        (["remeber", "tea"], "memorize"),
    ):
        wrong = cli(*line)
        assert (wrong.code, wrong.out) == (2, "")
        assert meant in wrong.err, line
    assert cli("count").out == "0\n"
