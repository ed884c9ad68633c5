"""The stdio server as real processes: what a client's configuration starts, and what happens to it in life."""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

import cortex_model_minilm
from cortex import Cortex
from tests.e2e.wire import BIN, LEGACY, MODERN, SERVER, Wire, environment, wait_for
from tests.surfaces.mcp.conftest import problems

pytestmark = pytest.mark.slow

MODULE = [str(BIN / "python"), "-m", "cortex.mcp.server"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A server that several tests talk to, each in a scope of its own."""
    home = tmp_path_factory.mktemp("shared")
    with Wire(environment(home, CORTEX_DB_PATH=home / "memory.db", CORTEX_BUSY_SECONDS="30")) as wire:
        wire.call("list_memories")
        yield wire


# --- the official client --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "mode", "version"),
    [
        ("cortex-mcp", "auto", MODERN),  # what a client chooses by itself
        *((how, "legacy", LEGACY) for how in ("cortex-mcp", "module", "cortex mcp")),
        *((how, MODERN, MODERN) for how in ("cortex-mcp", "module", "cortex mcp")),
    ],
)
def test_the_official_client_calls_every_tool(tmp_path: Path, how: str, mode: str, version: str) -> None:
    """However it is started and in both protocol eras: listed, called, answered as the schemas say."""
    store = tmp_path / "memory.db"
    command = {"cortex-mcp": SERVER, "module": MODULE, "cortex mcp": [str(BIN / "cortex"), "mcp", "--db", str(store)]}
    named = {} if how == "cortex mcp" else {"CORTEX_DB_PATH": store}
    first, *rest = command[how]
    server = StdioServerParameters(command=first, args=rest, env=environment(tmp_path, **named))

    async def talk() -> None:
        async with Client(server, mode=mode) as client:
            assert client.protocol_version == version
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            kept = await called(client, tools, "memorize", content="Ada moved to Lisbon", event_time="2026-05-31")
            assert (await called(client, tools, "recall", query="Lisbon"))["memories"][0]["id"] == kept["id"]
            assert (await called(client, tools, "recall_about", entity="Lisbon"))["total"] == 0
            assert (await called(client, tools, "recall_timeline", since="2026-05-31"))["total"] == 1
            assert (await called(client, tools, "list_memories"))["total"] == 1
            assert (await called(client, tools, "get_memory", memory_id=kept["id"][:8]))["content_chars"] == 19
            assert (await called(client, tools, "update_memory", memory_id=kept["id"], tags=["move"]))["version"] == 2
            assert (await called(client, tools, "forget", memory_id=kept["id"]))["counts"]["memories"] == 1
            wrong = await client.call_tool("recall", {"query": "Lisbon", "top": 3})
            assert wrong.is_error
            assert len(tools) == 8

    anyio.run(talk)
    assert store.is_file()


async def called(client: Client, tools: dict[str, types.Tool], name: str, **arguments: Any) -> dict[str, Any]:
    """The structured content of an answer that fits the published schema."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    schema = tools[name].output_schema
    assert schema is not None
    assert problems(result.structured_content, schema) == []
    assert isinstance(result.structured_content, dict)
    return result.structured_content


# --- start ----------------------------------------------------------------------------------------------


def broken_model(folder: Path, *, missing: bool) -> Path:
    """A model folder that cannot be used."""
    target = folder / "my-model"
    target.mkdir()
    for name in cortex_model_minilm.SHA256:
        shutil.copyfile(cortex_model_minilm.MODEL_DIR / name, target / name)
    if missing:
        (target / "model.onnx").unlink()
    else:
        (target / "model.onnx").write_bytes(b"this is no model")
    return target


def test_an_unusable_store_is_told_at_the_first_call(tmp_path: Path) -> None:
    """The handshake and the list need no store; a call says what is wrong with it, and the server lives on."""
    (tmp_path / "file").write_text("not a folder")
    with Wire(environment(tmp_path, CORTEX_DB_PATH=tmp_path / "file" / "memory.db")) as wire:
        assert len(wire.ask("tools/list")["tools"]) == 8
        for _ in range(2):
            assert "memory.db" in wire.refusal("memorize", content="Ada prefers tea")
        assert len(wire.ask("tools/list")["tools"]) == 8
        time.sleep(3)
        assert wire.end() == 0
    assert "Traceback" not in wire.stderr
    assert wire.stderr.count("background work waits") == 1


@pytest.mark.parametrize("missing", [True, False], ids=["missing", "damaged"])
def test_a_broken_model_is_told_at_the_first_call(tmp_path: Path, missing: bool) -> None:
    """The handshake needs no model; without one the server says so instead of ending."""
    model = broken_model(tmp_path, missing=missing)
    with Wire(environment(tmp_path, CORTEX_DB_PATH=tmp_path / "memory.db", CORTEX_EMBED_MODEL=model)) as wire:
        assert len(wire.ask("tools/list")["tools"]) == 8
        result = wire.ask("tools/call", name="recall", arguments={"query": "tea"})
        if missing:
            assert result["isError"]
            assert "my-model" in result["content"][0]["text"]
            assert "model.onnx" in result["content"][0]["text"]
        else:
            assert result["structuredContent"]["degraded"] == ["dense"]
        assert len(wire.ask("tools/list")["tools"]) == 8
        assert wire.end() == 0
    assert "Traceback" not in wire.stderr


def test_a_wrong_setting_is_one_line(tmp_path: Path) -> None:
    """What can only be a mistake ends the start with a line that names the variable."""
    with Wire(environment(tmp_path, CORTEX_TOP_K="many"), greet=False) as wire:
        assert wire.end() == 8
    assert wire.lines == []
    assert wire.stderr.startswith("error: CORTEX_TOP_K='many'")
    assert wire.stderr.count("\n") == 1


def test_stderr_tells_where_and_how_many(tmp_path: Path) -> None:
    """The path at the start, the counts when the store is opened: nobody wonders where their memories went."""
    store = tmp_path / "memory.db"
    with Cortex(store, user="ada") as cortex:
        cortex.memorize("Ada prefers tea")
        cortex.memorize("The harbour has twelve berths", scope="project:harbour")
    with Wire(environment(tmp_path, CORTEX_DB_PATH=store, CORTEX_USER_ID="ada"), greet=False) as wire:
        wire.greet()
        assert wire.stderr.startswith(f"cortex: memories of ada in {store}\n")
        assert wire.call("list_memories")["total"] == 1
        assert wire.end() == 0
    assert wire.stderr.splitlines() == [
        f"cortex: memories of ada in {store}",
        "cortex: 2 memories in 2 scopes, 0 waiting for vectors",
    ]


def test_a_home_holds_nothing_but_the_store(tmp_path: Path) -> None:
    """The server, its model runtime included, leaves nothing behind that nobody asked for."""
    with Wire(environment(tmp_path, CORTEX_DB_PATH=tmp_path / "memory.db", CORTEX_EMBED_WAIT="true")) as wire:
        wire.call("memorize", content="Ada prefers tea")
        assert wire.end() == 0
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


# --- the model comes later ------------------------------------------------------------------------------


def test_what_was_stored_while_the_model_loaded_is_found_by_meaning_soon(tmp_path: Path) -> None:
    """The first call does not wait for the model; the vector follows by itself."""
    with Wire(environment(tmp_path, CORTEX_DB_PATH=tmp_path / "memory.db")) as wire:
        kept = wire.call("memorize", content="My sister keeps bees on the roof")
        assert kept["pending"] is True

        def found_by_meaning() -> bool:
            answer = wire.call("recall", query="honey insects")
            return any("dense" in memory["parts"] for memory in answer["memories"])

        wait_for(found_by_meaning)
        assert wire.call("recall", query="honey insects")["pending"] == 0
        assert wire.end() == 0


def test_embed_wait_answers_with_meaning_at_once(tmp_path: Path) -> None:
    """Who would rather wait than get less sets CORTEX_EMBED_WAIT."""
    env = environment(tmp_path, CORTEX_DB_PATH=tmp_path / "memory.db", CORTEX_EMBED_WAIT="true")
    with Wire(env) as wire:
        assert wire.call("memorize", content="My sister keeps bees on the roof")["pending"] is False
        answer = wire.call("recall", query="honey insects")
        assert (answer["legs"], answer["degraded"], answer["pending"]) == (["dense", "lexical"], [], 0)
        assert answer["memories"][0]["parts"].keys() == {"dense"}


# --- restarts and neighbours ----------------------------------------------------------------------------


def test_a_repeated_idempotency_key_gives_one_memory(shared: Wire) -> None:
    """A client that never saw the answer may send the call again; the same key for something else is refused."""
    call = {"content": "The bill is 12 euros", "scope": "project:keys", "idempotency_key": "bill-1"}
    first = shared.call("memorize", **call)
    again = shared.call("memorize", **call)
    assert first["id"] == again["id"]
    assert "idempotency" in shared.refusal("memorize", **{**call, "content": "The bill is 13 euros"})
    assert shared.call("list_memories", scope="project:keys")["total"] == 1


# --- a call among others --------------------------------------------------------------------------------


def test_calls_at_once_are_all_answered(shared: Wire) -> None:
    """Each request has exactly one answer, its own."""
    writes = [shared.begin_call("memorize", content=f"gull {i}", scope="project:gulls") for i in range(25)]
    reads = [shared.begin_call("recall", query=f"gull {i}", scope="project:gulls") for i in range(25)]
    lists = [shared.begin("tools/list") for _ in range(5)]
    kept = [shared.answer(number)["result"]["structuredContent"]["id"] for number in writes]
    assert len(set(kept)) == 25
    assert all("memories" in shared.answer(number)["result"]["structuredContent"] for number in reads)
    assert all(len(shared.answer(number)["result"]["tools"]) == 8 for number in lists)
    numbers = [json.loads(line).get("id") for line in shared.lines]
    assert all(numbers.count(number) == 1 for number in (*writes, *reads, *lists))
    assert shared.call("list_memories", scope="project:gulls")["total"] == 25


@pytest.mark.parametrize(
    "line", ["not json", "{", "[]", "null", '{"jsonrpc": "2.0"}', '{"id": 1, "method": 5}', "\x00", "\ufeff{}"]
)
def test_a_line_that_is_no_message_does_no_harm(shared: Wire, line: str) -> None:
    """The server goes on, and says nothing that is no protocol."""
    shared.say(line)
    assert shared.call("list_memories", scope="project:none")["total"] == 0
    assert shared.only_protocol


@pytest.mark.parametrize("arguments", ['{"query": "tea"}', ["tea"], 5])
def test_arguments_that_are_no_object_are_an_error(shared: Wire, arguments: object) -> None:
    """A request of the wrong shape is answered as such."""
    answer = shared.answer(shared.begin("tools/call", name="recall", arguments=arguments))
    assert answer["error"]["code"] == -32602
    assert len(shared.ask("tools/list")["tools"]) == 8


UNREADABLE = {
    "a number of thousands of digits": '{"content": "x", "importance": 1%s}' % ("0" * 5000),
    "nested 300 levels deep": '{"content": "x", "metadata": %s%s}' % ('{"a":' * 300 + "1", "}" * 300),  # noqa: UP031
}


@pytest.mark.parametrize("arguments", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_message_that_cannot_be_read_is_answered(tmp_path: Path, arguments: str) -> None:
    """A client is never left waiting: what cannot be parsed gets an error under its own id, and the server goes on."""
    with Wire(environment(tmp_path, CORTEX_DB_PATH=tmp_path / "memory.db")) as wire:
        wire.say(
            '{"jsonrpc":"2.0","id":77777,"method":"tools/call","params":{"name":"memorize","arguments":%s}}' % arguments  # noqa: UP031
        )
        wire.call("memorize", content="the server goes on")
        answers = [json.loads(line) for line in wire.lines]
        (answer,) = [answer for answer in answers if answer.get("id") == 77777]
        assert "error" in answer or answer["result"]["isError"]


def test_a_server_told_to_end_leaves_nothing_erased_behind(tmp_path: Path) -> None:
    """SIGTERM closes the store, so that an erased text is in no file of it."""
    store = tmp_path / "memory.db"
    with Wire(environment(tmp_path, CORTEX_DB_PATH=store, CORTEX_EMBED_WAIT="true")) as wire:
        found = wire.call("memorize", content="zyxwvutsrq must go")
        wire.call("forget", memory_id=found["id"])
        wire.process.send_signal(signal.SIGTERM)
        wire.process.wait(10)
    for path in tmp_path.rglob("memory.db*"):
        assert b"zyxwvutsrq" not in path.read_bytes()
