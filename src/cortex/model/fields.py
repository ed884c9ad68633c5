"""The keywords of the verbs: what a caller may say of a memory, a filter, a recall.

All are optional. A key that is not given means the default (or, in an update, what is there already).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypedDict

from cortex.model.memory import Clearance, Kind, Role, Status, Tier
from cortex.model.query import Fusion, Order, Ranking
from cortex.model.scope import Scope

Time = datetime | date | str
Scopes = str | Scope | Sequence[str | Scope]


class Described(TypedDict, total=False):
    """What can be said of a memory besides its content."""

    kind: Kind | str | None
    tags: Sequence[str] | None
    scope: str | Scope | None
    speaker: str | None
    role: Role | str | None
    session: str | None
    position: int | None
    event_time: Time | None
    metadata: Mapping[str, Any] | None
    importance: int | None
    emotion: float | None
    confidence: float | None
    tier: Tier | str | None
    agent: str | None
    source: Mapping[str, Any] | None
    clearance_min: Clearance | str | int | None
    valid_from: Time | None
    valid_to: Time | None
    expires_at: Time | None


class MemoryFields(Described, total=False):
    """What a caller can say when a memory is kept; the same key again means the same call."""

    idempotency_key: str | None


class Item(MemoryFields):
    """One memory of a list to keep."""

    content: str


class Changes(MemoryFields, total=False):
    """What an update may change; the same idempotency key again means the same update."""

    content: str


class FilterFields(TypedDict, total=False):
    """Which memories count; times are inclusive, a bare date is the whole day."""

    kinds: Sequence[Kind | str] | Kind | str | None
    tiers: Sequence[Tier | str] | Tier | str | None
    statuses: Sequence[Status | str] | Status | str | None
    tags: Sequence[str] | None
    metadata: Mapping[str, Any] | None
    session: str | None
    author: str | None
    speaker: str | None
    min_importance: int | None
    created_since: Time | None
    created_until: Time | None
    event_since: Time | None
    event_until: Time | None


class CountFields(FilterFields, total=False):
    """What to count."""

    scope: Scopes | None
    as_of: Time | None


class ErasureFields(FilterFields, total=False):
    """What to erase of a scope, and whether only to tell."""

    dry_run: bool | None


class ListFields(CountFields, total=False):
    """What to list, in which order, how many, from where."""

    limit: int | None
    order: Order | str | None
    cursor: str | None


class RecallFields(CountFields, total=False):
    """How to answer a question."""

    limit: int | None
    ranking: Ranking | str | None
    fusion: Fusion | str | None
    diversity: float | None
    explain: bool | None


class TimelineFields(TypedDict, total=False):
    """Which stretch of time; both ends are inclusive, a bare date is the whole day."""

    since: Time | None
    until: Time | None
    limit: int | None
    scope: Scopes | None
    as_of: Time | None
    kinds: Sequence[Kind | str] | Kind | str | None
    tags: Sequence[str] | None
    cursor: str | None
