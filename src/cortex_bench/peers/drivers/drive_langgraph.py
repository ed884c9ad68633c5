"""LangGraph's SqliteStore with a vector index: the long-term store that LangMem's tools write to."""

import sys
from contextlib import ExitStack

import pysqlite3
from shim import DIM, serve

# The index is an SQLite extension, and many builds of Python cannot load one; this drop-in can.
sys.modules["sqlite3"] = pysqlite3

from langgraph.store.base import PutOp  # noqa: E402 - after the line above
from langgraph.store.sqlite import SqliteStore  # noqa: E402


class LangGraph:
    """A namespace is a user; the text is the indexed field of the value."""

    def open(self, path, embed):
        """Open the file and lay its tables."""
        index = {"dims": DIM, "embed": embed.lists}
        self._stack = ExitStack()
        self._store = self._stack.enter_context(SqliteStore.from_conn_string(f"{path}/store.db", index=index))
        self._store.setup()

    def add(self, user, items):
        """One batch of puts; the field is named here, since the store does not heed `fields` of its index."""
        values = ((item["id"], {"text": item["plain"]}) for item in items)
        self._store.batch([PutOp(("memories", user), key, value, index=["text"]) for key, value in values])

    def search(self, user, query, k):
        """The nearest by cosine."""
        return [found.key for found in self._store.search(("memories", user), query=query, limit=k)]

    def ids(self, user):
        """Every key of the namespace."""
        return [found.key for found in self._store.search(("memories", user), limit=1_000_000)]

    def close(self):
        """Release the file."""
        self._stack.close()


serve(LangGraph())
