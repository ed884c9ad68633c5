"""The file of a cache: what it keeps of texts, whose they are, and that nothing of them stays.

Two caches may share one file: `cached.CachedEmbedder` keeps vectors in it, `remembered.CachedProvider` what models
wrote.
"""

from __future__ import annotations

import glob
import logging
import os
import sqlite3 as _stdlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from cortex.errors import CortexError, ForeignStore

if TYPE_CHECKING:
    import sqlite3
else:
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        sqlite3 = _stdlib

log = logging.getLogger(__name__)
T = TypeVar("T")

APPLICATION_ID: Final = 0x43584543  # "CXEC"
CHUNK: Final = 500  # how many values one statement binds
_BUSY_SECONDS: Final = 30.0
_IMPATIENT_MS: Final = 500
_OWED: Final = ".erase"  # beside the file: ids of memories that it has yet to forget
_SCHEMA: Final = """
    CREATE TABLE signatures (
        signature_id INTEGER PRIMARY KEY, model TEXT NOT NULL, dim INTEGER NOT NULL, revision TEXT NOT NULL,
        UNIQUE (model, dim, revision)
    );
    CREATE TABLE entries (
        entry_id INTEGER PRIMARY KEY, signature_id INTEGER NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL,
        width INTEGER, token_vectors BLOB, spans BLOB, UNIQUE (digest, signature_id)
    );
    CREATE TABLE owners (digest BLOB NOT NULL, memory_id TEXT NOT NULL, PRIMARY KEY (memory_id, digest)) WITHOUT ROWID;
    CREATE INDEX owners_by_digest ON owners (digest);
    CREATE TABLE unscrubbed (since INTEGER PRIMARY KEY);
"""
# Apart, since files of before have none.
_GENERATIONS: Final = """
    CREATE TABLE IF NOT EXISTS generations (
        generation_id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, answer TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS generation_owners (
        memory_id TEXT NOT NULL, generation_id INTEGER NOT NULL, PRIMARY KEY (memory_id, generation_id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS generation_owners_by_generation ON generation_owners (generation_id);
"""


class CacheFile:
    """An SQLite file of its own, made with mode 0600; it holds digests of texts and no text, but answers of models.

    Raises `ForeignStore` for a file that is something else, and what ``unusable`` makes of a reason for one that cannot
    be opened. One object may serve many threads, and any number of processes one file.
    """

    def __init__(self, path: str | os.PathLike[str], unusable: Callable[[str], CortexError]) -> None:
        self._lock = threading.Lock()
        self._closed = False
        try:
            # Where a link leads, since a file that SQLite makes there would be everybody's to read.
            self.path = Path(os.path.realpath(path))
            self.connection, self._file = _open(self.path)
            self._settle()
        except (OSError, ValueError, sqlite3.DatabaseError) as error:
            named = str(path).replace("\0", "\\0")
            raise unusable(f"the cache {named} cannot be used: {error}; name another file or none") from error

    def disown(self, texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """As `cortex.ports.TextTraces` wants it; of what models wrote, all goes that may tell of what is erased.

        That is what has one of these memories among its owners, and what has none: nobody can tell whose that is.
        """
        digests = dict.fromkeys(digest(text) for group in texts.values() for text in group)
        settled = self._settle()
        done: Sequence[str] | None = self.guarded(lambda: self._disown(list(texts), digests), None)
        if done is None and texts:
            self._note(texts)
        return done if settled and done is not None else (str(self.path),)

    def clear(self, *, owned: bool = False) -> int:
        """Remove what no memory has; ``owned``: everything. How many entries went."""
        count = 0
        with self._lock:
            with Transaction(self.connection) as connection:
                for statement in _CLEAR_ALL if owned else _CLEAR:
                    count += connection.execute(statement).rowcount
                if owned:
                    connection.execute("DELETE FROM owners")
                    connection.execute("DELETE FROM generation_owners")
                connection.execute(_OWE)
            _scrub(self.connection)
        return count

    def close(self) -> None:
        """Release the file; closing twice is allowed."""
        with self._lock:
            self._closed = True
            self.connection.close()

    def guarded(self, work: Callable[[], T], otherwise: T) -> T:
        """What ``work`` gives; a file that cannot be used is told, and keeps nobody from embedding or erasing."""
        try:
            with self._lock:
                self._follow()
                return work()
        except (OSError, ForeignStore, sqlite3.Error) as error:
            log.warning("the cache %s cannot be used: %s", self.path, error)
            return otherwise

    def _note(self, ids: Iterable[str]) -> None:
        """Write down whom an erasure could not reach, so that it is done with the next one or at the next opening."""
        try:
            file = os.open(f"{self.path}{_OWED}", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as notes:
                notes.writelines(f"{id_}\n" for id_ in ids)
        except OSError as error:
            log.warning("what was erased stays in the cache %s: %s", self.path, error)

    def _follow(self) -> None:
        """Open the file anew where another one lies in its place by now: what is written to the old one is lost."""
        if not self._closed and _file_at(self.path) != self._file:
            log.warning("the cache %s was removed or replaced: it is opened anew", self.path)
            self.connection.close()
            self.connection, self._file = _open(self.path)

    def _settle(self) -> bool:
        """Do what was noted; whether all of it is done.

        A file of notes is set aside first, since others may note more meanwhile.
        """
        for notes in self.path.parent.glob(f"{glob.escape(self.path.name)}{_OWED}*"):
            with suppress(OSError):
                aside = notes.with_name(f"{self.path.name}{_OWED}.{os.getpid()}.{time.monotonic_ns()}")
                notes.replace(aside)
                ids = aside.read_text("utf-8").split()
                if self.guarded(lambda ids=ids: self._disown(ids, ()), None) is None:  # type: ignore[misc]
                    return False
                aside.unlink()
        return True

    def _disown(self, ids: Sequence[str], digests: Iterable[bytes]) -> Sequence[str]:
        doubtful = dict.fromkeys(digests)
        with Transaction(self.connection) as connection:
            changed = 0 if not ids else connection.execute(_DROP_NOBODYS).rowcount
            for start in range(0, len(ids), CHUNK):
                chunk = ids[start : start + CHUNK]
                places = marks(chunk)
                found = connection.execute(f"SELECT digest FROM owners WHERE memory_id IN ({places})", chunk)  # noqa: S608 - places only
                doubtful |= dict.fromkeys(own for (own,) in found)
                changed += connection.execute(f"DELETE FROM owners WHERE memory_id IN ({places})", chunk).rowcount  # noqa: S608 - as above
                changed += connection.execute(_DROP_OWNED.format(marks=places), chunk).rowcount
                connection.execute(_DROP_OWNERS.format(marks=places), chunk)
            for own in doubtful:
                changed += connection.execute(_DROP, [own]).rowcount
            if changed:
                connection.execute(_OWE)
        return () if _scrub(self.connection) else (str(self.path),)


_DROP = "DELETE FROM entries WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM owners WHERE digest = ?1)"
# An answer of a model may repeat any text it was asked about, whoever else has that.
_DROP_OWNED = (
    "DELETE FROM generations WHERE generation_id IN "
    "(SELECT generation_id FROM generation_owners WHERE memory_id IN ({marks}))"
)
_DROP_OWNERS = (
    "DELETE FROM generation_owners WHERE memory_id IN ({marks}) "
    "OR generation_id NOT IN (SELECT generation_id FROM generations)"
)
_DROP_NOBODYS = "DELETE FROM generations WHERE generation_id NOT IN (SELECT generation_id FROM generation_owners)"
_CLEAR = ("DELETE FROM entries WHERE digest NOT IN (SELECT digest FROM owners)", _DROP_NOBODYS)
_CLEAR_ALL = ("DELETE FROM entries", "DELETE FROM generations")
_OWE = "INSERT OR IGNORE INTO unscrubbed (since) VALUES (0)"


class Remembers:
    """What keeps something of texts in a `CacheFile` and lets go of it; a context that closes it."""

    def __init__(self, path: str | os.PathLike[str], unusable: Callable[[str], CortexError]) -> None:
        self._file = CacheFile(path, unusable)
        self.path = self._file.path

    def disown(self, texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """These memories are erased, and with them what nobody has any more; the files that may still hold some."""
        return self._file.disown(texts)

    def clear(self, *, owned: bool = False) -> int:
        """Remove what no memory has, such as questions; ``owned``: everything in the file. How many entries went."""
        return self._file.clear(owned=owned)

    def close(self) -> None:
        """Release the file; closing twice is allowed."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Transaction:
    """A write that is committed when the block ends and undone when it raises."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Connection:
        self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file lies there: device and inode."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _open(path: Path) -> tuple[sqlite3.Connection, tuple[int, int] | None]:
    """A connection, and which file it is to."""
    _make_private(path)
    there = _file_at(path)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection, there


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    (own,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if own != APPLICATION_ID and (own or tables):
        raise ForeignStore(f"{path} is no cache of embeddings; it was left untouched: name another file")
    # WAL only where the library does it safely: SQLite before 3.51.3 can damage one that several processes write.
    connection.execute(f"PRAGMA journal_mode = {'WAL' if sqlite3.sqlite_version_info >= (3, 51, 3) else 'DELETE'}")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA temp_store = MEMORY")
    with Transaction(connection):
        (own,) = connection.execute("PRAGMA application_id").fetchone()
        if own != APPLICATION_ID:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in filter(str.strip, _GENERATIONS.split(";")):
            connection.execute(statement)
    _scrub(connection)


def _scrub(connection: sqlite3.Connection) -> bool:
    """Rewrite the file and truncate its log, where something was erased; false where others keep it from that now.

    Secure deletion overwrites rows, but not the copies that SQLite leaves in pages when it moves rows about.
    """
    if connection.execute("SELECT NOT EXISTS (SELECT 1 FROM unscrubbed)").fetchone()[0]:
        return True
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    try:
        # Who reads may go on for long; it stays owed then.
        connection.execute(f"PRAGMA busy_timeout = {min(patience, _IMPATIENT_MS)}")
        connection.execute("VACUUM")
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            connection.execute("DELETE FROM unscrubbed")
    except sqlite3.OperationalError as error:
        log.warning("what was erased from a cache of embeddings is still in its file: %s", error)
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")
    return not busy


def digest(text: str) -> bytes:
    """By which a text is known in the file."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def marks(values: Sequence[object]) -> str:
    """Places for these values in a statement."""
    return ", ".join("?" * len(values))
