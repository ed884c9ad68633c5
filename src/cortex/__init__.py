"""Cortex: long-term memory for AI agents.

The public names are imported when first used, so that the command line and the MCP handshake do not
pay for the engine.
"""

from __future__ import annotations

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from cortex.app.aio import AsyncCortex
    from cortex.app.cortex import Cortex
    from cortex.app.embedders import configured_embedder, configured_llm
    from cortex.app.models import chat_model
    from cortex.errors import CortexError
    from cortex.model.change import Receipt
    from cortex.model.embedding import EmbeddingSignature, EmbedResult
    from cortex.model.generation import GenResult
    from cortex.model.health import Health, Stats
    from cortex.model.layers import Layers
    from cortex.model.memory import Clearance, Draft, Kind, Memory, Role, Status, Tier
    from cortex.model.page import Page
    from cortex.model.query import Fusion, Ranking
    from cortex.model.ranking import AssistantWeights, ConversationWeights
    from cortex.model.scope import Scope
    from cortex.model.score import Hit, Recall
    from cortex.providers.cached import CachedEmbedder

__all__ = [
    "AssistantWeights",
    "AsyncCortex",
    "CachedEmbedder",
    "Clearance",
    "ConversationWeights",
    "Cortex",
    "CortexError",
    "Draft",
    "EmbedResult",
    "EmbeddingSignature",
    "Fusion",
    "GenResult",
    "Health",
    "Hit",
    "Kind",
    "Layers",
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
    "chat_model",
    "configured_embedder",
    "configured_llm",
]

_HOMES = {
    "cortex.app.aio": "AsyncCortex",
    "cortex.app.cortex": "Cortex",
    "cortex.app.embedders": "configured_embedder configured_llm",
    "cortex.app.models": "chat_model",
    "cortex.errors": "CortexError",
    "cortex.model.change": "Receipt",
    "cortex.model.embedding": "EmbedResult EmbeddingSignature",
    "cortex.model.generation": "GenResult",
    "cortex.model.health": "Health Stats",
    "cortex.model.layers": "Layers",
    "cortex.model.memory": "Clearance Draft Kind Memory Role Status Tier",
    "cortex.model.page": "Page",
    "cortex.model.query": "Fusion Ranking",
    "cortex.model.ranking": "AssistantWeights ConversationWeights",
    "cortex.model.scope": "Scope",
    "cortex.model.score": "Hit Recall",
    "cortex.providers.cached": "CachedEmbedder",
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(_importlib.import_module(module), name)
    raise AttributeError(f"module 'cortex' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
