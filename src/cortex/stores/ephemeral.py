"""The reference store: everything in dictionaries, forgotten with the process.

It shows what the port asks for in the plainest way and is as correct as it is slow: each commit works on
a copy of the tables, which takes the place of the old ones when nothing failed.
"""

from __future__ import annotations

import copy
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, assert_never

from cortex.errors import StoreClosed, StoreError
from cortex.model.change import (
    AddMemory,
    Applied,
    Batch,
    Change,
    EraseMemory,
    Idempotency,
    Outcome,
    Prior,
    ReplaceMemory,
    SetEmbedding,
    SetStatus,
)
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.feed import Feed, IndexRow
from cortex.model.health import Count, StoreInfo
from cortex.model.job import Job, NewJob, Retry
from cortex.model.memory import EmbeddingState, Memory, Status
from cortex.model.page import Details
from cortex.model.policy import Caller
from cortex.model.query import Filter, Order, Selection
from cortex.model.scope import Scope

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Row:
    """A memory with what is found of it, and the number of the change that wrote it last."""

    memory: Memory
    identity: bytes
    terms: tuple[str, ...]
    embedding: Embedding | None
    change: int

    @property
    def place(self) -> tuple[Scope, bytes]:
        """What only one active memory may hold."""
        return self.memory.scope, self.identity


@dataclass(frozen=True, slots=True)
class _Job:
    job_id: int
    seq: int
    work: NewJob
    run_at: datetime
    attempts: int = 0
    holder: str | None = None
    held_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Key:
    """What an idempotency key stands for; ``request`` is None once the memory is erased."""

    request: bytes | None
    outcome: Outcome


@dataclass(slots=True)
class _Tables:
    rows: dict[int, _Row] = field(default_factory=dict)
    scopes: dict[Scope, None] = field(default_factory=dict)
    gone: dict[Scope, list[tuple[int, int]]] = field(default_factory=dict)
    jobs: dict[int, _Job] = field(default_factory=dict)
    keys: dict[tuple[str, str, str], _Key] = field(default_factory=dict)
    signature: EmbeddingSignature | None = None
    change: int = 0
    last_seq: int = 0
    last_job: int = 0

    def copied(self) -> _Tables:
        """The same rows in dictionaries of their own."""
        return replace(
            self,
            rows=dict(self.rows),
            scopes=dict(self.scopes),
            gone={scope: list(items) for scope, items in self.gone.items()},
            jobs=dict(self.jobs),
            keys=dict(self.keys),
        )


class EphemeralStore:
    """A `RecordStore` in this process only."""

    def __init__(self) -> None:
        self._tables = _Tables()
        self._lock = threading.Lock()
        self._closed = False

    def apply(self, batch: Batch) -> Applied:
        """Commit everything in the batch or nothing."""
        with self._lock:
            tables = self._open().copied()
            outcomes = tuple(_write(tables, change, batch.grant.caller) for change in batch.changes)
            for job_id in batch.finished:
                tables.jobs.pop(job_id, None)
            for retry in batch.retries:
                _retry(tables, retry)
            self._tables = tables
            return Applied(outcomes, tables.change)

    def read(self, seqs: Sequence[int]) -> list[Memory]:
        """The memories with these seqs that exist, in the order asked for."""
        rows = self._now().rows
        return [_given(rows[seq]) for seq in seqs if seq in rows]

    def resolve(self, scopes: Sequence[Scope], prefix: str, limit: int) -> list[tuple[str, int]]:
        """Ids in these scopes that start with ``prefix`` (lower-case hex), with their seqs, sorted by id."""
        memories = [row.memory for row in self._now().rows.values() if row.memory.scope in scopes]
        return sorted((memory.id, memory.seq) for memory in memories if memory.id.startswith(prefix))[:limit]

    def known_scopes(self, org_id: str) -> list[Scope]:
        """Every scope of the organisation that was ever written to."""
        return sorted(scope for scope in self._now().scopes if scope.org_id == org_id)

    def select(self, selection: Selection) -> list[Memory]:
        """Memories in order, after the cursor, up to the limit."""
        key = _sort_key(selection.order)
        memories = sorted((row.memory for row in self._chosen(selection)), key=key)
        if selection.after is not None:
            direction = -1 if selection.order is Order.NEWEST else 1
            after = direction * selection.after[0], direction * selection.after[1]
            memories = [memory for memory in memories if key(memory) > after]
        return [_copied(memory) for memory in memories[: selection.limit]]

    def matching(self, selection: Selection, *, details: bool) -> list[Details]:
        """The seqs that the selection has, in no order; with tags and metadata when ``details``."""
        memories = [_given(row) for row in self._chosen(selection)]
        return [Details(m.seq, m.tags, m.metadata) if details else Details(m.seq, (), {}) for m in memories]

    def count(self, selection: Selection) -> list[Count]:
        """How many memories the selection has (order, cursor and limit aside), by scope and nature."""
        memories = [row.memory for row in self._chosen(selection)]
        counts = Counter((m.scope.key, m.kind.value, m.tier.value, m.status.value) for m in memories)
        return [Count(*nature, number) for nature, number in sorted(counts.items())]

    def feed(self, scope: Scope, since: int, signature: EmbeddingSignature) -> Feed:
        """What changed in the scope after change number ``since``, with the vectors of that signature."""
        tables = self._now()
        rows = [row for row in tables.rows.values() if row.memory.scope == scope and row.change > since]
        gone = [(change, seq) for change, seq in tables.gone.get(scope, ()) if change > since]
        newest = max([since, *(row.change for row in rows), *(change for change, _ in gone)])
        rows.sort(key=lambda row: row.memory.seq)
        return Feed(tuple(_index_row(row, signature) for row in rows), tuple(seq for _, seq in gone), newest)

    def prior(self, scope: Scope, identities: Sequence[bytes]) -> Mapping[bytes, Prior]:
        """The active memories of this scope that have one of these identities."""
        rows = self._now().rows.values()
        active = [row for row in rows if row.memory.scope == scope and row.memory.status is Status.ACTIVE]
        return {row.identity: _prior(row) for row in active if row.identity in identities}

    def lease(self, owner: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Take up to ``limit`` due jobs that nobody holds; they are the owner's until then."""
        with self._lock:
            jobs = self._open().jobs
            free = [job for job in jobs.values() if job.held_until is None or job.held_until <= now]
            due = sorted((job for job in free if job.run_at <= now), key=lambda job: (job.run_at, job.job_id))
            taken = [replace(job, holder=owner, held_until=until, attempts=job.attempts + 1) for job in due[:limit]]
            # A new dictionary: readers of the old one are not disturbed.
            self._tables = replace(self._tables, jobs=jobs | {job.job_id: job for job in taken})
        jobs_given = [Job(j.job_id, j.work.kind, j.seq, copy.deepcopy(j.work.payload), j.attempts) for j in taken]
        return sorted(jobs_given, key=lambda job: job.job_id)

    def info(self, *, deep: bool = False) -> StoreInfo:
        """The plain facts; ``deep`` also looks for rows that point to nothing."""
        tables = self._now()
        stray = [job for job in tables.jobs.values() if job.seq not in tables.rows] if deep else []
        return StoreInfo(
            backend="ephemeral",
            location="this process",
            schema=1,
            engine="dictionaries",
            durability="none",
            signature=tables.signature,
            memories=len(tables.rows),
            pending=sum(row.embedding is None for row in tables.rows.values()),
            jobs=len(tables.jobs),
            bytes=sum(_size(row) for row in tables.rows.values()),
            problems=(f"{len(stray)} rows point to nothing",) if stray else (),
            warnings=("the store dies with this process",),
        )

    def close(self) -> None:
        """Forget everything; the store cannot be used afterwards. Closing twice is allowed."""
        with self._lock:
            self._closed = True
            self._tables = _Tables()

    def _open(self) -> _Tables:
        if self._closed:
            raise StoreClosed("the ephemeral store was closed; open a new Cortex")
        return self._tables

    def _now(self) -> _Tables:
        with self._lock:
            return self._open()

    def _chosen(self, selection: Selection) -> Iterator[_Row]:
        return (row for row in self._now().rows.values() if _selected(row, selection))


# --- writing ------------------------------------------------------------------------------------------


def _write(tables: _Tables, change: Change, caller: Caller) -> Outcome:
    match change:
        case AddMemory():
            return _known(tables, change.idempotency, caller) or _add(tables, change, caller)
        case ReplaceMemory():
            return _replace(tables, change)
        case SetEmbedding():
            return _set_embedding(tables, change)
        case SetStatus():
            return _set_status(tables, change)
        case EraseMemory():
            return _erase(tables, change)
        case _:
            assert_never(change)


def _add(tables: _Tables, change: AddMemory, caller: Caller) -> Outcome:
    tables.scopes[change.memory.scope] = None
    if any(row.memory.id == change.memory.id for row in tables.rows.values()):
        raise StoreError(f"the id {change.memory.id} is taken")
    survivor = _holder(tables, change.memory.scope, change.identity)
    if survivor is None or change.memory.status is not Status.ACTIVE:
        tables.last_seq += 1
        added = replace(_copied(change.memory), seq=tables.last_seq)
        _put(tables, added, change)
        outcome = Outcome(added.id, added.seq, applied=True)
    else:
        outcome = Outcome(survivor.id, survivor.seq, applied=False)
    if change.idempotency is not None:
        receipt = copy.deepcopy(dict(change.idempotency.receipt))
        kept = Outcome(outcome.id, 0, outcome.applied, receipt=receipt)
        tables.keys[caller.org_id, caller.user, change.idempotency.key] = _Key(change.idempotency.request, kept)
    return outcome


def _replace(tables: _Tables, change: ReplaceMemory) -> Outcome:
    memory = change.memory
    holder = _holder(tables, memory.scope, change.identity)
    if holder is not None and holder.seq != memory.seq and memory.status is Status.ACTIVE:
        return Outcome(holder.id, holder.seq, applied=False)
    old = tables.rows.get(memory.seq)
    if old is None or old.memory.version != memory.version - 1:
        return Outcome(memory.id, memory.seq, applied=False)
    if old.memory.scope != memory.scope:
        tables.scopes[memory.scope] = None
        _bury(tables, old)
    _drop_jobs(tables, memory.seq)
    _put(tables, _copied(memory), change)
    return Outcome(memory.id, memory.seq, applied=True)


def _set_embedding(tables: _Tables, change: SetEmbedding) -> Outcome:
    row = tables.rows.get(change.seq)
    if row is None or row.memory.version != change.version:
        return Outcome("", change.seq, applied=False)
    memory = replace(
        row.memory,
        embedding=EmbeddingState.READY,
        signature=change.embedding.signature,
        embedded_chars=change.embedded_chars,
    )
    _sign(tables, change.embedding)
    tables.rows[change.seq] = replace(row, memory=memory, embedding=change.embedding, change=_next_change(tables))
    return Outcome(memory.id, change.seq, applied=True)


def _set_status(tables: _Tables, change: SetStatus) -> Outcome:
    row = tables.rows.get(change.seq)
    if row is None:
        return Outcome("", change.seq, applied=False)
    holder = _holder(tables, *row.place)
    if change.status is Status.ACTIVE and holder is not None and holder.seq != change.seq:
        raise StoreError(f"memory {holder.id} has taken the place of {row.memory.id}")
    memory = replace(row.memory, status=change.status, updated_at=change.at)
    tables.rows[change.seq] = replace(row, memory=memory, change=_next_change(tables))
    return Outcome(memory.id, change.seq, applied=True)


def _erase(tables: _Tables, change: EraseMemory) -> Outcome:
    row = tables.rows.pop(change.seq, None)
    if row is None:
        return Outcome(change.id, change.seq, applied=False, counts={"memories": 0})
    counts = {
        "vectors": int(row.embedding is not None),
        "token_vectors": int(row.embedding is not None and row.embedding.token_vectors is not None),
        "text_index": 1,
        "links": len(row.memory.links) + _unlink(tables, change.id),
        "jobs": _drop_jobs(tables, change.seq),
        "memories": 1,
    }
    _bury(tables, row)
    # The digest of an erased text is a trace of it; the key itself goes on answering.
    forgotten = {name: replace(key, request=None) for name, key in tables.keys.items() if key.outcome.id == change.id}
    tables.keys |= forgotten
    return Outcome(change.id, change.seq, applied=True, counts=counts)


def _put(tables: _Tables, memory: Memory, change: AddMemory | ReplaceMemory) -> None:
    if change.embedding is None:
        memory = replace(memory, embedding=EmbeddingState.PENDING, signature=None)
    else:
        memory = replace(memory, embedding=EmbeddingState.READY, signature=change.embedding.signature)
        _sign(tables, change.embedding)
    row = _Row(memory, change.identity, change.terms, change.embedding, _next_change(tables))
    tables.rows[memory.seq] = row
    if change.follow_up is not None:
        tables.last_job += 1
        work = replace(change.follow_up, payload=copy.deepcopy(dict(change.follow_up.payload)))
        tables.jobs[tables.last_job] = _Job(tables.last_job, memory.seq, work, work.run_at)


def _known(tables: _Tables, request: Idempotency | None, caller: Caller) -> Outcome | None:
    if request is None:
        return None
    key = tables.keys.get((caller.org_id, caller.user, request.key))
    if key is None:
        return None
    if key.request != request.request:
        return Outcome(key.outcome.id, 0, applied=False, conflict=True)
    return copy.deepcopy(key.outcome)


def _holder(tables: _Tables, scope: Scope, identity: bytes) -> Memory | None:
    """The active memory that has this identity in this scope."""
    rows = (row for row in tables.rows.values() if row.place == (scope, identity))
    return next((row.memory for row in rows if row.memory.status is Status.ACTIVE), None)


def _retry(tables: _Tables, retry: Retry) -> None:
    job = tables.jobs.get(retry.job_id)
    if job is not None:
        tables.jobs[retry.job_id] = replace(job, run_at=retry.run_at, holder=None, held_until=None)


def _bury(tables: _Tables, row: _Row) -> None:
    """Note that the scope no longer has the memory, so that searchers drop it."""
    tables.gone.setdefault(row.memory.scope, []).append((_next_change(tables), row.memory.seq))


def _unlink(tables: _Tables, id_: str) -> int:
    """Remove every link to a memory and tell how many there were."""
    removed = 0
    for seq, row in tables.rows.items():
        links = tuple(link for link in row.memory.links if link.target != id_)
        if links != row.memory.links:
            removed += len(row.memory.links) - len(links)
            supersedes = tuple(target for target in row.memory.supersedes if target != id_)
            tables.rows[seq] = replace(row, memory=replace(row.memory, links=links, supersedes=supersedes))
    return removed


def _drop_jobs(tables: _Tables, seq: int) -> int:
    jobs = [job_id for job_id, job in tables.jobs.items() if job.seq == seq]
    for job_id in jobs:
        del tables.jobs[job_id]
    return len(jobs)


def _sign(tables: _Tables, embedding: Embedding) -> None:
    """The first signature ever written becomes the store's."""
    tables.signature = tables.signature or embedding.signature


def _next_change(tables: _Tables) -> int:
    tables.change += 1
    return tables.change


# --- reading ------------------------------------------------------------------------------------------


def _selected(row: _Row, selection: Selection) -> bool:
    memory = row.memory
    return (
        memory.scope in selection.scopes
        and memory.clearance_min <= selection.clearance
        and (memory.expires_at is None or memory.expires_at > selection.now)
        and (memory.valid_from is None or memory.valid_from <= selection.now)
        and (memory.valid_to is None or memory.valid_to > selection.now)
        and selection.embedding in (None, memory.embedding)
        and (selection.order is not Order.EVENT or memory.event_time is not None)
        and _passes(memory, selection.filter)
    )


def _passes(memory: Memory, wanted: Filter) -> bool:
    return (
        (not wanted.kinds or memory.kind in wanted.kinds)
        and (not wanted.tiers or memory.tier in wanted.tiers)
        and (not wanted.statuses or memory.status in wanted.statuses)
        and wanted.session in (None, memory.session)
        and wanted.author in (None, memory.author)
        and wanted.speaker in (None, memory.speaker)
        and (wanted.min_importance is None or memory.importance >= wanted.min_importance)
        and _between(memory.created_at, wanted.created_since, wanted.created_until)
        and _between(memory.event_time, wanted.event_since, wanted.event_until)
    )


def _between(at: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if at is None:
        return since is None and until is None
    return (since is None or at >= since) and (until is None or at < until)


def _sort_key(order: Order) -> Callable[[Memory], tuple[int, int]]:
    match order:
        case Order.NEWEST:
            return lambda memory: (-memory.seq, -memory.seq)
        case Order.OLDEST:
            return lambda memory: (memory.seq, memory.seq)
        case Order.EVENT:
            return lambda memory: (_micros(memory.event_time) or 0, memory.seq)
        case _:
            assert_never(order)


def _index_row(row: _Row, signature: EmbeddingSignature) -> IndexRow:
    memory = row.memory
    ours = row.embedding is not None and row.embedding.signature == signature
    return IndexRow(
        seq=memory.seq,
        status=memory.status.value,
        clearance=int(memory.clearance_min),
        expires_at=_micros(memory.expires_at),
        valid_from=_micros(memory.valid_from),
        valid_to=_micros(memory.valid_to),
        terms=" ".join(row.terms),
        pieces=row.embedding.pieces.astype("<f4").tobytes() if row.embedding is not None and ours else None,
    )


def _prior(row: _Row) -> Prior:
    memory = row.memory
    until = min((at for at in (memory.expires_at, memory.valid_to) if at is not None), default=None)
    return Prior(memory.id, memory.seq, memory.scope.key, row.embedding is None, memory.embedded_chars, until)


def _given(row: _Row) -> Memory:
    return _copied(row.memory)


def _copied(memory: Memory) -> Memory:
    """The memory with objects of its own, so that nobody changes what the store keeps."""
    return replace(memory, metadata=_plain(memory.metadata), source=_plain(memory.source))


def _plain(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return copy.deepcopy(dict(value))


def _micros(at: datetime | None) -> int | None:
    return None if at is None else (at - _EPOCH) // timedelta(microseconds=1)


def _size(row: _Row) -> int:
    vectors = 0 if row.embedding is None else row.embedding.pieces.nbytes
    return len(row.memory.content) + vectors
