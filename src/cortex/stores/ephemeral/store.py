"""The reference store: everything in dictionaries, forgotten with the process.

It shows what the port asks for in the plainest way and is as correct as it is slow: each commit works on
a copy of the tables, which takes the place of the old ones when nothing failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

from cortex.model.change import Applied, Batch, Prior
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.feed import Feed, IndexRow
from cortex.model.health import Count, StoreInfo
from cortex.model.memory import Memory, Status
from cortex.model.page import Details
from cortex.model.query import Order, Selection
from cortex.model.record import Form
from cortex.model.scope import Scope
from cortex.stores.ephemeral.doors import (
    EphemeralArchive,
    EphemeralJobs,
    EphemeralLedger,
    EphemeralMending,
    EphemeralReindexing,
)
from cortex.stores.ephemeral.knowledge import EphemeralKnowledge
from cortex.stores.ephemeral.select import selected
from cortex.stores.ephemeral.tables import Shared, Tables, copied
from cortex.stores.ephemeral.write import retry_later, write

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SCHEMA = 3
_UNDATED = 2**63 - 1


class EphemeralStore:
    """A `Store` in this process only."""

    def __init__(self) -> None:
        self._shared = Shared()
        self.jobs = EphemeralJobs(self._shared)
        self.ledger = EphemeralLedger(self._shared)
        self.reindexing = EphemeralReindexing(self._shared)
        self.archive = EphemeralArchive(self._shared)
        self.knowledge = EphemeralKnowledge(self._shared)
        self.mending = EphemeralMending(self._shared)

    def apply(self, batch: Batch) -> Applied:
        """Commit everything in the batch or nothing."""

        def work(tables: Tables) -> Applied:
            outcomes = tuple(write(tables, change, batch.grant.caller) for change in batch.changes)
            for job_id in batch.finished:
                tables.jobs.pop(job_id, None)
            for retry in batch.retries:
                retry_later(tables, retry)
            return Applied(outcomes, tables.change)

        return self._shared.write(work)

    def read(self, seqs: Sequence[int], at: datetime | None = None) -> list[Memory]:
        """The memories with these seqs that exist, in the order asked for; ``at``: as they were then."""
        found = {form.memory.seq: form.memory for form in self._shared.now().forms(at)}
        return [copied(found[seq]) for seq in seqs if seq in found]

    def resolve(self, scopes: Sequence[Scope], prefix: str, limit: int) -> list[tuple[str, int]]:
        """Ids in these scopes that start with ``prefix`` (lower-case hex), with their seqs, sorted by id."""
        memories = [row.memory for row in self._shared.now().rows.values() if row.memory.scope in scopes]
        return sorted((memory.id, memory.seq) for memory in memories if memory.id.startswith(prefix))[:limit]

    def known_scopes(self, org_id: str) -> list[Scope]:
        """Every scope of the organisation that was ever written to."""
        return sorted(scope for scope in self._shared.now().scopes if scope.org_id == org_id)

    def select(self, selection: Selection) -> list[Memory]:
        """Memories in order, after the cursor, up to the limit."""
        key = _sort_key(selection.order, self._shared.now())
        memories = sorted(self._chosen(selection), key=key)
        if selection.after is not None:
            direction = -1 if selection.order is Order.NEWEST else 1
            after = direction * selection.after[0], direction * selection.after[1]
            memories = [memory for memory in memories if key(memory) > after]
        return [copied(memory) for memory in memories[: selection.limit]]

    def matching(self, selection: Selection, *, details: bool) -> list[Details]:
        """The seqs that the selection has, in no order; with tags and metadata when ``details``."""
        memories = [copied(memory) for memory in self._chosen(selection)]
        return [Details(m.seq, m.tags, m.metadata) if details else Details(m.seq, (), {}) for m in memories]

    def count(self, selection: Selection) -> list[Count]:
        """How many memories the selection has (order, cursor and limit aside), by scope and nature."""
        memories = self._chosen(selection)
        counts = Counter((m.scope.key, m.kind.value, m.tier.value, m.status.value) for m in memories)
        return [Count(*nature, number) for nature, number in sorted(counts.items())]

    def feed(self, scope: Scope, since: int, signature: EmbeddingSignature, *, tokens: bool = False) -> Feed:
        """What changed in the scope after change number ``since``, with the vectors of that signature."""
        tables = self._shared.now()
        if scope in tables.scopes and 0 < since < tables.restart:
            return Feed((), (), since, restart=True)
        rows = [row for row in tables.rows.values() if row.memory.scope == scope and row.change > since]
        gone = [(change, seq) for change, seq in tables.gone.get(scope, ()) if change > since]
        newest = max([since, tables.restart, *(row.change for row in rows), *(change for change, _ in gone)])
        found = _index_rows(tables, [row.form for row in rows], signature, tokens=tokens)
        return Feed(found, tuple(seq for _, seq in gone), newest)

    def past(self, scope: Scope, at: datetime, signature: EmbeddingSignature) -> Feed:
        """Everything the scope held at an instant, with the vectors of that signature."""
        tables = self._shared.now()
        forms = [form for form in tables.forms(at) if form.memory.scope == scope]
        return Feed(_index_rows(tables, forms, signature), (), 0)

    def prior(self, scope: Scope, identities: Sequence[bytes]) -> Mapping[bytes, Prior]:
        """The active memories of this scope that have one of these identities."""
        forms = [form for form in self._shared.now().forms() if form.memory.scope == scope]
        active = [form for form in forms if form.memory.status is Status.ACTIVE]
        return {form.identity: _prior(form) for form in active if form.identity in identities}

    def info(self, *, deep: bool = False) -> StoreInfo:
        """The plain facts; ``deep`` also looks for rows that point to nothing."""
        tables = self._shared.now()
        busy = {job.seq for job in tables.jobs.values()}
        stray = [seq for seq in (*busy, *tables.versions) if seq not in tables.rows] if deep else []
        return StoreInfo(
            backend="ephemeral",
            location="this process",
            schema=_SCHEMA,
            engine="dictionaries",
            durability="none",
            signature=tables.signature,
            memories=len(tables.rows),
            pending=sum(row.form.embedding is None for row in tables.rows.values()),
            unowed=len({seq for seq, row in tables.rows.items() if row.form.embedding is None} - busy),
            jobs=len(tables.jobs),
            bytes=sum(_size(form) for form in tables.forms()),
            problems=(f"{len(stray)} rows point to nothing",) if stray else (),
            warnings=("the store dies with this process",),
        )

    def close(self) -> None:
        """Forget everything; the store cannot be used afterwards. Closing twice is allowed."""
        self._shared.close()

    def _chosen(self, selection: Selection) -> Iterator[Memory]:
        at = selection.now if selection.past else None
        tables = self._shared.now()
        memories = (form.memory for form in tables.forms(at))
        return (memory for memory in memories if selected(memory, selection, tables.event(memory.seq)))


def _sort_key(order: Order, tables: Tables) -> Callable[[Memory], tuple[int, int]]:
    match order:
        case Order.NEWEST:
            return lambda memory: (-memory.seq, -memory.seq)
        case Order.OLDEST:
            return lambda memory: (memory.seq, memory.seq)
        case Order.EVENT:
            return lambda memory: (_micros(memory.event_time) or 0, memory.seq)
        case Order.HAPPENED:
            return lambda memory: (_happened(memory, tables), memory.seq)
        case _:
            assert_never(order)


def _happened(memory: Memory, tables: Tables) -> int:
    event = tables.event(memory.seq)
    at = _micros(memory.event_time or (None if event is None else event.event_time))
    return _UNDATED if at is None else at


def _index_rows(
    tables: Tables, forms: Sequence[Form], signature: EmbeddingSignature, *, tokens: bool = False
) -> tuple[IndexRow, ...]:
    in_order = sorted(forms, key=lambda form: form.memory.seq)
    return tuple(_index_row(form, tables.vectors(form).get(signature), tokens=tokens) for form in in_order)


def _index_row(form: Form, vectors: Embedding | None, *, tokens: bool) -> IndexRow:
    memory = form.memory
    own = vectors.token_vectors if tokens and vectors is not None else None
    return IndexRow(
        seq=memory.seq,
        status=memory.status.value,
        clearance=int(memory.clearance_min),
        expires_at=_micros(memory.expires_at),
        valid_from=_micros(memory.valid_from),
        valid_to=_micros(memory.valid_to),
        terms=" ".join(form.terms),
        pieces=None if vectors is None else vectors.pieces.astype("<f4").tobytes(),
        current=form.replaced_at is None,
        session=memory.session,
        position=memory.position,
        speaker=memory.speaker,
        role=None if memory.role is None else memory.role.value,
        tokens=None if own is None else own.tobytes(),
        token_width=None if own is None else own.shape[1],
    )


def _prior(form: Form) -> Prior:
    memory = form.memory
    until = min((at for at in (memory.expires_at, memory.valid_to) if at is not None), default=None)
    return Prior(memory.id, memory.seq, memory.scope.key, form.embedding is None, memory.embedded_chars, until)


def _micros(at: datetime | None) -> int | None:
    return None if at is None else (at - _EPOCH) // timedelta(microseconds=1)


def _size(form: Form) -> int:
    vectors = 0 if form.embedding is None else form.embedding.pieces.nbytes
    return len(form.memory.content) + vectors
