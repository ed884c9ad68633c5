"""Memories and answers as lines for a person: one memory a line, nothing in it can pretend to be another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from cortex.cli.document import plain
from cortex.cli.escape import columns, fit, one_line, safe
from cortex.cli.run import Look

if TYPE_CHECKING:  # the model needs numpy, help does not
    from cortex.model.change import Receipt
    from cortex.model.conflict import Conflict
    from cortex.model.health import Health
    from cortex.model.job import JobReport
    from cortex.model.knowledge import About, Connection
    from cortex.model.memory import Memory
    from cortex.model.page import Page
    from cortex.model.redaction import Scanned
    from cortex.model.score import LegScore, Recall
    from cortex.model.transfer import Reprocessed

SHORT = 8
_LEAST_TEXT = 16
_LABEL = 13


def memories(found: Iterable[Memory], look: Look, *, clock: bool = False) -> Iterator[str]:
    """Each memory in a line; ``clock`` adds the hour to its date."""
    every = list(found)
    widest = max((len(memory.kind) for memory in every), default=0)
    for memory in every:
        yield _line(memory, look, widest, clock=clock)


def timeline(page: Page, look: Look) -> Iterator[str]:
    """Each memory in a line with its hour, as given or read; below it what was read of the event."""
    events = [page.events.get(memory.id) for memory in page.memories]
    dated = [
        replace(memory, event_time=memory.event_time or event.event_time) if event else memory
        for memory, event in zip(page.memories, events, strict=True)
    ]
    for line, event in zip(memories(dated, look, clock=True), events, strict=True):
        yield line
        told = event and [event.event_type, event.actor, f"in {event.location}" if event.location else None]
        if told and any(told):
            yield click.style(f"{'':{SHORT + 2}}{', '.join(one_line(each) for each in told if each)}", dim=True)


def versions(found: Iterable[Memory], look: Look) -> Iterator[str]:
    """Each version in a line, with its number and since when it stood."""
    for memory in found:
        since = _when(memory.updated_at, look)[:16]
        yield f"{click.style(f'version {memory.version}', bold=True)}  since {since}"
        yield f"  {_line(memory, look, len(memory.kind), clock=False)}"


def recall(answer: Recall, look: Look) -> Iterator[str]:
    """Each hit in a line, below it its score and its rank in each leg; then what was left out, if that was asked."""
    lines = memories((hit.memory for hit in answer.hits), look)
    for hit, line in zip(answer.hits, lines, strict=True):
        yield line
        yield click.style(
            f"{'':{SHORT + 2}}{hit.score:.4f} = {_parts(hit.parts, hit.weights)}{_reach(hit.memory)}", dim=True
        )
    if answer.left_out:
        yield ""
        yield click.style("left out", bold=True)
    for item in answer.left_out:
        yield f"{_id(item.id)}  {item.reason}  {click.style(_parts(item.parts), dim=True)}".rstrip()


def whole(memory: Memory, look: Look) -> Iterator[str]:
    """Every field that says something, then the text, set in so that it cannot look like a field."""
    for name, value in _fields(memory, look):
        yield f"{click.style(f'{name:{_LABEL}}', dim=True)}{safe(value)}"
    yield ""
    for line in safe(memory.content).split("\n"):
        yield f"  {line}"


def kept(receipt: Receipt, look: Look) -> Iterator[str]:
    """That the memory is kept, or which equal one was there."""
    verb = "already kept" if receipt.deduplicated else "kept"
    yield f"{verb} {_id(receipt.id or '')}{_elsewhere(receipt.scope, look)}"
    yield from layered(receipt)


def layered(receipt: Receipt) -> Iterator[str]:
    """What the layers did to this memory and to others."""
    for word, ids in (
        ("supersedes", receipt.superseded),
        ("superseded by", (receipt.superseded_by,) if receipt.superseded_by else ()),
        ("contradicts, see cortex conflicts:", receipt.conflicts),
        ("near", receipt.linked),
    ):
        if ids:
            yield f"{'':{SHORT + 2}}{word} {', '.join(map(_id, ids))}"


def about(found: About, look: Look) -> Iterator[str]:
    """The entity, its relations, its newest memories, and other names that fit."""
    if found.entity is None:
        yield "nothing is known by that name"
        return
    yield f"{click.style(safe(found.entity.name), bold=True)}  {found.entity.type}, {found.total:,} memories"
    for each in found.connections:
        yield f"  {_edge(each)}"
    yield from memories(found.memories, look)
    if found.candidates:
        yield click.style(f"or did you mean {', '.join(safe(name.name) for name in found.candidates)}?", dim=True)


def way(start: str, steps: Iterable[Connection]) -> Iterator[str]:
    """From one entity to another, a step a line."""
    there = list(steps)
    yield safe(start) if there else "there is no way from one to the other"
    for each in there:
        yield f"  {_edge(each)}"


def conflicts(found: Iterable[Conflict], texts: Mapping[str, Memory | None], look: Look) -> Iterator[str]:
    """Each conflict: how sure, why, and the two memories."""
    for each in found:
        state = "" if each.state == "open" else f"  [{each.state}{f': {each.resolution}' if each.resolution else ''}]"
        yield f"{_id(each.id)}  {each.confidence:.2f}  {one_line(each.reason)}{state}"
        for word, id_ in (("older", each.older), ("newer", each.newer)):
            memory = texts.get(id_)
            yield f"  {word}  {'' if memory is None else next(memories([memory], look))}"


def resolved(receipt: Receipt) -> Iterator[str]:
    """How a conflict ended."""
    lost = ", ".join(map(_id, receipt.superseded))
    yield f"resolved {_id(receipt.id or '')}: {f'{lost} is superseded' if lost else 'both are kept'}"


def reprocessed(done: Reprocessed) -> Iterator[str]:
    """What the layers looked at."""
    yield f"{done.memories:,} memories read by {', '.join(done.layers)}"
    yield f"{'':{SHORT + 2}}superseded {done.superseded:,}, conflicts that wait {done.conflicts:,}"


def scanned(done: Scanned, *, fix: bool) -> Iterator[str]:
    """Where secrets stand, a line each, and what was done about them."""
    for each in done.findings:
        place = f"version {each.version}  {one_line(each.field)}  characters {each.start} to {each.end}"
        yield f"{_id(each.id)}  {each.kind}  {place}"
    what = f", {done.masked:,} memories masked" if fix else ""
    yield f"{done.memories:,} memories read, {len(done.findings):,} secrets found{what}"
    for id_ in done.changed:
        yield f"{'':{SHORT + 2}}changed meanwhile, look again: {_id(id_)}"
    for path in done.remaining:
        yield f"{'':{SHORT + 2}}may still hold it: {safe(path)}"


def _edge(each: Connection) -> str:
    label, other = each.label.replace("_", " "), safe(each.other)
    stated = f"  ({len(each.memories):,} memories)" if len(each.memories) > 1 else ""
    return f"{f'→ {label} {other}' if each.outgoing else f'← {other} {label}'}{stated}"


def updated(receipt: Receipt, look: Look) -> Iterator[str]:
    """That the memory is changed, and its version now."""
    yield f"updated {_id(receipt.id or '')}{_elsewhere(receipt.scope, look)}  version {receipt.version}"
    yield from layered(receipt)


def forgotten(receipt: Receipt, look: Look) -> Iterator[str]:
    """What was erased, a count for each kind of trace."""
    what = receipt.id or ("everything" if receipt.ids is None else f"{len(receipt.ids):,} memories")
    yield f"forgot {what}{_elsewhere(receipt.scope, look)}"
    counts = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in receipt.counts.items() if count)
    yield f"{'':{SHORT + 2}}erased: {counts or 'nothing else'}"
    for path in receipt.remaining:
        yield f"{'':{SHORT + 2}}may still hold it: {safe(path)}"


def chosen(receipt: Receipt, look: Look) -> Iterator[str]:
    """What would be erased: the ids, and the instants that the dates meant."""
    ids = receipt.ids or ()
    yield f"would forget {len(ids):,} memories{_elsewhere(receipt.scope, look)}; nothing is erased"
    for name, at in receipt.times.items():
        yield f"{'':{SHORT + 2}}{name.replace('_', ' ')} {_when(at, look)}"
    yield from map(_id, ids)


def archived(receipt: Receipt, look: Look, *, undo: bool) -> Iterator[str]:
    """That the memory is put away, or back."""
    yield f"{'put back' if undo else 'archived'} {_id(receipt.id or '')}{_elsewhere(receipt.scope, look)}"
    yield from map(safe, receipt.notes)


def worked(report: JobReport, look: Look) -> Iterator[str]:
    """What a round of jobs did, and what those that are left wait for."""
    yield f"done {report.done}, failed {report.failed}, waiting {report.waiting}"
    for wait in report.waits:
        why = f"tried again from {_when(wait.due, look)} on: {safe(wait.error)}" if wait.error else "not tried yet"
        yield f"  {wait.jobs:,} {why}"


def table(rows: Mapping[str, object]) -> Iterator[str]:
    """Names and values in two columns."""
    width = max(map(len, rows), default=0) + 2
    for name, value in rows.items():
        yield f"{click.style(f'{safe(name):{width}}', dim=True)}{safe(str(value))}"


def health(found: Health) -> Iterator[str]:
    """The plain facts of the store."""
    store = found.store
    yield from table({
        "store": store.location,
        "backend": f"{store.engine}, schema {store.schema}, synchronous {store.durability}",
        "memories": f"{store.memories:,} in {store.bytes:,} bytes",
        "owed": f"{store.pending:,} vectors, {store.jobs:,} jobs",
        "embedder": found.embedder,
        "language model": found.llm or "none",
    })  # fmt: skip


def owed(receipts: Iterable[Receipt]) -> Iterator[str]:
    """What is less than it should be about memories that were just kept."""
    written = [receipt for receipt in receipts if receipt.id]
    for receipt in written:
        for each in receipt.redacted:
            place = f"{one_line(each.field)}, characters {each.start} to {each.end}"
            yield f"{(receipt.id or '')[:SHORT]}: masked what looks like a secret ({each.kind}) in {place}"
    yield from dict.fromkeys(safe(note) for receipt in written for note in receipt.notes)
    pending = sum(receipt.pending for receipt in written)
    if pending:
        yield f"{_memories(pending)} found by words only until the vectors are made: cortex worker --once"
    for receipt in written:
        if not receipt.pending and 0 < receipt.embedded_chars < receipt.content_chars:
            yield (
                f"{(receipt.id or '')[:SHORT]}: the first {receipt.embedded_chars:,} of {receipt.content_chars:,} "
                "characters are found by meaning, all of them by words"
            )


def lacking(answer: Recall) -> Iterator[str]:
    """What is less than it should be about an answer."""
    if answer.degraded:
        yield f"answered without {', '.join(answer.degraded)}: {safe('; '.join(answer.notes)) or 'no reason given'}"
    else:
        yield from map(safe, answer.notes)
    if answer.pending:
        yield f"{_memories(answer.pending)} found by words only until the vectors are made: cortex worker --once"


def capped(asked: int | None, limit: int) -> Iterator[str]:
    """That fewer are shown than were asked for."""
    if asked is not None and asked > limit:
        yield f"the limit was brought down to {limit:,}"


def _memories(count: int) -> str:
    return "1 memory is" if count == 1 else f"{count} memories are"


def _line(memory: Memory, look: Look, widest: int, *, clock: bool) -> str:
    third = max(look.width // 3, 1)
    date = _when(memory.event_time or memory.created_at, look)[: 16 if clock else 10]
    place = "" if memory.scope.key == look.home else f"{fit(one_line(memory.scope.key), third)}  "
    state = "" if memory.status == "active" else f"[{memory.status}] "
    state += "[low trust] " if memory.low_trust else ""
    head = f"{date}  {memory.kind:{widest}}  {place}{state}"
    tags = fit(" ".join(f"#{one_line(tag)}" for tag in memory.tags), third)
    room = max(look.width - SHORT - 2 - columns(head) - (columns(tags) + 2 if tags else 0), _LEAST_TEXT)
    speaker = fit(f"{one_line(memory.speaker)}: ", room) if memory.speaker else ""
    text = fit(one_line(memory.content[: 4 * room + 1000]), room - columns(speaker))
    said = f"{click.style(speaker, bold=True)}{text}" if speaker else text
    tail = f"  {click.style(tags, fg='cyan')}" if tags else ""
    return f"{_id(memory.id)}  {head}{said}{tail}"


def _id(full: str) -> str:
    return click.style(full[:SHORT], fg="yellow")


def _elsewhere(scope: str | None, look: Look) -> str:
    return "" if scope in (None, look.home) else f" in {safe(scope or '')}"


def _parts(parts: Mapping[str, LegScore], weights: Mapping[str, float] | None = None) -> str:
    shares = {leg: f" × {weight:.2f}" for leg, weight in (weights or {}).items()}
    return ", ".join(f"{leg} {part.rank} ({part.score:.3f}{shares.get(leg, '')})" for leg, part in parts.items())


def _reach(memory: Memory) -> str:
    """How much of a long text its vectors have read."""
    embedded, whole = memory.embedded_chars, len(memory.content)
    return f"; by meaning its first {embedded:,} of {whole:,} characters" if 0 < embedded < whole else ""


def _when(at: datetime, look: Look) -> str:
    return at.astimezone(look.zone).isoformat(sep=" ", timespec="seconds")


def _fields(memory: Memory, look: Look) -> Iterator[tuple[str, str]]:
    signature = f", {memory.signature}" if memory.signature else ""
    vector = f"{memory.embedding}{signature}; {memory.embedded_chars:,} of {len(memory.content):,} characters"
    special = {
        "scope": memory.scope.key,
        "clearance_min": memory.clearance_min.name.lower(),
        "tags": ", ".join(one_line(tag) for tag in memory.tags),
        "links": ", ".join(f"{link.relation} {link.target[:SHORT]}" for link in memory.links),
        "supersedes": ", ".join(memory.supersedes),
        "embedding": vector,
    }
    for name in _SHOWN:
        value = special.get(name, getattr(memory, name))
        if value not in (None, "", (), {}):
            yield name.replace("_min", "").replace("_", " "), _text(value, look)


def _text(value: Any, look: Look) -> str:
    if isinstance(value, datetime):
        return _when(value, look)
    return one_line(json.dumps(plain(value), ensure_ascii=False) if isinstance(value, Mapping) else str(value))


_SHOWN = (
    "id", "scope", "kind", "tier", "status", "speaker", "role", "session", "position", "tags", "importance", "emotion",
    "confidence", "event_time", "valid_from", "valid_to", "expires_at", "created_at", "updated_at", "author", "agent",
    "clearance_min", "language", "metadata", "source", "links", "supersedes", "superseded_by", "version", "embedding",
)  # fmt: skip
