"""What memories say together: entities and the edges between them."""

from __future__ import annotations

from dataclasses import dataclass

from cortex.model.memory import Memory
from cortex.model.understanding import EntityType


@dataclass(frozen=True, slots=True)
class Name:
    """An entity that memories mention: how names are compared, how it is written, and in how many memories."""

    norm: str
    name: str
    type: EntityType
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """An edge as seen from an entity: which way it goes, to whom, and the memories that state it."""

    label: str
    outgoing: bool
    other: str
    description: str = ""
    memories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Everything that is known about an entity.

    ``entity`` is None where no name fits; ``candidates`` are other names that the question may have meant. Memories
    are the newest, ``total`` how many there are. ``note`` says what is switched off or not there.
    """

    entity: Name | None
    connections: tuple[Connection, ...] = ()
    memories: tuple[Memory, ...] = ()
    total: int = 0
    candidates: tuple[Name, ...] = ()
    note: str = ""
