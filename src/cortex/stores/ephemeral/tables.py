"""The tables of the reference store, and who may look at them and change them."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

from cortex.errors import StoreClosed
from cortex.model.change import Known
from cortex.model.conflict import Conflict
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.job import NewJob
from cortex.model.memory import Memory, Status
from cortex.model.record import Form, Record
from cortex.model.scope import Scope
from cortex.model.understanding import Event, Reading

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """How a memory stands now, and the number of the change that wrote it last."""

    form: Form
    change: int

    @property
    def memory(self) -> Memory:
        """The memory itself."""
        return self.form.memory

    @property
    def place(self) -> tuple[Scope, bytes]:
        """What only one active memory may hold."""
        return self.memory.scope, self.form.identity


@dataclass(frozen=True, slots=True)
class Task:
    """A job and who holds it."""

    job_id: int
    seq: int
    work: NewJob
    run_at: datetime
    attempts: int = 0
    holder: str | None = None
    held_until: datetime | None = None
    error: str = ""


@dataclass(slots=True)
class Tables:
    """Everything that the store keeps.

    ``versions`` are old forms by seq, oldest first. ``spare`` has the vectors of other models than the one that is
    searched by, for each (seq, version). ``restart`` is the change before which no search cache is good any more.
    """

    rows: dict[int, Row] = field(default_factory=dict)
    versions: dict[int, tuple[Form, ...]] = field(default_factory=dict)
    spare: dict[tuple[int, int], dict[EmbeddingSignature, Embedding]] = field(default_factory=dict)
    scopes: dict[Scope, None] = field(default_factory=dict)
    gone: dict[Scope, list[tuple[int, int]]] = field(default_factory=dict)
    jobs: dict[int, Task] = field(default_factory=dict)
    keys: dict[tuple[str, str, str], Known] = field(default_factory=dict)
    readings: dict[int, Reading] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    signature: EmbeddingSignature | None = None
    change: int = 0
    restart: int = 0
    last_seq: int = 0
    last_job: int = 0

    def copied(self) -> Tables:
        """The same rows in dictionaries of their own."""
        return replace(
            self,
            rows=dict(self.rows),
            versions=dict(self.versions),
            spare={key: dict(vectors) for key, vectors in self.spare.items()},
            scopes=dict(self.scopes),
            gone={scope: list(items) for scope, items in self.gone.items()},
            jobs=dict(self.jobs),
            keys=dict(self.keys),
            readings=dict(self.readings),
            conflicts=dict(self.conflicts),
        )

    def record(self, seq: int) -> Record:
        """A memory with its old versions. Links are the memory's, not a version's: all forms show those of now."""
        now = self.rows[seq].form
        links, supersedes = now.memory.links, now.memory.supersedes
        earlier = [
            replace(form, memory=replace(form.memory, links=links, supersedes=supersedes))
            for form in self.versions.get(seq, ())
        ]
        return Record(owned(now), tuple(owned(form) for form in earlier), self.readings.get(seq))

    def forms(self, at: datetime | None = None) -> Iterator[Form]:
        """How every memory stands, or how those that were there stood at an instant."""
        for seq, row in self.rows.items():
            if at is None or row.memory.updated_at <= at:
                yield row.form
            elif seq in self.versions:
                yield from (form for form in self.record(seq).earlier if _stood(form, at))

    def event(self, seq: int) -> Event | None:
        """The event that was read from a memory."""
        reading = self.readings.get(seq)
        return None if reading is None else reading.event

    def vectors(self, form: Form) -> dict[EmbeddingSignature, Embedding]:
        """The vectors of a form, by the model that made them."""
        spare = self.spare.get((form.memory.seq, form.memory.version), {})
        return spare if form.embedding is None else spare | {form.embedding.signature: form.embedding}


class Shared:
    """The tables of one store, for all its doors."""

    def __init__(self) -> None:
        self._tables = Tables()
        self._lock = threading.Lock()
        self._closed = False

    def now(self) -> Tables:
        """The tables of this moment: they stay as they are, whatever is written."""
        with self._lock:
            return self._open()

    def write(self, work: Callable[[Tables], T]) -> T:
        """Let ``work`` change a copy, which takes the place of the tables if nothing fails."""
        with self._lock:
            tables = self._open().copied()
            result = work(tables)
            self._tables = tables
            return result

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._closed = True
            self._tables = Tables()

    def _open(self) -> Tables:
        if self._closed:
            raise StoreClosed("the ephemeral store was closed; open a new Cortex")
        return self._tables


def owned(form: Form) -> Form:
    """The form with objects of its own, so that nobody changes what the store keeps."""
    return replace(form, memory=copied(form.memory))


def copied(memory: Memory) -> Memory:
    """The memory with objects of its own."""
    return replace(memory, metadata=plain(memory.metadata), source=plain(memory.source))


def plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """A deep copy."""
    return copy.deepcopy(dict(value))


def _stood(form: Form, at: datetime) -> bool:
    return form.memory.updated_at <= at and (form.replaced_at is None or at < form.replaced_at)


def set_aside(tables: Tables, row: Row, at: datetime) -> None:
    """Keep the row as it stands as an old version."""
    seq = row.memory.seq
    tables.versions[seq] = (*tables.versions.get(seq, ()), replace(row.form, replaced_at=at))


def queue(tables: Tables, seq: int, work: NewJob | None) -> None:
    """Note the work that a memory owes, if there is any."""
    if work is not None:
        tables.last_job += 1
        own = replace(work, payload=plain(work.payload))
        tables.jobs[tables.last_job] = Task(tables.last_job, seq, own, own.run_at)


def holder(tables: Tables, scope: Scope, identity: bytes) -> Memory | None:
    """The active memory that has this identity in this scope."""
    rows = (row for row in tables.rows.values() if row.place == (scope, identity))
    return next((row.memory for row in rows if row.memory.status is Status.ACTIVE), None)


def seq_of(tables: Tables, id_: str) -> int | None:
    """The seq of the memory with this id."""
    return next((seq for seq, row in tables.rows.items() if row.memory.id == id_), None)


def next_change(tables: Tables) -> int:
    """The number of the next change."""
    tables.change += 1
    return tables.change
