"""The export format: one JSON document a line, a header first; lossless and the same for the same memories.

A line holds a memory with its vectors and earlier versions. What can be derived again is left out: tokens,
fingerprint, seq. So is what belongs to one store alone, which the header names. Vectors are float32, little endian,
base64. Times are ISO 8601 in UTC with microseconds.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from cortex.core import intake, keep, matching
from cortex.core.scoring.similarity import unit
from cortex.errors import InvalidInput
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.memory import EmbeddingState, Kind, Link, Memory, Role, Status, Tier
from cortex.model.record import Form, Record
from cortex.model.scope import Scope

FORMAT = "cortex-export"
VERSION = 1
WITHOUT = ["idempotency keys", "jobs", "token vectors", "vectors of models that are not searched by"]
_TIMES = "created_at updated_at event_time valid_from valid_to expires_at working_until last_accessed_at".split()
_ID_DIGITS = 32


def header() -> str:
    """The first line."""
    return _line({"format": FORMAT, "version": VERSION, "without": WITHOUT})


def check_header(line: str) -> None:
    """Raise `InvalidInput` unless this is the first line of a file that can be read."""
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        first = None
    if not isinstance(first, dict) or first.get("format") != FORMAT:
        raise InvalidInput("file", f'is no export of Cortex: its first line has no "format":"{FORMAT}"')
    if first.get("version") != VERSION:
        raise InvalidInput("file", f"has format version {first.get('version')!r}; this program reads {VERSION}")


def to_line(record: Record) -> str:
    """A record as a line."""
    return _line({**_form(record.current), "earlier": [_form(form) for form in record.earlier]})


def from_line(line: str) -> Record:
    """The record of a line; `InvalidInput` names what is wrong, never quoting the text."""
    try:
        given = json.loads(line)
        if not isinstance(given, dict):
            raise InvalidInput("line", "is no JSON object")
        earlier = tuple(_read(form) for form in given.get("earlier", []))
        current = _read(given)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, Base64Error) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput("line", f"is no record ({type(error).__name__})") from None
    if any(form.replaced_at is None or form.memory.id != current.memory.id for form in earlier):
        raise InvalidInput("line", "has earlier versions that do not belong to it")
    return Record(current, earlier)


def scopes(record: Record) -> list[Scope]:
    """Where a record is and where it was."""
    return list(dict.fromkeys(form.memory.scope for form in (record.current, *record.earlier)))


def renamed(record: Record, id: str) -> Record:
    """The same record under another id."""
    return Record(
        replace(record.current, memory=replace(record.current.memory, id=id)),
        tuple(replace(form, memory=replace(form.memory, id=id)) for form in record.earlier),
    )


def stood_at(record: Record, at: datetime) -> Record | None:
    """The record as it stood at an instant, with the forms before; None where it was not there or did not hold then."""
    forms = [form for form in (*record.earlier, record.current) if form.memory.updated_at <= at]
    if not forms or (forms[-1].replaced_at is not None and forms[-1].replaced_at <= at):
        return None
    last = forms[-1].memory
    if matching.out_of_time(last, at) is not None:
        return None
    return Record(replace(forms[-1], replaced_at=None), tuple(forms[:-1]))


def without_vectors(record: Record) -> Record:
    """The same record, its current vectors still owed."""
    memory = replace(record.current.memory, embedding=EmbeddingState.PENDING, signature=None, embedded_chars=0)
    return replace(record, current=replace(record.current, memory=memory, embedding=None))


def _form(form: Form) -> dict[str, Any]:
    memory = form.memory
    facts: dict[str, Any] = {
        "id": memory.id,
        "org": memory.scope.org_id,
        "scope": memory.scope.key,
        "content": memory.content,
        "kind": memory.kind.value,
        "tier": memory.tier.value,
        "status": memory.status.value,
        "role": None if memory.role is None else memory.role.value,
        "clearance_min": int(memory.clearance_min),
        "tags": list(memory.tags),
        "links": [[link.relation, link.target, link.reason] for link in memory.links],
        **{name: getattr(memory, name) for name in _PLAIN},
        **{name: _time(getattr(memory, name)) for name in _TIMES},
        "replaced_at": _time(form.replaced_at),
    }
    if form.embedding is not None:
        signature = form.embedding.signature
        facts["embedding"] = {
            "model": signature.model,
            "dim": signature.dim,
            "revision": signature.revision,
            "pieces": b64encode(form.embedding.pieces.astype("<f4", copy=False).tobytes()).decode(),
        }
    return {name: value for name, value in facts.items() if value not in (None, [], {}, "")}


_PLAIN = (
    "author agent session position speaker importance emotion confidence access_count superseded_by version "
    "embedded_chars metadata source"
).split()


def _read(given: Mapping[str, Any]) -> Form:
    id_ = given["id"]
    if not isinstance(id_, str) or len(id_) != _ID_DIGITS or set(id_) - set("0123456789abcdef"):
        raise InvalidInput("id", "is not 32 lower-case hexadecimal digits")
    embedding = _embedding(given.get("embedding"))
    times: dict[str, Any] = {name: _instant(given[name]) for name in _TIMES if name in given}
    content = intake.text("content", given["content"])
    text = keep.found(content)
    memory = Memory(
        id=id_,
        scope=Scope(given["scope"], given["org"]),
        content=content,
        kind=intake.member("kind", given["kind"], Kind),
        tier=intake.member("tier", given["tier"], Tier),
        status=intake.member("status", given["status"], Status),
        role=intake.member("role", given["role"], Role) if "role" in given else None,
        clearance_min=intake.clearance(given.get("clearance_min", 0)),
        tags=intake.tags(given.get("tags")),
        links=tuple(Link(*map(str, link)) for link in given.get("links", [])),
        metadata=intake.json_object("metadata", given.get("metadata")),
        source=intake.json_object("source", given.get("source")),
        author=intake.label("author", given.get("author")) or "",
        agent=intake.label("agent", given.get("agent")),
        session=intake.label("session", given.get("session")),
        speaker=intake.label("speaker", given.get("speaker")),
        position=intake.whole("position", given["position"], 0) if "position" in given else None,
        importance=intake.whole("importance", given["importance"], 1, 10),
        confidence=intake.share("confidence", given["confidence"]),
        emotion=intake.share("emotion", given["emotion"]) if "emotion" in given else None,
        access_count=intake.whole("access_count", given.get("access_count", 0), 0),
        superseded_by=given.get("superseded_by"),
        version=intake.whole("version", given["version"], 1),
        embedding=EmbeddingState.PENDING if embedding is None else EmbeddingState.READY,
        signature=None if embedding is None else embedding.signature,
        embedded_chars=intake.whole("embedded_chars", given.get("embedded_chars", 0), 0, len(content)),
        fingerprint=text.fingerprint,
        language=text.language,
        **times,
    )
    replaced = _instant(given["replaced_at"]) if "replaced_at" in given else None
    return Form(memory, keep.identity(memory, text.fingerprint), keep.terms(memory), embedding, replaced)


def _embedding(given: Mapping[str, Any] | None) -> Embedding | None:
    if given is None:
        return None
    signature = EmbeddingSignature(str(given["model"]), intake.whole("dim", given["dim"], 1), str(given["revision"]))
    pieces = np.frombuffer(b64decode(given["pieces"], validate=True), dtype="<f4").reshape(-1, signature.dim)
    if unit(pieces, signature.dim) is None:
        raise InvalidInput("embedding", "has a vector that is empty, zero or not finite")
    return Embedding(signature, pieces)


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="microseconds")


def _instant(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.utcoffset() != timedelta(0):
        raise InvalidInput("time", "is not in UTC")
    return at


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
