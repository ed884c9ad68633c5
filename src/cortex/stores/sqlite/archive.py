"""Memories whole: history, records, copies of the file, and the removal of what erasing leaves behind."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cortex import files
from cortex.errors import StoreBusy, StoreError, StoreFull, StoreReadOnly
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.memory import Memory
from cortex.model.record import Form, Record
from cortex.model.scope import Scope
from cortex.stores._sql import rows
from cortex.stores.sqlite import free_space, knowledge
from cortex.stores.sqlite.checks import counter
from cortex.stores.sqlite.connect import Connections, named_errors
from cortex.stores.sqlite.counter import restart_caches
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.migrate import prepare, take_backup
from cortex.stores.sqlite.replace import backups_beside

if TYPE_CHECKING:
    from sqlite3 import Connection


_ATTEMPTS = 3
_TAKEN = "{} exists already; a backup never overwrites: give another name"
# More changes than anybody can make in the time that a restore takes.
_MEANWHILE = 10**9
# A commit makes every process forget the pages it has in memory.
_MARK = (
    "INSERT INTO store (key, value) VALUES ('scrubs', '1') "
    "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
)


class SQLiteArchive:
    """An `Archive`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def history(self, seq: int) -> list[Memory]:
        """Every version of a memory that is kept, oldest first, the current one last."""
        with self._connections.read() as connection:
            return [
                rows.to_memory(row)
                for source in ("versions", rows.NOW)
                for row in connection.execute(f"{rows.select(source)} WHERE m.seq = ? ORDER BY m.version", [seq])
            ]

    def records(self, scopes: Sequence[Scope], after: int, limit: int) -> list[Record]:
        """Memories of these scopes whose seq is greater than ``after``, by seq, with all that belongs to them."""
        with self._connections.read() as connection:
            connection.execute("BEGIN")
            try:
                pairs = " OR ".join("(s.org_id = ? AND s.scope_key = ?)" for _ in scopes) or "0"
                bound = [part for scope in scopes for part in (scope.org_id, scope.key)]
                found = connection.execute(
                    f"{rows.select(rows.NOW)} WHERE ({pairs}) AND m.seq > ? ORDER BY m.seq LIMIT ?",
                    [*bound, after, limit],
                ).fetchall()
                return [_record(connection, rows.to_memory(row)) for row in found]
            finally:
                connection.execute("ROLLBACK")

    def backup(self, target: str) -> None:
        """Write a consistent copy of the whole store to a new file, while others go on writing."""
        path = Path(target)
        if path.exists():
            raise StoreError(_TAKEN.format(target))
        self._note(path)
        try:
            with files.unfinished(path) as draft:
                with closing(sqlite3.connect(draft)) as copy, self._connections.read() as source, named_errors(target):
                    _copy(source, copy)
                files.publish(draft, path)
        except FileExistsError:
            raise StoreError(_TAKEN.format(target)) from None
        except OSError as error:
            raise files.refused(target, error) from error

    def _note(self, path: Path) -> None:
        """Keep in mind where a copy lies, before it does: one that nobody knew would escape an erasure unnamed."""
        # Who cannot write the store cannot erase either, and may want a copy all the more.
        with suppress(StoreReadOnly), self._connections.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO store (key, value) VALUES (?, '')", [f"backup:{path.absolute()}"]
            )

    def restore(self, source: str) -> None:
        """Put a backup in the place of everything there is, in one step; `StoreError` for a damaged one."""
        path = Path(source)
        if not path.is_file():
            raise StoreError(f"{source} is not there; give the path of a backup")
        if not self._connections.in_memory and path.samefile(self._connections.path):
            raise StoreError(f"{source} is the store itself; give the path of a backup")
        with self._connections.write():
            pass  # where nothing can be written there is no use in reading the backup
        # A temporary database of SQLite's own: it has no name, and is gone with this process whatever happens.
        with closing(sqlite3.connect("", isolation_level=None)) as draft:
            draft.execute("PRAGMA trusted_schema = OFF")
            with named_errors(source), closing(_read_only(path)) as backup:
                take_backup(backup, source, draft)
            with self._connections.raw() as connection:
                self._carry_over(connection, draft, path)
                draft.backup(connection)  # with the mark for all searchers in it: whole, or not at all
        prepare(self._connections)
        self.scrub()

    def _carry_over(self, connection: Connection, draft: Connection, source: Path) -> None:
        """What the copy must know of the store whose place it takes: its backups, and how far its searchers are."""
        known = connection.execute("SELECT key, value FROM store WHERE key LIKE 'backup:%'").fetchall()
        for key, value in (*known, (f"backup:{source.absolute()}", "")):
            draft.execute("INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)", [key, value])
        change, newest = counter(connection)
        restart_caches(draft, max(change or 0, newest) + _MEANWHILE)
        draft.execute(free_space.OWE_A_SCRUB)

    def backups(self) -> list[str]:
        """The copies of this store that still lie where they were written, those before migrations included."""
        with self._connections.read() as connection:
            known = connection.execute("SELECT substr(key, 8) FROM store WHERE key LIKE 'backup:%'").fetchall()
        noted = [Path(row[0]) for row in known]
        found = {path for path in noted if path.exists()}
        own = [] if self._connections.in_memory else [Path(self._connections.path)]
        found.update(path for mine in own for path in backups_beside(str(mine)))
        for path, kind in (
            *((path, files.UNFINISHED) for path in (*noted, *own)),
            *((path, ".backup-schema-") for path in own),
        ):
            found.update(path.parent.glob(f"{glob.escape(path.name)}{kind}*"))
        return sorted(map(str, found))

    def scrub(self) -> bool:
        """Remove what erased rows left in free space and logs; false where it cannot be done now: try again later."""
        # What was erased is erased and acknowledged: that its traces cannot be removed now must not deny it.
        with suppress(StoreBusy, StoreFull, StoreReadOnly, OSError), self._connections.impatient() as connection:
            return any(self._scrub(connection) for _ in range(_ATTEMPTS))
        return False

    def unscrubbed(self) -> list[str]:
        """The files in which something of erased rows may be left until `scrub` has been done."""
        with self._connections.read() as connection:
            owed = connection.execute(free_space.OWES_A_SCRUB).fetchone()[0]
        own = self._connections.path
        return [path for path in (own, f"{own}-wal") if Path(path).exists()] if owed else []

    def _scrub(self, connection: Connection) -> bool:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            return False
        if self._connections.file is None:
            return True
        connection.execute("PRAGMA shrink_memory")  # pages as they were must not be written again
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return False
        try:
            log = Path(f"{self._connections.path}-wal")
            if log.exists() and log.stat().st_size > 0:
                return False  # somebody wrote in between
            overwritten = free_space.overwrite(self._connections.file)
            if connection.execute(free_space.SCRUBBED).rowcount or overwritten:
                connection.execute(_MARK)
                connection.execute("COMMIT")
            return True
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _read_only(path: Path) -> Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _copy(source: Connection, copy: Connection) -> None:
    source.backup(copy)
    copy.execute("PRAGMA journal_mode = DELETE").fetchone()
    if copy.execute(free_space.SCRUBBED).rowcount:
        copy.commit()
        copy.execute("VACUUM")  # traces that could not be removed from the store yet must not go along


def _record(connection: Connection, memory: Memory) -> Record:
    seq = memory.seq
    identity, terms = connection.execute(
        "SELECT m.identity, l.terms FROM memories m LEFT JOIN lexical l USING (seq) WHERE m.seq = ?", [seq]
    ).fetchone()
    if terms is None:
        raise StoreError(f"memory {memory.id} has lost its words: cortex doctor --fix makes them again")
    vectors = connection.execute(
        "SELECT v.pieces FROM memories m JOIN vectors v USING (seq, signature_id) WHERE m.seq = ?", [seq]
    ).fetchone()
    tokens = connection.execute(
        "SELECT t.tokens, t.dim FROM memories m JOIN token_vectors t USING (seq, signature_id) WHERE m.seq = ?", [seq]
    ).fetchone()
    words = tuple(terms.split(" ")) if terms else ()
    current = Form(memory, identity, words, _embedding(memory.signature, vectors, tokens))
    earlier = connection.execute(f"{rows.select('versions')} WHERE m.seq = ? ORDER BY m.version", [seq]).fetchall()
    forms = tuple(_form(connection, rows.to_memory(row)) for row in earlier)
    return Record(current, forms, knowledge.read(connection, [seq]).get(seq))


def _form(connection: Connection, memory: Memory) -> Form:
    key = [memory.seq, memory.version]
    identity, terms, replaced = connection.execute(
        "SELECT identity, terms, replaced_at FROM versions WHERE seq = ? AND version = ?", key
    ).fetchone()
    vectors = connection.execute(
        "SELECT v.pieces FROM versions m JOIN version_vectors v USING (seq, version, signature_id) "
        "WHERE m.seq = ? AND m.version = ?",
        key,
    ).fetchone()
    words = tuple(terms.split(" ")) if terms else ()
    return Form(memory, identity, words, _embedding(memory.signature, vectors), rows.from_micros(replaced))


def _embedding(
    signature: EmbeddingSignature | None, vectors: tuple[bytes] | None, tokens: tuple[bytes, int] | None = None
) -> Embedding | None:
    if signature is None or vectors is None or len(vectors[0]) % (4 * signature.dim):
        return None  # vectors of an impossible length are damage: they are made anew from the text
    pieces = np.frombuffer(vectors[0], dtype="<f4").reshape(-1, signature.dim)
    if tokens is None or tokens[1] < 1 or len(tokens[0]) % tokens[1]:
        return Embedding(signature, pieces)  # without those of tokens it is found by the others
    return Embedding(signature, pieces, np.frombuffer(tokens[0], dtype=np.int8).reshape(-1, tokens[1]))
