"""What is kept of a draft: the memory, its identity, and the texts it is found by."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

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
    return Memory(
        id=id,
        scope=draft.scope,
        content=draft.content,
        created_at=now,
        updated_at=now,
        author=caller.user,
        agent=draft.agent or caller.agent,
        session=draft.session,
        position=draft.position,
        speaker=draft.speaker,
        role=draft.role,
        kind=draft.kind,
        tier=draft.tier,
        fingerprint=fingerprint(draft.content),
        language=detect_language(draft.content),
        importance=draft.importance,
        confidence=draft.confidence,
        tags=draft.tags,
        metadata=draft.metadata,
        source=draft.source,
        clearance_min=draft.clearance_min,
        event_time=draft.event_time,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        expires_at=draft.expires_at,
    )


def revise(memory: Memory, draft: Draft, *, now: datetime) -> Memory:
    """The next version of a memory: what the draft says, with the id, author and creation of the old one."""
    return replace(
        memory,
        scope=draft.scope,
        content=draft.content,
        updated_at=now,
        agent=draft.agent,
        session=draft.session,
        position=draft.position,
        speaker=draft.speaker,
        role=draft.role,
        kind=draft.kind,
        tier=draft.tier,
        fingerprint=fingerprint(draft.content),
        language=detect_language(draft.content),
        importance=draft.importance,
        confidence=draft.confidence,
        tags=draft.tags,
        metadata=draft.metadata,
        source=draft.source,
        clearance_min=draft.clearance_min,
        event_time=draft.event_time,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        expires_at=draft.expires_at,
        version=memory.version + 1,
        embedding=EmbeddingState.PENDING,
        signature=None,
        embedded_chars=0,
    )


def as_draft(memory: Memory) -> Draft:
    """The draft that would make this memory again."""
    return Draft(
        content=memory.content,
        kind=memory.kind,
        tier=memory.tier,
        tags=memory.tags,
        scope=memory.scope,
        speaker=memory.speaker,
        role=memory.role,
        session=memory.session,
        position=memory.position,
        agent=memory.agent,
        importance=memory.importance,
        confidence=memory.confidence,
        event_time=memory.event_time,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        expires_at=memory.expires_at,
        metadata=memory.metadata,
        source=memory.source,
        clearance_min=memory.clearance_min,
    )


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
        return memory, NewJob(EMBED, now, {"version": memory.version})
    ready = replace(
        memory,
        embedding=EmbeddingState.READY,
        signature=embedding.signature,
        embedded_chars=embedded_chars(memory),
    )
    return ready, None
