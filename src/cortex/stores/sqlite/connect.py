"""Connections to one SQLite file: how they are opened, tuned, pooled and how their errors are named."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cortex import files
from cortex.errors import ForeignStore, StoreBusy, StoreClosed, StoreError, StoreFull, StoreReadOnly
from cortex.stores.sqlite import free_space, read_only
from cortex.stores.sqlite.driver import WAL_IS_SAFE, sqlite3
from cortex.stores.sqlite.free_space import Held

if TYPE_CHECKING:
    from sqlite3 import Connection

MEMORY = ":memory:"
_IMPATIENT_MS = 100
_WRITER_CACHE_KIB = 16_384  # ids and identities come in no order: below, a large store reads pages for each write
# The driver's backup gives no code; SQLite's words for a code are always the same.
_CODES = {
    "disk I/O error": sqlite3.SQLITE_IOERR,
    "database or disk is full": sqlite3.SQLITE_FULL,
    "database is locked": sqlite3.SQLITE_BUSY,
    "attempt to write a readonly database": sqlite3.SQLITE_READONLY,
    "unable to open database file": sqlite3.SQLITE_CANTOPEN,
    "file is not a database": sqlite3.SQLITE_NOTADB,
    "database disk image is malformed": sqlite3.SQLITE_CORRUPT,
}


class Connections:
    """One writer behind a lock and a pool of readers; for ``:memory:`` one connection does both."""

    def __init__(self, path: str, *, durability: str, busy_seconds: float) -> None:
        self.path = path
        self._durability = durability
        self._busy_ms = int(busy_seconds * 1000)
        self._busy_seconds = busy_seconds
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._idle_lock = threading.Lock()
        self._closed = False
        self._path = Path(path)
        self.file = None if path == MEMORY else _open_private(self._path)
        self.read_only = self.file is not None and not read_only.allowed(self._path, writable=self.file.writable)
        self._way = self._find_way()
        try:
            with named_errors(path):
                self._writer = self._open()
                self._writer.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
        except BaseException:
            self._release()
            raise

    @property
    def in_memory(self) -> bool:
        """Whether the store dies with this object."""
        return self.path == MEMORY

    def write(self) -> AbstractContextManager[Connection]:
        """A transaction that commits when the block ends and rolls back when it raises."""
        return _Writing(self)

    def raw(self) -> AbstractContextManager[Connection]:
        """The writer outside any transaction, for maintenance."""
        return _Alone(self)

    def ahead(self) -> AbstractContextManager[Connection]:
        """The writer outside any transaction, to read what a write is about to need; that write looks at the file."""
        return _Ahead(self)

    def read(self) -> AbstractContextManager[Connection]:
        """A connection to read from; the pool takes it back."""
        return self.raw() if self.in_memory else _Reading(self)

    def close(self) -> None:
        """Close every connection; a reader in use is closed when it comes back."""
        with self._lock, self._idle_lock:
            self._closed = True
            for connection in (*self._idle, self._writer):
                connection.close()
            self._idle.clear()
            self._release()

    @contextmanager
    def impatient(self) -> Iterator[Connection]:
        """The writer outside any transaction, for work that is put off where others are busy."""
        with self.raw() as connection:
            self.check_writable()
            connection.execute(f"PRAGMA busy_timeout = {_IMPATIENT_MS}")
            try:
                yield connection
            finally:
                connection.execute(f"PRAGMA busy_timeout = {self._busy_ms}")

    def _release(self) -> None:
        if self.file is not None:
            free_space.release(self.file)
            self.file = None

    def borrow_writer(self, *, check: bool = True) -> Connection:
        """The writer, for this thread alone until it is given back; ``check``: whether the file is its path's."""
        if not self._lock.acquire(timeout=self._busy_seconds):
            raise StoreBusy(f"{self.path}: another thread has been writing for {self._busy_seconds:g} s; try again")
        try:
            if check or self._closed:
                self._check()
        except BaseException:
            self._lock.release()
            raise
        return self._writer

    def check_writable(self) -> None:
        """Raise `StoreReadOnly` where the file can only be read."""
        if self.read_only:
            raise StoreReadOnly(
                f"{self.path} can only be read, nothing was changed; to write, check the permissions of the file "
                "and its folder, then open it again"
            )

    def give_back_writer(self) -> None:
        """Let other threads write."""
        self._lock.release()

    def borrow(self) -> Connection:
        """A reader out of the pool, or a new one."""
        with self._idle_lock:
            self._check()
            if self.changed():
                self._look_again()
            if self._idle:
                return self._idle.pop()
        with named_errors(self.path):
            connection = self._open()
            connection.execute("PRAGMA query_only = ON")
            return connection

    def changed(self) -> bool:
        """Whether a file that is read without locks is another by now: what was read of it does not count."""
        return self._way is not None and self._way.stamp is not None and read_only.stamp(self._path) != self._way.stamp

    def _look_again(self) -> None:
        # The writer stays: another thread may have it, to be refused.
        for connection in self._idle:
            connection.close()
        self._idle.clear()
        self._way = self._find_way()

    def _find_way(self) -> read_only.Way | None:
        return read_only.way(self._path, self.file.handle) if self.read_only and self.file is not None else None

    def give_back(self, connection: Connection) -> None:
        """Put a reader back."""
        with self._idle_lock:
            if not self._closed and not self.changed():
                self._idle.append(connection)
                return
        connection.close()

    def _check(self) -> None:
        """Refuse to go on with a file that is closed, or whose path leads to another one or to none by now."""
        if self._closed:
            raise StoreClosed(f"{self.path} was closed; open a new Cortex")
        if self.file is not None and _identity(self.path) != self.file.key:
            raise StoreError(
                f"{self.path} was deleted or replaced while it was open; nothing was written: open it again"
            )

    def _open(self) -> Connection:
        connection = sqlite3.connect(
            self.path if self._way is None else self._way.uri,
            uri=self._way is not None,
            isolation_level=None,
            check_same_thread=False,
            timeout=self._busy_seconds,
        )
        connection.execute(f"PRAGMA busy_timeout = {self._busy_ms}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA synchronous = {self._durability}")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection


class _Alone:
    """One loan of the writer. A class like `_Reading`: generators in each other cost a tenth of a whole write."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> Connection:
        self._connection = self._connections.borrow_writer()
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._connections.give_back_writer()
        if isinstance(error, sqlite3.DatabaseError):
            raise named(self._connections.path, error) from error


class _Ahead(_Alone):
    """One loan of the writer that does not look at the file: that takes as long as what is read."""

    __slots__ = ()

    def __enter__(self) -> Connection:
        self._connection = self._connections.borrow_writer(check=False)
        return self._connection


class _Writing(_Alone):
    """One transaction on the writer."""

    __slots__ = ()

    def __enter__(self) -> Connection:
        connection = super().__enter__()
        try:
            self._connections.check_writable()
            connection.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            super().__exit__(type(error), error, None)
            raise
        return connection

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            self._finish(keep=error is None)
        except BaseException as failed:
            super().__exit__(type(failed), failed, None)
            raise
        super().__exit__(kind, error, trace)

    def _finish(self, *, keep: bool) -> None:
        try:
            if keep:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


class _Reading:
    """One loan of a reader. A class, since a generator costs four times as much and every recall lends twice."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> Connection:
        self._connection = self._connections.borrow()
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        changed = self._connections.changed()
        self._connections.give_back(self._connection)
        if changed:
            raise StoreBusy(f"{self._connections.path} was written while it was read; try again") from error
        if isinstance(error, sqlite3.DatabaseError):
            raise named(self._connections.path, error) from error


def _identity(path: str) -> tuple[int, int]:
    """Which file a path leads to; (0, 0) for none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - before every statement; through a Path it takes twice as long
    except OSError:
        return (0, 0)
    return found.st_dev, found.st_ino


def use_wal(connection: Connection) -> None:
    """Switch to write-ahead logging where the library does it safely, so that readers never wait."""
    connection.execute(f"PRAGMA journal_mode = {'WAL' if WAL_IS_SAFE else 'DELETE'}").fetchone()


def _open_private(path: Path) -> Held:
    """Make the folder (0700) and the file (0600) if they are not there; SQLite's side files take its mode."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return free_space.hold(path)
    except (IsADirectoryError, NotADirectoryError, FileExistsError) as error:
        raise StoreError(f"{path} is not a file: {error.strerror}; give the path of a file") from error
    except OSError as error:
        raise files.refused(path, error) from error


@contextmanager
def named_errors(path: str) -> Iterator[None]:
    """Turn the driver's errors into ours, once, here."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise named(path, error) from error


def named(path: str, error: sqlite3.DatabaseError) -> StoreError:
    """Our error for one of the driver's."""
    code = getattr(error, "sqlite_errorcode", None) or _CODES.get(str(error), 0)
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy(f"{path}: other processes held the store for too long; try again")
        case sqlite3.SQLITE_FULL:
            return StoreFull(f"{path}: no space left; this write changed nothing; free space and try again")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            return StoreReadOnly(f"{path}: {error}; check the permissions of the file and its folder")
        case sqlite3.SQLITE_NOTADB:
            return ForeignStore(f"{path} is not an SQLite file; it was left untouched; choose another path")
        case sqlite3.SQLITE_CORRUPT:
            return StoreError(f"{path} is damaged ({error}); restore it from a backup")
        case sqlite3.SQLITE_CONSTRAINT:
            return StoreError(f"{path} is damaged ({error}), nothing was changed; mend it: cortex doctor --fix")
        case sqlite3.SQLITE_IOERR:
            return StoreFull(
                f"{path}: reading or writing failed ({error}), nothing was changed; check space, limits and the disk"
            )
        case _:
            return StoreError(f"{path}: {error}")
