"""The real clock."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The operating system's time."""

    def now(self) -> datetime:
        """This instant, aware, in UTC."""
        return datetime.now(UTC)
