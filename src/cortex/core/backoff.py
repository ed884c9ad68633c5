"""When to try again: twice as long each time, up to an hour."""

from __future__ import annotations

from datetime import datetime, timedelta

FIRST_SECONDS = 2
MOST_SECONDS = 3600


def next_try(now: datetime, attempts: int) -> datetime:
    """The time of the next attempt after ``attempts`` failed ones."""
    return now + timedelta(seconds=min(FIRST_SECONDS * 2 ** min(attempts - 1, 20), MOST_SECONDS))
