"""Two memories that cannot both hold, and what was decided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from cortex.model.scope import Scope


class ConflictState(StrEnum):
    """Whether a conflict waits for somebody (open), or how it ended."""

    OPEN = "open"
    AUTO_RESOLVED = "auto_resolved"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"


class Resolution(StrEnum):
    """What is kept: one of the two, the other being superseded; or both, since they do not clash after all."""

    KEEP_NEWER = "keep_newer"
    KEEP_OLDER = "keep_older"
    KEEP_BOTH = "keep_both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two memories, by id, that contradict each other.

    ``similarity`` is their cosine, ``confidence`` (0–1) how sure the ``detector`` is, ``reason`` what clashes.
    ``decided_by`` is who or what decided, once somebody did.
    """

    id: str
    scope: Scope
    older: str
    newer: str
    similarity: float | None
    detector: str
    confidence: float
    reason: str
    state: ConflictState
    found_at: datetime
    resolution: Resolution | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
