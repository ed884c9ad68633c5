"""What a short statement says of one attribute of one subject: the slot, and the value that fills it.

Two statements that fill the same slot with different values cannot both hold, where the slot has room for one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cortex.core.understanding.statement import COPULAS, Word, telling, words_of
from cortex.model.understanding import Verdict

_MOST_CHARS: Final = 300
_MOST_WORDS: Final = 24
_A_FEW: Final = 32  # a new text is held against twenty others, one after the other
_LONGEST_VALUE: Final = 4
_NUMBER: Final = re.compile(r"[$€£]?\d[\d.,:]*[%a-z]{0,3}", re.IGNORECASE)
_MONEY: Final = re.compile(r"([$€£]) ")
_CHANGE: Final = re.compile(r"\b(?:now|nowadays|currently|these days|from now on|switched|as of)\b", re.IGNORECASE)
# Two statements of "a man" are of two men.
_ANY_ONE: Final = frozenset("a an some any another two three four five several many few every each there".split())
_DAYS: Final = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_UNITS: Final = frozenset(
    "s sec second ms millisecond minut min hour h day week month year mb gb kb tb request user percent % euro dollar "
    "km m kg degre point time retri replica core".split()
)
# Words that say that the new value is one more, or that the statement is not about how things are.
_HOLDS_BACK: Final = frozenset(
    "also too another addit both and or not never no if unless may might could would should can will was were had "
    "use< maybe perhap except onli sometim often usual either neither than".split()
)
# Attributes that have one value at a time, where the statement does not say so by "of" or an apostrophe.
_SINGLE: Final = frozenset(
    "port timeout limit name version size owner lead manag address deadlin budget price status birthday email phone "
    "age desk languag databas region capit colour color salari titl host password interv frequenc temperatur width "
    "height weight length durat threshold maximum minimum default home hometown seat room floor nicknam boss".split()
)
MANY: Final = frozenset(
    "friend child son daughter brother sister colleagu member hobbi skill tag user part exampl reason contributor "
    "author song book film movi pet cat dog step featur problem risk goal idea option".split()
)
# A verb with its preposition: the attribute, whether it has one value at a time, and whether the subject comes last.
_VERBS: Final[Mapping[tuple[str, ...], tuple[str, bool, bool]]] = {
    ("live", "in"): ("home", True, False), ("move<", "to"): ("home", True, False),
    ("base<", "in"): ("base", True, False),
    ("work", "at"): ("employer", True, False), ("work", "for"): ("employer", True, False),
    ("employ",): ("employer", True, True), ("join<",): ("employer", True, False),
    ("written", "in"): ("languag", True, False), ("use",): ("use", False, False),
    ("run", "on"): ("platform", False, False),
    ("deploy<", "on"): ("deploy day", True, False), ("host<", "on"): ("host", True, False),
    ("report", "to"): ("boss", True, False), ("marri<", "to"): ("spouse", True, False),
    ("born", "in"): ("birthplace", True, False), ("listen", "on", "port"): ("port", True, False),
    ("sit", "at", "desk"): ("desk", True, False), ("time", "out", "after"): ("timeout", True, False),
    ("deploy", "happen", "on"): ("deploy day", True, False),
    ("like", "to", "drink"): ("favourit drink", False, False),
}  # fmt: skip
_BEGINNING: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    first: tuple(verb for verb in _VERBS if verb[0] == first) for first in {verb[0] for verb in _VERBS}
}
_LEADING: Final = (
    ("for",), ("request", "to"), ("call", "to"), ("most", "of", "all"), ("on",), ("in",), ("at",),
)  # fmt: skip
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "database": frozenset(
        "postgres postgresql mysql sqlite mongodb redis cassandra dynamodb mariadb oracle couchdb valkey elasticsearch "
        "clickhouse duckdb neo4j bigquery snowflake cockroachdb memcached influxdb".split()
    ),
    "language": frozenset(
        "python go golang rust java kotlin ruby elixir scala javascript typescript php c c++ c# swift perl haskell "
        "clojure erlang lua dart julia ocaml zig".split()
    ),
    "editor": frozenset("vim neovim emacs vscode sublime nano intellij pycharm zed".split()),
    "cloud": frozenset("aws azure gcp heroku hetzner vercel netlify render digitalocean".split()),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """One attribute of one subject and its value. ``single``: whether there is room for one value only."""

    subject: tuple[str, ...]
    attribute: str
    value: tuple[str, ...]
    sort: str
    single: bool
    shown: str


def refilled(older: str, newer: str) -> Verdict | None:
    """The verdict on two statements that fill the same slot differently; None where nothing tells that they do."""
    first, second = slot(older), slot(newer)
    if first is None or second is None or first.value == second.value or first.sort != second.sort:
        return None
    if first.subject != second.subject or first.attribute != second.attribute:
        return None
    sure = 0.9 if first.single or second.single or _CHANGE.search(newer) else 0.65
    return Verdict(contradicts=True, confidence=sure, reason=f"'{first.shown}' became '{second.shown}'")


@lru_cache(maxsize=_A_FEW)
def slot(text: str) -> Slot | None:
    """The slot that a short statement fills; None for one that fills none, or holds it back."""
    if len(text) > _MOST_CHARS or "?" in text:
        return None
    words = words_of(text)
    if not words or words[0].raw in _ANY_ONE:
        return None
    if len(words) > _MOST_WORDS or not _HOLDS_BACK.isdisjoint(word.norm for word in words):
        return None
    return _by_verb(words) or _by_copula(text, words)


def _by_verb(words: Sequence[Word]) -> Slot | None:
    """Such as "Ada works at Acme", "on Friday the API is deployed", "Acme employs Ada"."""
    said = [word for word in words if not word.weak]
    norms = [word.norm for word in said]
    if norms[:1] == ["on"] and len(norms) > 3 and norms[1] in _DAYS and norms[-1] == "deploy<":
        said = [*said[2:], said[0], said[1]]
        norms = [word.norm for word in said]
    for place in range(1, len(norms)):
        for verb in _BEGINNING.get(norms[place], ()):
            end = place + len(verb)
            if tuple(norms[place:end]) != verb or end >= len(norms):
                continue
            attribute, single, turned = _VERBS[verb]
            left, right = said[:place], said[end:]
            subject, value = (right, left) if turned else (left, right)
            return _filled(subject, attribute, value, single=single)
    return None


def _by_copula(text: str, words: Sequence[Word]) -> Slot | None:
    """Such as "the port of the API is 8080", "Ada's favourite drink is tea", "Go is the language of the API"."""
    place = next((number for number, word in enumerate(words) if word.raw in COPULAS), None)
    if place is None:
        return None
    left = [word for word in words[:place] if not word.weak]
    right = [word for word in words[place + 1 :] if not word.weak]
    if not left or not right:
        return None
    if right[0].raw == "what":  # "X is what the API uses"
        rest = right[1:]
        if len(rest) > 1 and (rest[-1].norm,) in _VERBS:
            attribute, _, _ = _VERBS[rest[-1].norm,]
            return _filled(rest[:-1], attribute, left, single=True)
        return None
    if [word.norm for word in right[-2:]] == ["year", "old"]:
        return _filled(left, "age", right[:-2], single=True)
    owned = re.search(r"\bof\b|'s\b|\bmy\b|\bour\b", text, re.IGNORECASE) is not None
    if owned and len(right) > len(left) and len(left) <= _LONGEST_VALUE and right[-1].norm in _SINGLE:
        left, right = right, left  # "Go is the language of the API"
    if right[0].norm in {"in", "at", "on"}:
        right = right[1:]
    attribute = left[-1].norm
    if len(left) < 2 or attribute in MANY or not right:
        return None
    if not (owned or attribute in _SINGLE or _NUMBER.fullmatch(right[0].raw)):
        return None
    head = (
        2 if left[-2].norm in {"favourit", "favorit", "default", "main", "primari", "current"} and len(left) > 2 else 1
    )
    name = " ".join(word.norm for word in left[-head:])
    return _filled(left[:-head], name, right, single=True)


def _filled(subject: Sequence[Word], attribute: str, value: Sequence[Word], *, single: bool) -> Slot | None:
    norms = _subject(telling(subject))
    if norms and norms[-1] in MANY:  # "my daughter", of two
        return None
    values = tuple(telling(value))
    if not norms or not 0 < len(values) <= _LONGEST_VALUE:
        return None
    sort = _sort(value)
    if attribute == "use":
        # Of most things several can be used; of a kind of things, such as a database, usually one.
        if sort not in _KINDS:
            return None
        attribute = _stem_of(sort)
    shown = _MONEY.sub(r"\1", " ".join(word.written.lower() for word in value if not word.weak))
    return Slot(norms, attribute, values, sort, single, shown)


def _stem_of(sort: str) -> str:
    return telling(words_of(sort))[0]


def _subject(norms: Sequence[str]) -> tuple[str, ...]:
    """The subject without what only leads to it."""
    for lead in _LEADING:
        if tuple(norms[: len(lead)]) == lead and len(norms) > len(lead):
            return _subject(norms[len(lead) :])
    return tuple(norms)


def _sort(value: Sequence[Word]) -> str:
    """Values of different sorts are no alternatives: "the limit is 50" and "the limit is generous"."""
    said = [word for word in value if not word.weak]
    if _NUMBER.fullmatch(said[0].raw):
        unit = next((word.norm for word in said[1:] if word.norm in _UNITS), "")
        return f"number {unit}"
    if said[0].raw in _DAYS:
        return "day"
    for kind, names in _KINDS.items():
        if len(said) == 1 and said[0].raw in names:
            return kind
    return "name" if all(word.written[:1].isupper() for word in said) else "words"
