"""Valid values in one line: memories, grants, embeddings, changes and the batch that commits them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import count
from typing import Any

import numpy as np

from cortex.model.change import AddMemory, Batch, Change, Idempotency, Outcome
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.job import NewJob
from cortex.model.memory import Clearance, EmbeddingState, Memory
from cortex.model.policy import Action, Caller, Grant
from cortex.model.scope import Scope
from cortex.model.understanding import Reading
from cortex.ports import Store

SIGNATURE = EmbeddingSignature("fake", 4, "1")
WRITTEN_AT = datetime(2026, 5, 31, 12, 0, 0, 123456, tzinfo=UTC)
_numbers = count(1)


def memory(content: str = "Ada prefers tea", *, scope: str | Scope = "user:ada", **fields: Any) -> Memory:
    """A memory as the engine would hand it to a store, with an id of its own; ``fields`` are of `Memory`."""
    number = next(_numbers)
    given: dict[str, Any] = {
        "id": blake2b(str(number).encode(), digest_size=16).hexdigest(),
        "created_at": WRITTEN_AT,
        "updated_at": WRITTEN_AT,
        "author": "ada",
        "fingerprint": _digest(content.casefold().split()),
    }
    return Memory(content=content, scope=Scope(scope) if isinstance(scope, str) else scope, **(given | fields))


def grant(
    *scopes: Scope, action: Action = Action.WRITE, user: str = "ada", clearance: Clearance = Clearance.RESTRICTED
) -> Grant:
    """Permission for a user's action in these scopes."""
    return Grant(Caller(user), action, scopes, clearance)


def embedding(*rows: Sequence[float], signature: EmbeddingSignature = SIGNATURE, tokens: int = 0) -> Embedding:
    """Vectors as they are given, one row a piece (one if none is given), with ``tokens`` token vectors."""
    pieces = np.array(rows or [[1.0] + [0.0] * (signature.dim - 1)], dtype=np.float32)
    token_vectors = np.full((tokens, 8), 45, dtype=np.int8) if tokens else None
    return Embedding(signature, pieces, token_vectors)


def add(
    kept: Memory,
    vectors: Embedding | None = None,
    *,
    follow_up: NewJob | None = None,
    idempotency: Idempotency | None = None,
    reading: Reading | None = None,
) -> AddMemory:
    """The change that adds a memory, with its words as terms and an identity as the engine would make it."""
    if vectors is not None:
        kept = replace(
            kept,
            embedding=EmbeddingState.READY,
            signature=vectors.signature,
            embedded_chars=len(kept.content),
        )
    return AddMemory(kept, identity(kept), terms(kept), vectors, follow_up, idempotency, reading)


def identity(kept: Memory) -> bytes:
    """16 bytes that are equal for memories that say the same in the same place."""
    return _digest([kept.fingerprint, kept.kind, kept.session, kept.speaker, kept.position, kept.event_time])


def terms(kept: Memory) -> tuple[str, ...]:
    """The words of the content."""
    return tuple(kept.content.casefold().split())


def commit(store: Store, *changes: Change, user: str = "ada") -> list[Outcome]:
    """Commit changes on the authority of a user and give their outcomes."""
    return list(store.apply(Batch(grant=grant(user=user), changes=changes)).outcomes)


def _digest(parts: Sequence[object]) -> bytes:
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
