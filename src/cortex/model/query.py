"""What one may ask: filters, selections of rows, and a recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from cortex.model.memory import Clearance, EmbeddingState, Kind, Status, Tier
from cortex.model.scope import Scope

MAX_LIMIT = 1000


class Ranking(StrEnum):
    """How recall orders what it found."""

    RELEVANCE = "relevance"
    CONVERSATION = "conversation"
    ASSISTANT = "assistant"
    ENGINEERING = "engineering"


# Those that look at how often and when a memory was returned, and so count it.
COUNTING = frozenset({Ranking.ASSISTANT, Ranking.ENGINEERING})


class Fusion(StrEnum):
    """How the lists of several retrieval legs become one."""

    CALIBRATED = "calibrated"
    RRF = "rrf"
    MINMAX = "minmax"


class Operator(StrEnum):
    """What a metadata condition may test."""

    EQ = "eq"
    IN = "in"
    CONTAINS = "contains"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a metadata key. Comparison is type-aware: 2 is 2.0, but not "2" and not true."""

    key: str
    operator: Operator
    value: Any


@dataclass(frozen=True, slots=True)
class Inside:
    """Tests of what an object under a key holds; where there is no object, of an empty one."""

    key: str
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these groups of tests holds."""

    groups: tuple[tuple[Test, ...], ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Not all of these tests hold."""

    tests: tuple[Test, ...]


Test: TypeAlias = Condition | Inside | AnyOf | Not


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories count. Every field narrows; empty fields do not. Times are half-open [since, until)."""

    kinds: frozenset[Kind] = frozenset()
    tiers: frozenset[Tier] = frozenset()
    statuses: frozenset[Status] = frozenset({Status.ACTIVE})
    tags: tuple[str, ...] = ()
    metadata: tuple[Test, ...] = ()
    session: str | None = None
    author: str | None = None
    speaker: str | None = None
    min_importance: int | None = None
    created_since: datetime | None = None
    created_until: datetime | None = None
    event_since: datetime | None = None
    event_until: datetime | None = None

    @property
    def trivial(self) -> bool:
        """Whether only the status narrows, and to active."""
        return self == _ACTIVE_ONLY

    @property
    def times(self) -> dict[str, datetime]:
        """The ends that are set, by name: what the times of a question meant."""
        named = {name: getattr(self, name) for name in _TIMES}
        return {name: at for name, at in named.items() if at is not None}


_ACTIVE_ONLY = Filter()
_TIMES = ("created_since", "created_until", "event_since", "event_until")


class Order(StrEnum):
    """The order of a listing; ties fall to the sequence.

    ``event``: by the event time that was given, those without left out; ``happened``: by the one that was given or read
    from the text, those that tell of an event without a date last.
    """

    NEWEST = "newest"
    OLDEST = "oldest"
    EVENT = "event"
    HAPPENED = "happened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Rows a store shall supply: the caller's scopes and clearance, a filter, an order, a page.

    Rows outside their validity or expired at ``now`` are left out. ``past``: not what the store holds now,
    but what it held at ``now``. ``after`` is the cursor: the (order key, seq) of the last row seen. Tags and
    metadata are not the store's business.
    """

    scopes: Sequence[Scope]
    clearance: Clearance
    now: datetime
    past: bool = False
    filter: Filter = Filter()
    embedding: EmbeddingState | None = None
    order: Order = Order.NEWEST
    after: tuple[int, int] | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One page: of which scopes, within what, in which order, how many, from where."""

    scopes: Sequence[Scope]
    filter: Filter
    order: Order
    limit: int
    cursor: str | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What to erase of a scope: what passes the filter, or all of it; or only to tell."""

    scope: Scope
    filter: Filter | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One recall: the text, how many hits, within what, ordered how; ``diversity`` 0–1, 0 for none."""

    text: str
    limit: int = 5
    filter: Filter = Filter()
    ranking: Ranking = Ranking.RELEVANCE
    fusion: Fusion = Fusion.CALIBRATED
    diversity: float = 0.0
    explain: bool = False
    as_of: datetime | None = None
