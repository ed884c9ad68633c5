"""Which memories a selection has."""

from __future__ import annotations

from datetime import datetime

from cortex.model.memory import Memory
from cortex.model.query import Filter, Order, Selection
from cortex.model.understanding import Event


def selected(memory: Memory, selection: Selection, event: Event | None = None) -> bool:
    """Whether the selection has the memory; ``event``: what was read of it."""
    happened = memory.event_time
    if selection.order is Order.HAPPENED:
        if happened is None and event is None:
            return False
        happened = happened or (None if event is None else event.event_time)
    return (
        memory.scope in selection.scopes
        and memory.clearance_min <= selection.clearance
        and (memory.expires_at is None or memory.expires_at > selection.now)
        and (memory.valid_from is None or memory.valid_from <= selection.now)
        and (memory.valid_to is None or memory.valid_to > selection.now)
        and selection.embedding in (None, memory.embedding)
        and (selection.order is not Order.EVENT or memory.event_time is not None)
        and _passes(memory, selection.filter, happened)
    )


def _passes(memory: Memory, wanted: Filter, happened: datetime | None) -> bool:
    return (
        (not wanted.kinds or memory.kind in wanted.kinds)
        and (not wanted.tiers or memory.tier in wanted.tiers)
        and (not wanted.statuses or memory.status in wanted.statuses)
        and wanted.session in (None, memory.session)
        and wanted.author in (None, memory.author)
        and wanted.speaker in (None, memory.speaker)
        and (wanted.min_importance is None or memory.importance >= wanted.min_importance)
        and _between(memory.created_at, wanted.created_since, wanted.created_until)
        and _between(happened, wanted.event_since, wanted.event_until)
    )


def _between(at: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if at is None:
        return since is None and until is None
    return (since is None or at >= since) and (until is None or at < until)
