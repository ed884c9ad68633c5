"""What the embedder and the lexical index read for one memory."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def _utc_date(moment: datetime) -> date:
    if moment.tzinfo is None:
        return moment.date()
    try:
        return moment.astimezone(UTC).date()
    except OverflowError:  # the first or last day of the calendar, moved beyond it
        return moment.date()


def embedding_text(content: str, speaker: str | None) -> str:
    """The content with who said it in front, as the embedder reads it."""
    return f"{speaker}: {content}" if speaker else content


def lexical_text(content: str, speaker: str | None, event_time: datetime | None) -> str:
    """Speaker, content and the UTC date in the forms people ask by (``8 May 2023 2023-05-08``).

    A time without a zone is taken as UTC.
    """
    said = embedding_text(content, speaker)
    if event_time is None:
        return said
    day = _utc_date(event_time)
    return f"{said}\n{day.day} {_MONTHS[day.month - 1]} {day.year} {day.isoformat()}"
