"""A memory as a row of SQL values, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

from cortex.errors import CortexError, StoreError
from cortex.model.embedding import EmbeddingSignature
from cortex.model.memory import Clearance, EmbeddingState, Kind, Link, Memory, Role, Status, Tier
from cortex.model.page import Details
from cortex.model.scope import Scope

Json = TypeVar("Json", list[Any], dict[str, Any])

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# Looking a member up in a dictionary costs a fifth of calling its class, and rows are read on every recall.
_STATUSES = {item.value: item for item in Status}
_KINDS = {item.value: item for item in Kind}
_TIERS = {item.value: item for item in Tier}
_CLEARANCES = {item.value: item for item in Clearance}

WRITTEN = (
    "id scope_id change identity status kind tier author agent session position speaker role fingerprint "
    "language importance emotion confidence clearance_min created_at updated_at event_time valid_from "
    "valid_to expires_at working_until last_accessed_at access_count superseded_by version signature_id "
    "embedded_chars tags metadata source content said"
).split()

_COLUMNS = (
    "SELECT m.seq, m.id, s.org_id, s.scope_key, m.status, m.kind, m.tier, m.author, m.agent, m.session, "
    "m.position, m.speaker, m.role, m.fingerprint, m.language, m.importance, m.emotion, m.confidence, "
    "m.clearance_min, m.created_at, m.updated_at, m.event_time, m.valid_from, m.valid_to, m.expires_at, "
    "m.working_until, m.last_accessed_at, m.access_count, m.superseded_by, m.version, m.embedded_chars, "
    "m.tags, m.metadata, m.source, m.content, m.said, g.model, g.dim, g.revision, "
    "(SELECT json_group_array(json_array(l.relation, l.target, l.reason)) FROM links l WHERE l.seq = m.seq) "
    "FROM "
)
_JOINED = " m JOIN scopes s USING (scope_id) LEFT JOIN signatures g USING (signature_id) "

NOW = "memories"
# What was written by an instant and not yet replaced; `instants` binds it.
PAST = (
    f"(SELECT seq, {', '.join(WRITTEN)} FROM memories WHERE updated_at <= ? "
    f"UNION ALL SELECT seq, {', '.join(WRITTEN)} FROM versions WHERE updated_at <= ? AND replaced_at > ?)"
)


def select(source: str) -> str:
    """The beginning of a statement that reads memories; the source is `NOW`, `PAST` or ``versions``."""
    return f"{_COLUMNS}{source}{_JOINED}"


def instants(at: datetime) -> list[int]:
    """What is bound for `PAST`."""
    return [micros(at)] * 3


@lru_cache(maxsize=1024)
def _scope(key: str, org_id: str) -> Scope:
    """One value a scope: building it checks the name anew."""
    return Scope(key, org_id)


@lru_cache(maxsize=64)
def signature(model: str, dim: int, revision: str) -> EmbeddingSignature:
    """One value a model: most rows of a store have the same."""
    return EmbeddingSignature(model, dim, revision)


def to_micros(at: datetime | None) -> int | None:
    """Microseconds since 1970 UTC."""
    return None if at is None else (at - EPOCH) // _MICROSECOND


def micros(at: datetime) -> int:
    """Microseconds since 1970 UTC, of a time that is there."""
    return (at - EPOCH) // _MICROSECOND


def instant(value: int) -> datetime:
    """The aware UTC time of a value that is there."""
    return EPOCH + timedelta(microseconds=value)


def from_micros(value: int | None) -> datetime | None:
    """The aware UTC time."""
    return None if value is None else EPOCH + timedelta(microseconds=value)


def to_json(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Compact JSON; text stays as it is. The usual empty ones cost nothing."""
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def values(memory: Memory, scope_id: int, change: int, identity: bytes, signature_id: int | None) -> list[Any]:
    """The values of the `WRITTEN` columns."""
    return [
        memory.id, scope_id, change, identity, str(memory.status), str(memory.kind), str(memory.tier),
        memory.author, memory.agent, memory.session, memory.position, memory.speaker,
        None if memory.role is None else str(memory.role), memory.fingerprint, memory.language,
        memory.importance, memory.emotion, memory.confidence, int(memory.clearance_min),
        micros(memory.created_at), micros(memory.updated_at), to_micros(memory.event_time),
        to_micros(memory.valid_from), to_micros(memory.valid_to), to_micros(memory.expires_at),
        to_micros(memory.working_until), to_micros(memory.last_accessed_at), memory.access_count,
        memory.superseded_by, memory.version, signature_id, memory.embedded_chars,
        to_json(memory.tags), to_json(memory.metadata), to_json(memory.source), memory.content,
        to_json(memory.said),
    ]  # fmt: skip


def to_memory(row: Sequence[Any]) -> Memory:
    """The memory that a row of `SELECT` holds; `StoreError` for a row that Cortex cannot have written."""
    try:
        return _memory(row)
    except (LookupError, ValueError, TypeError, ArithmeticError, CortexError) as error:
        raise StoreError(f"memory {row[1]} cannot be read ({_why(error)}): restore the store from a backup") from error


def _memory(row: Sequence[Any]) -> Memory:
    (
        seq, id_, org_id, scope_key, status, kind, tier, author, agent, session, position, speaker, role,
        fingerprint, language, importance, emotion, confidence, clearance, created, updated, event, valid_from,
        valid_to, expires, working, accessed, accesses, superseded_by, version, embedded_chars, tags, metadata,
        source, content, said, model, dim, revision, links,
    ) = row  # fmt: skip
    details = _details(seq, tags, metadata)
    connections = () if links == "[]" else tuple(Link(*link) for link in json.loads(links))
    return Memory(
        seq=seq,
        id=id_,
        scope=_scope(scope_key, org_id),
        status=_STATUSES[status],
        kind=_KINDS[kind],
        tier=_TIERS[tier],
        author=author,
        agent=agent,
        session=session,
        position=position,
        speaker=speaker,
        role=None if role is None else Role(role),
        fingerprint=fingerprint,
        language=language,
        importance=importance,
        emotion=emotion,
        confidence=confidence,
        clearance_min=_CLEARANCES[clearance],
        created_at=EPOCH + timedelta(microseconds=created),
        updated_at=EPOCH + timedelta(microseconds=updated),
        event_time=from_micros(event),
        valid_from=from_micros(valid_from),
        valid_to=from_micros(valid_to),
        expires_at=from_micros(expires),
        working_until=from_micros(working),
        last_accessed_at=from_micros(accessed),
        access_count=accesses,
        superseded_by=superseded_by,
        supersedes=tuple(link.target for link in connections if link.relation == "supersedes"),
        links=connections,
        version=version,
        embedding=EmbeddingState.PENDING if model is None else EmbeddingState.READY,
        signature=None if model is None else signature(model, dim, revision),
        embedded_chars=embedded_chars,
        tags=details.tags,
        metadata=details.metadata,
        said=() if said == "[]" else tuple(_json(said, list, "what was said")),
        source={} if source == "{}" else _json(source, dict, "sources"),
        content=content,
    )


def to_details(seq: int, tags: str, metadata: str) -> Details:
    """Tags and metadata of a row; `StoreError` for what Cortex cannot have written."""
    try:
        return _details(seq, tags, metadata)
    except (ValueError, TypeError) as error:
        raise StoreError(
            f"the memory in row {seq} cannot be read ({_why(error)}): restore the store from a backup"
        ) from error


def to_receipt(text: str) -> dict[str, Any]:
    """The receipt that an idempotency key is answered with; `StoreError` for what Cortex cannot have written."""
    try:
        return _json(text, dict, "receipts")
    except (ValueError, TypeError) as error:
        raise StoreError(
            f"the receipt of this idempotency key cannot be read ({error}): use a new key, or restore the store "
            "from a backup"
        ) from error


def to_payload(text: str) -> dict[str, Any]:
    """What a job needs beside its memory; nothing where that cannot be read, since the memory says what it owes."""
    try:
        return _json(text, dict, "payloads")
    except (ValueError, TypeError):
        return {}


def _details(seq: int, tags: str, metadata: str) -> Details:
    """The usual empty ones cost nothing."""
    return Details(
        seq,
        () if tags == "[]" else tuple(_json(tags, list, "tags")),
        {} if metadata == "{}" else _json(metadata, dict, "metadata"),
    )


def _json(text: str, kind: type[Json], name: str) -> Json:
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} are no JSON") from error
    if not isinstance(found, kind):
        raise TypeError(f"{name} are no {kind.__name__}")
    return found


def _why(error: Exception) -> str:
    """The reason in words: what a dictionary does not have is a value that no field can have."""
    return f"no field can be {error}" if isinstance(error, KeyError) else str(error)
