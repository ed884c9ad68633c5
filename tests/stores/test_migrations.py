"""Schema upgrades: a backup first, all or nothing, once."""

from __future__ import annotations

import shutil
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cortex import Cortex, Status
from cortex.errors import StoreError
from cortex.model.policy import Caller
from cortex.stores.sqlite import migrate, schema
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder, add, commit, memory
from cortex.testing.contracts.suite import ADA, contents
from tests.stores.released import TEXTS, make_released

Steps = list[tuple[int, str]]

GOOD = "CREATE TABLE extra (x INTEGER);\nINSERT INTO extra VALUES (1);\n"
BAD = "CREATE TABLE extra (x INTEGER);\nDELETE FROM memories;\nINSERT INTO nowhere VALUES (1);\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of today's schema with one memory."""
    path = tmp_path / "memory.db"
    store = SQLiteStore(path)
    commit(store, add(memory("tea")))
    store.close()
    return path


@pytest.fixture
def head() -> int:
    """Today's schema."""
    return schema.migrations()[-1][0]


def extend(monkeypatch: pytest.MonkeyPatch, *scripts: str) -> None:
    """Let there be more migrations after today's."""
    steps = schema.migrations()
    steps += [(steps[-1][0] + number, script) for number, script in enumerate(scripts, 1)]
    monkeypatch.setattr(migrate, "migrations", lambda: steps)


def backups(path: Path) -> list[Path]:
    """The backups beside a store."""
    return sorted(path.parent.glob(f"{path.name}.backup*"))


def facts(path: Path) -> tuple[int, list[str], list[str]]:
    """Schema number, tables and memories of a file, read without Cortex."""
    connection = sqlite3.connect(path)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
    memories = [row[0] for row in connection.execute("SELECT content FROM memories")]
    connection.close()
    return version, tables, memories


def test_migrations_are_numbered_without_gaps() -> None:
    """Numbers run from 1, each once."""
    numbers = [number for number, _ in schema.migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_backup_is_taken_first(path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old file is kept as it was, readable by its owner only, and the new one has the new schema."""
    before = facts(path)
    extend(monkeypatch, GOOD)
    store = SQLiteStore(path)
    assert store.info().schema == head + 1
    assert contents(store) == ["tea"]
    store.close()
    (backup,) = backups(path)
    assert facts(backup) == before
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert facts(path)[0] == head + 1


def test_a_backup_opens_as_a_store(path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going back to the old version is a copy of the backup."""
    with monkeypatch.context() as patch:
        extend(patch, GOOD)
        SQLiteStore(path).close()
    (backup,) = backups(path)
    restored = path.with_name("restored.db")
    shutil.copy(backup, restored)
    store = SQLiteStore(restored)
    assert store.info(deep=True).schema == head
    assert contents(store) == ["tea"]
    store.close()


def test_several_migrations_are_one_step(path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is several versions behind is brought to the newest with one backup."""
    extend(monkeypatch, GOOD, "ALTER TABLE extra ADD COLUMN y TEXT;\n", "DROP TABLE extra;\n")
    SQLiteStore(path).close()
    assert facts(path)[0] == head + 3
    assert "extra" not in facts(path)[1]
    assert len(backups(path)) == 1


def test_a_failed_migration_changes_nothing(path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a statement fails everything before it is undone, and the old version goes on."""
    before = facts(path)
    with monkeypatch.context() as patch:
        extend(patch, GOOD.replace("extra", "first"), BAD)
        with pytest.raises(StoreError):
            SQLiteStore(path)
    assert facts(path) == before
    store = SQLiteStore(path)
    assert (store.info().schema, contents(store)) == (head, ["tea"])
    store.close()


def test_a_migration_can_be_tried_again(path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failed attempt and more writes, the backup of the next one has what was written meanwhile."""
    with monkeypatch.context() as patch:
        extend(patch, BAD)
        with pytest.raises(StoreError):
            SQLiteStore(path)
    store = SQLiteStore(path)
    commit(store, add(memory("coffee")))
    store.close()
    extend(monkeypatch, GOOD)
    SQLiteStore(path).close()
    assert facts(path)[0] == head + 1
    assert any(sorted(facts(backup)[2]) == ["coffee", "tea"] for backup in backups(path))


def test_an_unfinished_backup_is_no_backup(path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty file left by a process that died while it made the backup does not count as one."""
    Path(f"{path}.backup-schema-{head}").touch()
    extend(monkeypatch, GOOD)
    SQLiteStore(path).close()
    assert any(backup.stat().st_size and facts(backup)[2] == ["tea"] for backup in backups(path))


def test_a_new_file_needs_no_backup(tmp_path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new store is made with the newest schema at once."""
    extend(monkeypatch, GOOD)
    store = SQLiteStore(tmp_path / "new.db")
    assert store.info().schema == head + 1
    store.close()
    assert backups(tmp_path / "new.db") == []


def test_two_openers_migrate_once(path: Path, head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several that open an old file at once one migrates, and all find the new schema."""
    extend(monkeypatch, GOOD)
    schemas: list[int] = []
    barrier = threading.Barrier(4)

    def open_it() -> None:
        barrier.wait()
        store = SQLiteStore(path)
        schemas.append(store.info().schema)
        store.close()

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert schemas == [head + 1] * 4
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM extra").fetchone()[0] == 1
    connection.close()
    assert [facts(backup)[0] for backup in backups(path)] == [head]


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A file as schema 1 made it."""
    return make_released(tmp_path / "released.db")


def test_a_released_file_is_brought_to_today(released: Path, head: int) -> None:
    """A file of schema 1 keeps counts, ids, texts, times, vectors, links, jobs, keys and its older state."""
    before = facts(released)
    store = SQLiteStore(released)
    info = store.info(deep=True)
    assert (info.schema, info.memories, info.pending, info.jobs, info.problems) == (head, 5, 1, 1, ())
    memories = store.read(range(1, 6))
    assert [m.id for m in memories] == [f"{seq:032x}" for seq in range(1, 6)]
    assert [m.content for m in memories] == TEXTS
    assert [m.scope.key for m in memories] == ["user:ada", "user:ada", "project:x", "user:ada", "user:ada"]
    written = datetime(2026, 1, 1, tzinfo=UTC)
    assert [(m.created_at - written) / timedelta(microseconds=1) for m in memories] == [2, 3, 4, 5, 6]
    assert {(m.version, m.confidence, m.tags, str(m.metadata)) for m in memories} == {(1, 0.5, ("a",), "{'k': [1]}")}
    assert [(link.relation, link.target) for link in memories[0].links] == [("about", f"{2:032x}")]
    assert memories[4].status is Status.ARCHIVED
    signature = FakeEmbedder().signature
    pieces = {row.seq: row.pieces for row in store.feed(ADA, 0, signature).rows}
    vectors = FakeEmbedder().embed(TEXTS).vectors
    assert pieces == {seq: None if seq == 4 else vectors[seq - 1].astype("<f4").tobytes() for seq in (1, 2, 4, 5)}
    assert store.feed(ADA, 1, signature).erased == (77,)
    known = store.ledger.known(Caller("ada"), "k")
    assert known is not None
    assert known.outcome.id == f"{1:032x}"
    assert [len(store.archive.history(seq)) for seq in range(1, 6)] == [1] * 5
    store.close()
    assert [facts(backup) for backup in backups(released)] == [before]


def test_a_released_file_works_on(released: Path) -> None:
    """Recall, looking back, changing, archiving and erasing work on memories that schema 1 wrote."""
    with Cortex(released, user="ada", embedder=FakeEmbedder()) as cortex:
        assert [hit.memory.content for hit in cortex.recall("green tea", limit=1).hits] == [TEXTS[0]]
        assert [hit.memory.content for hit in cortex.recall("aardvark", scope="project:x").hits] == [TEXTS[2]]
        assert (cortex.count(as_of="2025-12-31"), cortex.count(as_of="2026-01-01")) == (0, 3)
        one = f"{1:032x}"
        cortex.update(one, content="Ada likes coffee")
        assert [m.content for m in cortex.history(one)] == [TEXTS[0], "Ada likes coffee"]
        (then,) = cortex.recall("green tea", limit=1, as_of="2026-01-01").hits
        assert then.memory.content == TEXTS[0]
        assert cortex.archive(f"{5:032x}", undo=True).version == 2
        assert cortex.forget(one).counts["versions"] == 1
        assert cortex.admin.run_jobs().done == 1
        assert cortex.health().ok
