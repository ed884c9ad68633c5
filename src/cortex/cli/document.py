"""Values as one strict JSON document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum, IntEnum
from math import isfinite
from typing import Any

from cortex.cli.escape import unsafe
from cortex.model.scope import Scope


def document(value: object) -> str:
    """The value as JSON text that any terminal may show: what could steer one is an escape."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=2)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(json.dumps(c)[1:-1] if c != "\n" and unsafe(c) else c for c in text)


def plain(value: object) -> Any:  # noqa: PLR0911 - one for each kind of value
    """The value made of JSON's own kinds.

    A dataclass or named tuple becomes an object by field and a scope its key; enums their values, and where those
    are numbers their names; times ISO 8601 in UTC, bytes hex, numbers that are none null.
    """
    match value:
        case Enum():
            return value.name.lower() if isinstance(value, IntEnum) else value.value
        case float():
            return value if isfinite(value) else None
        case None | str() | int():
            return value
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        case bytes():
            return value.hex()
        case Scope():
            return value.key
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return plain(value._asdict()) if hasattr(value, "_asdict") else [plain(item) for item in value]
        case _ if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")
