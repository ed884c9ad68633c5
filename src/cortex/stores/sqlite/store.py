"""The record in one SQLite file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cortex.model.change import Applied, Batch, Prior
from cortex.model.embedding import EmbeddingSignature
from cortex.model.feed import Feed, IndexRow
from cortex.model.health import Count, StoreInfo
from cortex.model.memory import Memory
from cortex.model.page import Details
from cortex.model.query import Selection
from cortex.model.scope import Scope
from cortex.stores._sql import rows, where
from cortex.stores.sqlite.archive import SQLiteArchive
from cortex.stores.sqlite.checks import integrity
from cortex.stores.sqlite.connect import Connections
from cortex.stores.sqlite.driver import WAL_IS_SAFE, sqlite3
from cortex.stores.sqlite.knowledge import SQLiteKnowledge
from cortex.stores.sqlite.mending import SQLiteMending
from cortex.stores.sqlite.migrate import prepare, refuse_foreign
from cortex.stores.sqlite.queue import SQLiteJobs, SQLiteLedger
from cortex.stores.sqlite.reindexing import SQLiteReindexing, current_signature
from cortex.stores.sqlite.replace import taken_over
from cortex.stores.sqlite.write import Writer

if TYPE_CHECKING:
    from sqlite3 import Connection

_VARIABLES = 500  # how many values one statement binds; SQLite allows many more, plans stay small


class SQLiteStore:
    """A `Store` in one file (or ``:memory:``), shared safely by any number of processes.

    ``durability``: FULL survives power loss; NORMAL may lose the last commits then, never the file.
    ``busy_seconds``: how long a write waits for other writers before `StoreBusy`.
    """

    def __init__(self, path: str | Path, *, durability: str = "FULL", busy_seconds: float = 30.0) -> None:
        refuse_foreign(str(path))
        self._connections = Connections(str(path), durability=durability, busy_seconds=busy_seconds)
        self._durability = durability
        self.jobs = SQLiteJobs(self._connections)
        self.ledger = SQLiteLedger(self._connections)
        self.reindexing = SQLiteReindexing(self._connections)
        self.archive = SQLiteArchive(self._connections)
        self.knowledge = SQLiteKnowledge(self._connections)
        self.mending = SQLiteMending(self._connections)
        try:
            self._schema = prepare(self._connections)
        except BaseException:
            self._connections.close()
            raise

    def apply(self, batch: Batch) -> Applied:
        """Commit everything in the batch or nothing; durable when it returns."""
        with self._connections.write() as connection:
            return Writer(connection, batch.grant).apply(batch)

    def read(self, seqs: Sequence[int], at: datetime | None = None) -> list[Memory]:
        """The memories with these seqs that exist, in the order asked for; ``at``: as they were then."""
        found: dict[int, Memory] = {}
        source, bound = (rows.NOW, []) if at is None else (rows.PAST, rows.instants(at))
        with self._connections.read() as connection:
            for start in range(0, len(seqs), _VARIABLES):
                chunk = seqs[start : start + _VARIABLES]
                marks = ", ".join("?" * len(chunk))
                sql = f"{rows.select(source)} WHERE m.seq IN ({marks})"
                for row in connection.execute(sql, [*bound, *chunk]):
                    memory = rows.to_memory(row)
                    found[memory.seq] = memory
        return [found[seq] for seq in seqs if seq in found]

    def resolve(self, scopes: Sequence[Scope], prefix: str, limit: int) -> list[tuple[str, int]]:
        """Ids in these scopes that start with ``prefix`` (lower-case hex), with their seqs, sorted by id."""
        with self._connections.read() as connection:
            scope_ids = where.scope_ids(connection, scopes)
            marks = ", ".join("?" * len(scope_ids))
            return connection.execute(
                # The plus keeps the planner to the ids: an index of scopes would have it read whole scopes.
                f"SELECT id, seq FROM memories WHERE id >= ? AND id < ? AND +scope_id IN ({marks}) ORDER BY id LIMIT ?",
                [prefix, prefix + "g", *scope_ids, limit],  # "g" sorts after every hex digit
            ).fetchall()

    def known_scopes(self, org_id: str) -> list[Scope]:
        """Every scope of the organisation that was ever written to."""
        with self._connections.read() as connection:
            found = connection.execute("SELECT scope_key FROM scopes WHERE org_id = ? ORDER BY scope_key", [org_id])
            return [Scope(key, org_id) for (key,) in found]

    def select(self, selection: Selection) -> list[Memory]:
        """Memories in order, after the cursor, up to the limit."""
        with self._connections.read() as connection:
            clauses, bound = where.conditions(selection, where.scope_ids(connection, selection.scopes))
            source, first = where.source(selection)
            cursor, more, tail = where.page(selection)
            sql = f"{rows.select(source)} WHERE {' AND '.join([*clauses, cursor])}{tail}"
            return [rows.to_memory(row) for row in connection.execute(sql, [*first, *bound, *more])]

    def matching(self, selection: Selection, *, details: bool) -> list[Details]:
        """The seqs that the selection has, in no order; with tags and metadata when ``details``."""
        columns = "m.seq, m.tags, m.metadata" if details else "m.seq, '[]', '{}'"
        with self._connections.read() as connection:
            clauses, bound = where.conditions(selection, where.scope_ids(connection, selection.scopes))
            source, first = where.source(selection)
            sql = f"SELECT {columns} FROM {source} m WHERE {' AND '.join(clauses)}"
            found = connection.execute(sql, [*first, *bound])
            return [rows.to_details(*row) for row in found]

    def count(self, selection: Selection) -> list[Count]:
        """How many memories the selection has (order, cursor and limit aside), by scope and nature."""
        with self._connections.read() as connection:
            clauses, bound = where.conditions(selection, where.scope_ids(connection, selection.scopes))
            source, first = where.source(selection)
            sql = (
                f"SELECT s.scope_key, m.kind, m.tier, m.status, count(*) FROM {source} m JOIN scopes s "
                f"USING (scope_id) WHERE {' AND '.join(clauses)} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
            )
            return [Count(*row) for row in connection.execute(sql, [*first, *bound])]

    def feed(self, scope: Scope, since: int, signature: EmbeddingSignature, *, tokens: bool = False) -> Feed:
        """What changed in the scope after change number ``since``, with the vectors of that signature."""
        with self._connections.read() as connection:
            # One statement a call when nothing changed: this runs before every recall.
            newest = connection.execute(_NEWEST, [scope.org_id, scope.key]).fetchone()
            if newest is None:
                return Feed((), (), since)
            scope_id, changed, erased, restart = newest
            if since < restart and since > 0:
                return Feed((), (), since, restart=True)
            if max(changed or 0, erased or 0, restart) <= since:
                return Feed((), (), since)
            connection.execute("BEGIN")
            try:
                feed = _read_feed(connection, scope_id, since, signature, tokens=tokens)
                return replace(feed, change=max(feed.change, restart))
            finally:
                connection.execute("ROLLBACK")

    def past(self, scope: Scope, at: datetime, signature: EmbeddingSignature) -> Feed:
        """Everything the scope held at an instant, with the vectors of that signature."""
        with self._connections.read() as connection:
            scope_ids = where.scope_ids(connection, [scope])
            bound = {"at": rows.micros(at), "scope": next(iter(scope_ids), None)}
            bound["signature"] = _signature_id(connection, signature)
            found = connection.execute(_PAST, bound).fetchall()
        return Feed(tuple(IndexRow(*row) for row in found), (), 0)

    def prior(self, scope: Scope, identities: Sequence[bytes]) -> Mapping[bytes, Prior]:
        """The active memories of this scope that have one of these identities."""
        found: dict[bytes, Prior] = {}
        # Asked before every write: the writer has these pages at hand, a reader drops its own after each commit.
        with self._connections.ahead() as connection:
            for start in range(0, len(identities), _VARIABLES):
                chunk = identities[start : start + _VARIABLES]
                marks = ", ".join("?" * len(chunk))
                sql = f"{_PRIOR} AND m.identity IN ({marks})"
                for row in connection.execute(sql, [scope.org_id, scope.key, *chunk]):
                    identity, id_, seq, pending, chars, expires, ends = row
                    until = min((at for at in (expires, ends) if at is not None), default=None)
                    found[identity] = Prior(id_, seq, scope.key, bool(pending), chars, rows.from_micros(until))
        return found

    def info(self, *, deep: bool = False) -> StoreInfo:
        """The plain facts; ``deep`` also checks the integrity of the whole store."""
        with self._connections.read() as connection:
            problems = integrity(connection) if deep else []
            try:
                memories, pending, unowed, jobs, unscrubbed = connection.execute(_FACTS).fetchone()
                signature = current_signature(connection)
                note = taken_over(connection, self._connections.path)
            except sqlite3.DatabaseError:
                if not problems:  # what is wrong is not told yet
                    raise
                memories, pending, unowed, jobs, unscrubbed, signature, note = 0, 0, 0, 0, 0, None, None
            journal = connection.execute("PRAGMA journal_mode").fetchone()[0]
            size = connection.execute(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            ).fetchone()[0]
        warnings = [] if note is None else [note]
        if not WAL_IS_SAFE:
            warnings.append(
                f"SQLite {sqlite3.sqlite_version} has the WAL-reset bug, so the slower rollback journal is used; "
                "install pysqlite3 0.6.1 or newer"
            )
        if self._connections.read_only:
            warnings.append("the file or its folder cannot be written: everything can be read, nothing kept or erased")
        if unscrubbed and not self._connections.in_memory:
            warnings.append(
                "traces of what was erased are still in the file or its log, since others were using it; they go as "
                "soon as nobody does: cortex worker --once"
            )
        return StoreInfo(
            backend="sqlite",
            location=self._connections.path,
            schema=self._schema,
            engine=f"SQLite {sqlite3.sqlite_version}, journal {journal}",
            durability=self._durability,
            signature=signature,
            memories=memories,
            pending=pending,
            unowed=unowed,
            jobs=jobs,
            bytes=size,
            problems=tuple(problems),
            warnings=tuple(warnings),
        )

    def close(self) -> None:
        """Release everything; the store cannot be used afterwards. Closing twice is allowed."""
        self._connections.close()


_NEWEST = (
    "SELECT s.scope_id, (SELECT max(m.change) FROM memories m WHERE m.scope_id = s.scope_id), "
    "(SELECT max(e.change) FROM erased e WHERE e.scope_id = s.scope_id), "
    "coalesce((SELECT CAST(value AS INT) FROM store WHERE key = 'restart'), 0) "
    "FROM scopes s WHERE s.org_id = ? AND s.scope_key = ?"
)
_STATE = "m.seq, m.status, m.clearance_min, m.expires_at, m.valid_from, m.valid_to"
_TURN = "m.session, m.position, m.speaker, m.role"
_OF_SCOPE = (
    "FROM memories m LEFT JOIN lexical l USING (seq) "
    "LEFT JOIN vectors v ON v.seq = m.seq AND v.signature_id = :signature "
)
_CHANGED = "WHERE m.scope_id = :scope AND m.change > :since ORDER BY m.seq"
_NOW = f"{_STATE}, coalesce(l.terms, ''), v.pieces, 1, {_TURN}"
_ROWS = f"SELECT m.change, {_NOW} {_OF_SCOPE} {_CHANGED}"
_ROWS_WITH_TOKENS = (
    f"SELECT m.change, {_NOW}, t.tokens, t.dim {_OF_SCOPE} "
    f"LEFT JOIN token_vectors t ON t.seq = m.seq AND t.signature_id = :signature AND t.dtype = 'i1' {_CHANGED}"
)
_PRIOR = (
    "SELECT m.identity, m.id, m.seq, m.signature_id IS NULL, m.embedded_chars, m.expires_at, m.valid_to "
    "FROM memories m JOIN scopes s USING (scope_id) WHERE m.status = 'active' AND s.org_id = ? AND s.scope_key = ?"
)
_PAST = (
    f"SELECT {_NOW} {_OF_SCOPE} WHERE m.scope_id = :scope AND m.updated_at <= :at UNION ALL "
    f"SELECT {_STATE}, m.terms, v.pieces, 0, {_TURN} FROM versions m LEFT JOIN version_vectors v "
    "ON v.seq = m.seq AND v.version = m.version AND v.signature_id = :signature "
    "WHERE m.scope_id = :scope AND m.updated_at <= :at AND m.replaced_at > :at ORDER BY 1"
)
_FACTS = (
    "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM memories WHERE signature_id IS NULL), "
    "(SELECT count(*) FROM memories m WHERE m.signature_id IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.seq = m.seq)), "
    "(SELECT count(*) FROM jobs), (SELECT count(*) FROM store WHERE key = 'unscrubbed')"
)


def _read_feed(
    connection: Connection, scope_id: int, since: int, signature: EmbeddingSignature, *, tokens: bool
) -> Feed:
    bound = {"signature": _signature_id(connection, signature), "scope": scope_id, "since": since}
    found = connection.execute(_ROWS_WITH_TOKENS if tokens else _ROWS, bound).fetchall()
    erased = connection.execute(
        "SELECT seq, change FROM erased WHERE scope_id = ? AND change > ?", [scope_id, since]
    ).fetchall()
    newest = max([since, *(row[0] for row in found), *(row[1] for row in erased)])
    return Feed(tuple(IndexRow(*row[1:]) for row in found), tuple(row[0] for row in erased), newest)


def _signature_id(connection: Connection, signature: EmbeddingSignature) -> int | None:
    row = connection.execute(
        "SELECT signature_id FROM signatures WHERE model = ? AND dim = ? AND revision = ?",
        [signature.model, signature.dim, signature.revision],
    ).fetchone()
    return None if row is None else row[0]
