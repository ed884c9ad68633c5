"""An embedder that remembers: no text is embedded twice, in whichever process or run."""

from __future__ import annotations

import glob
import logging
import os
import sqlite3 as _stdlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

import numpy as np

from cortex.errors import EmbedderError, ForeignStore
from cortex.model.embedding import EmbeddingSignature, EmbedResult, FloatArray
from cortex.ports import Embedder

if TYPE_CHECKING:
    import sqlite3
else:
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        sqlite3 = _stdlib

log = logging.getLogger(__name__)
T = TypeVar("T")
_Key = tuple[str, int, str]

APPLICATION_ID: Final = 0x43584543  # "CXEC"
_CHUNK: Final = 500  # how many values one statement binds
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


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """What is kept of one text: float32 [dim], and float32 [tokens, width] with int32 [tokens, 2] where given."""

    vector: FloatArray
    tokens: FloatArray | None
    spans: list[tuple[int, int]] | None


class CachedEmbedder:
    """``inner``, asked once for each text: vectors, token vectors and spans come back exactly as it gave them.

    ``path``: an SQLite file of its own, made with mode 0600. It holds digests of texts and no text. It knows which
    memories have which texts (`cortex.ports.TextTraces`), and what nobody has any more is erased with the last of
    them; what was asked for and never kept, as questions are, stays until `clear`. The copies in the file cost no
    tokens: ``tokens`` of a result counts those that ``inner`` read. Where the file cannot be used any more, ``inner``
    answers and a log record says why. Raises `ForeignStore` for a file that is something else, `EmbedderError` for
    one that cannot be opened. One object may serve many threads, and any number of processes one file.
    """

    def __init__(self, inner: Embedder, path: str | os.PathLike[str]) -> None:
        self.inner = inner
        self._lock = threading.Lock()
        self._closed = False
        try:
            # Where a link leads, since a file that SQLite makes there would be everybody's to read.
            self.path = Path(os.path.realpath(path))
            self._connection, self._file = _open(self.path)
            self._settle()
        except (OSError, ValueError, sqlite3.DatabaseError) as error:
            named = str(path).replace("\0", "\\0")
            raise EmbedderError(f"the cache {named} cannot be used: {error}; name another file or none") from error

    @property
    def signature(self) -> EmbeddingSignature:
        """That of ``inner``."""
        return self.inner.signature

    @property
    def ready(self) -> bool:
        """Whether ``inner`` would answer at once."""
        return bool(getattr(self.inner, "ready", True))

    @property
    def gives_tokens(self) -> bool:
        """Whether ``inner`` was told to give vectors of tokens: what it gives with and without is kept apart."""
        return bool(getattr(self.inner, "gives_tokens", True))

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """One unit vector a text, in order; ``inner`` is asked in one call for those that are new."""
        signature = self.inner.signature
        digests = [_digest(text) for text in texts]
        nothing: dict[bytes, _Entry] = {}
        key = _key(signature, tokens=self.gives_tokens)
        known = self._guarded(lambda: self._get(key, signature.dim, dict.fromkeys(digests)), nothing)
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        tokens = 0
        if new or not texts:
            answer = self.inner.embed(list(new.values()))
            made = _entries(list(new), answer, signature.dim)
            if made is None:
                if len(new) == len(texts):
                    return answer  # the caller judges what it is, as without a cache
                raise EmbedderError(f"the embedder gave unusable vectors for {len(new)} texts")
            self._guarded(lambda: self._put(key, made), None)
            known = known | made
            tokens = answer.tokens
        return _result([known[digest] for digest in digests], tokens, signature.dim)

    def own(self, texts: Mapping[str, Sequence[str]]) -> None:
        """These memories, by id, were kept with these texts."""
        rows = [(_digest(text), memory_id) for memory_id, group in texts.items() for text in group]
        if rows:
            self._guarded(lambda: self._own(rows), None)

    def disown(self, texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """These memories are erased, and with them what nobody has any more; the files that may still hold some."""
        digests = dict.fromkeys(_digest(text) for group in texts.values() for text in group)
        settled = self._settle()
        done: Sequence[str] | None = self._guarded(lambda: self._disown(list(texts), digests), None)
        if done is None and texts:
            self._note(texts)
        return done if settled and done is not None else (str(self.path),)

    def clear(self, *, owned: bool = False) -> int:
        """Remove what no memory has, such as questions; ``owned``: everything. How many entries went."""
        which = "" if owned else " WHERE digest NOT IN (SELECT digest FROM owners)"
        with self._lock:
            with _Transaction(self._connection) as connection:
                count = connection.execute(f"DELETE FROM entries{which}").rowcount  # noqa: S608 - one of two constants
                if owned:
                    connection.execute("DELETE FROM owners")
                connection.execute(_OWE)
            _scrub(self._connection)
        return int(count)

    def close(self) -> None:
        """Release the file; closing twice is allowed."""
        with self._lock:
            self._closed = True
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _guarded(self, work: Callable[[], T], otherwise: T) -> T:
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
            self._connection.close()
            self._connection, self._file = _open(self.path)

    def _settle(self) -> bool:
        """Do what was noted; whether all of it is done.

        A file of notes is set aside first, since others may note more meanwhile.
        """
        for notes in self.path.parent.glob(f"{glob.escape(self.path.name)}{_OWED}*"):
            with suppress(OSError):
                aside = notes.with_name(f"{self.path.name}{_OWED}.{os.getpid()}.{time.monotonic_ns()}")
                notes.replace(aside)
                ids = aside.read_text("utf-8").split()
                if self._guarded(lambda ids=ids: self._disown(ids, ()), None) is None:  # type: ignore[misc]
                    return False
                aside.unlink()
        return True

    def _get(self, key: _Key, dim: int, digests: Iterable[bytes]) -> dict[bytes, _Entry]:
        found: dict[bytes, _Entry] = {}
        wanted = list(digests)
        for start in range(0, len(wanted), _CHUNK):
            chunk = wanted[start : start + _CHUNK]
            bound = [*key, *chunk]
            for digest, *columns in self._connection.execute(_GET.format(marks=_marks(chunk)), bound):
                entry = _entry(dim, *columns)
                if entry is not None:
                    found[digest] = entry
        return found

    def _put(self, key: _Key, made: Mapping[bytes, _Entry]) -> None:
        with _Transaction(self._connection) as connection:
            connection.execute("INSERT OR IGNORE INTO signatures (model, dim, revision) VALUES (?, ?, ?)", key)
            connection.executemany(_PUT, [(digest, *_columns(entry), *key) for digest, entry in made.items()])

    def _own(self, rows: Sequence[tuple[bytes, str]]) -> None:
        with _Transaction(self._connection) as connection:
            connection.executemany("INSERT OR IGNORE INTO owners (digest, memory_id) VALUES (?, ?)", rows)

    def _disown(self, ids: Sequence[str], digests: Iterable[bytes]) -> Sequence[str]:
        doubtful = dict.fromkeys(digests)
        with _Transaction(self._connection) as connection:
            changed = 0
            for start in range(0, len(ids), _CHUNK):
                chunk = ids[start : start + _CHUNK]
                marks = _marks(chunk)
                found = connection.execute(f"SELECT digest FROM owners WHERE memory_id IN ({marks})", chunk)  # noqa: S608 - marks only
                doubtful |= dict.fromkeys(digest for (digest,) in found)
                changed += connection.execute(f"DELETE FROM owners WHERE memory_id IN ({marks})", chunk).rowcount  # noqa: S608 - as above
            for digest in doubtful:
                changed += connection.execute(_DROP, [digest]).rowcount
            if changed:
                connection.execute(_OWE)
        return () if _scrub(self._connection) else (str(self.path),)


_GET = (
    "SELECT e.digest, e.vector, e.width, e.token_vectors, e.spans FROM entries e JOIN signatures USING (signature_id) "
    "WHERE model = ? AND dim = ? AND revision = ? AND e.digest IN ({marks})"
)
_PUT = (
    "INSERT OR REPLACE INTO entries (digest, vector, width, token_vectors, spans, signature_id) "
    "SELECT ?, ?, ?, ?, ?, signature_id FROM signatures WHERE model = ? AND dim = ? AND revision = ?"
)
_DROP = "DELETE FROM entries WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM owners WHERE digest = ?1)"
_OWE = "INSERT OR IGNORE INTO unscrubbed (since) VALUES (0)"


class _Transaction:
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
    with _Transaction(connection):
        (own,) = connection.execute("PRAGMA application_id").fetchone()
        if own != APPLICATION_ID:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
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


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _key(signature: EmbeddingSignature, *, tokens: bool) -> _Key:
    return signature.model, signature.dim, signature.revision if tokens else f"{signature.revision} without tokens"


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _entries(digests: Sequence[bytes], answer: EmbedResult, dim: int) -> dict[bytes, _Entry] | None:
    """What to keep of an answer; None for one that is not what an embedder promises."""
    vectors = np.asarray(answer.vectors)
    if vectors.dtype != np.float32 or vectors.shape != (len(digests), dim) or not np.isfinite(vectors).all():
        return None
    tokens, spans = answer.token_vectors, answer.token_spans
    if any(given is not None and len(given) != len(digests) for given in (tokens, spans)):
        return None
    made = {}
    for row, digest in enumerate(digests):
        own = None if tokens is None else np.asarray(tokens[row], dtype=np.float32)
        if own is not None and own.ndim != 2:
            return None
        made[digest] = _Entry(vectors[row], own, None if spans is None else [(int(a), int(b)) for a, b in spans[row]])
    return made


def _columns(entry: _Entry) -> tuple[bytes, int | None, bytes | None, bytes | None]:
    vector = np.ascontiguousarray(entry.vector, dtype="<f4").tobytes()
    tokens = None if entry.tokens is None else np.ascontiguousarray(entry.tokens, dtype="<f4").tobytes()
    spans = None if entry.spans is None else np.array(entry.spans, dtype="<i4").tobytes()
    return vector, None if entry.tokens is None else entry.tokens.shape[1], tokens, spans


def _entry(dim: int, vector: bytes, width: int | None, tokens: bytes | None, spans: bytes | None) -> _Entry | None:
    """The entry of a row; None for a damaged one, which is made anew."""
    if len(vector) != 4 * dim or (width and tokens is not None and len(tokens) % (4 * width)):
        return None
    own = None if tokens is None or not width else _floats(tokens).reshape(-1, width)
    if spans is not None and own is not None and len(spans) != 8 * len(own):
        return None
    pairs = None if spans is None else np.frombuffer(spans, dtype="<i4").reshape(-1, 2).tolist()
    numbers = _floats(vector)
    if not (numbers.any() and np.isfinite(numbers).all() and (own is None or np.isfinite(own).all())):
        return None
    return _Entry(numbers, own, None if pairs is None else [(start, end) for start, end in pairs])


def _floats(raw: bytes) -> FloatArray:
    return np.frombuffer(raw, dtype="<f4").astype(np.float32)


def _result(entries: Sequence[_Entry], tokens: int, dim: int) -> EmbedResult:
    vectors = np.stack([entry.vector for entry in entries]) if entries else np.zeros((0, dim), dtype=np.float32)
    arrays = [entry.tokens for entry in entries if entry.tokens is not None]
    spans = [entry.spans for entry in entries if entry.spans is not None]
    whole = bool(entries) and len(arrays) == len(spans) == len(entries)
    return EmbedResult(vectors, tokens, arrays if whole else None, spans if whole else None)
