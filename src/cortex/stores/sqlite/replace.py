"""Putting a store in the place of a file of the earlier single-user program, all at once or not at all.

Everything new is made beside the file under names of its own, while nothing of the file changes. Then, with nobody
else at the file, it is compared with what was copied, the copy is kept as a backup, and one rename puts the store in
its place. Whenever the process dies, the path leads to the whole old file or to the whole new one; what it leaves
is cleared away by the next attempt.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from cortex import files
from cortex.errors import StoreBusy, StoreError, StoreFull, StoreReadOnly
from cortex.model.single_user import SingleUserFile
from cortex.model.transfer import Imported
from cortex.stores.sqlite import free_space
from cortex.stores.sqlite.connect import MEMORY, named_errors
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.single_user import connect_untouched, is_single_user_file, read

if TYPE_CHECKING:
    from sqlite3 import Connection

_BACKUP = "backup-single-user"
_NOTE = "taken_over"  # the key under which the new store keeps what was taken over
_PATIENCE_SECONDS = 600.0  # how long another process may take to do the same
_PAUSE_SECONDS = 0.05
_ATTEMPTS = 100
_HEADER = 16  # bytes by which SQLite knows its files
_SIDE_FILES = ("", "-wal", "-shm", "-journal")

Build = Callable[[SingleUserFile, str], Imported]


def to_be_replaced(path: str) -> bool:
    """Whether the path leads to such a file."""
    if path == MEMORY:
        return False
    file = Path(os.path.realpath(path))
    if is_single_user_file(file):
        return True
    with suppress(OSError):  # left by a process that died in the last step
        _beside(file, "lock").unlink()
    return False


def replace_single_user(path: str, build: Build) -> tuple[Imported, str] | None:
    """Replace such a file by the store that ``build`` makes of its content at the path it is given.

    Answers with what ``build`` did and the path of the backup; None where the file is none, or where another process
    has done it meanwhile. Whatever fails leaves the file as it is: an error of ``build``, `StoreBusy` while another
    program has the file open, `StoreFull`.
    """
    if not to_be_replaced(path):
        return None
    file = Path(os.path.realpath(path))
    with _os_errors(file), named_errors(path), _alone(file) as mine:
        if not mine:
            return None
        copy, new = _beside(file, "copy"), _beside(file, "new")
        _clear(copy, new)
        try:
            _copy(file, copy)
            with closing(connect_untouched(copy)) as connection:
                done = build(read(connection), str(new))
            _note(new, done)
            return done, _swap(file, copy, new)
        finally:
            _clear(copy, new)


def taken_over(connection: Connection, path: str) -> str | None:
    """What a store says of the file it took the place of, as long as that file is kept beside it."""
    found = connection.execute("SELECT value FROM store WHERE key = ?", [_NOTE]).fetchone()
    kept = backups_beside(path) if found is not None else []
    if not kept:
        return None
    done = json.loads(found[0])
    left = ", ".join(f"{count} {name}" for name, count in done["left_out"].items()) or "nothing"
    return (
        f"{done['added']} memories came from the file of the earlier program, which is kept as {kept[0]} with what "
        f"was not taken over ({left}); delete it when it is no longer needed"
    )


def backups_beside(path: str) -> list[Path]:
    """The files of the earlier program that stores at this path took the place of, as far as they are kept."""
    file = Path(os.path.realpath(path))
    return sorted(file.parent.glob(f"{escape(file.name)}.{_BACKUP}*"))


# --- the steps ----------------------------------------------------------------------------------------


@contextmanager
def _alone(file: Path) -> Iterator[bool]:
    """Hold off every other process that wants to do the same; false when one of them has done it.

    The lock is on a file beside, which goes when the work is done: then nobody wants it any more. After a failure it
    stays, empty, since somebody may be waiting for it.
    """
    lock = _beside(file, "lock")
    held = free_space.hold(lock)
    try:
        with closing(sqlite3.connect(lock, isolation_level=None, timeout=1.0)) as connection:
            connection.execute("PRAGMA journal_mode = MEMORY").fetchone()
            if not _locked(connection, file):
                yield False
                return
            yield is_single_user_file(file)
            if not is_single_user_file(file):
                lock.unlink(missing_ok=True)
    finally:
        free_space.release(held)


def _locked(connection: Connection, file: Path) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if not is_single_user_file(file):
                return False  # it is done, and SQLite may have found the lock's file gone
            if not _is_busy(error):
                raise
            if time.monotonic() > deadline:
                raise StoreBusy(f"{file}: another process has been taking it over for too long; try again") from error
        else:
            return True


def _copy(file: Path, copy: Path) -> None:
    """A consistent copy, on disk, readable by its owner only."""
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(connect_untouched(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE").fetchone()
    _to_disk(copy)


def _note(new: Path, done: Imported) -> None:
    with closing(sqlite3.connect(new)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)", [_NOTE, json.dumps(asdict(done))])


def _swap(file: Path, copy: Path, new: Path) -> str:
    """Rename the new store to the file, with the copy kept as a backup; the backup's path."""
    if Path(f"{new}-wal").exists():
        raise StoreError(f"{new} is still in use; {file} was left untouched: try again")
    _to_disk(new)
    old = free_space.hold(file)
    try:
        return _swap_held(file, old, copy, new)
    finally:
        free_space.release(old)


def _swap_held(file: Path, old: free_space.Held, copy: Path, new: Path) -> str:
    with closing(_sole_connection(file)) as connection, closing(connect_untouched(copy)) as copied:
        if _digest(connection) != _digest(copied):
            raise StoreBusy(f"{file} was changed by another program meanwhile; it was left as it is: try again")
        backup = files.publish_unused(copy, f"{file}.{_BACKUP}")
        copy.unlink(missing_ok=True)
        _to_disk(file.parent)
        new.replace(file)
        _to_disk(file.parent)
        if os.fstat(old.handle).st_nlink == 0:
            # Whoever waits for the lock has the old file in hand: let that fail, not write into what has no name.
            os.lseek(old.handle, 0, os.SEEK_SET)
            os.write(old.handle, bytes(_HEADER))
    return backup


def _sole_connection(file: Path) -> Connection:
    """A connection that has the file for itself, with everything in the file and no log beside it."""
    connection = sqlite3.connect(file, isolation_level=None, timeout=1.0)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.text_factory = bytes
        _keep_others_out(connection, file)
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_others_out(connection: Connection, file: Path) -> None:
    """Give up the log, which would be taken for the new file's; SQLite does so only for whoever is alone."""
    for _ in range(_ATTEMPTS):
        try:
            connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
            time.sleep(_PAUSE_SECONDS)
            continue
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == b"delete":
            return
        connection.execute("ROLLBACK")
    raise StoreBusy(
        f"{file} is a file of the earlier single-user program, which has it open; it was left as it is: "
        "close that program and try again"
    )


def _digest(connection: Connection) -> bytes:
    """What tells one content from another: the schema and every row of every table."""
    connection.text_factory = bytes
    found = hashlib.blake2b()
    schema = connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    found.update(repr(schema).encode())
    for kind, name, _ in schema:
        if kind == b"table":
            quoted = name.decode("utf-8", "surrogateescape").replace('"', '""')
            for row in connection.execute(f'SELECT * FROM "{quoted}"'):
                found.update(repr(row).encode())
    return found.digest()


# --- files --------------------------------------------------------------------------------------------


def _beside(file: Path, purpose: str) -> Path:
    return file.with_name(f"{file.name}.takeover-{purpose}")


def _clear(*files: Path) -> None:
    for file in files:
        for end in _SIDE_FILES:
            Path(f"{file}{end}").unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Make the content of a file, or the names in a folder, survive loss of power. Nobody has it open in SQLite."""
    if path.is_dir() and sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def _os_errors(file: Path) -> Iterator[None]:
    """Turn the system's errors into ours."""
    try:
        yield
    except OSError as error:
        problem = f"{file} is a file of the earlier single-user program and was left as it is: {error.strerror}"
        match error.errno:
            case errno.ENOSPC | errno.EDQUOT:
                raise StoreFull(f"{problem}; free space beside it and try again") from error
            case errno.EACCES | errno.EPERM | errno.EROFS:
                raise StoreReadOnly(f"{problem}; check the permissions of the file and its folder") from error
            case _:
                raise StoreError(problem) from error
