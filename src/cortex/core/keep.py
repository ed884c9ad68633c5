"""What is kept of a draft: the memory, its identity, and the texts it is found by."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from cortex.core.text import (
    Piece,
    analyse,
    detect_language,
    embedding_text,
    fingerprint,
    lexical_text,
    split_pieces,
)
from cortex.model.change import Prior
from cortex.model.embedding import Embedding
from cortex.model.job import EMBED, NewJob
from cortex.model.memory import Draft, EmbeddingState, Memory
from cortex.model.policy import Caller

EMBEDDED_CHARS = 20_000


def remember(draft: Draft, *, id: str, caller: Caller, now: datetime) -> Memory:
    """The memory that a draft becomes; its vectors are still owed."""
    said = _said(draft) | {"agent": draft.agent or caller.agent}
    return Memory(id=id, created_at=now, updated_at=now, author=caller.user, **said, **found(draft.content))


def revise(memory: Memory, draft: Draft, *, now: datetime) -> Memory:
    """The next version of a memory: what the draft says, with the id, author and creation of the old one."""
    return replace(
        memory,
        **_said(draft),
        **found(draft.content),
        updated_at=now,
        version=memory.version + 1,
        embedding=EmbeddingState.PENDING,
        signature=None,
        embedded_chars=0,
    )


def as_draft(memory: Memory) -> Draft:
    """The draft that would make this memory again."""
    return Draft(**_said(memory))


def _said(source: Draft | Memory) -> dict[str, Any]:
    """Everything that a caller says of a memory."""
    return {field.name: getattr(source, field.name) for field in fields(Draft) if field.name != "idempotency_key"}


def found(content: str) -> dict[str, Any]:
    """Everything that the text itself says."""
    return {"fingerprint": fingerprint(content), "language": detect_language(content)}


def identity(memory: Memory) -> bytes:
    """16 bytes that two memories of one scope share exactly when one repeats the other.

    They do when text (fingerprint), kind, session, speaker, position, event time and clearance agree.
    """
    parts = [
        memory.fingerprint.hex(),
        memory.kind.value,
        memory.session,
        memory.speaker,
        memory.position,
        None if memory.event_time is None else memory.event_time.isoformat(),
        int(memory.clearance_min),
    ]
    return blake2b(json.dumps(parts).encode(), digest_size=16).digest()


def facts(memory: Memory) -> dict[str, Any]:
    """What the receipt of a kept memory says of it."""
    return {
        "scope": memory.scope.key,
        "pending": memory.embedding is EmbeddingState.PENDING,
        "version": memory.version,
        "content_chars": len(memory.content),
        "embedded_chars": memory.embedded_chars,
    }


def request_digest(verb: str, value: object) -> bytes:
    """16 bytes that tell one request from another under the same idempotency key."""
    return blake2b(f"{verb}:{value!r}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def survives(prior: Prior, now: datetime) -> bool:
    """Whether an equal memory can still be recalled; one that has run out gives way to the new one."""
    return prior.visible_until is None or prior.visible_until > now


def terms(memory: Memory) -> tuple[str, ...]:
    """The analysed tokens a memory is found by: speaker, content and the date of its event."""
    return tuple(analyse(lexical_text(memory.content, memory.speaker, memory.event_time)))


def pieces(memory: Memory) -> list[str]:
    """The texts to embed: the first 20,000 characters, cut to what a small model reads at once."""
    spans: list[Piece] = split_pieces(memory.content, limit_chars=EMBEDDED_CHARS)
    return [embedding_text(memory.content[span.start : span.end], memory.speaker) for span in spans]


def embedded_chars(memory: Memory) -> int:
    """How many characters of the content the pieces cover."""
    return min(len(memory.content), EMBEDDED_CHARS)


def with_embedding(memory: Memory, embedding: Embedding | None, now: datetime) -> tuple[Memory, NewJob | None]:
    """The memory as it stands with its vectors; without them it is pending, and the job that makes them."""
    if embedding is None:
        return memory, NewJob(EMBED, now, {})
    ready = replace(
        memory,
        embedding=EmbeddingState.READY,
        signature=embedding.signature,
        embedded_chars=embedded_chars(memory),
    )
    return ready, None
