"""The vectors of several models side by side, and the switch from one to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cortex.errors import StoreError
from cortex.model.embedding import EmbeddingSignature
from cortex.model.job import EMBED
from cortex.model.memory import Memory
from cortex.model.scope import Scope
from cortex.stores._sql import rows
from cortex.stores.sqlite.connect import Connections
from cortex.stores.sqlite.counter import restart_caches

if TYPE_CHECKING:
    from sqlite3 import Connection

_LACKS = "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.seq = m.seq AND v.signature_id IS ?)"

_OWE = (
    "INSERT INTO jobs (kind, seq, payload, run_at, attempts) SELECT ?, m.seq, '{}', m.updated_at, 0 FROM memories m "
    "WHERE m.signature_id IS NULL AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.seq = m.seq)"
)


class SQLiteReindexing:
    """A `Reindexing`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def current(self) -> EmbeddingSignature | None:
        """What is searched by now; None while there are no vectors."""
        with self._connections.read() as connection:
            return current_signature(connection)

    def missing(self, scopes: Sequence[Scope], signature: EmbeddingSignature, limit: int) -> list[Memory]:
        """Memories of these scopes without vectors of that signature, by seq."""
        pairs = " OR ".join("(s.org_id = ? AND s.scope_key = ?)" for _ in scopes) or "0"
        bound = [part for scope in scopes for part in (scope.org_id, scope.key)]
        with self._connections.read() as connection:
            sql = f"{rows.select(rows.NOW)} WHERE ({pairs}) AND {_LACKS} ORDER BY m.seq LIMIT ?"
            found = connection.execute(sql, [*bound, _id(connection, signature), limit])
            return [rows.to_memory(row) for row in found]

    def progress(self, signature: EmbeddingSignature) -> tuple[int, int]:
        """How many memories have vectors of that signature, and how many there are."""
        with self._connections.read() as connection:
            total: int = connection.execute("SELECT count(*) FROM memories").fetchone()[0]
            return total - _lacking(connection, _id(connection, signature)), total

    def switch(self, signature: EmbeddingSignature, *, complete: bool) -> bool:
        """Search by that signature from now on, in one step; false where it is not ``complete`` yet."""
        with self._connections.write() as connection:
            target = _id(connection, signature)
            if target is None:
                raise StoreError(f"there are no vectors of {signature}")
            if complete and _lacking(connection, target):
                return False
            connection.execute(
                "UPDATE memories SET signature_id = (SELECT v.signature_id FROM vectors v "
                "WHERE v.seq = memories.seq AND v.signature_id = ?)",
                [target],
            )
            connection.execute("INSERT OR REPLACE INTO store (key, value) VALUES ('signature', ?)", [str(target)])
            connection.execute(_OWE, [EMBED])
            restart_caches(connection, 0)
            return True

    def signatures(self) -> list[tuple[EmbeddingSignature, int]]:
        """Every signature with vectors, and how many memories have them."""
        with self._connections.read() as connection:
            found = connection.execute(
                "SELECT g.model, g.dim, g.revision, count(*) FROM vectors JOIN signatures g USING (signature_id) "
                "GROUP BY signature_id ORDER BY signature_id"
            )
            return [(EmbeddingSignature(model, dim, revision), count) for model, dim, revision, count in found]

    def discard(self, signature: EmbeddingSignature) -> int:
        """Remove the vectors of a signature that is not searched by; how many."""
        with self._connections.write() as connection:
            unwanted = _id(connection, signature)
            current = connection.execute("SELECT value FROM store WHERE key = 'signature'").fetchone()
            if unwanted is not None and current is not None and current[0] == str(unwanted):
                raise StoreError(f"{signature} is what recall searches by; switch to another first")
            removed: int = connection.execute("DELETE FROM vectors WHERE signature_id IS ?", [unwanted]).rowcount
            connection.execute("DELETE FROM token_vectors WHERE signature_id IS ?", [unwanted])
            return removed


def current_signature(connection: Connection) -> EmbeddingSignature | None:
    """What the store is searched by."""
    row: Any = connection.execute(
        "SELECT g.model, g.dim, g.revision FROM store JOIN signatures g ON g.signature_id = CAST(store.value AS INT) "
        "WHERE store.key = 'signature'"
    ).fetchone()
    return None if row is None else EmbeddingSignature(*row)


def _lacking(connection: Connection, signature_id: int | None) -> int:
    count: int = connection.execute(f"SELECT count(*) FROM memories m WHERE {_LACKS}", [signature_id]).fetchone()[0]
    return count


def _id(connection: Connection, signature: EmbeddingSignature) -> int | None:
    row = connection.execute(
        "SELECT signature_id FROM signatures WHERE model = ? AND dim = ? AND revision = ?",
        [signature.model, signature.dim, signature.revision],
    ).fetchone()
    return None if row is None else row[0]
