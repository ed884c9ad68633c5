"""A store that may be read and not written: all of it can be read, nothing is changed, nothing is left beside it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.errors import StoreBusy, StoreReadOnly
from cortex.stores.sqlite import migrate, schema
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.store import SQLiteStore
from tests.durability.support import Start, assert_sound, opened

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="users and modes are those of POSIX")

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be one user and start another")
MEMORIES = 60


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that other users reach, which the temporary folder of a test is not."""
    folder = Path(tempfile.mkdtemp(prefix="cortex-shared-"))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o700)
    shutil.rmtree(folder)


@pytest.fixture
def path(shared: Path) -> Path:
    """A store in a folder of its own, closed."""
    path = shared / "store" / "memory.db"
    with opened(path) as cortex:
        cortex.memorize_many(f"note {number}" for number in range(MEMORIES))
    return path


@pytest.fixture
def own(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the reader's own."""
    own = shared / "own"
    own.mkdir()
    own.chmod(0o777)
    monkeypatch.setenv("HOME", str(own))
    return own


def forbid(path: Path, *, file: int = 0o444, folder: int = 0o555) -> None:
    """Let others read only."""
    for each in path.parent.iterdir():
        each.chmod(file)
    path.parent.chmod(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "folder"),
    [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)],
    ids=["neither", "file", "folder"],
)
@pytest.mark.usefixtures("journal")
def test_everything_can_be_read(path: Path, own: Path, start: Start, file: int, folder: int) -> None:
    """Whether the file or its folder cannot be written, reading works, writing is refused, and nothing appears."""
    forbid(path, file=file, folder=folder)
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    child = start("reader", path, own)
    child.tell("go on")
    assert child.end() == [str(MEMORIES)] * 4
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


@ROOT_ONLY
@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
def test_its_owner_writes_on(path: Path, own: Path, start: Start, when: str) -> None:
    """What the owner writes meanwhile is seen at the next call, whoever had the file open first."""
    owner = opened(path) if when == "before" else None
    forbid(path)
    child = start("reader", path, own)
    assert child.line() == str(MEMORIES)
    owner = owner or opened(path)
    owner.memorize("written meanwhile")
    child.tell("go on")
    assert child.end() == [str(MEMORIES + 1)] * 3
    owner.memorize("written after")
    owner.close()
    assert_sound(path)
    assert [each.name for each in path.parent.iterdir()] == ["memory.db"]


@pytest.mark.slow
def test_what_a_killed_process_left_in_its_log_is_read(path: Path, own: Path, start: Start) -> None:
    """A log that nobody could fold in is read along."""
    writer = start("work", "keep", "log", path, 3)
    assert writer.line() == "kept"
    writer.kill()
    forbid(path)
    child = start("reader", path, own)
    child.tell("go on")
    assert child.end() == [str(MEMORIES + 3)] * 4
    assert_sound(path)


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of this process can be opened for writing, whoever it is."""
    plain = os.open

    def refusing(path: Path, flags: int, *more: Any, **options: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY):
            raise PermissionError(13, "Permission denied", str(path))
        return plain(path, flags, *more, **options)

    monkeypatch.setattr(os, "open", refusing)


def test_an_older_schema_is_refused(tmp_path: Path, unwritable: None) -> None:
    """A file that would have to be migrated first says so, with both numbers and what to do."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dict(schema.migrations())[1])
        connection.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreReadOnly, match=r"schema 1.*copy it"):
        Cortex(path)
    path.write_bytes(b"")
    with pytest.raises(StoreReadOnly, match="schema none"):
        Cortex(path)


def test_a_file_that_changes_under_a_reader_is_read_again(path: Path, unwritable: None) -> None:
    """What was read without locks while somebody wrote does not count: it is an error that may be retried."""
    store = SQLiteStore(path)
    reading = store._connections.read()
    connection = reading.__enter__()
    assert connection.execute("SELECT count(*) FROM memories").fetchone()[0] == MEMORIES
    os.utime(path)
    with pytest.raises(StoreBusy, match="try again"):
        reading.__exit__(None, None, None)
    assert store.info(deep=True).problems == ()
    store.close()


def test_a_log_that_cannot_be_read_is_no_empty_one(path: Path, unwritable: None) -> None:
    """Without the index of a log nothing is read past it: the store is refused, not read as it was before."""
    Path(f"{path}-wal").write_bytes(b"x" * 5000)
    path.parent.chmod(0o555)
    if os.geteuid() == 0:
        pytest.skip("root may make the index anywhere")
    with pytest.raises(StoreReadOnly):
        SQLiteStore(path)
