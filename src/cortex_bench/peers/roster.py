"""The systems that are compared: where each driver is, how it was configured, what is switched off around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

PLAIN: Mapping[str, str] = MappingProxyType({})
# What is embedded of a turn where nothing is wrapped around it.
TEXT = "{}"


@dataclass(frozen=True, slots=True)
class Peer:
    """One system.

    ``name``: of its driver and its requirements. ``title``, ``package`` with its version, and ``configured`` stand in
    the table. ``searches``: how it is asked, by the name of the row, with the options that its driver takes.
    ``embeds``: the form in which it embeds a text, for the cache of vectors. ``given``: whether vectors are looked up
    in the cache when quality is measured.
    """

    name: str
    title: str
    package: str
    configured: str
    searches: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {"": PLAIN})
    embeds: str = TEXT
    given: bool = True


PEERS = (
    Peer(
        "cortex",
        "Cortex",
        "cortex-agent-memory",
        "as it comes; speaker, session, position and time in its fields",
        {"relevance": {"ranking": "relevance"}, "conversation": {"ranking": "conversation"}},
        given=False,
    ),
    Peer("mem0", "Mem0", "mem0ai", "`infer=False`, Qdrant in a folder, vectors and BM25; no spaCy model"),
    Peer(
        "mempalace",
        "MemPalace",
        "mempalace",
        "ChromaDB, a wing a user, a room a session, a drawer a turn",
        {"vector": {"strategy": "vector"}, "union": {"strategy": "union"}},
    ),
    Peer(
        "langgraph",
        "LangGraph store",
        "langgraph-checkpoint-sqlite",
        "`SqliteStore` with its index, which LangMem's tools write to",
    ),
    Peer(
        "llamaindex",
        "LlamaIndex memory",
        "llama-index-core",
        "`VectorMemoryBlock` over ChromaDB, a session a user",
        embeds="<message role='user'>{}</message>",
    ),
    Peer(
        "mcpmemory",
        "mcp-memory-service",
        "mcp-memory-service",
        "its storage class on SQLite with sqlite-vec, a store a user",
        {"semantic": {"mode": "semantic"}, "hybrid": {"mode": "hybrid"}},
    ),
    Peer(
        "chroma",
        "Chroma",
        "chromadb",
        "`PersistentClient`, a collection a user; the bare vector store",
    ),
)

# No peer reports home or finds a key; all is off by the settings that each documents.
ENVIRONMENT: Mapping[str, str] = MappingProxyType({
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
})  # fmt: skip
UNSET = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "PYTHONPATH")
