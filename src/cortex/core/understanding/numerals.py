"""Words for numbers, months and days of the week as dates use them, and arithmetic on days."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Final

_MONTH_NAMES: Final = ("january february march april may june july august september october november december").split()
WEEKDAY_NAMES: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
NUMBER: Final = (
    r"(?:\d{1,5}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|"
    r"fifty|sixty|ninety|(?:a )?couple(?: of)?|(?:a )?few|half an?)"
)
# "A few" is three: the least that is not a couple.
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "ninety": 90, "couple": 2, "few": 3,
}  # fmt: skip


def month_of(name: str) -> int:
    """1–12 of a name that fits ``MONTH``."""
    return next(number for number, full in enumerate(_MONTH_NAMES, 1) if full.startswith(name.lower()[:3]))


def number_of(text: str) -> float:
    """The value of what fits ``NUMBER``; half of something is .5."""
    words = text.lower().removesuffix(" of").split()
    if words[0] == "half":
        return 0.5
    return int(words[-1]) if words[-1].isdigit() else _NUMBERS[words[-1]]


def day_or_none(year: int, month: int, day: int) -> date | None:
    """The day, or None where the calendar has no such day."""
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]):
        return None
    return date(year, month, day)


def months_on(day: date, months: int) -> date | None:
    """The same day of another month, or the last one it has; None beyond the calendar."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return None
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def days_on(day: date, days: int) -> date | None:
    """So many days later; None beyond the calendar."""
    number = day.toordinal() + days
    return date.fromordinal(number) if 1 <= number <= date.max.toordinal() else None


def last_of_month(day: date) -> date:
    """The last day of the month of a day."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def monday_of(day: date) -> date:
    """The Monday on which the week of a day begins."""
    return max(date.min, day) if day.toordinal() <= 7 else day - timedelta(days=day.weekday())
