"""Which files are recognised as those of the earlier single-user program, and that looking leaves no trace."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from cortex.errors import ForeignStore
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.single_user import is_single_user_file, open_single_user
from cortex.stores.sqlite.store import SQLiteStore
from tests.single_user import Row, an_id, make, many, with_log

CHANGES = {
    "another version": "PRAGMA user_version = 2",
    "no version": "PRAGMA user_version = 0",
    "a mark of another program": "PRAGMA application_id = 7",
    "no model": "DELETE FROM meta WHERE key = 'embed_model'",
    "a table more": "CREATE TABLE recipes (name TEXT)",
    "a table less": "DROP TABLE meta",
    "a column more": "ALTER TABLE memories ADD COLUMN project_id TEXT",
    "a column less": "ALTER TABLE memories DROP COLUMN metadata",
    "other events": "ALTER TABLE events RENAME COLUMN actor TO who",
}


def state(path: Path) -> dict[str, bytes]:
    """Every file of the folder, but the scratch that readers of a log share."""
    return {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}


@pytest.mark.parametrize("layers", [True, False])
def test_its_files_are_recognised(tmp_path: Path, layers: bool) -> None:
    """With and without the tables of its layers, and looking changes nothing."""
    path = make(tmp_path / "memory.db", many(2), layers=layers, entities=2 if layers else 0)
    before = state(path)
    with open_single_user(str(path)) as file:
        assert file is not None
        assert (file.model, file.dim) == ("gemini-embedding-001", 768)
        assert file.left_out == ({"entities": 2, "relations": 2} if layers else {})
        assert [row.id for row in file.rows] == [an_id(1), an_id(2)]
    assert state(path) == before


@pytest.mark.parametrize("sql", CHANGES.values(), ids=list(CHANGES))
def test_anything_else_is_foreign(tmp_path: Path, sql: str) -> None:
    """A file that differs in what identifies it is refused, byte for byte as it was, its log included."""
    path = make(tmp_path / "memory.db", many(2))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(sql)
        connection.commit()
    with_log_of_another(path)
    before = state(path)
    assert "memory.db-wal" in before
    assert not is_single_user_file(path)
    with open_single_user(str(path)) as file:
        assert file is None
    with pytest.raises(ForeignStore):
        SQLiteStore(path)
    assert state(path) == before


def with_log_of_another(path: Path) -> None:
    """Leave a log beside whatever file this is."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS entities (id TEXT)")
        connection.execute("INSERT INTO entities (id) VALUES ('x')")
        connection.commit()
        copies = {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal", "-shm")}
    for end, data in copies.items():
        Path(f"{path}{end}").write_bytes(data)


def test_what_is_in_the_log_is_read(tmp_path: Path) -> None:
    """A commit that is in the log only counts, and log and file stay as they are."""
    path = make(tmp_path / "memory.db", many(2))
    with_log(path, Row(3, "in the log"))
    before = state(path)
    assert len(before["memory.db-wal"]) > 0
    with open_single_user(str(path)) as file:
        assert file is not None
        assert [row.content for row in file.rows][-1] == "in the log"
    assert state(path) == before


@pytest.mark.parametrize("content", [b"", b"text", b"SQLite format 3\0" + b"\xff" * 5000])
def test_no_database_is_none(tmp_path: Path, content: bytes) -> None:
    """Empty files, texts and rubbish are not such files, and neither is a folder or nothing."""
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    assert not is_single_user_file(path)
    assert not is_single_user_file(tmp_path)
    assert not is_single_user_file(tmp_path / "none")
    assert not is_single_user_file(":memory:")


def test_a_store_of_ours_is_none(tmp_path: Path) -> None:
    """Neither while it is open nor after it was closed."""
    store = SQLiteStore(tmp_path / "memory.db")
    assert not is_single_user_file(tmp_path / "memory.db")
    store.close()
    assert not is_single_user_file(tmp_path / "memory.db")


def test_the_store_itself_does_not_replace(tmp_path: Path) -> None:
    """Only whoever can make the records may: opened by the plug alone, the file is refused."""
    path = make(tmp_path / "memory.db", many(1))
    before = state(path)
    with pytest.raises(ForeignStore):
        SQLiteStore(path)
    assert state(path) == before
