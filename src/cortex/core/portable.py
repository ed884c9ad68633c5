"""The export format: one JSON document a line, a header first; lossless and the same for the same memories.

A line holds a memory with its vectors and earlier versions. What can be derived again is left out: tokens,
fingerprint, seq. So is what belongs to one store alone, which the header names. Vectors are float32, little endian,
base64; those of tokens int8. Times are ISO 8601 in UTC with microseconds.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from cortex.core import intake, keep, matching, readings
from cortex.core.scoring.late import MOST_TOKENS
from cortex.core.scoring.similarity import unit
from cortex.errors import InvalidInput
from cortex.model.embedding import CodeArray, Embedding, EmbeddingSignature
from cortex.model.memory import INFERRED, EmbeddingState, Kind, Link, Memory, Role, Status, Tier
from cortex.model.record import Form, Record
from cortex.model.scope import Scope

FORMAT = "cortex-export"
VERSION = 1
WITHOUT = ["idempotency keys", "jobs", "vectors of models that are not searched by"]
_TIMES = "created_at updated_at event_time valid_from valid_to expires_at working_until last_accessed_at".split()
_NEEDED = "id org scope content kind tier status importance confidence version created_at updated_at".split()
_ID = re.compile("[0-9a-f]{32}")
_LINK_PARTS = 3
_LONGEST_REASON = 10_000
_LONGEST_MODEL = 4_096  # it may be named by the path of its folder
_MOST_DIMENSIONS = 2**20
_LAST_YEAR = 9998

T = TypeVar("T")


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
    line = {**_form(record.current), "earlier": [_form(form) for form in record.earlier]}
    return _line(line if record.reading is None else {**line, "reading": readings.to_facts(record.reading)})


def from_line(line: str) -> Record:
    """The record of a line; `InvalidInput` names what is wrong, never quoting the text."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("line", f"is no JSON that can be read ({type(error).__name__})") from None
    current = _read(given)
    earlier = tuple(_read(form) for form in intake.items("earlier", given.get("earlier")))
    _check_history(current, earlier)
    reading = _if_given(given, "reading", readings.from_facts)
    return Record(current, earlier, reading)


def _check_history(current: Form, earlier: Sequence[Form]) -> None:
    """Versions follow one another: of one memory, with rising numbers, each replaced before the next was written."""
    if current.replaced_at is not None:
        raise InvalidInput("replaced_at", "is only for an earlier version")
    for form, following in pairwise((*earlier, current)):
        if form.replaced_at is None or form.memory.id != current.memory.id:
            raise InvalidInput("earlier", "has versions that do not belong to it")
        if form.memory.version >= following.memory.version:
            raise InvalidInput("earlier", "has versions whose numbers do not rise up to the current one")
        if not form.memory.updated_at <= form.replaced_at <= following.memory.updated_at:
            raise InvalidInput("earlier", "has versions that overlap or are not in the order of their times")


def scopes(record: Record) -> list[Scope]:
    """Where a record is and where it was."""
    return list(dict.fromkeys(form.memory.scope for form in (record.current, *record.earlier)))


def renamed(record: Record, id: str) -> Record:
    """The same record under another id."""
    return Record(
        replace(record.current, memory=replace(record.current.memory, id=id)),
        tuple(replace(form, memory=replace(form.memory, id=id)) for form in record.earlier),
        record.reading,
    )


def stood_at(record: Record, at: datetime) -> Record | None:
    """The record as it stood at an instant, with the forms before; None where it was not there or did not hold then."""
    forms = [form for form in (*record.earlier, record.current) if form.memory.updated_at <= at]
    if not forms or (forms[-1].replaced_at is not None and forms[-1].replaced_at <= at):
        return None
    last = forms[-1].memory
    if matching.out_of_time(last, at) is not None:
        return None
    now = record.current.memory.content == last.content  # what was read from another text does not belong to it
    return Record(replace(forms[-1], replaced_at=None), tuple(forms[:-1]), record.reading if now else None)


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
        tokens = form.embedding.token_vectors
        if tokens is not None:
            facts["embedding"] |= {"token_width": tokens.shape[1], "tokens": b64encode(tokens.tobytes()).decode()}
    lean = {name: value for name, value in facts.items() if value not in (None, [], {}, "")}
    # Where it is what one would think: what differs from the default was said.
    return lean if memory.said == _usually_said(memory) else {**lean, "said": list(memory.said)}


def _usually_said(memory: Memory) -> tuple[str, ...]:
    usual = {"kind": Kind.FACT, "importance": 5, "tags": (), "emotion": None}
    return tuple(name for name in INFERRED if getattr(memory, name) != usual[name])


_PLAIN = (
    "author agent session position speaker importance emotion confidence access_count superseded_by version "
    "embedded_chars metadata source"
).split()


def _read(given: object) -> Form:
    if not isinstance(given, Mapping):
        raise InvalidInput("line", "is no JSON object")
    if missing := [name for name in _NEEDED if given.get(name) is None]:
        raise InvalidInput(missing[0], "is missing")
    embedding = _embedding(given.get("embedding"))
    content = intake.text("content", given["content"])
    text = keep.found(content)
    links = _links(given.get("links"))
    memory = Memory(
        id=_id("id", given["id"]),
        scope=_scope(given["scope"], given["org"]),
        content=content,
        kind=intake.member("kind", given["kind"], Kind),
        tier=intake.member("tier", given["tier"], Tier),
        status=intake.member("status", given["status"], Status),
        role=_if_given(given, "role", lambda value: intake.member("role", value, Role)),
        clearance_min=intake.clearance(given.get("clearance_min", 0)),
        tags=intake.tags(given.get("tags")),
        links=links,
        supersedes=tuple(link.target for link in links if link.relation == "supersedes"),
        metadata=intake.json_object("metadata", given.get("metadata")),
        source=intake.json_object("source", given.get("source")),
        author=intake.label("author", given.get("author")) or "",
        agent=intake.label("agent", given.get("agent")),
        session=intake.label("session", given.get("session")),
        speaker=intake.label("speaker", given.get("speaker")),
        position=_if_given(given, "position", lambda value: _stored("position", value, 0)),
        importance=intake.whole("importance", given["importance"], 1, 10),
        confidence=intake.share("confidence", given["confidence"]),
        emotion=_if_given(given, "emotion", lambda value: intake.share("emotion", value)),
        access_count=_stored("access_count", given.get("access_count", 0), 0),
        superseded_by=_if_given(given, "superseded_by", lambda value: _id("superseded_by", value)),
        version=_stored("version", given["version"], 1),
        embedding=EmbeddingState.PENDING if embedding is None else EmbeddingState.READY,
        signature=None if embedding is None else embedding.signature,
        embedded_chars=intake.whole("embedded_chars", given.get("embedded_chars", 0), 0, len(content)),
        fingerprint=text.fingerprint,
        language=text.language,
        **_times(given),
    )
    memory = replace(memory, said=_said(given["said"]) if "said" in given else _usually_said(memory))
    replaced = _if_given(given, "replaced_at", lambda value: _instant("replaced_at", value))
    return Form(memory, keep.identity(memory, text.fingerprint), keep.terms(memory), embedding, replaced)


def _said(given: object) -> tuple[str, ...]:
    names = intake.items("said", given)
    if not all(name in INFERRED for name in names):
        raise InvalidInput("said", f"has what is none of {', '.join(INFERRED)}")
    return tuple(name for name in INFERRED if name in names)


def _if_given(given: Mapping[str, Any], field: str, read: Callable[[object], T]) -> T | None:
    """A value that an export leaves out where there is none."""
    return None if given.get(field) is None else read(given[field])


def _id(field: str, value: object) -> str:
    if not isinstance(value, str) or _ID.fullmatch(value) is None:
        raise InvalidInput(field, "is not 32 lower-case hexadecimal digits")
    return value


def _stored(field: str, value: object, least: int) -> int:
    """A whole number that a store can count on from."""
    return intake.whole(field, value, least, intake.LARGEST_STORED)


def _scope(key: object, org_id: object) -> Scope:
    if not isinstance(key, str) or not isinstance(org_id, str):
        raise InvalidInput("scope", "is no text, or its org is none")
    return Scope(key, org_id)


def _links(given: object) -> tuple[Link, ...]:
    found: dict[tuple[str, str], Link] = {}
    for item in intake.items("links", given):
        parts = intake.items("links", item)
        if len(parts) != _LINK_PARTS:
            raise InvalidInput("links", "has one that is not relation, target and reason")
        relation = intake.remark("links", parts[0], intake.MAX_KEY)
        link = Link(relation, _id("links", parts[1]), intake.remark("links", parts[2], _LONGEST_REASON))
        if found.setdefault((link.relation, link.target), link) is not link:
            raise InvalidInput("links", "has one twice")
    return tuple(found.values())


def _times(given: Mapping[str, Any]) -> dict[str, Any]:
    times = {name: _instant(name, given[name]) for name in _TIMES if given.get(name) is not None}
    if times["updated_at"].year > _LAST_YEAR:
        raise InvalidInput("updated_at", f"is after the year {_LAST_YEAR}: nothing could be changed later")
    if "valid_from" in times and "valid_to" in times and times["valid_to"] <= times["valid_from"]:
        raise InvalidInput("valid_to", "is not after valid_from")
    return times


def _embedding(given: object) -> Embedding | None:
    """The vectors, scaled to length 1; those that are so already stay as they are, to the bit."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InvalidInput("embedding", "is no JSON object")
    model, revision = (intake.remark("embedding", given.get(name), _LONGEST_MODEL) for name in ("model", "revision"))
    signature = EmbeddingSignature(model, intake.whole("dim", given.get("dim"), 1, _MOST_DIMENSIONS), revision)
    try:
        values = np.frombuffer(b64decode(given.get("pieces", ""), validate=True), dtype="<f4")
        pieces = unit(values.reshape(-1, signature.dim), signature.dim)
    except (ValueError, TypeError):  # no base64, or no whole number of vectors
        pieces = None
    if pieces is None:
        raise InvalidInput("embedding", "has no vectors, or one of another dimension, zero or not finite")
    return Embedding(signature, pieces, _tokens(given))


def _tokens(given: Mapping[str, Any]) -> CodeArray | None:
    """The token vectors, int8 [tokens, width]; None where there are none."""
    if given.get("tokens") is None:
        return None
    width = intake.whole("token_width", given.get("token_width"), 1, _MOST_DIMENSIONS)
    try:
        codes = np.frombuffer(b64decode(given["tokens"], validate=True), dtype=np.int8).reshape(-1, width)
    except (ValueError, TypeError):  # no base64, or no whole number of vectors
        raise InvalidInput("tokens", "has no whole number of token vectors in base64") from None
    if len(codes) > MOST_TOKENS:
        raise InvalidInput("tokens", f"has {len(codes)} token vectors; at most {MOST_TOKENS}")
    return codes


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="microseconds")


def _instant(field: str, value: object) -> datetime:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        at = None
    if at is None or at.utcoffset() != timedelta(0):
        raise InvalidInput(field, "is no ISO 8601 time in UTC")
    return at


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
