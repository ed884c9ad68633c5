from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.moments import after, between, end, instant, microseconds
from cortex.errors import InvalidInput

NEW_YORK = ZoneInfo("America/New_York")
KOLKATA = ZoneInfo("Asia/Kolkata")
STEP = timedelta(microseconds=1)


def utc(*parts: int) -> datetime:
    """An instant in UTC."""
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc] # the parts of a time


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-31", utc(2026, 5, 31)),
        (" 2026-05-31 ", utc(2026, 5, 31)),
        ("2026-05-31T14:30", utc(2026, 5, 31, 14, 30)),
        ("2026-05-31 14:30:15.123456", utc(2026, 5, 31, 14, 30, 15, 123456)),
        ("2026-05-31T14:30:00Z", utc(2026, 5, 31, 14, 30)),
        ("2026-05-31T14:30:00+02:00", utc(2026, 5, 31, 12, 30)),
        ("2026-05-31T23:30:00-05:30", utc(2026, 6, 1, 5, 0)),
        (date(2026, 5, 31), utc(2026, 5, 31)),
        (utc(2026, 5, 31, 1), utc(2026, 5, 31, 1)),
        (datetime(2026, 5, 31, 1, tzinfo=timezone(timedelta(hours=1))), utc(2026, 5, 31)),
        ("0001-01-01", utc(1, 1, 1)),
        ("9999-12-31", utc(9999, 12, 31)),
    ],
    ids=str,
)
def test_what_people_write(value: Any, expected: datetime) -> None:
    """ISO dates and times, with or without a zone, become instants in UTC."""
    found = instant("at", value, UTC)
    assert found == expected
    assert found is not None
    assert found.tzinfo is UTC


def test_a_time_without_a_zone_is_in_the_caller_s() -> None:
    """Bare times and dates are meant where the caller is."""
    assert instant("at", "2026-07-01T12:00", NEW_YORK) == utc(2026, 7, 1, 16)
    assert instant("at", "2026-01-01T12:00", NEW_YORK) == utc(2026, 1, 1, 17)
    assert instant("at", "2026-07-01", KOLKATA) == utc(2026, 6, 30, 18, 30)
    assert instant("at", "2026-07-01T12:00Z", NEW_YORK) == utc(2026, 7, 1, 12)
    assert instant("at", None, NEW_YORK) is None


@pytest.mark.parametrize(
    ("day", "hours"),
    [("2026-03-07", 24), ("2026-03-08", 23), ("2026-03-09", 24), ("2026-11-01", 25), ("2026-11-02", 24)],
)
def test_a_day_is_whole_when_clocks_change(day: str, hours: int) -> None:
    """A day of 23 or 25 hours begins at its midnight and ends at the next."""
    since, until = between(day, day, NEW_YORK)
    assert since is not None
    assert until is not None
    assert until - since == timedelta(hours=hours)
    assert since.astimezone(NEW_YORK).hour == until.astimezone(NEW_YORK).hour == 0


def test_a_time_that_happens_twice_is_the_first() -> None:
    """In the hour that is repeated in autumn a bare time is its first instant, and fold chooses the other."""
    assert instant("at", "2026-11-01T01:30", NEW_YORK) == utc(2026, 11, 1, 5, 30)
    second = datetime.fromisoformat("2026-11-01T01:30").replace(fold=1)
    assert instant("at", second, NEW_YORK) == utc(2026, 11, 1, 6, 30)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-31", utc(2026, 6, 1)),
        ("2026-05-31T14:30", utc(2026, 5, 31, 14, 30) + STEP),
        (date(2026, 12, 31), utc(2027, 1, 1)),
        ("2024-02-28", utc(2024, 2, 29)),
    ],
    ids=str,
)
def test_an_end_is_inclusive(value: Any, expected: datetime) -> None:
    """The end of a range is the first instant after what was given."""
    assert end("at", value, UTC) == expected


def test_the_last_day_of_all() -> None:
    """A range that ends with the calendar is no overflow and holds its last day."""
    since, until = between("9999-12-31", "9999-12-31", UTC)
    assert since == utc(9999, 12, 31)
    assert until is not None
    assert until >= utc(9999, 12, 31, 23, 59, 59)


@pytest.mark.parametrize(
    "value",
    [
        "", "yesterday", "2026-13-01", "2026-02-30", "31.05.2026", "2026-05-31T25:00", "2026/05/31", 1_700_000_000, 1.5,
        True, [], b"2026-05-31", "2026-05-31T14:30:00+99:00", timedelta(1),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_time_is_refused(value: Any) -> None:
    """The error names the field and shows the form."""
    with pytest.raises(InvalidInput, match="event_time") as caught:
        instant("event_time", value, UTC)
    assert "2026-05-31" in str(caught.value)


@pytest.mark.parametrize("value", ["0001-01-01T00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_what_utc_cannot_say_is_refused(value: str) -> None:
    """An instant outside the years 1 to 9999 in UTC is an error, not a crash."""
    with pytest.raises(InvalidInput, match="1 to 9999"):
        instant("at", value, UTC)


@pytest.mark.parametrize(("since", "until"), [("2026-05-31", "2026-05-30"), ("2026-05-31T12:00", "2026-05-31T11:59")])
def test_ends_in_the_wrong_order_are_refused(since: str, until: str) -> None:
    """An end before its start is a mistake."""
    with pytest.raises(InvalidInput, match="swap"):
        between(since, until, UTC)


@given(st.datetimes(timezones=st.just(UTC)))
def test_microseconds_lose_nothing(at: datetime) -> None:
    """An instant and its number are one and the same, and the order is kept."""
    assert datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds(at)) == at
    assert instant("at", at.isoformat(), UTC) == at


@given(day=st.dates(date(2, 1, 1), date(9998, 12, 31)), zone=st.sampled_from([UTC, NEW_YORK, KOLKATA]))
def test_days_join_without_a_gap(day: date, zone: Any) -> None:
    """Where a day ends the next begins, in every zone."""
    assert end("at", day, zone) == instant("at", day + timedelta(days=1), zone)


@pytest.mark.parametrize(
    ("at", "now", "expected"),
    [
        ("2026-05-31T12:00:00", "2026-05-31T12:00:01", "2026-05-31T12:00:01"),
        ("2026-05-31T12:00:00", "2026-05-31T12:00:00", "2026-05-31T12:00:00.000001"),
        ("2026-05-31T12:00:00", "2020-01-01", "2026-05-31T12:00:00.000001"),
        ("9999-12-31T23:59:59.999998", "2020-01-01", "9999-12-31T23:59:59.999999"),
        ("9999-12-31T23:59:59.999999", "2020-01-01", "9999-12-31T23:59:59.999999"),
        ("9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999"),
    ],
)
def test_what_comes_after_is_later(at: str, now: str, expected: str) -> None:
    """A change is at this instant, or just after the one before it; at the end of time that is no error."""
    given = [datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (at, now, expected)]
    assert after(given[0], given[1]) == given[2]
