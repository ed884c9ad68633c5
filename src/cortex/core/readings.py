"""What was read from a memory, as facts in JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from cortex.core import intake
from cortex.core.understanding.names import LONGEST_NAME
from cortex.errors import InvalidInput
from cortex.model.understanding import Edge, EntityType, Event, Mention, Reading

_LONGEST_REMARK = 10_000
_MOST = 1_000


def to_facts(reading: Reading) -> dict[str, Any]:
    """The facts of a reading; what there is not is left out."""
    event = reading.event
    facts: dict[str, Any] = {
        "layers": list(reading.layers),
        "maker": reading.maker,
        "mentions": [[each.norm, each.name, each.type.value] for each in reading.mentions],
        "edges": [[each.source, each.label, each.target, each.description] for each in reading.edges],
    }
    if event is not None:
        at = None if event.event_time is None else event.event_time.isoformat(timespec="microseconds")
        facts["event"] = {"time": at, "actor": event.actor, "location": event.location, "type": event.event_type}
    return facts


def from_facts(given: object) -> Reading:
    """The reading of facts; `InvalidInput` names what is wrong, never quoting the text."""
    if not isinstance(given, Mapping):
        raise InvalidInput("reading", "is no JSON object")
    mentions = tuple(Mention(norm, name, _type(type_)) for norm, name, type_ in _rows(given, "mentions", 3))
    edges = tuple(Edge(*each) for each in _rows(given, "edges", 4))
    norms = {mention.norm for mention in mentions}
    if len(norms) < len(mentions) or not norms >= {end for edge in edges for end in (edge.source, edge.target)}:
        raise InvalidInput("reading", "has a name twice, or an edge to a name that it does not mention")
    return Reading(
        layers=tuple(_text("layers", each) for each in _list(given, "layers")),
        maker=_text("maker", given.get("maker")),
        event=None if given.get("event") is None else _event(given["event"]),
        mentions=mentions,
        edges=edges,
    )


def _event(given: object) -> Event:
    if not isinstance(given, Mapping):
        raise InvalidInput("reading", "has an event that is no JSON object")
    said = {name: None if given.get(name) is None else _text(name, given[name]) for name in _EVENT}
    try:
        at = None if said["time"] is None else datetime.fromisoformat(said["time"]).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput("reading", "has an event time that is no ISO 8601 time") from None
    return Event(event_time=at, actor=said["actor"], location=said["location"], event_type=said["type"])


_EVENT = ("time", "actor", "location", "type")


def _type(given: str) -> EntityType:
    return intake.member("reading", given, EntityType)


def _rows(given: Mapping[str, Any], name: str, width: int) -> list[list[str]]:
    rows = [intake.items("reading", each) for each in _list(given, name)]
    if any(len(row) != width for row in rows):
        raise InvalidInput("reading", f"has {name} that are not {width} texts each")
    return [[_text(name, each) for each in row] for row in rows]


def _list(given: Mapping[str, Any], name: str) -> list[object]:
    found = list(intake.items("reading", given.get(name)))
    if len(found) > _MOST:
        raise InvalidInput("reading", f"has {len(found)} {name}; at most {_MOST}")
    return found


def _text(name: str, given: object) -> str:
    longest = _LONGEST_REMARK if name == "edges" else 4 * LONGEST_NAME
    return intake.remark("reading", given, longest)
