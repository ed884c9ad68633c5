"""From the rows of the earlier single-user program's file to records of ours, with nothing lost.

What has no field here, or cannot be read, stays word for word in the memory's ``source``: the facts of its event
under ``event``, the rest under ``unread``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from cortex.core import intake, keep, moments
from cortex.core.scoring.similarity import unit
from cortex.errors import InvalidInput
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.memory import Kind, Link, Memory, Status
from cortex.model.record import Form, Record
from cortex.model.scope import Scope, check_name
from cortex.model.single_user import PROGRAM, SingleUserFile, SingleUserRow

_ID = re.compile("[0-9a-f]{32}")


def same_model(file: SingleUserFile, signature: EmbeddingSignature) -> EmbeddingSignature | None:
    """The signature under which the file's vectors can be searched; None where another model made them."""
    return signature if (file.model, file.dim) == (signature.model, signature.dim) else None


def to_record(row: SingleUserRow, signature: EmbeddingSignature | None) -> Record:
    """The record of a row; `InvalidInput` where no rule keeps all of it.

    A memory that another took the place of has two versions: active until then, superseded from then on.
    """
    unread: dict[str, Any] = {}
    memory = _memory(row, unread)
    embedding = None if signature is None else _embedding(row.embedding, memory, signature)
    memory = replace(memory, **keep.searched_by(memory.content, embedding))
    identity, terms = keep.identity(memory, memory.fingerprint), keep.terms(memory)
    if row.superseded_by is None:
        return Record(Form(_with_source(memory, row, unread), identity, terms, embedding))
    since = _instant(row.superseded_at)
    if since is None or since < memory.created_at:
        unread["superseded_at"] = row.superseded_at
    by = row.superseded_by if _is_id(row.superseded_by) else None
    if by is None:
        unread["superseded_by"] = row.superseded_by
    memory = _with_source(memory, row, unread)
    then = replace(memory, status=Status.SUPERSEDED, superseded_by=by)
    if since is None or since <= memory.created_at:
        return Record(Form(then, identity, terms, embedding))
    then = replace(then, version=2, updated_at=since)
    return Record(Form(then, identity, terms, embedding), (Form(memory, identity, terms, embedding, since),))


def set_apart(records: Iterable[Record]) -> Iterator[Record]:
    """The records with one active memory of each identity: the first; the others are superseded by it.

    That program kept equal texts as often as they came. A store has one of them active; see decision 0006.
    """
    first: dict[tuple[Scope, bytes], str] = {}
    for record in records:
        memory = record.current.memory
        holder = memory.id
        if memory.status is Status.ACTIVE:
            holder = first.setdefault((memory.scope, record.current.identity), memory.id)
        if holder == memory.id:
            yield record
        else:
            source = {**memory.source, "duplicate_of": holder}
            memory = replace(memory, status=Status.SUPERSEDED, superseded_by=holder, source=source)
            yield replace(record, current=replace(record.current, memory=memory))


def is_duplicate(record: Record) -> bool:
    """Whether `set_apart` found it to repeat another one."""
    return "duplicate_of" in record.current.memory.source


def has_unread(record: Record) -> bool:
    """Whether something of it could not be read and is kept as it stands."""
    return "unread" in record.current.memory.source


def _memory(row: SingleUserRow, unread: dict[str, Any]) -> Memory:
    if not _is_id(row.id):
        raise InvalidInput("id", f"{intake.shown(row.id)} is not 32 lower-case hexadecimal digits")
    content = intake.text("content", row.content)
    text = keep.found(content)
    check_name("user_id", row.user)
    created = _instant(row.created_at)
    if created is None:
        raise InvalidInput("created_at", f"{intake.shown(row.created_at)} is no time")
    metadata = _metadata(row.metadata)
    if metadata is None:
        unread["metadata"] = row.metadata
    event_time = _instant(row.event.get("event_time"))
    if event_time is None and "event_time" in row.event:
        unread["event_time"] = row.event["event_time"]
    kind, tags = _kind(metadata), _tags(metadata)
    return Memory(
        id=row.id,
        scope=Scope.user(row.user),
        author=row.user,
        content=content,
        kind=kind,
        tags=tags,
        said=tuple(name for name, said in (("kind", kind is not Kind.FACT), ("tags", bool(tags))) if said),
        metadata=metadata or {},
        created_at=created,
        updated_at=created,
        event_time=event_time,
        links=tuple(Link("supersedes", old) for old in row.supersedes if _is_id(old)),
        fingerprint=text.fingerprint,
        language=text.language,
    )


def _with_source(memory: Memory, row: SingleUserRow, unread: Mapping[str, Any]) -> Memory:
    facts = {name: value for name, value in row.event.items() if name != "event_time"}
    source = {"program": PROGRAM, "event": facts, "unread": unread}
    try:
        kept = intake.json_object("source", {name: value for name, value in source.items() if value})
    except InvalidInput as error:
        raise InvalidInput(", ".join(unread) or "event", f"cannot be read, and not kept as it is: {error}") from None
    return replace(memory, source=kept)


def _metadata(text: object) -> Mapping[str, Any] | None:
    """The object that the text is; None where it is none that can be kept."""
    if text is None:
        return {}
    try:
        value = json.loads(text) if isinstance(text, str) else None
        return None if value is None else intake.json_object("metadata", value)
    except (ValueError, RecursionError):
        return None


def _kind(metadata: Mapping[str, Any] | None) -> Kind:
    """That program noted the kind and the tags in the metadata, where they stay as well."""
    try:
        return intake.member("kind", (metadata or {}).get("kind"), Kind)
    except InvalidInput:
        return Kind.FACT


def _tags(metadata: Mapping[str, Any] | None) -> tuple[str, ...]:
    try:
        return intake.tags((metadata or {}).get("tags"))
    except InvalidInput:
        return ()


def _instant(value: object) -> datetime | None:
    """The instant in UTC that a text names; None where it names none."""
    try:
        return moments.instant("time", value, UTC) if isinstance(value, str) else None
    except InvalidInput:
        return None


def _embedding(blob: object, memory: Memory, signature: EmbeddingSignature) -> Embedding | None:
    """The vector, where our embedder would have made one of the same text: of the whole memory, in one piece."""
    if not isinstance(blob, bytes) or len(blob) != 4 * signature.dim or len(keep.pieces(memory)) != 1:
        return None
    pieces = unit(np.frombuffer(blob, dtype="<f4").reshape(1, signature.dim), signature.dim)
    return None if pieces is None else Embedding(signature, pieces)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None
