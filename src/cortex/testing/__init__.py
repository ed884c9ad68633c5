"""Fakes, factories and contract suites: for the tests of Cortex, of its plugs and of what is built on it.

The contract suites need pytest and hypothesis, so they are loaded when they are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from cortex.testing.clock import FrozenClock
from cortex.testing.embedder import Failure, FakeEmbedder
from cortex.testing.factories import add, commit, embedding, grant, memory
from cortex.testing.provider import FakeProvider

if TYPE_CHECKING:
    from cortex.testing.contracts.embedder import EmbedderContract
    from cortex.testing.contracts.llm import LLMProviderContract
    from cortex.testing.contracts.store import RecordStoreContract
    from cortex.testing.contracts.traces import TextTracesContract
else:
    _CONTRACTS = {
        "EmbedderContract": "cortex.testing.contracts.embedder",
        "LLMProviderContract": "cortex.testing.contracts.llm",
        "RecordStoreContract": "cortex.testing.contracts.store",
        "TextTracesContract": "cortex.testing.contracts.traces",
    }

    def __getattr__(name: str) -> type:
        """A contract suite."""
        if name not in _CONTRACTS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_CONTRACTS[name]), name)


__all__ = [
    "EmbedderContract",
    "Failure",
    "FakeEmbedder",
    "FakeProvider",
    "FrozenClock",
    "LLMProviderContract",
    "RecordStoreContract",
    "TextTracesContract",
    "add",
    "commit",
    "embedding",
    "grant",
    "memory",
]
