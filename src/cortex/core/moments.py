"""Instants and ranges from what people write: ISO 8601 dates and times.

A time without a zone, and a bare date, are meant in the zone that the caller is in (UTC unless set).
A bare date is the whole day: as a start its first instant, as an end the first instant after it.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo

from cortex.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXPECTED = "expected ISO 8601 such as 2026-05-31, 2026-05-31T14:30 or 2026-05-31T14:30:00+02:00"


def microseconds(at: datetime) -> int:
    """Microseconds since 1970 UTC."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def after(at: datetime, now: datetime) -> datetime:
    """When something changes that was changed at ``at`` before: now, but later than then, whatever the clock does.

    Time never runs backwards in a history. At the end of time it stands still.
    """
    return now if now > at else at + min(timedelta(microseconds=1), datetime.max.replace(tzinfo=UTC) - at)


def instant(field: str, value: object, zone: tzinfo) -> datetime | None:
    """The instant in UTC; a bare date is its first instant; None stays None."""
    if value is None:
        return None
    at, _ = _read(field, value, zone)
    return at


def end(field: str, value: object, zone: tzinfo) -> datetime | None:
    """The first instant after the given end: bare dates and instants are inclusive."""
    if value is None:
        return None
    at, width = _read(field, value, zone)
    try:
        return at + width
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def as_of(value: object, zone: tzinfo) -> datetime | None:
    """The instant to look back to; a bare date is its last one, so that what was kept that day counts."""
    stop = end("as_of", value, zone)
    return None if stop is None else stop - timedelta(microseconds=1)


def between(since: object, until: object, zone: tzinfo, *, prefix: str = "") -> tuple[datetime | None, datetime | None]:
    """A half-open range in UTC from inclusive ends; an end before its start is an error.

    ``prefix``: how the fields begin, such as ``event_`` for ``event_since`` and ``event_until``.
    """
    start, stop = instant(f"{prefix}since", since, zone), end(f"{prefix}until", until, zone)
    if start is not None and stop is not None and stop <= start:
        raise InvalidInput(f"{prefix}until", f"{until!s} is before {prefix}since {since!s}; swap them")
    return start, stop


def _read(field: str, value: object, zone: tzinfo) -> tuple[datetime, timedelta]:
    if isinstance(value, str):
        value = _parse(field, value.strip())
    if isinstance(value, datetime):
        return _utc(field, value, zone), timedelta(microseconds=1)
    if isinstance(value, date):
        first = datetime(value.year, value.month, value.day, tzinfo=zone)
        start = _utc(field, first, zone)
        try:
            # In the same zone a day is added on the calendar, so a day of 23 or 25 hours stays whole.
            return start, _utc(field, first + timedelta(days=1), zone) - start
        except OverflowError:
            return start, timedelta(days=1)
    raise InvalidInput(field, f"{type(value).__name__} is no time; {_EXPECTED}")


def _parse(field: str, value: str) -> date | datetime:
    try:
        # A bare date has no "T" and no blank; `fromisoformat` of datetime would make it midnight.
        if len(value) == 10 and value[4:5] == "-":
            return date.fromisoformat(value)
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise InvalidInput(field, f"{value!r} is no time ({error}); {_EXPECTED}") from None


def _utc(field: str, value: datetime, zone: tzinfo) -> datetime:
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    try:
        return value.astimezone(UTC)
    except (OverflowError, ValueError):
        raise InvalidInput(field, f"{value.isoformat()} is outside of the years 1 to 9999 in UTC") from None
