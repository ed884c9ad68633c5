"""What Cortex keeps: a memory and the words that describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from cortex.model.embedding import EmbeddingSignature
from cortex.model.quick import quickly_made
from cortex.model.scope import Scope


class Kind(StrEnum):
    """What sort of statement a memory is."""

    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    ERROR = "error"
    PATTERN = "pattern"
    CONTEXT = "context"
    INSTRUCTION = "instruction"
    EVENT = "event"
    RELATIONSHIP = "relationship"
    PROJECT = "project"
    SUMMARY = "summary"


class Tier(StrEnum):
    """How a memory is held: always loaded, for a session, for a while, for good, or not yet processed."""

    IDENTITY = "identity"
    SESSION = "session"
    WORKING = "working"
    LONG_TERM = "long_term"
    BUFFER = "buffer"


class Status(StrEnum):
    """Whether a memory takes part in recall; erased memories are gone and have no status."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"


class Role(StrEnum):
    """Who spoke in a conversation."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Clearance(IntEnum):
    """The least clearance a reader must have."""

    PUBLIC = 0
    INTERNAL = 1
    CONFIDENTIAL = 2
    RESTRICTED = 3


class EmbeddingState(StrEnum):
    """Whether the vectors of a memory are there (ready) or still owed (pending)."""

    READY = "ready"
    PENDING = "pending"


# The entry of `Memory.source` that says how far it is to be trusted, and its value for text that is suspicious.
TRUST, LOW_TRUST = "trust", "low"


def is_low_trust(source: Mapping[str, Any]) -> bool:
    """Whether the ``source`` of a memory has the mark of low trust, in whatever case it is written."""
    given = source.get(TRUST)
    return isinstance(given, str) and given.strip().casefold() == LOW_TRUST


# What may be read from a text where the caller does not say it, in this order.
INFERRED = ("kind", "importance", "tags", "emotion")


@dataclass(frozen=True, slots=True)
class Link:
    """A directed connection to another memory, with the reason for it."""

    relation: str
    target: str
    reason: str = ""


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing worth remembering.

    Times are aware UTC with microseconds. ``event_time`` says when it happened; ``valid_from`` and
    ``valid_to`` (exclusive) when it holds; ``created_at`` when we knew. ``seq`` orders memories of one store.
    ``said`` names those of `INFERRED` that the caller said; the others were read from the text, or are defaults.
    """

    id: str
    scope: Scope
    content: str
    created_at: datetime
    updated_at: datetime
    seq: int = 0
    author: str = ""
    agent: str | None = None
    session: str | None = None
    position: int | None = None
    speaker: str | None = None
    role: Role | None = None
    kind: Kind = Kind.FACT
    tier: Tier = Tier.LONG_TERM
    status: Status = Status.ACTIVE
    fingerprint: bytes = b""
    language: str | None = None
    importance: int = 5
    emotion: float | None = None
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict)
    clearance_min: Clearance = Clearance.INTERNAL
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    working_until: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    superseded_by: str | None = None
    supersedes: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    version: int = 1
    embedding: EmbeddingState = EmbeddingState.PENDING
    signature: EmbeddingSignature | None = None
    embedded_chars: int = 0

    @property
    def low_trust(self) -> bool:
        """Whether its text reads like orders to a model, or somebody marked it so."""
        return is_low_trust(self.source)


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory as a caller hands it in: only the content is required. Unset fields take defaults.

    Kind, importance, tags and emotion that are not said (None) may be read from the text, where that is switched on.
    """

    content: str
    kind: Kind | None = None
    tier: Tier = Tier.LONG_TERM
    tags: tuple[str, ...] | None = None
    scope: Scope
    speaker: str | None = None
    role: Role | None = None
    session: str | None = None
    position: int | None = None
    agent: str | None = None
    importance: int | None = None
    emotion: float | None = None
    confidence: float = 1.0
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    clearance_min: Clearance = Clearance.INTERNAL
    idempotency_key: str | None = None
