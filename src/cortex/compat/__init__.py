"""Names under which other programs of this kind are known, thin and on the facade.

They are imported when first used.
"""

from __future__ import annotations

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from cortex.compat.engine import (
        ABSTAIN_SENTINEL,
        RRF_K,
        CortexMemory,
        InMemoryStore,
        Remembered,
        hybrid_retrieve,
    )
    from cortex.model.embedding import EmbedResult
    from cortex.model.generation import GenResult
    from cortex.ports import LLMProvider
    from cortex.providers.cached import CachedEmbedder
    from cortex.providers.gemini import GeminiProvider
    from cortex.providers.remembered import CachedProvider
    from cortex.stores.sqlite.store import SQLiteStore
    from cortex.testing import FakeProvider

__all__ = [
    "ABSTAIN_SENTINEL",
    "RRF_K",
    "CachedEmbedder",
    "CachedProvider",
    "CortexMemory",
    "EmbedResult",
    "FakeProvider",
    "GeminiProvider",
    "GenResult",
    "InMemoryStore",
    "LLMProvider",
    "Remembered",
    "SQLiteStore",
    "hybrid_retrieve",
]

_HOMES = {
    "cortex.compat.engine": "ABSTAIN_SENTINEL RRF_K CortexMemory InMemoryStore Remembered hybrid_retrieve",
    "cortex.model.embedding": "EmbedResult",
    "cortex.model.generation": "GenResult",
    "cortex.ports": "LLMProvider",
    "cortex.providers.cached": "CachedEmbedder",
    "cortex.providers.gemini": "GeminiProvider",
    "cortex.providers.remembered": "CachedProvider",
    "cortex.stores.sqlite.store": "SQLiteStore",
    "cortex.testing": "FakeProvider",
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(_importlib.import_module(module), name)
    raise AttributeError(f"module 'cortex.compat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
