"""How each change is written, inside the one transaction of its batch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, assert_never

from cortex.errors import StoreError
from cortex.model.change import (
    AddConflict,
    AddLink,
    AddMemory,
    AddVectors,
    Applied,
    Batch,
    Change,
    Decide,
    EraseMemory,
    EraseScope,
    Idempotency,
    KeepReceipt,
    Outcome,
    PutRecord,
    RemoveLinks,
    ReplaceMemory,
    Request,
    RewriteMemory,
    SetEmbedding,
    SetReading,
    SetStatus,
    Supersede,
    Touch,
)
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.job import EMBED, NewJob, Retry
from cortex.model.memory import Memory, Status
from cortex.model.policy import Grant
from cortex.model.record import Form
from cortex.model.scope import Scope
from cortex.stores._sql import rows
from cortex.stores.sqlite import erase, readings, vectors
from cortex.stores.sqlite.counter import COUNTER, as_number, set_counter

if TYPE_CHECKING:
    from sqlite3 import Connection

_INSERT = (
    f"INSERT INTO memories ({', '.join(rows.WRITTEN)}, seq) VALUES ({', '.join('?' * (len(rows.WRITTEN) + 1))}) "
    "ON CONFLICT (scope_id, identity) WHERE status = 'active' DO NOTHING"
)
# Accesses may have been counted since the memory was read.
_LATER = {
    "access_count": "max(access_count, {0})",
    "last_accessed_at": "coalesce(max(last_accessed_at, {0}), last_accessed_at, {0})",
}
_SET = (f"{name} = {_LATER.get(name, '{0}').format(f'?{i}')}" for i, name in enumerate(rows.WRITTEN, 1))
_UPDATE = f"UPDATE memories SET {', '.join(_SET)} WHERE seq = ?{len(rows.WRITTEN) + 1}"
_SURVIVOR = "SELECT id, seq FROM memories WHERE scope_id = ? AND identity = ? AND status = 'active'"
_TWIN = (
    "SELECT a.id, a.seq FROM memories m JOIN memories a USING (scope_id, identity) "
    "WHERE m.seq = ? AND a.status = 'active' AND a.seq <> m.seq"
)
_KEEP_ROW = (
    f"INSERT INTO versions ({', '.join(rows.WRITTEN)}, seq, replaced_at, terms) "
    f"SELECT {', '.join(f'm.{name}' for name in rows.WRITTEN)}, m.seq, ?, coalesce(l.terms, '') "
    "FROM memories m LEFT JOIN lexical l USING (seq) WHERE m.seq = ?"
)
_KEEP_VECTORS = (
    "INSERT INTO version_vectors (seq, version, signature_id, pieces) "
    "SELECT m.seq, m.version, v.signature_id, v.pieces FROM memories m JOIN vectors v USING (seq) WHERE m.seq = ?"
)
_PUT_VERSION = (
    f"INSERT INTO versions ({', '.join(rows.WRITTEN)}, seq, replaced_at, terms) "
    f"VALUES ({', '.join('?' * (len(rows.WRITTEN) + 3))})"
)


_STATE = (
    f"SELECT ({COUNTER}), (SELECT scope_id FROM scopes WHERE org_id = ? AND scope_key = ?), "
    "g.signature_id, g.model, g.dim, g.revision FROM (SELECT 1) "
    "LEFT JOIN store s ON s.key = 'signature' LEFT JOIN signatures g ON g.signature_id = CAST(s.value AS INTEGER)"
)
_OF_A_MEMORY = "vectors token_vectors lexical links jobs version_vectors versions memories".split()


class Writer:
    """Writes one batch; lives as long as its transaction."""

    def __init__(self, connection: Connection, grant: Grant) -> None:
        self._db = connection
        self._grant = grant
        self._scope_ids: dict[Scope, int] = {}
        self._signature_ids: dict[EmbeddingSignature, int] = {}
        self._searched: EmbeddingSignature | None = None
        first = grant.scopes[0] if grant.scopes else None  # most batches write to one scope: asked for at once
        bound = [None, None] if first is None else [first.org_id, first.key]
        change, scope_id, number, *signature = connection.execute(_STATE, bound).fetchone()
        self._change = self._counted = as_number(change)
        if first is not None and scope_id is not None:
            self._scope_ids[first] = scope_id
        self._current: int | None = number
        if number is not None:
            self._searched = rows.signature(*signature)
            self._signature_ids[self._searched] = number

    def apply(self, batch: Batch) -> Applied:
        """Write every change, then the jobs; the caller commits."""
        outcomes = tuple([self._write(change) for change in batch.changes])
        for job in batch.finished:
            self._delete("jobs", "job_id", job)
        for retry in batch.retries:
            self._retry(retry)
        if self._change != self._counted:
            set_counter(self._db, self._change)
        return Applied(outcomes, self._change)

    def _write(self, change: Change) -> Outcome:
        match change:
            case SetEmbedding():
                return self._set_embedding(change)
            case PutRecord():
                return self._put_record(change)
            case RewriteMemory():
                return self._rewrite(change)
            case AddVectors():
                return self._add_vectors(change)
            case Touch():
                return readings.touch(self._db, change)
            case SetReading() | Supersede() | AddLink() | RemoveLinks() | AddConflict() | Decide():
                return readings.write(self, self._db, change)
            case _:
                return self._known(change.idempotency) or self._do(change)

    def _do(self, change: Request) -> Outcome:
        match change:
            case AddMemory():
                return self._add(change)
            case ReplaceMemory():
                return self._replace(change)
            case SetStatus():
                return self._set_status(change)
            case KeepReceipt():
                return self._keep_receipt(change)
            case EraseMemory():
                return self._erase(change)
            case EraseScope():
                return self._erase_scope(change)
            case _:
                assert_never(change)

    def _add(self, change: AddMemory) -> Outcome:
        form = Form(change.memory, change.identity, change.terms, change.embedding)
        outcome = self._insert(form)
        if outcome is None:
            survivor = self._db.execute(_SURVIVOR, [self._scope_id(change.memory.scope), change.identity]).fetchone()
            outcome = Outcome(survivor[0], survivor[1], applied=False)
        else:
            self.queue(outcome.seq, change.follow_up)
            readings.put(self._db, outcome.seq, change.reading)
        self._remember(change.idempotency, outcome)
        return outcome

    def _insert(self, form: Form) -> Outcome | None:
        """Of the new row; None where an active memory has the same identity."""
        memory, embedding = form.memory, form.embedding
        signature_id = self._searched_by(embedding)
        seq = self.next_change()
        row = rows.values(memory, self._scope_id(memory.scope), seq, form.identity, signature_id)
        if self._db.execute(_INSERT, [*row, seq]).rowcount == 0:
            return None
        self._counted = seq  # SQLite has noted it
        self._db.execute("INSERT INTO lexical (seq, terms) VALUES (?, ?)", [seq, " ".join(form.terms)])
        if embedding is not None:
            vectors.put(self._db, seq, signature_id or self._intern(embedding.signature), embedding)
        self._put_links(seq, memory)
        self.queue(seq, _owed(memory, embedding, signature_id))
        return Outcome(memory.id, seq, applied=True, pending=embedding is not None and signature_id is None)

    def _clash(self, scope_id: int, identity: bytes, memory: Memory) -> Outcome | None:
        """What becomes of an active memory that would say the same as another active one; None where none does."""
        found = self._db.execute(_SURVIVOR, [scope_id, identity]).fetchone()
        if found is None or found[0] == memory.id or memory.status is not Status.ACTIVE:
            return None
        return Outcome(found[0], found[1], applied=False)

    def _replace(self, change: ReplaceMemory) -> Outcome:
        memory = change.memory
        scope_id = self._scope_id(memory.scope)
        if (clash := self._clash(scope_id, change.identity, memory)) is not None:
            return clash
        left = self.set_aside(memory.seq, memory.version - 1, rows.micros(memory.updated_at))
        if left is None:
            return Outcome(memory.id, memory.seq, applied=False)
        outcome = Outcome(memory.id, memory.seq, applied=True, pending=self._lies_aside(change.embedding))
        if left != scope_id:
            self._gone(left, memory.seq)
        signature_id = self._searched_by(change.embedding)
        row = rows.values(memory, scope_id, self.next_change(), change.identity, signature_id)
        self._db.execute(_UPDATE, [*row, memory.seq])
        self._db.execute(
            "INSERT OR REPLACE INTO lexical (seq, terms) VALUES (?, ?)", [memory.seq, " ".join(change.terms)]
        )
        self._clear_vectors(memory.seq)
        self._db.execute("DELETE FROM links WHERE seq = ?", [memory.seq])
        self._db.execute("DELETE FROM jobs WHERE seq = ?", [memory.seq])
        self._put_vectors(memory.seq, change.embedding)
        self._put_links(memory.seq, memory)
        readings.clear(self._db, memory.seq)
        readings.drop_open_conflicts(self._db, memory.seq)
        readings.put(self._db, memory.seq, change.reading)
        self.queue(memory.seq, change.follow_up)
        self.queue(memory.seq, _owed(memory, change.embedding, signature_id))
        self._remember(change.idempotency, outcome)
        return outcome

    def set_aside(self, seq: int, version: int | None, at: int) -> int | None:
        """Keep the row as it stands as an old version; its scope, or None if it is not there in that version."""
        found = self._db.execute("SELECT scope_id, version FROM memories WHERE seq = ?", [seq]).fetchone()
        if found is None or version not in (None, found[1]):
            return None
        self._db.execute(_KEEP_ROW, [at, seq])
        self._db.execute(_KEEP_VECTORS, [seq])
        scope_id: int = found[0]
        return scope_id

    def _set_embedding(self, change: SetEmbedding) -> Outcome:
        signature_id = self._searched_by(change.embedding)
        if signature_id is None:
            return Outcome("", change.seq, applied=False)
        updated = self._db.execute(
            "UPDATE memories SET signature_id = ?, embedded_chars = ?, change = ? WHERE seq = ? AND version = ? "
            "RETURNING id",
            [signature_id, change.embedded_chars, self.next_change(), change.seq, change.version],
        ).fetchone()
        if updated is None:
            return Outcome("", change.seq, applied=False)
        self._clear_vectors(change.seq)
        self._put_vectors(change.seq, change.embedding)
        return Outcome(updated[0], change.seq, applied=True)

    def _add_vectors(self, change: AddVectors) -> Outcome:
        found = self._db.execute("SELECT id, version FROM memories WHERE seq = ?", [change.seq]).fetchone()
        if found is None or found[1] != change.version:
            return Outcome("", change.seq, applied=False)
        key = [change.seq, self._intern(change.embedding.signature)]
        self._db.execute("DELETE FROM vectors WHERE seq = ? AND signature_id = ?", key)
        self._db.execute("DELETE FROM token_vectors WHERE seq = ? AND signature_id = ?", key)
        self._put_vectors(change.seq, change.embedding)
        return Outcome(found[0], change.seq, applied=True)

    def _set_status(self, change: SetStatus) -> Outcome:
        at = rows.micros(change.at)
        clash = self._db.execute(_TWIN, [change.seq]).fetchone() if change.status is Status.ACTIVE else None
        if clash is not None:
            return Outcome(clash[0], clash[1], applied=False)
        if self.set_aside(change.seq, None, at) is None:
            return Outcome("", change.seq, applied=False)
        id_ = self._db.execute(
            "UPDATE memories SET status = ?1, superseded_by = CASE ?1 WHEN 'active' THEN NULL ELSE superseded_by END, "
            "updated_at = ?2, version = version + 1, change = ?3 WHERE seq = ?4 RETURNING id",
            [change.status.value, at, self.next_change(), change.seq],
        ).fetchone()[0]
        if change.status is Status.ACTIVE:
            self._db.execute("DELETE FROM links WHERE relation = 'supersedes' AND target = ?", [id_])
        outcome = Outcome(id_, change.seq, applied=True)
        self._remember(change.idempotency, outcome)
        return outcome

    def _keep_receipt(self, change: KeepReceipt) -> Outcome:
        found = self._db.execute("SELECT id FROM memories WHERE seq = ?", [change.seq]).fetchone()
        if found is None:
            return Outcome("", change.seq, applied=False)
        outcome = Outcome(found[0], change.seq, applied=True)
        self._remember(change.idempotency, outcome)
        return outcome

    def _erase(self, change: EraseMemory) -> Outcome:
        owner = self._db.execute("SELECT scope_id FROM memories WHERE seq = ?", [change.seq]).fetchone()
        if owner is None:
            return Outcome(change.id, change.seq, applied=False, counts={"memories": 0})
        self._gone(owner[0], change.seq)
        counts = self._erase_rows("seq = ?", [change.seq], change.at)
        outcome = Outcome(change.id, change.seq, applied=True, counts=counts)
        self._remember(change.idempotency, outcome)
        return outcome

    def _erase_scope(self, change: EraseScope) -> Outcome:
        scope_id = self._scope_id(change.scope)
        which = "scope_id = ?"
        bound: list[int | str] = [scope_id]
        if change.only is not None:  # one parameter, however many they are
            which, bound = f"{which} AND seq IN (SELECT value FROM json_each(?))", [scope_id, json.dumps(change.only)]
        self._db.execute(
            f"INSERT INTO erased (scope_id, change, seq) SELECT scope_id, ?, seq FROM memories WHERE {which}",
            [self.next_change(), *bound],
        )
        gone = tuple(id_ for (id_,) in self._db.execute(f"SELECT id FROM memories WHERE {which}", bound))
        counts = self._erase_rows(which, bound, change.at)
        if change.only is None:  # what a memory that moved away said here
            for name, count in erase.versions_of(self._db, scope_id).items():
                counts[name] += count
        outcome = Outcome("", 0, applied=True, counts=counts, erased=gone)
        self._remember(change.idempotency, outcome)
        return outcome

    def _erase_rows(self, which: str, bound: list[int | str], at: datetime | None) -> dict[str, int]:
        """Remove the chosen memories from every table; how many rows went from each."""
        for seq, by in readings.released(self._db, which, bound):
            self._restore(seq, by, 0 if at is None else rows.micros(at))
        return erase.rows_of(self._db, which, bound)

    def _restore(self, seq: int, by: str | None, at: int) -> None:
        """The successor is erased: the next one takes its place, or an equal one that is there, or it counts again."""
        (before,) = self._db.execute("SELECT updated_at FROM memories WHERE seq = ?", [seq]).fetchone()
        twin = self._db.execute(_TWIN, [seq]).fetchone()
        heir = by or (None if twin is None else twin[0])
        now = max(before + 1, at)
        self._db.execute(
            "UPDATE memories SET superseded_by = NULL WHERE seq = ?", [seq]
        )  # the version kept names nobody
        self.set_aside(seq, None, now)
        self._db.execute(
            "UPDATE memories SET status = ?, superseded_by = ?, updated_at = ?, version = version + 1, change = ? "
            "WHERE seq = ?",
            ["active" if heir is None else "superseded", heir, now, self.next_change(), seq],
        )

    def _put_record(self, change: PutRecord) -> Outcome:
        current = change.record.current
        memory, scope_id = current.memory, self._scope_id(current.memory.scope)
        there = self._db.execute("SELECT seq, scope_id FROM memories WHERE id = ?", [memory.id]).fetchone()
        if there is not None and not change.overwrite:
            return Outcome(memory.id, there[0], applied=False)
        if (clash := self._clash(scope_id, current.identity, memory)) is not None:
            return clash
        if there is not None:
            # Not an erasure: links that lead to it and the keys under which it was written stay.
            self._gone(there[1], there[0])
            for table in _OF_A_MEMORY:
                self._delete(table, "seq", there[0])
        put = self._insert(current)
        if put is None:
            raise StoreError(f"memory {memory.id} could not be put in its place")
        self.queue(put.seq, change.follow_up)
        readings.put(self._db, put.seq, change.record.reading)
        for form in change.record.earlier:
            self._put_version(put.seq, form)
        return Outcome(memory.id, put.seq, applied=True, counts={"memories": int(there is not None)})

    def _rewrite(self, change: RewriteMemory) -> Outcome:
        current, memory = change.record.current, change.record.current.memory
        scope_id = self._scope_id(memory.scope)
        key = [memory.seq, memory.id, memory.version]
        if self._db.execute("SELECT 1 FROM memories WHERE (seq, id, version) = (?, ?, ?)", key).fetchone() is None:
            return Outcome(memory.id, memory.seq, applied=False)
        if (clash := self._clash(scope_id, current.identity, memory)) is not None:
            return clash
        erase.words_of(self._db, memory.seq, memory.id)
        row = rows.values(memory, scope_id, self.next_change(), current.identity, None)
        self._db.execute(_UPDATE, [*row, memory.seq])
        self._db.execute("INSERT INTO lexical (seq, terms) VALUES (?, ?)", [memory.seq, " ".join(current.terms)])
        for form in change.record.earlier:
            self._put_version(memory.seq, form)
        self.queue(memory.seq, change.follow_up)
        return Outcome(memory.id, memory.seq, applied=True)

    def _put_version(self, seq: int, form: Form) -> None:
        memory = form.memory
        signature_id = None if form.embedding is None else self._intern(form.embedding.signature)
        row = rows.values(memory, self._scope_id(memory.scope), self.next_change(), form.identity, signature_id)
        self._db.execute(_PUT_VERSION, [*row, seq, rows.to_micros(form.replaced_at), " ".join(form.terms)])
        if form.embedding is not None:
            pieces = form.embedding.pieces.astype("<f4", copy=False).tobytes()
            self._db.execute(
                "INSERT INTO version_vectors (seq, version, signature_id, pieces) VALUES (?, ?, ?, ?)",
                [seq, memory.version, signature_id, pieces],
            )

    def _gone(self, scope_id: int, seq: int) -> None:
        """Tell every cache of the scope that the memory is not there any more."""
        self._db.execute(
            "INSERT INTO erased (scope_id, change, seq) VALUES (?, ?, ?)", [scope_id, self.next_change(), seq]
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
        return Outcome(id_, 0, applied=bool(applied), receipt=rows.to_receipt(receipt))

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
                rows.to_json({**outcome.told(request.receipt), "counts": dict(outcome.counts)}),
                rows.micros(request.at),
            ],
        )

    def _put_vectors(self, seq: int, embedding: Embedding | None) -> None:
        if embedding is not None:
            vectors.put(self._db, seq, self._intern(embedding.signature), embedding)

    def _clear_vectors(self, seq: int) -> None:
        self._delete("vectors", "seq", seq)
        self._delete("token_vectors", "seq", seq)

    def _put_links(self, seq: int, memory: Memory) -> None:
        for link in memory.links:
            self._db.execute(
                "INSERT INTO links (seq, relation, target, reason) VALUES (?, ?, ?, ?)",
                [seq, link.relation, link.target, link.reason],
            )

    def queue(self, seq: int, job: NewJob | None) -> None:
        """Note what a memory owes, if it does."""
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

    def next_change(self) -> int:
        """The number of the next change of the store."""
        self._change += 1
        return self._change

    def _scope_id(self, scope: Scope) -> int:
        if scope not in self._scope_ids:
            key = [scope.org_id, scope.key]
            self._scope_ids[scope] = self._number(
                "SELECT scope_id FROM scopes WHERE org_id = ? AND scope_key = ?",
                "INSERT INTO scopes (org_id, scope_key) VALUES (?, ?) RETURNING scope_id",
                key,
            )
        return self._scope_ids[scope]

    def _searched_by(self, embedding: Embedding | None) -> int | None:
        """The id of the embedding's signature if the store searches by it; the first one ever written decides that."""
        if embedding is None or self._lies_aside(embedding):
            return None
        if self._current is None:
            self._current = self._intern(embedding.signature)
            self._searched = embedding.signature
            self._db.execute("INSERT INTO store (key, value) VALUES ('signature', ?)", [str(self._current)])
        return self._current

    def _lies_aside(self, embedding: Embedding | None) -> bool:
        return embedding is not None and self._searched is not None and embedding.signature != self._searched

    def _intern(self, signature: EmbeddingSignature) -> int:
        if signature not in self._signature_ids:
            self._signature_ids[signature] = self._number(
                "SELECT signature_id FROM signatures WHERE model = ? AND dim = ? AND revision = ?",
                "INSERT INTO signatures (model, dim, revision) VALUES (?, ?, ?) RETURNING signature_id",
                [signature.model, signature.dim, signature.revision],
            )
        return self._signature_ids[signature]

    def _number(self, select: str, insert: str, key: Sequence[str | int]) -> int:
        """The number of a row that is there from now on."""
        found = self._db.execute(select, key).fetchone() or self._db.execute(insert, key).fetchone()
        number: int = found[0]
        return number


def _owed(memory: Memory, embedding: Embedding | None, signature_id: int | None) -> NewJob | None:
    """What a memory owes whose vectors are not those that the store searches by."""
    return None if embedding is None or signature_id is not None else NewJob(EMBED, memory.updated_at, {})
