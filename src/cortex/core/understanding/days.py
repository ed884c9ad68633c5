"""Days as they are written: dates in every common form, and expressions that lean on the day of speaking.

A period stands for its first day: March 2025, Q3 2025, last week (from Monday), in 2019. Without a year, a date is
the nearest in the sense of the sentence: the last one before today, or the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from cortex.core.understanding.assertions import Sentence, Tense
from cortex.core.understanding.numerals import (
    MONTH,
    NUMBER,
    WEEKDAY_NAMES,
    day_or_none,
    days_on,
    last_of_month,
    monday_of,
    month_of,
    months_on,
    number_of,
)


@dataclass(frozen=True, slots=True)
class Said:
    """When a sentence was said: the day in the speaker's zone and the instant in UTC; and where it looks."""

    today: date
    at: datetime
    tense: Tense


@dataclass(frozen=True, slots=True)
class Day:
    """A day in the text, or an instant where hours are counted. ``part``: morning, evening and so on.

    ``written``: it names day and month, so it is more than a day of the week beside it.
    """

    start: int
    end: int
    day: date | None
    instant: datetime | None = None
    part: str = ""
    written: bool = False


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], Said], date | datetime | None]
    written: bool = False


_WEEKDAY: Final = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_PART: Final = r"(?P<part>morning|afternoon|evening|night)"
_YEAR: Final = r"(?:(?:19|20)\d{2})(?![\d:]|[.,]\d|\s?[%€$£])"
_OPEN: Final = r"(?<![\w.:/+$€£#-])"
_CLOSE: Final = r"(?![\w/+-]|[.:,]\d|\.\w)"
_PREPOSITION: Final = r"\b(?:on|by|until|till|since|before|after|from|to|for|around|through|this|coming|of)"
_SMALL_WORD: Final = (
    r"(?=\s*(?:[.,;:!?)]|$)|\s+(?:at|in|and|or|we|i|he|she|they|it|you|with|for|because|before|after|to|when|so|by|"
    r"from|(?-i:[A-Z]\w*))\b)"
)


def _iso(found: re.Match[str], _: Said) -> date | None:
    return day_or_none(int(found["y"]), int(found["m"]), int(found["d"]))


def _american(found: re.Match[str], _: Said) -> date | None:
    """5/13/2026 and 13/5/2026 are clear; 5/4/2026 is April or May, and is not read."""
    first, second, year = int(found["m"]), int(found["d"]), int(found["y"])
    if first != second and first <= 12 and second <= 12:
        return None
    return day_or_none(year, first, second) or day_or_none(year, second, first)


def _named(found: re.Match[str], said: Said) -> date | None:
    month, number = month_of(found["month"]), int(found["d"])
    if found["month"] == "may" and not found["y"] and not found["th"]:
        return None  # you may 3 times
    if found["y"]:
        return day_or_none(int(found["y"]), month, number)
    years = (day_or_none(said.today.year + step, month, number) for step in (-4, -3, -2, -1, 0, 1, 2, 3, 4))
    return _nearest([day for day in years if day], said)


def _nearest(days: list[date], said: Said) -> date | None:
    past = [day for day in days if day <= said.today]
    ahead = [day for day in days if day >= said.today]
    if said.tense is Tense.PAST:
        return past[-1] if past else None
    if said.tense is Tense.FUTURE:
        return ahead[0] if ahead else None
    return min(days, key=lambda day: abs((day - said.today).days), default=None)


def _month_and_year(found: re.Match[str], _: Said) -> date | None:
    return date(int(found["y"]), month_of(found["month"]), 1)


def _month(found: re.Match[str], said: Said) -> date | None:
    month, which = month_of(found["month"]), (found["which"] or found.groupdict().get("only") or "").lower()
    year = said.today.year
    if which == "last":
        return date(year - (month >= said.today.month), month, 1)
    if which == "next":
        return day_or_none(year + (month <= said.today.month), month, 1)
    if which == "this" or month == said.today.month:
        return date(year, month, 1)
    days = [day_or_none(year + step, month, 1) for step in (-1, 0, 1)]
    return _nearest([day for day in days if day], said)


_NTH: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}


def _quarter(found: re.Match[str], said: Said) -> date | None:
    number = int(found["q"]) if found["q"] else _NTH[found["nth"].lower()]
    if found["y"]:
        return date(int(found["y"]), 3 * number - 2, 1)
    days = [day_or_none(said.today.year + step, 3 * number - 2, 1) for step in (-1, 0, 1)]
    return _nearest([day for day in days if day], said)


def _edge_of_quarter(found: re.Match[str], said: Said) -> date | None:
    start = _quarter(found, said)
    return _end_of(start, "quarter") if start and found["edge"].lower() == "end" else start


def _year(found: re.Match[str], _: Said) -> date | None:
    return date(int(found["y"]), 1, 1)


def _day_of_month(found: re.Match[str], said: Said) -> date | None:
    number = int(found["d"])
    first = said.today.replace(day=1)
    months = [months_on(first, step) for step in range(-12, 13)]
    days = [day_or_none(month.year, month.month, number) for month in months if month]
    ahead = said if said.tense is Tense.PAST else Said(said.today, said.at, Tense.FUTURE)
    return _nearest([day for day in days if day], ahead)


def _day_of_that_month(found: re.Match[str], said: Said) -> date | None:
    month = _start_of("month", said.today, {"last": -1, "next": 1}.get(found["which"].lower(), 0))
    return day_or_none(month.year, month.month, int(found["d"])) if month else None


_WORDS: Final = {
    "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1, "the day before yesterday": -2,
    "the day after tomorrow": 2, "earlier today": 0, "last night": -1, "overmorrow": 2,
}  # fmt: skip


def _word(found: re.Match[str], said: Said) -> date | None:
    return days_on(said.today, _WORDS.get(" ".join(found["word"].lower().split()), 0))


_SECONDS: Final = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600}
_DAYS: Final = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_UNIT: Final = r"(?P<unit>second|sec|minute|min|hour|hr|day|night|week|fortnight|month|quarter|year|decade)s?\b"
_FROM: Final = rf"\b(?P<n>{NUMBER})\s+{_UNIT}"


def _away(found: re.Match[str], said: Said, sign: int) -> date | datetime | None:
    """So many units before or after the moment of speaking; hours are counted exactly, days by the calendar."""
    number, unit = number_of(found["n"]), found["unit"].lower()
    if unit in _SECONDS:
        seconds = sign * number * _SECONDS[unit]
        reach = said.at.timestamp() + seconds
        return said.at + timedelta(seconds=seconds) if -6e10 < reach < 2.5e11 else None
    return _moved(said.today, sign * number, unit)


def _moved(day: date, number: float, unit: str) -> date | None:
    if unit in _DAYS:
        return days_on(day, round(number * _DAYS[unit]))
    return months_on(day, round(number * _MONTHS[unit]))


def _ago(found: re.Match[str], said: Said) -> date | datetime | None:
    return _away(found, said, -1)


def _from_now(found: re.Match[str], said: Said) -> date | datetime | None:
    """Two weeks from now, from today, from tomorrow, from Friday."""
    anchor = found["anchor"].lower()
    if anchor == "now":
        return _away(found, said, 1)
    if found["unit"].lower() in _SECONDS:
        return None
    start = days_on(said.today, _WORDS[anchor]) if anchor in _WORDS else _ahead(said.today, anchor)
    return _moved(start, number_of(found["n"]), found["unit"].lower()) if start else None


def _in(found: re.Match[str], said: Said) -> date | datetime | None:
    """In three days, unless it is how long something took."""
    return None if said.tense is Tense.PAST else _away(found, said, 1)


def _period(found: re.Match[str], said: Said) -> date | None:
    """Last, this or next week, weekend, month, quarter, year."""
    step = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1}.get(found["which"].lower(), 0)
    return _start_of(found["unit"].lower(), said.today, step)


def _start_of(unit: str, today: date, step: int) -> date | None:
    if unit == "week":
        return days_on(monday_of(today), 7 * step)
    if unit == "weekend":
        return days_on(monday_of(today), 5 + 7 * step)
    if unit == "month":
        return months_on(today.replace(day=1), step)
    if unit == "quarter":
        return months_on(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * step)
    return day_or_none(today.year + step, 1, 1)


def _weekday(found: re.Match[str], said: Said) -> date | None:
    """Last Friday is the latest before today, next Friday that of the next week, this Friday the coming one."""
    name = next(name for name in WEEKDAY_NAMES if name.startswith(found["weekday"].lower()[:3]))
    number = WEEKDAY_NAMES.index(name)
    which, week = (found["which"] or "").lower(), (found["week"] or "").lower()
    if week:
        return days_on(monday_of(said.today), number + {"last": -7, "next": 7}.get(week.split()[0], 0))
    if which == "next":
        return days_on(monday_of(said.today), number + 7)
    if which in {"last", "past"} or (said.tense is Tense.PAST and which != "coming"):
        return days_on(said.today, -((said.today.weekday() - number - 1) % 7 + 1))
    if which == "this" and number == said.today.weekday():
        return said.today
    return _ahead(said.today, name)


def _weekend(_: re.Match[str], said: Said) -> date | None:
    step = -7 if said.tense is Tense.PAST and said.today.weekday() < 5 else 0
    return days_on(monday_of(said.today), 5 + step)


def _ahead(today: date, name: str) -> date | None:
    return days_on(today, (WEEKDAY_NAMES.index(name) - today.weekday() - 1) % 7 + 1)


def _edge(found: re.Match[str], said: Said) -> date | None:
    """The first, middle or last day of a period; a week ends on Friday."""
    edge = found["edge"].lower()
    if found["month"]:
        start = day_or_none(int(found["y"]), month_of(found["month"]), 1) if found["y"] else _month(found, said)
        unit = "month"
    else:
        unit = found["unit"].lower()
        step = {"last": -1, "next": 1}.get((found["which"] or "").lower(), 0)
        start = said.today if unit == "day" else _start_of(unit, said.today, step)
    if start is None or edge.startswith(("beginning", "start", "early")):
        return start
    if edge == "late":
        return days_on(start, 20) if unit == "month" else None
    if edge.startswith("mid"):
        return days_on(start, {"week": 2, "month": 14}.get(unit, 0)) if unit in {"week", "month"} else None
    return _end_of(start, unit)


def _end_of(start: date, unit: str) -> date | None:
    if unit in {"week", "day"}:
        return days_on(start, 4 if unit == "week" else 0)
    last = months_on(start, {"month": 0, "quarter": 2, "year": 11}.get(unit, 0))
    return last_of_month(last) if last else None


def _short_end(found: re.Match[str], said: Said) -> date | None:
    """EOD, EOW, EOM, EOQ, EOY."""
    unit = {"d": "day", "w": "week", "m": "month", "q": "quarter", "y": "year"}[found["unit"].lower()]
    start = said.today if unit == "day" else _start_of(unit, said.today, 0)
    return _end_of(start, unit) if start else None


_FEASTS: Final = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
}  # fmt: skip


def _feast(found: re.Match[str], said: Said) -> date | None:
    month, number = _FEASTS[" ".join(found["feast"].lower().replace("’", "'").split())]
    year = said.today.year
    if found["y"]:
        return date(int(found["y"]), month, number)
    which = (found["which"] or "").lower()
    days = [day for step in (-1, 0, 1) if (day := day_or_none(year + step, month, number))]
    toward = {"last": Tense.PAST, "next": Tense.FUTURE, "this": Tense.FUTURE}.get(which, said.tense)
    return _nearest(days, Said(said.today, said.at, toward))


def _rule(
    pattern: str, read: Callable[[re.Match[str], Said], date | datetime | None], *, written: bool = False
) -> _Rule:
    return _Rule(re.compile(pattern, re.IGNORECASE), read, written)


_RULES: Final = (
    _rule(rf"{_OPEN}(?P<y>\d{{4}})(?P<by>[-/])(?P<m>\d{{1,2}})(?P=by)(?P<d>\d{{1,2}})(?:(?=T\d\d:)|{_CLOSE})",
          _iso, written=True),
    _rule(rf"{_OPEN}(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>(?:19|20)\d\d){_CLOSE}", _iso, written=True),
    _rule(rf"{_OPEN}(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})/(?P<y>(?:19|20)\d\d){_CLOSE}", _american, written=True),
    _rule(rf"{_OPEN}(?P<d>\d{{1,2}})(?P<th>(?:st|nd|rd|th)?)(?:\s+of)?[\s-]+(?P<month>{MONTH})"
          rf"(?:,?[\s-]+(?P<y>{_YEAR}))?", _named, written=True),
    _rule(rf"(?<![\w-])(?P<month>{MONTH})\s+(?:the\s+)?(?P<d>\d{{1,2}})(?P<th>(?:st|nd|rd|th)?)(?![\w:%]|[.,]\d|/)"
          rf"(?:,?\s+(?P<y>{_YEAR}))?", _named, written=True),
    _rule(rf"(?<![\w-])(?P<edge>(?:end|beginning|start|middle)(?=\s+of\b)|mid|early|late)(?:\s+(?:of|in))?"
          rf"[\s-]+(?:the\s+)?(?:(?P<which>last|next|this)\s+)?"
          rf"(?:(?P<month>{MONTH})(?:\s+(?P<y>{_YEAR}))?|(?P<unit>day|week|month|quarter|year)\b)", _edge),
    _rule(rf"(?<![\w-])(?P<month>{MONTH}),?\s+(?:of\s+)?(?P<y>{_YEAR})", _month_and_year),
    _rule(rf"\b(?:(?:in|since|by|until|till|during|from|before|after|around|through|back in|of)\s+"
          rf"(?:(?P<which>last|next|this)\s+)?|(?P<only>last|next|this)\s+)(?P<month>{MONTH})(?!\s+\d|-)", _month),
    _rule(rf"\b(?P<edge>end|beginning|start)\s+of\s+Q(?P<q>[1-4])(?:\s+(?P<y>{_YEAR}))?\b(?P<nth>)", _edge_of_quarter),
    _rule(rf"\bQ(?P<q>[1-4])(?:(?:\s+of)?[\s/,-]*(?P<y>{_YEAR}))?\b(?P<nth>)", _quarter),
    _rule(rf"\b(?P<q>)(?P<nth>first|second|third|fourth|last)\s+quarter\s+of\s+(?P<y>{_YEAR})", _quarter),
    _rule(rf"\b(?:in|since|during|until|till|from|by|before|after)\s+(?P<y>{_YEAR})(?!-){_SMALL_WORD}", _year),
    _rule(rf"\b(?:on|by|until|till|since|from|before|after|around)\s+the\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)\b"
          rf"(?!\s+of\s){_SMALL_WORD}", _day_of_month),
    _rule(r"\b(?P<word>the\s+day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|earlier\s+today|last\s+night|"
          r"today|tonight|yesterday|tomorrow|this\s+(?=morning|afternoon|evening))"
          r"(?:['’]s\b)?(?:\s*(?P<part>morning|afternoon|evening|night)\b)?", _word),
    _rule(r"\b(?:on|by|until|since|from|before|after)\s+the\s+(?P<d>\d{1,2})(?:st|nd|rd|th)\s+of\s+"
          r"(?P<which>last|this|next)\s+month\b", _day_of_that_month),
    _rule(rf"{_FROM}\s+(?:ago|back)\b", _ago),
    _rule(rf"{_FROM}\s+from\s+(?P<anchor>now|today|tomorrow|{'|'.join(WEEKDAY_NAMES)})\b", _from_now),
    _rule(rf"\bin\s+(?:about\s+|around\s+|just\s+|exactly\s+)?(?P<n>{NUMBER})\s+{_UNIT}(?:['’]\s+time)?", _in),
    _rule(r"(?<!the )\b(?P<which>last|past|previous|this|next|coming)\s+(?P<unit>weekend|week|month|quarter|year)"
          r"\b(?!['’-])", _period),
    _rule(rf"(?:\b(?P<which>last|past|next|this|coming)\s+)?(?<![\w-])(?<!the ){_WEEKDAY}\b(?:['’]s\b)?"
          rf"(?:\s+{_PART}\b)?(?:\s+(?P<week>last\s+week|next\s+week|this\s+week))?", _weekday),
    _rule(r"\b(?:on|by|until|since|(?P<which>last|next|this))\s+(?P<weekday>(?-i:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|"
          r"Sun))\b\.?(?P<week>)", _weekday),
    _rule(r"\b(?:over|at|on|during)\s+the\s+weekend\b", _weekend),
    _rule(r"\bEO(?P<unit>[DWMQY])\b(?!\s+(?:on\s+|next\s+|this\s+)?(?:\w+day|tomorrow)\b)", _short_end),
    _rule(rf"\b(?:(?P<which>last|next|this)\s+)?(?P<feast>{'|'.join(_FEASTS).replace(chr(39), '[’' + chr(39) + ']')})\b"
          rf"(?:,?\s+(?P<y>{_YEAR}))?", _feast),
)  # fmt: skip


_LIKELY: Final = re.compile(
    r"\d|day|night|tomorrow|week|month|year|quarter|hour|minute|\bago\b|morning|afternoon|evening|christmas|hallow|"
    r"\beo[dwmqy]\b|\b(?:mon|tues?|wed|thur?s?|fri|sat|sun)\b|\b(?:in|since|by|until|till|during|from|before|after|around|through|of|last|next|this|end|start|"
    r"beginning|early|late|middle|mid)[\s-]+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)


def days_of(sentence: Sentence, today: date, at: datetime) -> Iterator[Day]:
    """The days of one sentence in reading order; of two that overlap the longer. Impossible ones are left out."""
    text = sentence.text
    if not _LIKELY.search(text):
        return
    found = [(match, rule) for rule in _RULES for match in rule.pattern.finditer(text)]
    found.sort(key=lambda pair: (pair[0].start(), -pair[0].end()))
    end = 0
    for match, rule in found:
        if match.start() < end:
            continue
        end = match.end()
        value = rule.read(match, Said(today, at, sentence.tense_at(match.start())))
        if isinstance(value, datetime):
            yield Day(*match.span(), None, value.astimezone(UTC))
        elif value is not None:
            yield Day(*match.span(), value, None, _part(match), rule.written)


def _part(match: re.Match[str]) -> str:
    groups = match.groupdict()
    part = groups.get("part") or ""
    word = (groups.get("word") or "").lower()
    if not part and word.endswith("night"):
        return "night"
    return part.lower()
