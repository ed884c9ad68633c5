"""A clock that stands still until it is told to move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FrozenClock:
    """A `Clock` for tests: it shows ``at`` until `set` or `tick` moves it."""

    def __init__(self, at: datetime = datetime(2026, 5, 31, 12, tzinfo=UTC)) -> None:
        self.set(at)

    def now(self) -> datetime:
        """This instant, aware, in UTC."""
        return self._at

    def set(self, at: datetime) -> None:
        """Show this time from now on; raises `ValueError` for a time without a zone."""
        if at.tzinfo is None:
            raise ValueError(f"{at.isoformat()} has no zone; give an aware time")
        self._at = at.astimezone(UTC)

    def tick(self, by: timedelta = timedelta(seconds=1)) -> datetime:
        """Move on and show the new time."""
        self.set(self._at + by)
        return self._at
