"""What the store says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cortex.model.embedding import EmbeddingSignature


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreInfo:
    """The plain facts of a store: where it is, how it keeps, what made its vectors, what is owed.

    ``pending`` memories wait for their vectors; for ``unowed`` of them there is no job.
    """

    backend: str
    location: str
    schema: int
    engine: str
    durability: str
    signature: EmbeddingSignature | None
    memories: int
    pending: int
    jobs: int
    bytes: int
    unowed: int = 0
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether everything works: ``ok``, or the problems with their remedies.

    ``llm``: service and model of the language model that is configured; nobody was asked whether it answers. Empty for
    none.
    """

    ok: bool
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    store: StoreInfo
    embedder: EmbeddingSignature
    embedder_ready: bool
    llm: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How many memories there are, by scope, kind, tier and status, and what the search cache holds.

    Those that expired or are not valid now are left out, as in recall; ``Health.store`` counts every row.
    """

    memories: int
    scopes: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    tiers: Mapping[str, int] = field(default_factory=dict)
    statuses: Mapping[str, int] = field(default_factory=dict)
    pending: int = 0
    store_bytes: int = 0
    cache_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Count:
    """How many memories of one scope share kind, tier and status."""

    scope: str
    kind: str
    tier: str
    status: str
    memories: int
