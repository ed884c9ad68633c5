"""Ids, their beginnings and what is none; tags letter by letter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.errors import AmbiguousId, InvalidId, NotFound
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder
from tests.cases.conftest import Cli, Server
from tests.e2e.wire import Wire
from tests.engine.support import Bench

NO_IDS = ["%", "_", "*", "?", "", "    ", "____", "%%%%", "a%", "****", "[0-9a-f]*", "00%0", ".*", "all", "0x12", "abc"]

# Every verb that takes an id, as a call of Python, a tool and a command.
IN_PYTHON: dict[str, Callable[[Engine, str], Any]] = {
    "get": lambda engine, one: engine.get(one),
    "history": lambda engine, one: engine.history(one),
    "update": lambda engine, one: engine.update(one, importance=7),
    "archive": lambda engine, one: engine.archive(one),
    "forget": lambda engine, one: engine.forget(one),
}
TOOLS: dict[str, dict[str, Any]] = {"get_memory": {}, "update_memory": {"importance": 7}, "forget": {}}
COMMANDS = [("get",), ("history",), ("update", "--importance", "7"), ("archive",), ("forget",)]


# --- MEM-013: wildcards -------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", IN_PYTHON)
def test_mem_013_a_wildcard_is_no_id(ada: Engine, verb: str) -> None:
    """Each is refused as what no id can be, and nothing is changed or erased."""
    ada.memorize_many(["one", "two", "three"])
    before = ada.list_memories().memories
    for wrong in NO_IDS:
        with pytest.raises(InvalidId):
            IN_PYTHON[verb](ada, wrong)
    assert ada.list_memories().memories == before


@pytest.mark.slow
def test_mem_013_a_wildcard_over_mcp_and_on_the_command_line(wire: Wire, cli: Cli) -> None:
    """The same refusal at the doors: a tool error, and exit code 2."""
    for content in ("one", "two", "three"):
        wire.call("memorize", content=content, scope="project:wild")
        cli("memorize", content)
    for wrong in NO_IDS:
        for tool, more in TOOLS.items():
            assert "memory_id" in wire.refusal(tool, memory_id=wrong, **more)
        for command, *options in COMMANDS:
            assert cli(command, *options, "--", wrong).code == 2, (command, wrong)
    assert wire.call("list_memories", scope="project:wild")["total"] == 3
    assert cli("count").out == "3\n"


TAGS = ["a_b", "axb", "ab%", "abc", "A_B", "a*b", "a_bc", "a b", "%", "_"]


@pytest.mark.parametrize("tag", TAGS)
def test_mem_013_a_tag_is_meant_letter_by_letter(ada: Engine, tag: str) -> None:
    """Recall, count and erasure by tag reach exactly what has it, and the receipt counts just that."""
    for i, each in enumerate(TAGS):
        ada.memorize_many([{"content": f"note {i}.{j}", "tags": [each, "all"]} for j in range(2)])
    mine = {f"note {TAGS.index(tag)}.{j}" for j in range(2)}
    assert {hit.memory.content for hit in ada.recall("note", tags=[tag], limit=50).hits} == mine
    assert ada.count(tags=[tag, "all"]) == 2
    assert ada.forget_all("user:ada", confirm="user:ada", tags=[tag]).counts["memories"] == 2
    rest = {memory.content for memory in ada.list_memories(limit=50).memories}
    assert len(rest) == 2 * len(TAGS) - 2
    assert not rest & mine


@pytest.mark.slow
def test_mem_013_tags_over_mcp_and_on_the_command_line(wire: Wire, cli: Cli) -> None:
    """The doors pass tags on as they are."""
    for i, tag in enumerate(TAGS):
        wire.call("memorize", content=f"note {i}", tags=[tag], scope="project:tags")
    for i, tag in enumerate(TAGS):
        page = wire.call("list_memories", tags=[tag], scope="project:tags")
        assert [memory["content"] for memory in page["memories"]] == [f"note {i}"]
    lines = [json.dumps({"content": f"note {i}", "tags": [tag]}) for i, tag in enumerate(TAGS)]
    cli("memorize", "--file", "-", stdin="\n".join(lines))
    for tag in ("ab%", "_", "a b"):
        assert cli("count", "--tag", tag).out == "1\n"
    told = cli("forget-all", "user:local", "--tag", "a_b", "--dry-run")
    assert "would forget 1 memories" in told.out
    assert cli("forget-all", "user:local", "--tag", "a_b").code == 2
    done = cli("forget-all", "user:local", "--tag", "a_b", "--confirm", "user:local", "--json").json
    assert done["counts"]["memories"] == 1
    assert cli("count").out == f"{len(TAGS) - 1}\n"


# --- MEM-014: beginnings of ids -----------------------------------------------------------------------

ONE, TWO, THREE = "beef11" + "0" * 26, "beef12" + "0" * 26, "cafe" + "1" * 28
SPELLINGS = [THREE, THREE[:4], THREE[:12], f"  {THREE[:8]}\n", THREE.upper(), "CAFE1111-1111-1111-1111-111111111111"]
SHARED = ["beef", "beef1", "BEEF1", " beef-1 "]


@pytest.fixture
def three(bench: Bench) -> Engine:
    """Three memories of which two begin alike."""
    bench.ids = iter([ONE, TWO, THREE])
    ada = bench.engine("ada")
    ada.memorize_many(["one", "two", "three"])
    return ada


@pytest.mark.parametrize("spelling", SPELLINGS, ids=repr)
@pytest.mark.parametrize("verb", IN_PYTHON)
def test_mem_014_a_unique_beginning_is_the_memory(three: Engine, verb: str, spelling: str) -> None:
    """In every verb, with blanks around it, in capitals, with dashes."""
    done = IN_PYTHON[verb](three, spelling)
    assert (done[-1] if verb == "history" else done).id == THREE
    left = three.count(statuses=["active", "archived"])
    assert left == (2 if verb == "forget" else 3)


@pytest.mark.parametrize("verb", IN_PYTHON)
def test_mem_014_other_ids_have_errors_of_their_own(three: Engine, verb: str) -> None:
    """Shared by several, unknown and malformed are three different errors; nothing is done and none is silent."""
    before = three.list_memories().memories
    for shared in SHARED:
        with pytest.raises(AmbiguousId) as caught:
            IN_PYTHON[verb](three, shared)
        assert caught.value.candidates == (ONE, TWO)
        assert ONE in str(caught.value)
    for unknown in ("f00d", "f" * 32):
        if verb == "get":
            assert three.get(unknown) is None
            continue
        with pytest.raises(NotFound):
            IN_PYTHON[verb](three, unknown)
    for malformed in ("caf", "cafe1z", "c" * 33, "café"):
        with pytest.raises(InvalidId):
            IN_PYTHON[verb](three, malformed)
    assert three.list_memories().memories == before


def keep_three(path: Path, scope: str, ids: list[str]) -> None:
    """Memories with chosen ids in a file that others have open."""
    bench = Bench(store=SQLiteStore(path), ids=iter(ids))
    bench.engine("local").memorize_many([{"content": f"note {one}", "scope": scope} for one in ids])
    bench.store.close()


@pytest.mark.slow
def test_mem_014_over_mcp(server: Server) -> None:
    """The 12 digits that a listing shows are enough; what is shared is refused with the candidates."""
    wire = server.wire
    keep_three(server.store, "project:short", [ONE, TWO, THREE])
    listed = wire.ask("tools/call", name="list_memories", arguments={"scope": "project:short"})["content"][0]["text"]
    assert f"[{THREE[:12]} | " in listed
    for tool, more in TOOLS.items():
        for shared in SHARED:
            assert ONE in wire.refusal(tool, memory_id=shared, **more)
        assert "no memory has the id" in wire.refusal(tool, memory_id="f00d", **more)
        assert "hexadecimal" in wire.refusal(tool, memory_id="cafe1z", **more)
    assert wire.call("get_memory", memory_id=f" {THREE[:6].upper()} ")["id"] == THREE
    assert wire.call("update_memory", memory_id=THREE[:12], importance=7)["id"] == THREE
    assert wire.call("forget", memory_id=THREE[:12])["counts"]["memories"] == 1
    assert wire.call("list_memories", scope="project:short")["total"] == 2


def test_mem_014_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    """What `list` prints is taken by every command; the exit code tells shared, unknown and malformed apart."""
    keep_three(tmp_path / ".cortex" / "memory.db", "user:local", [ONE, TWO, THREE])
    short = cli("list", "--limit", "1").out.split()[0]
    assert short == THREE[:8]
    for command, *options in COMMANDS:
        assert [cli(command, i, *options).code for i in ("beef", "f00d", "cafe1z")] == [4, 3, 2]
        assert ONE in cli(command, "beef1", *options).err
        assert cli(command, short, *options).code == 0
    with Cortex(tmp_path / ".cortex" / "memory.db", embedder=FakeEmbedder()) as cortex:
        assert [memory.id for memory in cortex.list_memories().memories] == [TWO, ONE]
