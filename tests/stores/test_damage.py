"""A store that is not as Cortex wrote it: health names what is wrong, such a backup is refused, nothing crashes."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.errors import StoreError
from cortex.stores.sqlite.driver import sqlite3
from cortex.testing import FakeEmbedder

DAMAGE = {
    "DROP TABLE vectors": "tables are gone (vectors)",
    "ALTER TABLE memories DROP COLUMN emotion": "not as Cortex made them (memories)",
    "DROP INDEX memories_identity": "indexes are gone or altered (memories_identity)",
    "CREATE TRIGGER t AFTER INSERT ON memories BEGIN DELETE FROM memories WHERE seq < 2; END": "trigger t is not of",
    "CREATE VIEW v AS SELECT * FROM memories": "view v is not of Cortex",
    "CREATE TABLE mine (a)": "table mine is not of Cortex",
    "DELETE FROM sqlite_sequence WHERE name = 'memories'": "change counter is gone or no number",
    "UPDATE sqlite_sequence SET seq = 'abc' WHERE name = 'memories'": "change counter is gone or no number",
    "UPDATE sqlite_sequence SET seq = -7 WHERE name = 'memories'": "change counter is gone or no number",
    "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'memories'": "counter is gone or no number",
    "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'memories'": "change counter is behind",
    "INSERT INTO store VALUES ('restart', 'x')": "mark for searchers",
    "UPDATE store SET value = '99' WHERE key = 'signature'": "model that the store searches by",
    "DELETE FROM signatures": "point to nothing",
    "DELETE FROM scopes": "point to nothing",
    "DELETE FROM memories WHERE seq = 1": "point to nothing",
    "DELETE FROM vectors": "lost their vectors",
    "DELETE FROM lexical": "lost their words",
    "UPDATE vectors SET pieces = zeroblob(7)": "cannot be compared",
    "UPDATE vectors SET pieces = zeroblob(256) WHERE seq = 2": "1 vectors cannot be compared",
    "UPDATE vectors SET pieces = CAST(replace(hex(zeroblob(64)), '00', char(255, 255, 127, 127)) AS BLOB)": "compared",
    "UPDATE memories SET kind = 'opinion' WHERE seq = 2": "no field can be 'opinion'",
    "UPDATE memories SET status = 'lost' WHERE seq = 2": "no field can be 'lost'",
    "UPDATE memories SET metadata = '{bad' WHERE seq = 2": "metadata are no JSON",
    "UPDATE memories SET metadata = '[1]' WHERE seq = 2": "metadata are no dict",
    "UPDATE memories SET created_at = 9223372036854775807 WHERE seq = 2": "cannot be read",
    "UPDATE memories SET expires_at = 'soon' WHERE seq = 2": "values of a wrong type",
    "INSERT INTO jobs (kind, seq, payload, run_at, attempts) VALUES ('embed', 1, '{bad', 0, 0)": "jobs cannot be read",
    "UPDATE idempotency SET receipt = '{bad'": "receipts of idempotency keys",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with three memories, one under a key."""
    with opened(tmp_path / "memory.db") as cortex:
        cortex.memorize("number one", idempotency_key="k")
        cortex.memorize_many(["number two", "number three"])
    return tmp_path / "memory.db"


def opened(path: Path) -> Cortex:
    """The store."""
    return Cortex(path, embedder=FakeEmbedder())


def damage(path: Path, sql: str) -> None:
    """Do what no program of ours does."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


@pytest.mark.parametrize("sql", DAMAGE)
def test_health_names_it_and_nothing_crashes(path: Path, sql: str) -> None:
    """Health is not ok and says why, with a remedy; everything else works or is an error of ours."""
    damage(path, sql)
    with opened(path) as cortex:
        health = cortex.health()
        assert not health.ok
        assert DAMAGE[sql] in " ".join(health.problems)
        assert all("backup" in line or "doctor" in line or "drop it" in line for line in health.problems)
        calls = (
            cortex.admin.run_jobs,
            lambda: cortex.recall("number two"),
            lambda: cortex.recall("number two", min_importance=1),
            cortex.list_memories,
            cortex.timeline,
            lambda: list(cortex.admin.export_lines()),
            lambda: cortex.memorize("number four"),
            lambda: cortex.memorize("number one", idempotency_key="k"),
            cortex.stats,
        )
        for call in calls:
            with suppress(StoreError):
                call()


@pytest.mark.parametrize("sql", DAMAGE)
def test_such_a_backup_is_refused(path: Path, tmp_path: Path, sql: str) -> None:
    """The error names what is wrong, and the store is as it was."""
    backup = tmp_path / "backup.db"
    with opened(path) as cortex:
        cortex.admin.backup(backup)
        damage(backup, sql)
        cortex.memorize("written since")
        with pytest.raises(StoreError, match="nothing was changed") as caught:
            cortex.admin.restore(backup)
        assert str(backup) in str(caught.value)
        assert cortex.count() == 4
        assert cortex.health().ok
        assert cortex.recall("written since", limit=1).hits[0].memory.content == "written since"


MENDED = [sql for sql in DAMAGE if sql.split()[0] in ("DROP", "CREATE") and "TABLE" not in sql] + [
    sql for sql in DAMAGE if any(name in sql for name in ("change", "restart", "vectors SET", "lexical", "jobs"))
]


@pytest.mark.parametrize("sql", [*MENDED, "DELETE FROM vectors"])
def test_it_is_mended(path: Path, sql: str) -> None:
    """What can be made again is: the store is sound, others see it, and everything is found by words and vectors."""
    with opened(path) as warm:
        warm.recall("number two")
        damage(path, sql)
        with opened(path) as cortex:
            assert cortex.admin.mend()
            cortex.admin.run_jobs()
            assert cortex.health().problems == cortex.health().warnings == ()
            cortex.memorize("number four")
        for number in ("one", "two", "three", "four"):
            hit = warm.recall(f"number {number}", limit=1).hits[0]
            assert (hit.memory.content, set(hit.parts)) == (f"number {number}", {"dense", "lexical"})
        assert warm.admin.mend() == []
        assert len(list(warm.admin.export_lines())) == 5


def test_a_memory_without_words_can_be_changed(path: Path) -> None:
    """Updating it gives it words again, and its earlier version is kept."""
    damage(path, "DELETE FROM lexical")
    with opened(path) as cortex:
        with pytest.raises(StoreError, match="doctor --fix"):
            list(cortex.admin.export_lines())
        id_ = cortex.recall("number two").hits[0].memory.id
        cortex.update(id_, content="number five")
        assert "lexical" in cortex.recall("five").hits[0].parts
        assert len(cortex.history(id_)) == 2


def test_the_remedy_for_lost_jobs(path: Path) -> None:
    """Memories that wait with nobody to make their vectors are pointed at the doctor, others at the worker."""
    damage(path, "UPDATE memories SET signature_id = NULL WHERE seq = 1")
    with opened(path) as cortex:
        assert "cortex doctor --fix" in " ".join(cortex.health().warnings)
        cortex.admin.mend()
        assert "cortex worker --once" in " ".join(cortex.health().warnings)
        cortex.admin.run_jobs()
        assert cortex.health().warnings == ()


def test_an_older_backup_with_a_trigger_is_refused(path: Path, tmp_path: Path) -> None:
    """Its schema is compared with that of its own version, before anything is done to it."""
    backup = tmp_path / "backup.db"
    with opened(path) as cortex:
        cortex.admin.backup(backup)
        later = "conflicts", "relations", "mentions", "events", "understood", "version_vectors", "versions"
        for sql in (
            *(f"DROP TABLE {table}" for table in later),
            "DROP INDEX memories_superseded",
            "ALTER TABLE memories DROP COLUMN said",
            "PRAGMA user_version = 1",
        ):
            damage(backup, sql)
        cortex.admin.restore(backup)
        damage(backup, "CREATE TRIGGER t AFTER INSERT ON memories BEGIN DELETE FROM memories; END")
        with pytest.raises(StoreError, match="trigger t is not of Cortex"):
            cortex.admin.restore(backup)
        assert cortex.count() == 3


def test_onto_itself(path: Path, tmp_path: Path) -> None:
    """The store is no backup of itself, under whatever name."""
    (tmp_path / "link.db").symlink_to(path)
    with opened(path) as cortex:
        for name in ("memory.db", "link.db"):
            with pytest.raises(StoreError, match="is the store itself"):
                cortex.admin.restore(tmp_path / name)
        assert cortex.count() == 3


def test_the_restored_backup_is_named(path: Path, tmp_path: Path) -> None:
    """A backup that was moved since it was made is known from its restore on."""
    with opened(path) as cortex:
        cortex.admin.backup(tmp_path / "backup.db")
        (tmp_path / "backup.db").rename(tmp_path / "moved.db")
        cortex.admin.restore(tmp_path / "moved.db")
        assert cortex.forget(cortex.list_memories().memories[0].id).remaining == (str(tmp_path / "moved.db"),)


@pytest.mark.parametrize("version", [0, 1, -1])
def test_a_header_that_lies(path: Path, version: int) -> None:
    """A schema number that does not fit what is there is said, and nothing is changed."""
    damage(path, f"PRAGMA user_version = {version}")
    with pytest.raises(StoreError, match="does not fit"):
        opened(path)


def test_a_file_cut_to_nothing_beside_its_log(tmp_path: Path) -> None:
    """An empty file is a new store, unless a log lies beside: what is in that would be lost."""
    path = tmp_path / "memory.db"
    path.touch()
    log = tmp_path / "memory.db-wal"
    log.write_bytes(os.urandom(100))
    before = log.read_bytes()
    with pytest.raises(StoreError, match="is empty, but its log"):
        opened(path)
    assert (path.read_bytes(), log.read_bytes()) == (b"", before)
    log.unlink()
    with opened(path) as cortex:
        assert cortex.count() == 0


def test_a_counter_that_is_behind_is_told_with_its_remedy(path: Path) -> None:
    """A write that meets a number which is taken changes nothing and says what mends it."""
    damage(path, "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'memories'")
    with opened(path) as cortex:
        before = cortex.count()
        with pytest.raises(StoreError, match="cortex doctor --fix"):
            cortex.memorize("one more")
        assert cortex.count() == before
        cortex.admin.mend()
        assert cortex.memorize("one more").id
