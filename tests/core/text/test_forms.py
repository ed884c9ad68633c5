from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from cortex.core.text import analyse, analyse_query, embedding_text, lexical_text


def test_the_speaker_stands_in_front() -> None:
    """Who said it is part of what is found."""
    assert embedding_text("hello", "Mel") == "Mel: hello"
    assert embedding_text("hello", None) == "hello"
    assert lexical_text("hello", None, None) == "hello"


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2023, 5, 8, 13, 56),  # noqa: DTZ001 - a time without a zone is the case
        datetime(2023, 5, 9, 1, 0, tzinfo=timezone(timedelta(hours=5))),
    ],
)
def test_the_date_is_written_in_utc(moment: datetime) -> None:
    """The day is the day in UTC, in words and digits."""
    assert lexical_text("hello", "Mel", moment) == "Mel: hello\n8 May 2023 2023-05-08"


def test_the_ends_of_the_calendar_do_not_overflow() -> None:
    """A first day that has no UTC day before it stays itself."""
    first = datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))
    assert lexical_text("x", None, first) == "x\n1 January 1 0001-01-01"


@pytest.mark.parametrize("query", ["8 May 2023", "May 8, 2023", "2023-05-08", "08/05/2023"])
def test_people_find_the_date(query: str) -> None:
    """Each usual way to write the day shares the terms of day and year."""
    stored = analyse(lexical_text("hello", None, datetime(2023, 5, 8, tzinfo=UTC)))
    assert {"8", "2023"} <= set(stored) & set(analyse_query(query))
