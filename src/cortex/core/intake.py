"""From what a caller hands in to values of the model, or an error that says what is wrong.

All doors come through here, so a value means the same everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from math import isfinite
from typing import Any, TypeVar

from cortex.core.text import clean_problem
from cortex.errors import MESSAGES, InvalidInput
from cortex.model.memory import Clearance
from cortex.model.query import MAX_LIMIT, AnyOf, Condition, Inside, Not, Operator, Test

MAX_TAGS = 12
MAX_TAG = 100
MAX_METADATA = 65_536
MAX_DEPTH = 20
MAX_KEY = 200
MOST_SHOWN = 80
LARGEST_WHOLE = 10**100
LARGEST_STORED = 2**62

E = TypeVar("E", bound=Enum)


def shown(value: object) -> str:
    """A value for a message: short, and never an error itself."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        return "a number of thousands of digits"
    text = MESSAGES.conceal(text)  # before it is cut, since half a secret is not known as one
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def text(field: str, value: object) -> str:
    """Text that can be stored: not blank, no NUL, no half surrogate, at most 1,000,000 characters."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"expected text, got {type(value).__name__}")
    problem = clean_problem(value)
    if problem is not None:
        raise InvalidInput(field, problem)
    return value


def label(field: str, value: object, *, longest: int = MAX_KEY) -> str | None:
    """A short name such as a speaker or session: trimmed, not blank, or None."""
    if value is None:
        return None
    name = text(field, value).strip()
    if len(name) > longest:
        raise InvalidInput(field, f"{len(name)} characters; at most {longest}")
    return name


def remark(field: str, value: object, longest: int) -> str:
    """Text that may be empty: no NUL, no half surrogate, at most ``longest`` characters, nothing trimmed."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"expected text, got {type(value).__name__}")
    if len(value) > longest:
        raise InvalidInput(field, f"{len(value)} characters; at most {longest}")
    if _unstorable(value):
        raise InvalidInput(field, "has a NUL or half of a surrogate pair")
    return value


def member(field: str, value: object, kinds: type[E]) -> E:
    """One of a closed set, by value and in any case; an unknown one is an error that lists them."""
    if isinstance(value, kinds):
        return value
    if isinstance(value, str):
        wanted = value.strip().lower().replace("-", "_")
        for item in kinds:
            if item.value == wanted:
                return item
    raise InvalidInput(field, f"{shown(value)} is unknown; expected one of {', '.join(str(k.value) for k in kinds)}")


def members(field: str, value: object, kinds: type[E]) -> frozenset[E]:
    """A set of `member`; one alone is accepted, None is the empty set."""
    if value is None:
        return frozenset()
    items = [value] if isinstance(value, (str, Enum)) else _items(field, value)
    return frozenset(member(field, item, kinds) for item in items)


def clearance(value: object) -> Clearance:
    """A clearance by name or by number 0 to 3."""
    names = ", ".join(c.name.lower() for c in Clearance)
    if isinstance(value, str) and value.strip().upper() in Clearance.__members__:
        return Clearance[value.strip().upper()]
    if isinstance(value, int) and not isinstance(value, bool) and value in list(Clearance):
        return Clearance(value)
    raise InvalidInput("clearance_min", f"{shown(value)} is unknown; expected one of {names}, or 0 to 3")


def tags(value: object) -> tuple[str, ...]:
    """Up to 12 distinct tags of up to 100 characters, in order."""
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else _items("tags", value)
    found = dict.fromkeys(label("tags", item, longest=MAX_TAG) for item in items)
    if len(found) > MAX_TAGS:
        raise InvalidInput("tags", f"{len(found)} tags; at most {MAX_TAGS}")
    return tuple(tag for tag in found if tag is not None)


def whole(field: str, value: object, low: int, high: int | None = None) -> int:
    """An integer from ``low`` to ``high``; neither true nor 2.5 nor "5" is one."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, f"{shown(value)} is not a whole number; expected {_span(low, high)}")
    if value < low or (high is not None and value > high):
        raise InvalidInput(field, f"{shown(value)} is out of range; expected {_span(low, high)}")
    return value


def limit(value: object) -> int:
    """How many results: 1 to 1000; more is brought down to 1000, zero and less are errors."""
    return min(whole("limit", value, 1), MAX_LIMIT)


def switch(field: str, value: object) -> bool:
    """True or false; None is false, and nothing else is either."""
    if value is None or isinstance(value, bool):
        return bool(value)
    raise InvalidInput(field, f"{shown(value)} is neither; expected true or false")


def share(field: str, value: object) -> float:
    """A finite number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInput(field, f"{shown(value)} is out of range; expected a number from 0 to 1")
    return float(value)


def json_object(field: str, value: object) -> Mapping[str, Any]:
    """A JSON object: text keys, finite numbers, at most 20 levels and 65,536 characters; copied."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"expected an object with text keys, got {type(value).__name__}")
    plain = _plain(field, value, MAX_DEPTH)
    size = len(json.dumps(plain, ensure_ascii=False))
    if size > MAX_METADATA:
        raise InvalidInput(field, f"{size} characters of JSON; at most {MAX_METADATA}")
    result: Mapping[str, Any] = plain
    return result


def conditions(value: object) -> tuple[Test, ...]:
    """Metadata tests, which must all hold.

    ``{"key": value}`` is equality, ``{"key": {"$gte": 2, "$lt": 9}}`` compares, ``{"key": {"inner": {"$gt": 2}}}``
    looks into an object; ``$and`` and ``$or`` take a list of such objects, ``$not`` takes one.
    """
    return () if value is None else _tests(json_object("metadata", value))


def _tests(given: Mapping[str, Any]) -> tuple[Test, ...]:
    return tuple(test for key, wanted in given.items() for test in _tests_of(key, wanted))


def _tests_of(key: str, wanted: Any) -> Iterable[Test]:
    match key:
        case "$and":
            return [test for group in _groups(key, wanted) for test in group]
        case "$or":
            return [AnyOf(tuple(_groups(key, wanted)))]
        case "$not":
            return [Not(_group(key, wanted))]
        case _ if key.startswith("$"):
            raise InvalidInput(
                "metadata", f"{key!r} is no key; expected $and, $or, $not, or {{key: {{operator: value}}}}"
            )
        case _ if not _has_operators(wanted):
            return [Condition(key, Operator.EQ, wanted)]
        case _ if not any(name.startswith("$") for name in wanted):
            return [Inside(key, _tests(wanted))]
        case _:
            return [_condition(key, name, operand) for name, operand in wanted.items()]


def _groups(key: str, wanted: Any) -> list[tuple[Test, ...]]:
    if not isinstance(wanted, list) or not wanted:
        raise InvalidInput("metadata", f"{key} expects a list of conditions, got {shown(wanted)}")
    return [_group(key, item) for item in wanted]


def _group(key: str, wanted: Any) -> tuple[Test, ...]:
    if not isinstance(wanted, Mapping) or not wanted:
        raise InvalidInput("metadata", f"{key} expects conditions such as {{key: value}}, got {shown(wanted)}")
    return _tests(wanted)


def _has_operators(wanted: Any) -> bool:
    """Whether an object is meant to be tested, or only to be equal."""
    return isinstance(wanted, Mapping) and any(
        name.startswith("$") or _has_operators(inner) for name, inner in wanted.items()
    )


def _condition(key: str, name: str, operand: Any) -> Condition:
    try:
        operator = Operator(name.removeprefix("$") if name.startswith("$") else "")
    except ValueError:
        known = ", ".join(f"${item.value}" for item in Operator)
        raise InvalidInput("metadata", f"operator {name!r} of {key!r} is unknown; expected {known}") from None
    if operator is Operator.IN and not isinstance(operand, list):
        raise InvalidInput("metadata", f"$in of {key!r} expects a list, got {shown(operand)}")
    if operator is Operator.EXISTS and not isinstance(operand, bool):
        raise InvalidInput("metadata", f"$exists of {key!r} expects true or false, got {shown(operand)}")
    return Condition(key, operator, operand)


def _plain(field: str, value: Any, depth: int) -> Any:
    """The same JSON value made of dict, list, str, int, float, bool and None only."""
    if depth == 0:
        raise InvalidInput(field, f"nested deeper than {MAX_DEPTH} levels")
    match value:
        case None | bool():
            return value
        case int():
            if abs(value) >= LARGEST_WHOLE:
                raise InvalidInput(field, "a whole number has more than 100 digits")
            return value
        case float():
            if not isfinite(value):
                raise InvalidInput(field, f"{value} is not a JSON number; expected a finite one")
            return value
        case str():
            return _json_text(field, value)
        case Mapping():
            return {_json_key(field, key): _plain(field, item, depth - 1) for key, item in value.items()}
        case list() | tuple():
            return [_plain(field, item, depth - 1) for item in value]
        case _:
            raise InvalidInput(field, f"{type(value).__name__} is not JSON; expected text, numbers, lists, objects")


def _json_key(field: str, key: object) -> str:
    if not isinstance(key, str) or not key or len(key) > MAX_KEY:
        raise InvalidInput(field, f"key {key!r} is not text of 1 to {MAX_KEY} characters")
    return _json_text(field, key)


def _json_text(field: str, value: str) -> str:
    if _unstorable(value):
        raise InvalidInput(field, f"{MESSAGES.quoted(value, 40)} has a NUL or half of a surrogate pair")
    return value


def _unstorable(value: str) -> bool:
    return "\0" in value or any(0xD800 <= ord(c) < 0xE000 for c in value)


def items(field: str, value: object) -> Sequence[object]:
    """A list of anything; None is an empty one."""
    return [] if value is None else _items(field, value)


def _items(field: str, value: object) -> Sequence[object]:
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    raise InvalidInput(field, f"expected a list, got {type(value).__name__}")


def _span(low: int, high: int | None) -> str:
    return f"{low} or more" if high is None else f"{low} to {high}"
