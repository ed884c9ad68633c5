"""Times of day as they are written: 3pm, 15:30, noon, 8:00 AM PST, 23:41:07Z."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time, timedelta, timezone, tzinfo
from typing import Final

# Abbreviations that mean one offset nearly everywhere. None: known to be a zone, but not which (IST, ET through the
# year); a time beside one of these is not read at all.
_OFFSETS: Final[dict[str, float | None]] = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "EST": -5, "EDT": -4,
    "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
    "IST": None, "ET": None, "CT": None, "MT": None, "PT": None,
}  # fmt: skip
_ZONE: Final = (
    r"(?:\s?(?P<zone>(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?(?!\d)|(?:"
    + "|".join(sorted(_OFFSETS, key=len, reverse=True))
    + r")\b))?"
)
_CLOCK: Final = re.compile(
    r"(?:(?<=\dT)|(?<![\w:.,/$€£#+-]))(?:"
    r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2})(?::(?P<second>\d{2}))?)?\s?(?P<half>[AaPp])\.?[Mm]\b\.?"
    r"|(?P<hour24>\d{1,2}):(?P<minute24>\d{2})(?::(?P<second24>\d{2})(?:[.,]\d{1,9})?)?(?![\d:%]|\.\d)"
    r"|(?P<word>(?i:noon|midday|midnight))\b)" + _ZONE
)
_BARE: Final = re.compile(r"\bat (?P<hour>\d{1,2})(?: o['’]clock)?(?=[.,;!?]?(?:\s|$))(?!\s(?:%|percent|[ap]\.?m))")
_LED: Final = re.compile(r"\b(?:at|by|around|about|from|until|till|since|before|after|@|to|between)\s*$", re.IGNORECASE)
_LEAD: Final = 16  # characters before a time in which its preposition stands
_OFFSET: Final = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?")
_LATE: Final = frozenset(("afternoon", "evening", "night", "tonight"))


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in the text. ``time`` None where it is not ``possible``, or ambiguous.

    ``led``: a preposition says that it is a time, or it is spelled as nothing else is. ``zone`` None: the speaker's.
    """

    start: int
    end: int
    time: time | None
    zone: tzinfo | None
    led: bool
    possible: bool


def clocks_of(text: str, part: str) -> Iterator[Clock]:
    """The times of a sentence; ``part`` is the part of the day that is named, which tells 8 in the evening from 8."""
    for found in _CLOCK.finditer(text):
        led = (
            found["half"] is not None
            or found["word"] is not None
            or _LED.search(text[max(0, found.start() - _LEAD) : found.start()]) is not None
        )
        read, possible = _read(found, part)
        # Only an ISO time takes a bare minus for an offset: 14:00-15:00 is a span.
        ranged = (found["zone"] or "").startswith("-") and text[found.start() - 1 : found.start()] != "T"
        zone, known = _zone(None if ranged else found["zone"])
        yield Clock(*found.span(), read if known else None, zone, led, possible)
    if part:
        for found in _BARE.finditer(text):
            hour = int(found["hour"])
            if 1 <= hour <= 12:
                yield Clock(*found.span(), time(_in_part(hour, part)), None, led=True, possible=True)


def _read(found: re.Match[str], part: str) -> tuple[time | None, bool]:
    """The time, and whether there is such a time."""
    if found["word"]:
        return (time(0) if found["word"].lower() == "midnight" else time(12)), True
    if found["half"]:
        hour, minute, second = int(found["hour"]), int(found["minute"] or 0), int(found["second"] or 0)
        if not 1 <= hour <= 12 or minute > 59 or second > 59:
            return None, False
        return time(hour % 12 + 12 * (found["half"].lower() == "p"), minute, second), True
    hour, minute, second = int(found["hour24"]), int(found["minute24"]), int(found["second24"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None, False
    if len(found["hour24"]) == 1:
        if part:
            return time(_in_part(hour, part), minute, second), True
        if 1 <= hour <= 6:
            return None, True  # 3:30 is either half of the day
    return time(hour, minute, second), True


def _in_part(hour: int, part: str) -> int:
    """An hour of twelve in a part of the day: 2 at night is after midnight, 9 at night is before."""
    if part not in _LATE:
        return hour % 12 if hour == 12 else hour
    early = part in {"night", "tonight"} and (hour == 12 or hour < 5)
    return hour % 12 if early else (hour if hour >= 12 else hour + 12)


def _zone(name: str | None) -> tuple[tzinfo | None, bool]:
    """The zone that a time is given in, and whether it is known."""
    if name is None:
        return None, True
    if name in _OFFSETS:
        hours = _OFFSETS[name]
        return (None, False) if hours is None else (timezone(timedelta(hours=hours)), True)
    found = _OFFSET.fullmatch(name)
    if found is None or int(found[2]) > 14 or int(found[3] or 0) > 59:
        return None, False
    offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return timezone(-offset if found[1] == "-" else offset), True
