"""What a text says, taken apart: nouns that the write path makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from cortex.model.memory import Kind


class EntityType(StrEnum):
    """What sort of thing a name stands for; ``thing`` where nothing tells. ``self`` is whose memory it is."""

    SELF = "self"
    PERSON = "person"
    PLACE = "place"
    ORGANIZATION = "organization"
    TECHNOLOGY = "technology"
    MODULE = "module"
    FILE = "file"
    CONFIG = "config"
    IDENTIFIER = "identifier"
    PROJECT = "project"
    EVENT = "event"
    CONCEPT = "concept"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a text names, as it is written there."""

    name: str
    type: EntityType = EntityType.THING


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed statement about two entities, by their names; ``label`` is lower case with underscores."""

    source: str
    label: str
    target: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened: when (aware UTC), who did it, where, and of what sort; None where it is not said."""

    event_time: datetime | None = None
    actor: str | None = None
    location: str | None = None
    event_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """What one text says. None or empty means that nothing tells, and is never a guess.

    ``importance`` is 1–10, ``emotion`` 0–1; at most five tags.
    """

    kind: Kind | None = None
    importance: int | None = None
    tags: tuple[str, ...] = ()
    emotion: float | None = None
    event: Event | None = None
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a memory: as it is written, and (``norm``) as names are compared."""

    norm: str
    name: str
    type: EntityType


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation that a memory states, between the norms of two of its mentions."""

    source: str
    label: str
    target: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is kept of an understanding beside the memory: which layers read the text, and who or what did."""

    layers: tuple[str, ...]
    maker: str
    event: Event | None = None
    mentions: tuple[Mention, ...] = ()
    edges: tuple[Edge, ...] = ()


# Whose memories are read, whoever says "I": a name that no text can have.
SELF = "__self__"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two statements cannot both hold: how sure that is, 0–1, and why in a few words."""

    contradicts: bool
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A few sentences that stand for several texts, and the places of those texts it is taken from."""

    text: str
    sources: tuple[int, ...]
