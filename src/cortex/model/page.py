"""A page of a listing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from cortex.model.memory import Memory
from cortex.model.understanding import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some memories in order. ``total`` counts all that fit; ``next_cursor`` asks for the following page.

    ``times`` are the instants that the given dates meant, by name; ranges are half-open. ``events``: what was read of
    these memories, by id, where anything was; ``note`` says what is switched off.
    """

    memories: tuple[Memory, ...]
    total: int
    next_cursor: str | None = None
    limit: int = 0
    times: Mapping[str, datetime] = field(default_factory=dict)
    events: Mapping[str, Event] = field(default_factory=dict)
    note: str = ""


class Details(NamedTuple):
    """The parts of a memory that only the core filters by."""

    seq: int
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
