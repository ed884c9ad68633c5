"""Cortex itself, with its fields for speaker, session, position and time, in the environment of this checkout."""

import re
from zlib import crc32

import numpy as np
from shim import serve

from cortex import Cortex as Store
from cortex import EmbedResult

WORDS, WIDTH = 4096, 64


class Known:
    """The vectors of the cache, and for each word a token vector: a random one, since only its cost counts."""

    def __init__(self, embed, signature):
        self._embed, self.signature = embed, signature
        table = np.random.default_rng(0).normal(size=(WORDS, WIDTH)).astype(np.float32)
        self._table = table / np.linalg.norm(table, axis=1, keepdims=True)

    def embed(self, texts):
        """As the model that ships answers: a vector a text, and one a token."""
        words = [list(re.finditer(r"\S+", text)) for text in texts]
        tokens = [self._table[[crc32(word[0].encode()) % WORDS for word in found]] for found in words]
        spans = [[word.span() for word in found] for found in words]
        return EmbedResult(self._embed(list(texts)), sum(map(len, words)), token_vectors=tokens, token_spans=spans)


class Cortex:
    """A scope is a user."""

    def open(self, path, embed):
        """Open the file; with its own embedder where the vectors are not given."""
        known = None
        if embed.cached:
            with Store(":memory:") as shipped:
                known = Known(embed, shipped.health().embedder)
        self._cortex = Store(f"{path}/store.db", embedder=known)

    def add(self, user, items):
        """One call a batch."""
        receipts = self._cortex.memorize_many([
            {"content": item["text"], "scope": f"project:{user}", "metadata": {"key": item["id"]}}
            | {"event_time": item["time"]}
            | {name: item[name] for name in ("speaker", "session", "position")}
            for item in items
        ])  # fmt: skip
        errors = [receipt.error for receipt in receipts if receipt.error]
        if errors:
            raise RuntimeError(errors[0])

    def search(self, user, query, k, ranking="relevance"):
        """Recall in the scope."""
        answer = self._cortex.recall(query, scope=f"project:{user}", limit=k, ranking=ranking)
        if answer.degraded:
            raise RuntimeError(f"degraded: {answer.notes}")
        return [hit.memory.metadata["key"] for hit in answer.hits]

    def ids(self, user):
        """Every memory of the scope."""
        found, page = [], None
        while page is None or page.next_cursor:
            page = self._cortex.list_memories(
                scope=f"project:{user}", limit=1000, cursor=page.next_cursor if page else None
            )
            found += [memory.metadata["key"] for memory in page.memories]
        return found

    def close(self):
        """Release the file."""
        self._cortex.close()


serve(Cortex())
