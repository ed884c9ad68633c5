"""What may be written: changes, the batch that commits them at once, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cortex.model.conflict import Conflict, ConflictState, Resolution
from cortex.model.embedding import Embedding
from cortex.model.job import NewJob, Retry
from cortex.model.memory import Link, Memory, Status
from cortex.model.policy import Grant
from cortex.model.quick import quickly_made
from cortex.model.record import Record
from cortex.model.redaction import Masked
from cortex.model.scope import Scope
from cortex.model.understanding import Reading


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's key for one request: its digest, and the receipt to repeat when the key comes again."""

    key: str
    request: bytes
    at: datetime
    receipt: Mapping[str, Any] = field(default_factory=dict)


@quickly_made
@dataclass(frozen=True, slots=True)
class AddMemory:
    """Keep a new memory, unless an active one has the same ``identity``: then that one survives.

    ``terms`` are the analysed tokens of its lexical text, in order, repeats included.
    ``follow_up`` is queued only if the memory was really added.
    """

    memory: Memory
    identity: bytes
    terms: tuple[str, ...]
    embedding: Embedding | None
    follow_up: NewJob | None = None
    idempotency: Idempotency | None = None
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class ReplaceMemory:
    """Put a new version in the place of the one whose version is ``memory.version - 1``, which is kept aside."""

    memory: Memory
    identity: bytes
    terms: tuple[str, ...]
    embedding: Embedding | None
    follow_up: NewJob | None = None
    idempotency: Idempotency | None = None
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class SetReading:
    """Put in what was read from a text, with the fields of the memory that follow from it, and queue what is owed.

    Only if it still has the version of ``memory``; this is no new version.
    """

    memory: Memory
    reading: Reading
    follow_up: NewJob | None = None


@dataclass(frozen=True, slots=True)
class Supersede:
    """Let one memory take the place of another, which stays and can be restored; both then say so.

    ``seq`` is the one that gives way, if it is active and has this version; ``by`` the id of one that is active.
    """

    seq: int
    version: int
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AddLink:
    """Link a memory to another one, both by id; a link that is there is left as it is."""

    source: str
    link: Link


@dataclass(frozen=True, slots=True)
class RemoveLinks:
    """Remove every link of one sort that leads to a memory."""

    target: str
    relation: str


@dataclass(frozen=True, slots=True)
class AddConflict:
    """Note that two memories contradict each other, unless that is known, or one of them is not there."""

    conflict: Conflict


@dataclass(frozen=True, slots=True)
class Decide:
    """End a conflict that nobody decided yet; who loses by it is superseded by another change of the batch."""

    id: str
    state: ConflictState
    resolution: Resolution
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SetEmbedding:
    """Give vectors to the memory that still has this version; a changed or erased one is left alone."""

    seq: int
    version: int
    embedding: Embedding
    embedded_chars: int


@dataclass(frozen=True, slots=True)
class SetStatus:
    """Take a memory out of recall, or put it back: a new version that differs in nothing else.

    One that is active again is superseded by nothing any more.
    """

    seq: int
    status: Status
    at: datetime
    idempotency: Idempotency | None = None


@dataclass(frozen=True, slots=True)
class KeepReceipt:
    """Nothing has to change, since all is as it was asked for: keep the request with its receipt, and no more.

    It is not applied for a memory that is not there.
    """

    seq: int
    idempotency: Idempotency


@dataclass(frozen=True, slots=True)
class EraseMemory:
    """Remove every trace of a memory, old versions included. What it had superseded counts again, from ``at`` on."""

    seq: int
    id: str
    idempotency: Idempotency | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EraseScope:
    """Remove every trace of every memory of a scope, or of those of them that are named by seq.

    What these had superseded, and stays, counts again from ``at`` on.
    """

    scope: Scope
    idempotency: Idempotency | None = None
    only: tuple[int, ...] | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PutRecord:
    """Take over a memory from elsewhere just as it is there, with its id, times and old versions.

    One that has its id is overwritten if ``overwrite``, else left as it is. The outcome counts the ``memories`` that
    were overwritten: one or none.
    """

    record: Record
    overwrite: bool = False
    follow_up: NewJob | None = None


@dataclass(frozen=True, slots=True)
class RewriteMemory:
    """Put other words into a memory and into all its earlier versions, and remove every trace of those before.

    Only if it still has the version of the record's memory, which it keeps, as it keeps its seq and times; this is no
    new version. Its vectors, and what was read from it, noted between it and others or owed, go; digests of requests
    are blanked and reasons of links emptied, since both tell of the words. Not applied, with the other's id, where an
    active memory says the same as the rewritten one.
    """

    record: Record
    follow_up: NewJob | None = None


@dataclass(frozen=True, slots=True)
class AddVectors:
    """Give a memory vectors of one more model, beside those it has; only if it still has this version."""

    seq: int
    version: int
    embedding: Embedding


@dataclass(frozen=True, slots=True)
class Touch:
    """Count that these memories were returned at an instant; one that stands here twice is counted twice.

    This is no new version and no change that searchers hear of. What is not there any more is passed over.
    """

    seqs: tuple[int, ...]
    at: datetime


# What a caller may ask for under an idempotency key.
Request = AddMemory | ReplaceMemory | SetStatus | KeepReceipt | EraseMemory | EraseScope
# What follows from the layers of a write.
Layered = SetReading | Supersede | AddLink | RemoveLinks | AddConflict | Decide
Change = Request | SetEmbedding | PutRecord | RewriteMemory | AddVectors | Touch | Layered


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes and jobs that happen together or not at all, on the authority of a grant."""

    grant: Grant
    changes: tuple[Change, ...] = ()
    finished: tuple[int, ...] = ()
    retries: tuple[Retry, ...] = ()


@quickly_made
@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one change: the memory it ended at, and counts of what it touched.

    ``receipt`` is set where the idempotency key was known, ``conflict`` where it stood for another request.
    ``erased``: the ids of the memories that went with a scope, those included that were kept a moment before.
    ``pending``: the memory waits for vectors though it came with some, which are of another model than the store's.
    """

    id: str
    seq: int
    applied: bool
    counts: Mapping[str, int] = field(default_factory=dict)
    receipt: Mapping[str, Any] | None = None
    conflict: bool = False
    pending: bool = False
    erased: tuple[str, ...] = ()

    def told(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The facts of a receipt, as they became."""
        return {**facts, "pending": True, "embedded_chars": 0} if self.pending else dict(facts)


@quickly_made
@dataclass(frozen=True, slots=True)
class Applied:
    """The outcomes of a batch, one a change, in order; ``change`` numbers the store's newest change."""

    outcomes: tuple[Outcome, ...]
    change: int


@dataclass(frozen=True, slots=True)
class Known:
    """A request that was made before under an idempotency key: its digest (empty when erased) and its outcome."""

    request: bytes
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Prior:
    """The active memory that has the identity of a write, and how long it can be recalled."""

    id: str
    seq: int
    scope: str
    pending: bool
    embedded_chars: int
    visible_until: datetime | None = None


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The answer to a write.

    ``deduplicated``: an equal memory was there, ``id`` is its. ``pending``: stored and found by its words,
    its vector is still owed. ``embedded_chars`` of ``content_chars`` are searched by meaning; all of them
    by words. ``counts`` says what an erasure removed, a kind of trace each; ``remaining`` names the files that may
    still hold it: backups, and the store's own while others keep its traces from being removed. ``ids`` are the
    memories that a filter chose (None without one), ``times`` the instants that its dates meant. ``error``: why this
    item of a list was not stored. What layers did, by id: ``superseded`` gave their place to this memory,
    ``superseded_by`` keeps its own, ``conflicts`` wait for somebody to decide, ``linked`` are near. ``redacted``: the
    secrets that were masked, by field, kind and place in the text as it was handed in. ``notes`` say what is missing,
    and what else there is to know.
    """

    verb: str
    id: str | None = None
    scope: str | None = None
    deduplicated: bool = False
    pending: bool = False
    version: int | None = None
    content_chars: int = 0
    embedded_chars: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    remaining: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None
    times: Mapping[str, datetime] = field(default_factory=dict)
    superseded: tuple[str, ...] = ()
    superseded_by: str | None = None
    conflicts: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    redacted: tuple[Masked, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    error_code: str | None = None
