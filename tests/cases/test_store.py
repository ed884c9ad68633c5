"""Stores that outlive their processes: several writers, restarts, upgrades."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.errors import StoreBusy
from cortex.stores.sqlite import migrate
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.schema import migrations
from cortex.testing import FakeEmbedder
from tests.cases.conftest import Cli
from tests.e2e.wire import Wire, environment
from tests.stores.released import TEXTS, make_released

# --- MEM-034: several writers -------------------------------------------------------------------------


class Crew:
    """Writers and a reader on one store; what they were told."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, str] = {}
        self.errors: list[str] = []
        self.done = threading.Event()

    def write(self, wire: Wire, writer: int, *, dies_after: int = 100) -> None:
        """Keep a hundred distinct memories, or die while one more is under way."""
        for i in range(dies_after):
            content = f"writer {writer} notes number {i}"
            result = wire.ask("tools/call", name="memorize", arguments={"content": content})
            if not self._failed(result):
                self.acknowledged[content] = result["structuredContent"]["id"]
        if dies_after < 100:
            wire.begin_call("memorize", content=f"writer {writer} notes number {dies_after}")
            wire.kill(signal.SIGKILL)

    def search(self, wire: Wire) -> None:
        """Recall until the others are done."""
        while not self.done.is_set():
            self._failed(wire.ask("tools/call", name="recall", arguments={"query": "writer notes", "limit": 50}))

    def _failed(self, result: dict[str, Any]) -> bool:
        if result.get("isError"):
            self.errors.append(result["content"][0]["text"])
        return bool(result.get("isError"))


@pytest.mark.slow
def test_mem_034_three_writers_and_a_reader_on_one_store(tmp_path: Path) -> None:
    """Three servers add at once, a fourth searches, one is killed midway: each acknowledged write is there once."""
    store = tmp_path / "memory.db"
    env = environment(tmp_path, CORTEX_DB_PATH=store)
    crew = Crew()
    with Wire(env) as one, Wire(env) as two, Wire(env) as three, Wire(env) as reader:
        with ThreadPoolExecutor() as pool:
            searching = pool.submit(crew.search, reader)
            writing = [pool.submit(crew.write, two, 2), pool.submit(crew.write, three, 3)]
            pool.submit(crew.write, one, 1, dies_after=40).result()
            for writer in writing:
                writer.result()
            crew.done.set()
            searching.result()
        assert [wire.end() for wire in (two, three, reader)] == [0, 0, 0]
    assert crew.errors == []
    assert len(crew.acknowledged) == 240
    with Cortex(store) as cortex:
        memories = cortex.list_memories(limit=1000).memories
        assert cortex.health().ok
    found = {memory.content: memory.id for memory in memories}
    assert found.items() >= crew.acknowledged.items()
    assert len(memories) == len(found)
    assert len(found) in (240, 241)


@pytest.mark.slow
def test_mem_034_a_store_that_stays_busy_is_a_typed_error(tmp_path: Path) -> None:
    """Waiting has an end; then the client reads what to do, in its own words, and a later call works."""
    store = tmp_path / "memory.db"
    with Wire(environment(tmp_path, CORTEX_STORE=store, CORTEX_BUSY_SECONDS="0.3")) as wire:
        wire.call("memorize", content="the tide is low")
        holder = sqlite3.connect(store, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        said = wire.refusal("memorize", content="the tide is high")
        assert "busy" in said or "held" in said
        assert "OperationalError" not in said
        assert wire.call("list_memories")["total"] == 1
        holder.execute("ROLLBACK")
        holder.close()
        assert wire.call("memorize", content="the tide is high")["deduplicated"] is False
    assert StoreBusy.retryable


# --- MEM-037: restarts --------------------------------------------------------------------------------


@pytest.mark.slow
def test_mem_037_nothing_is_lost_over_restarts(tmp_path: Path) -> None:
    """After SIGTERM and SIGKILL, from another folder, by a relative path: the first call finds it all."""
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    data.mkdir()
    elsewhere.mkdir()
    runs: list[tuple[int, Path, Path]] = [
        (signal.SIGTERM, data, Path("memory.db")),
        (signal.SIGKILL, elsewhere, Path("../data/memory.db")),
        (0, tmp_path, data / "memory.db"),
    ]
    for number, (sent, cwd, store) in enumerate(runs):
        env = environment(tmp_path, CORTEX_DB_PATH=store, CORTEX_EMBED_WAIT="true")
        with Wire(env, cwd=cwd) as wire:
            assert wire.call("list_memories", scope="project:harbour")["total"] == number
            wire.call("memorize", content=f"berth {number} is taken", scope="project:harbour")
            found = wire.call("recall", query="berth", scope="project:harbour")["memories"]
            assert len(found) == number + 1
            _ = wire.kill(sent) if sent else wire.end()
        path, counts = wire.stderr.splitlines()[:2]
        assert Path(path.removeprefix("cortex: memories of local in ")).resolve() == data / "memory.db"
        assert counts.startswith(f"cortex: {number} memories in ")
        assert counts.endswith(" 0 waiting for vectors")
    assert sorted(path.name for path in data.iterdir()) == ["memory.db"]


@pytest.mark.slow
def test_mem_037_what_was_owed_is_done_after_a_kill(tmp_path: Path) -> None:
    """Memories whose vectors were not made yet when the process was killed get them in the next one, and only they."""
    store = tmp_path / "memory.db"
    with Wire(environment(tmp_path, CORTEX_STORE=store)) as wire:
        for i in range(20):
            wire.call("memorize", content=f"crate {i} is on the quay")
        wire.kill(signal.SIGKILL)
    with Cortex(store) as cortex:
        assert cortex.count() == 20
        assert cortex.recall("crate 7", limit=1).hits[0].memory.content == "crate 7 is on the quay"
    with Wire(environment(tmp_path, CORTEX_STORE=store, CORTEX_EMBED_WAIT="true")) as wire:
        answer = wire.call("recall", query="boxes at the dock", limit=20)
        assert (answer["found"], answer["degraded"], answer["pending"]) == (20, [], 0)
        assert "cortex: 20 memories in 1 scopes, 0 waiting for vectors" in wire.stderr
        assert wire.end() == 0


# --- MEM-038: old and new schemas ---------------------------------------------------------------------


def schema(path: Path) -> tuple[int, list[tuple[str, str]]]:
    """The schema number of a file, and what its memories say."""
    connection = sqlite3.connect(path)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    memories = connection.execute("SELECT id, content FROM memories ORDER BY seq").fetchall()
    connection.close()
    return version, memories


def test_mem_038_a_released_store_is_opened_by_any_command(cli: Cli, tmp_path: Path) -> None:
    """The oldest schema goes to the newest in one step, a copy beside it first; counts, ids and dates are as before."""
    path = make_released(tmp_path / "released.db")
    before = schema(path)
    page = cli("list", "--db", path, "--user", "ada", "--order", "oldest", "--json").json
    assert [memory["content"] for memory in page["memories"]] == [TEXTS[0], TEXTS[1], TEXTS[3]]
    assert page["memories"][0]["created_at"].startswith("2026-01-01T00:00:00.000002")
    version, memories = schema(path)
    assert (version, memories) == (migrations()[-1][0], before[1])
    (backup,) = tmp_path.glob("released.db.backup*")
    assert schema(backup) == before
    assert "1 memory" not in cli("health", "--db", path, "--user", "ada").err


def test_mem_038_a_newer_store_is_refused_and_left_alone(cli: Cli, tmp_path: Path) -> None:
    """An older program says that the file is of a newer one, reads nothing and writes nothing."""
    path = tmp_path / "memory.db"
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        cortex.memorize("tea")
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {migrations()[-1][0] + 1}")
    connection.close()
    before = path.read_bytes()
    for command in (["list"], ["memorize", "coffee"], ["forget-all", "user:local", "--confirm", "user:local"]):
        refused = cli(*command, "--db", path)
        assert refused.code == 7
        assert "newer" in refused.err
    assert path.read_bytes() == before


def test_mem_038_a_step_that_fails_is_named_and_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is what it was, the error names the step, and without the fault one of several openers does it all."""
    path = make_released(tmp_path / "released.db")
    before = schema(path)
    steps = migrations()
    broken = [*steps, (steps[-1][0] + 1, "CREATE TABLE extra (x);\nINSERT INTO nowhere VALUES (1);\n")]
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: broken)
        with pytest.raises(Exception, match=f"step {broken[-1][0]}: "):
            Cortex(path, user="ada", embedder=FakeEmbedder())
    assert schema(path) == before
    results = []
    barrier = threading.Barrier(4)

    def open_it() -> None:
        barrier.wait()
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            results.append(cortex.count())

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(open_it) for _ in range(4)]:
            future.result()
    assert results == [3] * 4
    assert schema(path)[1] == before[1]
