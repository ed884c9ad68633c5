"""What is kept of a draft: the memory, its identity, and the texts it is found by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from hashlib import blake2b
from operator import attrgetter
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
from cortex.model.memory import INFERRED, LOW_TRUST, Draft, EmbeddingState, Kind, Memory, is_low_trust
from cortex.model.policy import Caller
from cortex.model.quick import quickly_made
from cortex.model.understanding import Understanding

EMBEDDED_CHARS = 20_000
ASKS = "?"
_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
_SAID = tuple(field.name for field in fields(Draft) if field.name not in ("idempotency_key", *INFERRED))
_SAID_OF = attrgetter(*_SAID)
_DEFAULTS: Mapping[str, Any] = {"kind": Kind.FACT, "importance": 5, "tags": (), "emotion": None}
_NOTHING = Understanding()


@quickly_made
@dataclass(frozen=True, slots=True)
class Found:
    """What the text itself says: the fingerprint that equal texts share, and its language if it shows."""

    fingerprint: bytes
    language: str | None


def remember(
    draft: Draft,
    found: Found,
    embedding: Embedding | None,
    *,
    id: str,
    caller: Caller,
    now: datetime,
    understanding: Understanding | None = None,
) -> Memory:
    """The memory that a draft becomes; without an embedding its vectors are still owed."""
    said = _said(draft) | _inferred(draft, understanding, _DEFAULTS)
    said["agent"] = draft.agent or caller.agent
    return Memory(
        id=id,
        created_at=now,
        updated_at=now,
        author=caller.user,
        fingerprint=found.fingerprint,
        language=found.language,
        **said,
        **searched_by(draft.content, embedding),
    )


def revise(
    memory: Memory,
    draft: Draft,
    embedding: Embedding | None,
    *,
    now: datetime,
    understanding: Understanding | None = None,
) -> Memory:
    """The next version of a memory: what the draft says, with the id, author and creation of the old one."""
    text = found(draft.content)
    return replace(
        memory,
        fingerprint=text.fingerprint,
        language=text.language,
        updated_at=now,
        version=memory.version + 1,
        **_said(draft),
        **_inferred(draft, understanding, {name: getattr(memory, name) for name in INFERRED}),
        **searched_by(draft.content, embedding),
    )


def understood(memory: Memory, understanding: Understanding) -> Memory:
    """The memory with what was read from its text, where the caller did not say it."""
    return replace(memory, **_inferred(as_draft(memory), understanding, _DEFAULTS))


def as_draft(memory: Memory) -> Draft:
    """The draft that would make this memory again."""
    return Draft(**_said(memory), **{name: getattr(memory, name) for name in memory.said})


def _said(source: Draft | Memory) -> dict[str, Any]:
    """Everything that a caller says of a memory."""
    return dict(zip(_SAID, _SAID_OF(source)))  # noqa: B905 - asking for it takes as long as the rest


def _inferred(draft: Draft, understanding: Understanding | None, otherwise: Mapping[str, Any]) -> dict[str, Any]:
    """What may be read from the text: as said, else as read, else as it is without; and which of it is said."""
    said = tuple([name for name in INFERRED if getattr(draft, name) is not None])
    if understanding is None and not said:
        return {"said": said, **otherwise}
    read = {name: getattr(understanding or _NOTHING, name) for name in INFERRED if name not in said}
    values = {name: otherwise[name] if value in (None, ()) else value for name, value in read.items()}
    return {"said": said, **{name: getattr(draft, name) for name in said}, **values}


def searched_by(content: str, embedding: Embedding | None) -> dict[str, Any]:
    """What a memory says of its vectors; without them they are pending."""
    if embedding is None:
        return {"embedding": EmbeddingState.PENDING, "signature": None, "embedded_chars": 0}
    embedded = embedded_chars(content)
    return {"embedding": EmbeddingState.READY, "signature": embedding.signature, "embedded_chars": embedded}


def found(content: str) -> Found:
    """Everything that the text itself says."""
    return Found(fingerprint(content), detect_language(content))


def identity(source: Draft | Memory, fingerprint: bytes) -> bytes:
    """16 bytes that two memories of one scope share exactly when one repeats the other.

    They do when text (fingerprint), kind, session, speaker, position, event time and clearance agree, and both or none
    have the mark of low trust. A kind that was read from the text does not count: what reads it may change.
    """
    event_time = None if source.event_time is None else source.event_time.isoformat()
    # A JSON list, spelled out: most of it is null, and the encoder takes longer than everything else here.
    parts = [f'"{fingerprint.hex()}"', f'"{_kind_said(source)}"', _json(source.session), _json(source.speaker)]
    parts += [_json(source.position), _json(event_time), str(int(source.clearance_min))]
    if source.source and is_low_trust(source.source):
        parts.append(_json(LOW_TRUST))
    return blake2b(f"[{', '.join(parts)}]".encode(), digest_size=16).digest()


def _json(value: str | int | None) -> str:
    return "null" if value is None else json.dumps(value)


def _kind_said(source: Draft | Memory) -> Kind:
    kind = source.kind if isinstance(source, Draft) or "kind" in source.said else None
    return Kind.FACT if kind is None else kind


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


def terms(source: Draft | Memory) -> tuple[str, ...]:
    """The analysed tokens a memory is found by: speaker, content and the date of its event.

    A last `ASKS`, which no analysis gives, marks a text that ends with a question.
    """
    found = analyse(lexical_text(source.content, source.speaker, source.event_time))
    return (*found, ASKS) if source.content.rstrip().endswith(_QUESTION_MARKS) else tuple(found)


def pieces(source: Draft | Memory) -> list[str]:
    """The texts to embed: the first 20,000 characters, cut to what a small model reads at once."""
    spans: list[Piece] = split_pieces(source.content, limit_chars=EMBEDDED_CHARS)
    return [embedding_text(source.content[span.start : span.end], source.speaker) for span in spans]


def embedded_chars(content: str) -> int:
    """How many characters of the content the pieces cover."""
    return min(len(content), EMBEDDED_CHARS)


def owed(embedding: Embedding | None, now: datetime) -> NewJob | None:
    """The job that makes the vectors of a memory that was kept without."""
    return NewJob(EMBED, now, {}) if embedding is None else None
