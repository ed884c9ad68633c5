"""Cortex: long-term memory for AI agents."""

from __future__ import annotations

from cortex.app.aio import AsyncCortex
from cortex.app.cortex import Cortex
from cortex.errors import CortexError
from cortex.model.change import Receipt
from cortex.model.embedding import EmbeddingSignature, EmbedResult
from cortex.model.health import Health, Stats
from cortex.model.memory import Clearance, Draft, Kind, Memory, Role, Status, Tier
from cortex.model.page import Page
from cortex.model.query import Fusion, Ranking
from cortex.model.scope import Scope
from cortex.model.score import Hit, Recall

__all__ = [
    "AsyncCortex",
    "Clearance",
    "Cortex",
    "CortexError",
    "Draft",
    "EmbedResult",
    "EmbeddingSignature",
    "Fusion",
    "Health",
    "Hit",
    "Kind",
    "Memory",
    "Page",
    "Ranking",
    "Recall",
    "Receipt",
    "Role",
    "Scope",
    "Stats",
    "Status",
    "Tier",
]
