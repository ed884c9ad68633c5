"""How it is put together: from settings to an engine with its plugs."""

from __future__ import annotations

import secrets
from datetime import tzinfo
from pathlib import Path

from cortex.app.clock import SystemClock
from cortex.app.settings import Settings
from cortex.engine.deps import Deps
from cortex.engine.index import Index
from cortex.errors import ConfigurationError
from cortex.ports import Embedder, RecordStore
from cortex.providers.local import LocalEmbedder
from cortex.stores.sqlite.store import SQLiteStore

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_SQLITE = "sqlite:///"


def open_store(location: str, settings: Settings) -> RecordStore:
    """The store at a path, ``:memory:`` or a URL."""
    if location.startswith(_SQLITE):
        location = location.removeprefix(_SQLITE) or ":memory:"
    if "://" in location:
        raise ConfigurationError(
            f"store {location.split('://')[0]}:// is unknown; expected a path, :memory: or sqlite:///path"
        )
    path = location if location == ":memory:" else str(Path(location).expanduser().absolute())
    return SQLiteStore(path, durability=settings.sqlite_synchronous.upper(), busy_seconds=settings.busy_seconds)


def choose_embedder(settings: Settings) -> LocalEmbedder:
    """The local embedder that the settings name; nothing is loaded yet."""
    own = settings.embed_model != DEFAULT_MODEL
    embedder = LocalEmbedder(Path(settings.embed_model).expanduser() if own else None, threads=settings.embed_threads)
    if settings.embed_dim is not None and settings.embed_dim != embedder.signature.dim:
        raise ConfigurationError(
            f"CORTEX_EMBED_DIM={settings.embed_dim}, but {embedder.signature}: set the right one or leave it out"
        )
    return embedder


def assemble(store: RecordStore, embedder: Embedder, settings: Settings, zone: tzinfo, *, wait: bool) -> Deps:
    """The plugs of one engine."""
    return Deps(
        store=store,
        embedder=embedder,
        index=Index(store, embedder.signature, settings.vector_cache_mb * 2**20),
        clock=SystemClock(),
        new_id=lambda: secrets.token_hex(16),
        ready=lambda: not isinstance(embedder, LocalEmbedder) or embedder.ready,
        zone=zone,
        top_k=settings.top_k,
        wait=wait,
    )
