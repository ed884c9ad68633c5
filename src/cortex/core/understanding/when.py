"""When a text says that something happened or is to happen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from itertools import islice
from typing import Final

from cortex.core.understanding.assertions import Sentence, Tense, sentences_of
from cortex.core.understanding.clocks import Clock, clocks_of
from cortex.core.understanding.days import Day, days_of
from cortex.core.understanding.numerals import days_on
from cortex.core.understanding.reading import MOST, in_english

# Code and addresses: what stands there happens nowhere.
_CODE: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,400}`|\b[a-z]{2,10}://\S+|(?<!\S)[^\s@]{1,64}@\S{1,250}", re.DOTALL
)
_PART: Final = re.compile(r"\b(morning|afternoon|evening|night|tonight)\b", re.IGNORECASE)
_MOVED: Final = re.compile(
    r"\b(?:moved?|reschedul\w+|postpon\w+|push\w*|shift\w*|delay\w*|chang\w+|brought)\b[^.;]{0,80}\bfrom\b",
    re.IGNORECASE,
)
_TO: Final = re.compile(r"(?:\s+at\s+\S+)?\s+(?:to|until|till)(?:\s+the)?(?:\s+\w+day,?)?\s*", re.IGNORECASE)
_BESIDE: Final = re.compile(r"\s*[,(]?\s*(?:the\s+)?")
_BEGINS: Final = re.compile(r"\b(?:starting|beginning|since|as of)\s+(?:on\s+)?\w{0,6}$", re.IGNORECASE)
_SMALL_HOURS: Final = 5  # before this hour "last night" is already the next day
_MOST_DAYS: Final = 4  # which one counts is settled among the first
_NEAR: Final = 4  # characters between a date and what is its time without a preposition


def when_of(text: str, *, said_at: datetime, zone: tzinfo) -> datetime | None:
    """The instant in UTC at which something happened or will, or the start of that day in ``zone``; None if unsaid.

    Relative expressions lean on ``said_at``, which must be aware. A period stands for its start, an ambiguous date
    (5/4/2026) for nothing. What recurs, lasts, is denied, supposed or asked gives None, as does text that is not
    English. A time between two offsets is the earlier one of the two (fold 0). Raises ValueError for a naive
    ``said_at``, and for nothing else.
    """
    found = moment_in(text, said_at=said_at, zone=zone)
    return found.at if found else None


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant in UTC, the sentence that says it, and where in that sentence the day stands (empty for a time)."""

    at: datetime
    sentence: Sentence
    start: int = 0
    end: int = 0


def moment_in(text: str, *, said_at: datetime, zone: tzinfo) -> Moment | None:
    """As ``when_of``, with the place in the text."""
    if said_at.utcoffset() is None:
        message = f"said_at must be aware, not {said_at!r}: give it a time zone"
        raise ValueError(message)
    if not in_english(text):
        return None
    try:
        today = said_at.astimezone(zone).date()
        moments = (
            _moment(sentence, today, said_at.astimezone(UTC), zone)
            for sentence in sentences_of(without_code(text))
            if sentence.asserts
        )
        return next((moment for moment in moments if moment), None)
    except OverflowError:  # at an end of the calendar
        return None


def without_code(text: str) -> str:
    """The text that is read, with code and addresses blanked out."""
    return _CODE.sub(lambda code: "\x00" * len(code.group()), text[:MOST])


def _moment(sentence: Sentence, today: date, said_at: datetime, zone: tzinfo) -> Moment | None:
    named = _PART.search(sentence.text)
    clocks = list(clocks_of(sentence.text, named[1].lower() if named else ""))
    days = islice((day for day in days_of(sentence, today, said_at) if _counts(day, sentence)), _MOST_DAYS)
    day = _chosen(sentence, list(days))
    if day is None:
        at = None if sentence.recurs else _by_clock(sentence, clocks, said_at, zone)
        return Moment(at, sentence) if at else None
    at = day.instant or _on(day, [] if sentence.recurs else clocks, zone)
    return Moment(at, sentence, day.start, day.end) if at else None


def _counts(day: Day, sentence: Sentence) -> bool:
    """Whether a day beside "every" or "usually" is one day: when the habit begins, or a full date."""
    return day.written or not sentence.recurs or _BEGINS.search(sentence.text[: day.start + 6]) is not None


def _on(day: Day, clocks: Sequence[Clock], zone: tzinfo) -> datetime | None:
    """The time on that day that stands nearest to it; its start without one, None where there is no such time."""
    clock = min(clocks, key=lambda clock: _gap(clock, day), default=None)
    if clock is None or not (clock.led or _gap(clock, day) < _NEAR):
        return _instant(day.day, time(0), zone)
    if not clock.possible:
        return None
    if clock.time is None or day.day is None:
        return _instant(day.day, time(0), zone)
    late = clock.time.hour < _SMALL_HOURS and day.part == "night"
    return _instant(days_on(day.day, 1) if late else day.day, clock.time, clock.zone or zone)


def _gap(clock: Clock, day: Day) -> int:
    return max(clock.start - day.end, day.start - clock.end, 0)


def _chosen(sentence: Sentence, days: Sequence[Day]) -> Day | None:
    """The first day, or the one that it is called as well (Monday, 9 March), or the one that it was moved to."""
    if not days:
        return None
    chosen = days[0]
    for day in days[1:]:
        between = sentence.text[chosen.end : day.start]
        names_it = day.written and not chosen.written and _BESIDE.fullmatch(between)
        moves_it = _TO.fullmatch(between) and _MOVED.search(sentence.text[: chosen.end])
        if not (names_it or moves_it):
            break
        chosen = day
    return chosen


def _by_clock(sentence: Sentence, clocks: Sequence[Clock], said_at: datetime, zone: tzinfo) -> datetime | None:
    """A time without a day: the last such time before now, or the next; none where the sentence looks nowhere."""
    clock = next((clock for clock in clocks if clock.led), None)
    if clock is None or clock.time is None or not clock.possible:
        return None
    tense = sentence.tense
    if tense is Tense.UNSAID:
        return None
    near = list(_around(said_at.astimezone(clock.zone or zone).date(), clock.time, clock.zone or zone))
    if tense is Tense.PAST:
        return next((moment for moment in reversed(near) if moment <= said_at), None)
    return next((moment for moment in near if moment >= said_at), None)


def _around(day: date, clock: time, zone: tzinfo) -> Iterator[datetime]:
    for step in (-1, 0, 1):
        near = days_on(day, step)
        moment = _instant(near, clock, zone)
        if moment:
            yield moment


def _instant(day: date | None, clock: time, zone: tzinfo) -> datetime | None:
    return datetime.combine(day, clock, tzinfo=zone).astimezone(UTC) if day else None
