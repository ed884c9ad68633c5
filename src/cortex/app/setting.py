"""What a setting is, and how what is written becomes its value."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from cortex.model.scope import check_name

_SQLITE = "sqlite:///"
TEXT, WHOLE, NUMBER, TRUTH = "text in quotes", "a whole number", "a number", "true or false"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name, its variables (the first is the usual one), default, reader, meaning, type in TOML.

    ``secret``: its value is shown nowhere, and taken only from a ``cortex.toml`` that nobody else can read.
    """

    name: str
    variables: tuple[str, ...]
    default: str
    read: Callable[[str], Any]
    meaning: str
    toml: str = TEXT
    secret: bool = False


def full_path(value: str) -> Path:
    """The absolute path that a text names, ``~`` being a home; `ValueError` says why it names none."""
    if "\0" in value:
        raise ValueError("expected a path without NUL")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:  # the locale knows fewer characters than the text has: files are named in UTF-8
        value = os.fsdecode(value.encode("utf-8", "surrogateescape"))
    try:
        return Path(value).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(f"{value.partition('/')[0]} has no home that is known; write the path in full") from error
    except OSError as error:
        raise ValueError(f"the working directory cannot be told ({error.strerror}); write the path in full") from error


def store_place(value: str) -> str:
    """``:memory:`` or the absolute path of a path or URL; `ValueError` says why it is none and repeats no password."""
    scheme = re.match(r"(?i)(\w[\w+.-]+)://|(file|sqlite):", value)
    if value.startswith(_SQLITE):
        if set("?#") & set(value):
            raise ValueError("sqlite:/// takes only a path, no '?' and no '#'; name such a file by its path")
        value = value.removeprefix(_SQLITE) or ":memory:"
    elif scheme:
        raise ValueError(f"{scheme[0]} cannot be opened; expected a path, :memory: or sqlite:///path")
    return value if value == ":memory:" else str(full_path(value))


def model(value: str) -> str:
    """A model's name, or a path that can be one."""
    full_path(value)
    return value


def user_name(value: str) -> str:
    """The name of a user."""
    with suppress(UnicodeError):  # in a locale that knows only ASCII the environment's UTF-8 arrives as escapes
        value = value.encode("utf-8", "surrogateescape").decode("utf-8")
    check_name("CORTEX_USER_ID", value)
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers in this range."""

    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return number

    return read


def seconds(value: str) -> float:
    """A number of seconds."""
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 3600:
        raise ValueError("expected a number of seconds from 0 to 3600")
    return number


def time_limit(value: str) -> float:
    """A number of seconds in which something can be done."""
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0.1 <= number <= 3600:
        raise ValueError("expected a number of seconds from 0.1 to 3600")
    return number


def switch(value: str) -> bool:
    """On or off."""
    if value.strip().lower() in ("1", "true", "yes", "on"):
        return True
    if value.strip().lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError("expected true or false")


def one_of(*allowed: str) -> Callable[[str], str]:
    """A reader of one of these words, in any case."""

    def read(value: str) -> str:
        if value.strip().lower() not in allowed:
            raise ValueError(f"expected one of {', '.join(allowed)}")
        return value.strip().lower()

    return read


def optional_one_of(*allowed: str) -> Callable[[str], str]:
    """As `one_of`; an empty text stays one."""
    read = one_of(*allowed)
    return lambda value: read(value) if value else ""


def zone(value: str) -> ZoneInfo:
    """A time zone."""
    try:
        return ZoneInfo(value)
    except (LookupError, OSError) as error:
        raise ValueError(f"expected an IANA name such as Europe/Paris ({error})") from error


def optional_dim(value: str) -> int | None:
    """A dimension, or None for an empty text."""
    return whole(1, 65_536)(value) if value else None


def plain(value: str) -> str:
    """Any text, without the white space around it."""
    return value.strip()


def key(value: str) -> str:
    """A key that a header of HTTP can hold; the error does not show it."""
    if not value.strip().isascii() or not value.strip().isprintable():
        raise ValueError("expected printable ASCII")
    return value.strip()


def price(value: str) -> float | None:
    """What a million tokens cost, or None for an empty text."""
    if not value:
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise ValueError("expected a price of at least 0 for a million tokens")
    return number
