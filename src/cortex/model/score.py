"""What a recall answers: hits, each with its score, the parts of it and a citation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from cortex.model.memory import Memory
from cortex.model.quick import quickly_made


class LegScore(NamedTuple):
    """Where one retrieval leg put a memory: 1-based rank and the leg's own score."""

    rank: int
    score: float


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Enough to name a source in an answer."""

    id: str
    scope: str
    author: str
    created_at: datetime
    clearance: str
    source: Mapping[str, Any]
    score: float
    excerpt: str


@quickly_made
@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, why it stands where it stands, and how to cite it.

    ``parts`` maps each leg that found it (dense, lexical), or each signal of the ranking, to its rank and score.
    ``weights``: how much each part counts, where the score is their weighted sum (`assistant`, `engineering`).
    """

    memory: Memory
    score: float
    parts: Mapping[str, LegScore]
    citation: Citation
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that is not among the hits, and why."""

    id: str
    reason: str
    parts: Mapping[str, LegScore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to one question.

    ``legs`` ran; ``degraded`` could not, with the cause in ``notes``. ``pending`` counts the memories
    of these scopes that have no vector yet and are found by their words only; ``notes`` also say how many earlier
    versions, in a recall of the past, have no vectors of this model and never get any. ``times`` are the instants
    that the given dates meant, by name; ranges are half-open.
    """

    hits: tuple[Hit, ...]
    legs: tuple[str, ...]
    degraded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    pending: int = 0
    limit: int = 0
    ranking: str = "relevance"
    fusion: str = "calibrated"
    times: Mapping[str, datetime] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
