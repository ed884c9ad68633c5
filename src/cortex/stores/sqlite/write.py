"""How each change is written, inside the one transaction of its batch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, assert_never

from cortex.model.change import (
    AddMemory,
    Applied,
    Batch,
    Change,
    EraseMemory,
    Idempotency,
    Outcome,
    ReplaceMemory,
    SetEmbedding,
    SetStatus,
)
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.job import NewJob, Retry
from cortex.model.memory import Memory, Status
from cortex.model.policy import Grant
from cortex.model.scope import Scope
from cortex.stores._sql import rows

if TYPE_CHECKING:
    from sqlite3 import Connection

_INSERT = (
    f"INSERT INTO memories ({', '.join(rows.WRITTEN)}) VALUES ({', '.join('?' * len(rows.WRITTEN))}) "
    "ON CONFLICT (scope_id, identity) WHERE status = 'active' DO NOTHING RETURNING seq"
)
_UPDATE = f"UPDATE memories SET {', '.join(f'{name} = ?' for name in rows.WRITTEN)} WHERE seq = ? AND version = ?"


class Writer:
    """Writes one batch; lives as long as its transaction."""

    def __init__(self, connection: Connection, grant: Grant) -> None:
        self._db = connection
        self._grant = grant
        self._scope_ids: dict[Scope, int] = {}
        self._change = int(connection.execute("SELECT value FROM store WHERE key = 'change'").fetchone()[0])

    def apply(self, batch: Batch) -> Applied:
        """Write every change, then the jobs; the caller commits."""
        outcomes = tuple(self._write(change) for change in batch.changes)
        self._db.executemany("DELETE FROM jobs WHERE job_id = ?", [(job,) for job in batch.finished])
        for retry in batch.retries:
            self._retry(retry)
        self._db.execute("UPDATE store SET value = ? WHERE key = 'change'", [str(self._change)])
        return Applied(outcomes, self._change)

    def _write(self, change: Change) -> Outcome:
        match change:
            case AddMemory():
                return self._known(change.idempotency) or self._add(change)
            case ReplaceMemory():
                return self._replace(change)
            case EraseMemory():
                return self._erase(change)
            case SetEmbedding():
                return self._set_embedding(change)
            case SetStatus():
                return self._set_status(change)
            case _:
                assert_never(change)

    def _add(self, change: AddMemory) -> Outcome:
        memory = change.memory
        scope_id = self._scope_id(memory.scope)
        signature_id = self._signature_id(change.embedding)
        row = rows.values(memory, scope_id, self._next_change(), change.identity, signature_id)
        inserted = self._db.execute(_INSERT, row).fetchone()
        if inserted is None:
            survivor = self._db.execute(
                "SELECT id, seq FROM memories WHERE scope_id = ? AND identity = ? AND status = 'active'",
                [scope_id, change.identity],
            ).fetchone()
            outcome = Outcome(survivor[0], survivor[1], applied=False)
        else:
            outcome = Outcome(memory.id, inserted[0], applied=True)
            self._db.execute("INSERT INTO lexical (seq, terms) VALUES (?, ?)", [outcome.seq, " ".join(change.terms)])
            self._put_vectors(outcome.seq, signature_id, change.embedding)
            self._put_links(outcome.seq, memory)
            self._queue(outcome.seq, change.follow_up)
        self._remember(change.idempotency, outcome)
        return outcome

    def _replace(self, change: ReplaceMemory) -> Outcome:
        memory = change.memory
        signature_id = self._signature_id(change.embedding)
        clash = self._db.execute(
            "SELECT id, seq FROM memories WHERE scope_id = ? AND identity = ? AND status = 'active' AND seq <> ?",
            [self._scope_id(memory.scope), change.identity, memory.seq],
        ).fetchone()
        if clash is not None and memory.status is Status.ACTIVE:
            return Outcome(clash[0], clash[1], applied=False)
        left = self._db.execute("SELECT scope_id FROM memories WHERE seq = ?", [memory.seq]).fetchone()
        row = rows.values(memory, self._scope_id(memory.scope), self._next_change(), change.identity, signature_id)
        updated = self._db.execute(_UPDATE, [*row, memory.seq, memory.version - 1]).rowcount
        outcome = Outcome(memory.id, memory.seq, applied=updated == 1)
        if outcome.applied:
            if left[0] != self._scope_id(memory.scope):
                self._gone(left[0], memory.seq)
            self._db.execute("UPDATE lexical SET terms = ? WHERE seq = ?", [" ".join(change.terms), memory.seq])
            self._clear_vectors(memory.seq)
            self._db.execute("DELETE FROM links WHERE seq = ?", [memory.seq])
            self._db.execute("DELETE FROM jobs WHERE seq = ?", [memory.seq])
            self._put_vectors(memory.seq, signature_id, change.embedding)
            self._put_links(memory.seq, memory)
            self._queue(memory.seq, change.follow_up)
        return outcome

    def _set_embedding(self, change: SetEmbedding) -> Outcome:
        signature_id = self._signature_id(change.embedding)
        updated = self._db.execute(
            "UPDATE memories SET signature_id = ?, embedded_chars = ?, change = ? WHERE seq = ? AND version = ? "
            "RETURNING id",
            [signature_id, change.embedded_chars, self._next_change(), change.seq, change.version],
        ).fetchone()
        if updated is None:
            return Outcome("", change.seq, applied=False)
        self._clear_vectors(change.seq)
        self._put_vectors(change.seq, signature_id, change.embedding)
        return Outcome(updated[0], change.seq, applied=True)

    def _set_status(self, change: SetStatus) -> Outcome:
        updated = self._db.execute(
            "UPDATE memories SET status = ?, updated_at = ?, change = ? WHERE seq = ? RETURNING id",
            [change.status.value, rows.micros(change.at), self._next_change(), change.seq],
        ).fetchone()
        return Outcome(updated[0] if updated else "", change.seq, applied=updated is not None)

    def _erase(self, change: EraseMemory) -> Outcome:
        owner = self._db.execute("SELECT scope_id FROM memories WHERE seq = ?", [change.seq]).fetchone()
        counts = {"memories": 0}
        if owner is not None:
            counts = {
                "vectors": self._delete("vectors", "seq", change.seq),
                "token_vectors": self._delete("token_vectors", "seq", change.seq),
                "text_index": self._delete("lexical", "seq", change.seq),
                "links": self._delete("links", "seq", change.seq) + self._delete("links", "target", change.id),
                "jobs": self._delete("jobs", "seq", change.seq),
                "memories": self._delete("memories", "seq", change.seq),
            }
            self._gone(owner[0], change.seq)
            # The digest of an erased text is a trace of it; the key stays taken.
            self._db.execute("UPDATE idempotency SET request = x'' WHERE id = ?", [change.id])
        return Outcome(change.id, change.seq, applied=owner is not None, counts=counts)

    def _gone(self, scope_id: int, seq: int) -> None:
        """Tell every cache of the scope that the memory is not there any more."""
        self._db.execute(
            "INSERT INTO erased (scope_id, change, seq) VALUES (?, ?, ?)", [scope_id, self._next_change(), seq]
        )

    def _delete(self, table: str, column: str, value: int | str) -> int:
        return self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", [value]).rowcount

    def _known(self, request: Idempotency | None) -> Outcome | None:
        if request is None:
            return None
        row = self._db.execute(
            "SELECT request, id, applied, receipt FROM idempotency WHERE org_id = ? AND owner = ? AND key = ?",
            [self._grant.caller.org_id, self._grant.caller.user, request.key],
        ).fetchone()
        if row is None:
            return None
        digest, id_, applied, receipt = row
        if digest != request.request:  # another request, or one whose memory was erased and nobody can tell any more
            return Outcome(id_, 0, applied=False, conflict=True)
        return Outcome(id_, 0, applied=bool(applied), receipt=json.loads(receipt))

    def _remember(self, request: Idempotency | None, outcome: Outcome) -> None:
        if request is None:
            return
        self._db.execute(
            "INSERT INTO idempotency (org_id, owner, key, request, id, applied, receipt, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                self._grant.caller.org_id,
                self._grant.caller.user,
                request.key,
                request.request,
                outcome.id,
                int(outcome.applied),
                rows.to_json(request.receipt),
                rows.micros(request.at),
            ],
        )

    def _put_vectors(self, seq: int, signature_id: int | None, embedding: Embedding | None) -> None:
        if embedding is None:
            return
        self._db.execute(
            "INSERT INTO vectors (seq, signature_id, pieces) VALUES (?, ?, ?)",
            [seq, signature_id, embedding.pieces.astype("<f4", copy=False).tobytes()],
        )
        if embedding.token_vectors is not None:
            tokens = embedding.token_vectors.astype("<f4", copy=False)
            self._db.execute(
                "INSERT INTO token_vectors (seq, signature_id, dim, dtype, scale, tokens) VALUES (?, ?, ?, 'f4', 1, ?)",
                [seq, signature_id, tokens.shape[1], tokens.tobytes()],
            )

    def _clear_vectors(self, seq: int) -> None:
        self._delete("vectors", "seq", seq)
        self._delete("token_vectors", "seq", seq)

    def _put_links(self, seq: int, memory: Memory) -> None:
        self._db.executemany(
            "INSERT INTO links (seq, relation, target, reason) VALUES (?, ?, ?, ?)",
            [(seq, link.relation, link.target, link.reason) for link in memory.links],
        )

    def _queue(self, seq: int, job: NewJob | None) -> None:
        if job is not None:
            self._db.execute(
                "INSERT INTO jobs (kind, seq, payload, run_at, attempts) VALUES (?, ?, ?, ?, 0)",
                [job.kind, seq, rows.to_json(job.payload), rows.micros(job.run_at)],
            )

    def _retry(self, retry: Retry) -> None:
        self._db.execute(
            "UPDATE jobs SET run_at = ?, error = ?, lease_owner = NULL, lease_until = NULL WHERE job_id = ?",
            [rows.micros(retry.run_at), retry.error, retry.job_id],
        )

    def _next_change(self) -> int:
        self._change += 1
        return self._change

    def _scope_id(self, scope: Scope) -> int:
        if scope not in self._scope_ids:
            key = [scope.org_id, scope.key]
            self._db.execute("INSERT INTO scopes (org_id, scope_key) VALUES (?, ?) ON CONFLICT DO NOTHING", key)
            found = self._db.execute("SELECT scope_id FROM scopes WHERE org_id = ? AND scope_key = ?", key)
            self._scope_ids[scope] = found.fetchone()[0]
        return self._scope_ids[scope]

    def _signature_id(self, embedding: Embedding | None) -> int | None:
        """The id of the embedding's signature; the first one ever written becomes the store's."""
        if embedding is None:
            return None
        signature: EmbeddingSignature = embedding.signature
        key = [signature.model, signature.dim, signature.revision]
        self._db.execute("INSERT INTO signatures (model, dim, revision) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", key)
        found = self._db.execute(
            "SELECT signature_id FROM signatures WHERE model = ? AND dim = ? AND revision = ?", key
        )
        signature_id: int = found.fetchone()[0]
        self._db.execute("INSERT OR IGNORE INTO store (key, value) VALUES ('signature', ?)", [str(signature_id)])
        return signature_id
