"""Whose word counts more when two memories contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from cortex.model.memory import Memory, Role

# `source.type` of a memory, from the most to the least trusted.
_SOURCES: Final[Mapping[str, int]] = {
    "official": 5, "document": 5, "verified": 4, "human": 3, "user": 3, "agent": 2, "assistant": 2, "tool": 2,
    "import": 1, "derived": 0,
}  # fmt: skip
_ROLES: Final[Mapping[Role, int]] = {Role.USER: 3, Role.ASSISTANT: 2, Role.TOOL: 2, Role.SYSTEM: 3}
_HUMAN: Final = 3
_LOW_TRUST: Final = -1
_UNWRITTEN: Final = 2**63  # what is not written yet comes last


def authority(memory: Memory) -> tuple[int, int]:
    """What decides before time does: where it comes from, then how confidential it is.

    Whatever it says of itself, a memory of low trust counts less than any other.
    """
    if memory.low_trust:
        return _LOW_TRUST, int(memory.clearance_min)
    given = memory.source.get("type")
    usual = _HUMAN if memory.role is None else _ROLES[memory.role]
    return _SOURCES.get(given.casefold(), usual) if isinstance(given, str) else usual, int(memory.clearance_min)


def held_since(memory: Memory) -> datetime | None:
    """Since when what it says holds, as far as anybody said."""
    return memory.valid_from or memory.event_time


def outweighs(one: Memory, other: Memory) -> bool | None:
    """Whether the word of one counts more than that of the other; None where nothing decides.

    With equal authority it is the one that holds since later, or was written later; not where both are said to hold
    since the same moment.
    """
    mine, theirs = authority(one), authority(other)
    if mine != theirs:
        return mine > theirs
    since, other_since = held_since(one), held_since(other)
    if since is not None and since == other_since:
        return None
    written, other_written = since or one.updated_at, other_since or other.updated_at
    return written > other_written or (written == other_written and (one.seq or _UNWRITTEN) > (other.seq or _UNWRITTEN))
