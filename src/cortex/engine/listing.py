"""Reading memories without a question: one by id, a page of them, how many, in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cortex.core.cursor import decode, encode, key_of
from cortex.core.matching import details_pass
from cortex.engine import guard
from cortex.engine.deps import Deps
from cortex.engine.find import everywhere, find
from cortex.errors import NotFound
from cortex.model.memory import Memory
from cortex.model.page import Page
from cortex.model.policy import Action, Caller, Grant
from cortex.model.query import Listing, Order, Selection
from cortex.model.understanding import Event

_STEP = 500
_OFF = "only times that were given: the layer episodic, which reads them from texts, is off (CORTEX_EPISODIC=1)"


def get(deps: Deps, caller: Caller, id_or_prefix: object) -> Memory | None:
    """The memory with this id or unique prefix, in any state; None when there is none."""
    try:
        return find(deps, everywhere(deps, caller, Action.READ), id_or_prefix)
    except NotFound:
        return None


def page(deps: Deps, caller: Caller, asked: Listing) -> Page:
    """Up to ``asked.limit`` memories from the cursor on, with the total and the next cursor."""
    grant = guard.authorise(caller, Action.READ, asked.scopes)
    selection = _selection(deps, grant, asked)
    after = None if asked.cursor is None else decode(asked.cursor, asked.order)
    found: list[Memory] = []
    events: dict[str, Event] = {}
    for memory in _walk(deps, replace(selection, after=after), asked.limit + 1, events):
        if guard.covers(grant, memory) and details_pass(memory.tags, memory.metadata, asked.filter):
            found.append(memory)
        if len(found) > asked.limit:
            break
    return Page(
        memories=tuple(found[: asked.limit]),
        total=_total(deps, selection),
        next_cursor=encode(_dated(found[asked.limit - 1], events), asked.order) if len(found) > asked.limit else None,
        limit=asked.limit,
        times=asked.filter.times,
        events={memory.id: events[memory.id] for memory in found[: asked.limit] if memory.id in events},
    )


def timeline(deps: Deps, caller: Caller, asked: Listing) -> Page:
    """A page of what happened: when it was said, else when the text tells; what has no date comes last."""
    if deps.layers.episodic:
        return page(deps, caller, replace(asked, order=Order.HAPPENED))
    return replace(page(deps, caller, asked), note=_OFF)


def count(deps: Deps, caller: Caller, asked: Listing) -> int:
    """How many memories there are to list, on all pages."""
    return _total(deps, _selection(deps, guard.authorise(caller, Action.READ, asked.scopes), asked))


def history(deps: Deps, caller: Caller, id_or_prefix: object) -> list[Memory]:
    """Every version of a memory that is kept, oldest first; those beyond the caller's grant are left out."""
    grant = everywhere(deps, caller, Action.READ)
    memory = find(deps, grant, id_or_prefix)
    return [version for version in deps.store.archive.history(memory.seq) if guard.covers(grant, version)]


def _selection(deps: Deps, grant: Grant, asked: Listing) -> Selection:
    return Selection(
        scopes=grant.scopes,
        clearance=grant.clearance,
        now=asked.as_of or deps.clock.now(),
        past=asked.as_of is not None,
        filter=asked.filter,
        order=asked.order,
    )


def _walk(deps: Deps, selection: Selection, first: int, events: dict[str, Event]) -> Iterator[Memory]:
    """Every memory from the cursor on, read in steps; ``events`` takes what was read of them, where that counts."""
    size = first
    while True:
        batch = deps.store.select(replace(selection, limit=size))
        if selection.order is Order.HAPPENED:
            readings = deps.store.knowledge.readings([memory.seq for memory in batch])
            events |= {m.id: e for m in batch if m.seq in readings and (e := readings[m.seq].event) is not None}
        yield from batch
        if len(batch) < size:
            return
        selection = replace(selection, after=key_of(_dated(batch[-1], events), selection.order))
        size = _STEP


def _dated(memory: Memory, events: Mapping[str, Event]) -> Memory:
    """The memory with the event time that it is ordered by."""
    read = events.get(memory.id)
    return memory if memory.event_time is not None or read is None else replace(memory, event_time=read.event_time)


def _total(deps: Deps, selection: Selection) -> int:
    wanted = selection.filter
    if wanted.tags or wanted.metadata:
        rows = deps.store.matching(selection, details=True)
        return sum(details_pass(row.tags, row.metadata, wanted) for row in rows)
    return sum(row.memories for row in deps.store.count(selection))
