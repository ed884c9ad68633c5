"""mcp-memory-service through its storage class, SQLite with sqlite-vec, in process and without its server."""

import asyncio
import hashlib
import sys

import pysqlite3
from shim import DIM, serve

# The index is an SQLite extension, and many builds of Python cannot load one; this drop-in can.
sys.modules["sqlite3"] = pysqlite3

from mcp_memory_service.models.memory import Memory  # noqa: E402 - after the line above
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage  # noqa: E402


class Plug:
    """The shared embedder as a sentence transformer."""

    def __init__(self, embed):
        self._embed = embed

    def encode(self, texts, **_):
        """float32 [texts, 384]."""
        return self._embed(list(texts))


class Storage(SqliteVecMemoryStorage):
    """The storage with the shared embedder, which it would else load by name from a hub."""

    plug = None

    async def _initialize_embedding_model(self):
        self.embedding_model, self.embedding_dimension = self.plug, DIM


class McpMemory:
    """A store, its partition, is a user."""

    def open(self, path, embed):
        """Open the file."""
        self._runner = asyncio.Runner()
        self._storage = Storage(f"{path}/memory.db")
        self._storage.plug = Plug(embed)
        self._runner.run(self._storage.initialize())

    def add(self, user, items):
        """One batch; a hash of user and id, so that equal texts are kept apart."""
        memories = [
            Memory(
                item["plain"], hashlib.sha256(f"{user}/{item['id']}".encode()).hexdigest(), metadata={"key": item["id"]}
            )
            for item in items
        ]
        for kept, message in self._runner.run(self._storage.store_batch(memories, store=user)):
            if not kept:
                raise RuntimeError(message)

    def search(self, user, query, k, mode="semantic"):
        """By meaning, or its own mixture with BM25."""
        ask = self._storage.retrieve_hybrid if mode == "hybrid" else self._storage.retrieve
        return [found.memory.metadata["key"] for found in self._runner.run(ask(query, n_results=k, store=user))]

    def ids(self, user):
        """Every memory of the partition."""
        found = self._runner.run(self._storage.get_all_memories(store=user))
        return [memory.metadata["key"] for memory in found]

    def close(self):
        """Release the file."""
        self._runner.run(self._storage.close())
        self._runner.close()


serve(McpMemory())
