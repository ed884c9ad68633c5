"""Numbers, quantities and dates as statements write them, brought to one unit so that they can be compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cortex.core.understanding.contradiction.lexicon import key

_UNITS: Final = {
    unit: (sort, factor)
    for sort, units in {
        "time": {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "day": 86_400.0,
                 "week": 604_800.0, "month": 2_629_800.0, "year": 31_557_600.0},
        "size": {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 2.0**10, "mib": 2.0**20,
                 "gib": 2.0**30},
        "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "mile": 1609.344, "ft": 0.3048, "inch": 0.0254},
        "mass": {"mg": 1e-3, "g": 1.0, "kg": 1e3, "lb": 453.592},
        "percent": {"%": 1.0},
        "money": {"$": 1.0, "usd": 1.0, "dollar": 1.0},
        "euro": {"€": 1.0, "eur": 1.0, "euro": 1.0},
        "pound": {"£": 1.0, "gbp": 1.0},
    }.items()
    for unit, factor in units.items()
}  # fmt: skip
_SPELLED: Final = {
    "millisecond": "ms", "msec": "ms", "second": "s", "sec": "s", "minute": "min", "mins": "min", "hour": "h",
    "hr": "h", "percent": "%", "kilometre": "km", "kilometer": "km", "metre": "m", "meter": "m", "gram": "g",
    "kilogram": "kg", "pound": "lb", "megabyte": "mb", "gigabyte": "gb", "feet": "ft",
}  # fmt: skip
_NUMBERS: Final = {
    word: float(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
    if word != "one"  # more often a pronoun than a number
} | {"thirty": 30.0, "forty": 40.0, "fifty": 50.0, "hundred": 100.0, "dozen": 12.0}
_MONTHS: Final = {
    name: number // 2 + 1
    for number, name in enumerate(
        "january jan february feb march mar april apr may may_ june jun july jul august aug september sep october oct "
        "november nov december dec".split()
    )
}
_WEEKDAYS: Final = {
    name + ending: number
    for number, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split(), start=1)
    for ending in ("", "s")
}
_ISO_DATE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\Z", re.ASCII)
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(am|pm)?\Z", re.ASCII)
_HOUR: Final = re.compile(r"(\d{1,2})(am|pm)\Z", re.ASCII)
_NUMBER: Final = re.compile(r"([$€£]?)(\d[\d,]{0,17}(?:\.\d{1,9})?)([a-z%]{0,12})\Z", re.ASCII)
_VERSION: Final = re.compile(r"v?\d{1,6}(?:\.\d{1,6}){1,3}\Z", re.ASCII)
_SCALES: Final = {"k": 1e3, "m": 1e6, "million": 1e6, "thousand": 1e3, "billion": 1e9}
_ORDINAL: Final = frozenset({"st", "nd", "rd", "th"})
_YEARS: Final = range(1900, 2100)
_VAGUE: Final = frozenset("more most other few much many new old per a an the of in on at to".split())

Field = str | float | int


@dataclass(frozen=True, slots=True)
class Measure:
    """A value in a statement. ``sort`` and ``unit`` tell with what it can be compared.

    ``fields`` are the parts of the value: a number, or what is said of year, month, day, weekday, minute of the day.
    ``start`` and ``stop``: the places of its words in the statement.
    """

    sort: str
    unit: str
    fields: tuple[tuple[str, float], ...]
    start: int
    stop: int
    text: str

    @property
    def dated(self) -> bool:
        """Whether it says when."""
        return self.sort == "date"


def clash(one: Measure, other: Measure) -> bool:
    """Whether two measures of the same sort say different values; a part that one leaves open clashes with nothing."""
    return (one.sort, one.unit) == (other.sort, other.unit) and any(
        abs(a - b) > _limit(a) for a, b in _parts(one, other)
    )


def agree(one: Measure, other: Measure) -> bool:
    """Whether two measures of the same sort say the same, as far as both say something."""
    return (one.sort, one.unit) == (other.sort, other.unit) and all(
        abs(a - b) <= _limit(a) for a, b in _parts(one, other)
    )


def _parts(one: Measure, other: Measure) -> list[tuple[float, float]]:
    theirs = dict(other.fields)
    return [(value, theirs[part]) for part, value in one.fields if part in theirs]


def _limit(value: float) -> float:
    return 1e-6 * max(abs(value), 1e-3)


def measures(words: Sequence[str]) -> tuple[Measure, ...]:
    """The measures among lower-case words, in order."""
    found: list[Measure] = []
    place = 0
    while place < len(words):
        measure = _at(words, place) if _may_begin(words[place]) else None
        if measure is not None:
            found.append(measure)
        place = place + 1 if measure is None else measure.stop
    return tuple(found)


def _may_begin(word: str) -> bool:
    return word[:1] in "0123456789$€£v" or word in _NUMBERS or word in _MONTHS or word in _WEEKDAYS or word == "half"


def _at(words: Sequence[str], place: int) -> Measure | None:
    return _date(words, place) or _version(words, place) or _quantity(words, place)


def _measure(sort: str, unit: str, fields: dict[str, float], span: tuple[int, int], words: Sequence[str]) -> Measure:
    return Measure(sort, unit, tuple(fields.items()), *span, " ".join(words[span[0] : span[1]]))


def _date(words: Sequence[str], place: int) -> Measure | None:
    word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
    span = (place, place + 1)
    if word in _WEEKDAYS:
        return _measure("date", "", {"weekday": _WEEKDAYS[word]}, span, words)
    if iso := _ISO_DATE.match(word):
        year, month, day = map(float, iso.groups())
        return _measure("date", "", {"year": year, "month": month, "day": day}, span, words)
    if time := _clock(word, after):
        return _measure("date", "clock", {"minute": time[0]}, (place, place + time[1]), words)
    if word in _MONTHS:
        return _month(words, place, _MONTHS[word])
    day = _day(word)
    month_at = place + 2 if after == "of" else place + 1
    if day and month_at < len(words) and words[month_at] in _MONTHS:
        fields = {"month": float(_MONTHS[words[month_at]]), "day": day}
        year_at = month_at + 1
        stop = year_at + _add_year(words, year_at, fields)
        return _measure("date", "", fields, (place, stop), words)
    if (
        word.isdigit()
        and len(word) == 4
        and int(word) in _YEARS
        and place
        and words[place - 1] in {"in", "until", "since", "by"}
    ):
        return _measure("date", "", {"year": float(word)}, span, words)
    return None


def _month(words: Sequence[str], place: int, month: int) -> Measure | None:
    fields = {"month": float(month)}
    stop = place + 1
    day = _day(words[stop]) if stop < len(words) else 0.0
    if day:
        fields["day"] = day
        stop += 1
    elif words[place] in {"may", "march", "mar"} and (
        not place or words[place - 1] not in {"in", "until", "since", "by"}
    ):
        return None  # a verb, unless something says that it is the month
    stop += _add_year(words, stop, fields)
    return _measure("date", "", fields, (place, stop), words)


def _add_year(words: Sequence[str], place: int, fields: dict[str, float]) -> int:
    if place < len(words) and words[place].isdecimal() and len(words[place]) == 4 and int(words[place]) in _YEARS:
        fields["year"] = float(words[place])
        return 1
    return 0


def _day(word: str) -> float:
    digits = word[:-2] if word[-2:] in _ORDINAL else word
    return (
        float(digits)
        if digits.isdecimal() and digits.isascii() and 1 <= len(digits) <= 2 and 0 < int(digits) < 32
        else 0.0
    )


def _clock(word: str, after: str) -> tuple[float, int] | None:
    """Minutes since noon or midnight, whichever it may be, and the number of words they take."""
    half = after if after in {"am", "pm"} else ""
    found = _CLOCK.match(word)
    if found:
        hour, minute, own = int(found[1]), int(found[2]), found[3] or half
    elif (found := _HOUR.match(word)) or (half and word.isdecimal() and len(word) < 3):
        hour, minute, own = int(found[1] if found else word), 0, found[2] if found else half
    else:
        return None
    if hour > 23 or minute > 59:
        return None
    return float((hour % 12 + 12 * (own == "pm") if own else hour) * 60 + minute), 1 + (half != "")


def _version(words: Sequence[str], place: int) -> Measure | None:
    """A number behind the name of what it counts: ``python 3.12``, ``v2.0.1``."""
    word = words[place]
    if not _VERSION.match(word) or (word.count(".") < 2 and not word.startswith("v") and not _names(words, place)):
        return None
    parts = word.removeprefix("v").split(".")
    fields = {f"part {number}": float(part) for number, part in enumerate([*parts, *"000"][:4])}
    return _measure("version", key(words[place - 1]) if place else "", fields, (place, place + 1), words)


def _names(words: Sequence[str], place: int) -> bool:
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    return before.isalpha() and before not in _NO_NAMES and after not in _UNITS and key(after) not in _SPELLED_KEYS


_NO_NAMES: Final = frozenset(
    "is are was were of to at in by from for about around over under than only and or with has have the a on "
    "costs takes reached exceeds now".split()
)
_SPELLED_KEYS: Final = {key(word): unit for word, unit in _SPELLED.items()} | {
    key(unit): unit for unit in _UNITS if len(unit) > 3
}


def _quantity(words: Sequence[str], place: int) -> Measure | None:
    word = words[place]
    if word == "half":
        return _measure("percent", "", {"number": 50.0}, (place, place + 1), words)
    mark = tail = ""
    if word in _NUMBERS:
        number = _NUMBERS[word]
    else:
        found = _NUMBER.match(word)
        if not found:
            return None
        mark, tail = found[1], found[3]
        number = float(found[2].replace(",", ""))
    stop = place + 1
    if tail in _SCALES and tail != "m":
        number, tail = number * _SCALES[tail], ""
    if stop < len(words) and words[stop] in _SCALES and words[stop] != "m":
        number, stop = number * _SCALES[words[stop]], stop + 1
    if mark or tail:
        sort, factor = _UNITS.get(_SPELLED_KEYS.get(tail, tail) if tail else mark, ("", 1.0))
        return _measure(sort, "", {"number": number * factor}, (place, stop), words) if sort else None
    return _counted(words, number, (place, stop))


def _counted(words: Sequence[str], number: float, span: tuple[int, int]) -> Measure | None:
    """A bare number, by the unit or the noun behind it."""
    place, stop = span
    after = words[stop] if stop < len(words) else ""
    unit = after if after in _UNITS else _SPELLED_KEYS.get(key(after), "") if after else ""
    if unit:
        sort, factor = _UNITS[unit]
        return _measure(sort, "", {"number": number * factor}, (place, stop + 1), words)
    if after[:1].isalpha() and after not in _VAGUE:
        return _measure("count", key(after), {"number": number}, (place, stop), words)
    before = words[place - 1] if place else ""
    return _measure("bare", key(before) if before.isalpha() else "", {"number": number}, (place, stop), words)
