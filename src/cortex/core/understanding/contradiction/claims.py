"""A statement taken apart: what it is about, what it denies, which values it gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cortex.core.text.stopwords import ENGLISH, QUESTION
from cortex.core.understanding.contradiction.lexicon import (
    BREAKS,
    DENIALS,
    HEDGED,
    PARTICLES,
    key,
)
from cortex.core.understanding.contradiction.measures import Measure, measures
from cortex.model.quick import quickly_made

_STOPS: Final = (
    ENGLISH
    | QUESTION
    | {"us", "lot", "also", "im", "ive", "id", "still", "again", "one", "anybody", "anyone", "actually"}
    | PARTICLES
)
_FIRST: Final = frozenset("i we me us my our im ive id mine myself".split())
_AUXILIARIES: Final = frozenset(
    "is are was were be am been has have had do does did will would can could may might must shall should isnt arent "
    "wasnt werent hasnt havent hadnt dont doesnt didnt wont cant couldnt wouldnt im ive".split()
)
_PRONOUNS: Final = frozenset("i we you he she it they nobody somebody everybody there this that ive im".split())
_INDEFINITE: Final = frozenset("a an some another two three four five six several many people someone somebody".split())
_OUTER: Final = ".,;:!?\"'()[]{}<>*_`~|\u201c\u201d\u2018\u2019\u2026\u2014-"
_TAILS: Final = (("'s", ""), ("n't", "nt"), ("'ve", ""), ("'m", ""), ("'re", ""), ("'ll", ""), ("'d", ""))
_WORD: Final = re.compile(r"\S{1,200}")
_WHOLE: Final = frozenset("never nobody none nothing".split())
_UNBEARABLE: Final = frozenset("stand bear".split())
_MOST_WORDS = 90  # a sentence that is longer is a list or no sentence
_MOST_CHARACTERS = 2_000
_MOST_OF_A_KIND = 8  # denials and measures
_LONGEST = 64  # longer words are rarely seen twice, and a cache should not keep them


@dataclass(frozen=True, slots=True)
class _Word:
    lower: str
    key: str  # empty for function words
    named: bool
    ends: bool  # a clause


@quickly_made
@dataclass(frozen=True, slots=True)
class Term:
    """A word that means something: its key, where it stands, and how it is written."""

    key: str
    place: int
    text: str
    named: bool


@dataclass(frozen=True, slots=True)
class Denial:
    """What a clause denies: the terms and measures it covers, and the words as they stand.

    ``whole``: it denies every case (never, nobody, no … any).
    """

    keys: frozenset[str]
    measures: tuple[Measure, ...]
    phrase: str
    first_person: bool
    whole: bool


@quickly_made
@dataclass(frozen=True, slots=True)
class Claim:
    """One statement. ``words`` are lower case; ``affirmed`` are the keys outside of any denial.

    ``verb_place``: the place of the first verb that shows itself; ``subject``: the keys before it. ``indefinite``: it
    is about somebody or something (a man, two dogs), so two of them may be about two.
    """

    words: tuple[str, ...]
    terms: tuple[Term, ...]
    particles: tuple[Term, ...]
    keys: frozenset[str]
    affirmed: frozenset[str]
    denials: tuple[Denial, ...]
    measures: tuple[Measure, ...]
    verb_place: int
    subject: frozenset[str]
    first_person: bool
    indefinite: bool


def _make_word(chunk: str) -> _Word:
    core = chunk.strip(_OUTER)
    ends = chunk[-1] in ",;:" or chunk in {"-", "\u2014"}
    lower = core.lower().replace("\u2019", "'")
    if lower.startswith(("$", "€", "£")) or not lower:
        return _Word(lower, "", False, ends)
    if lower == "cannot":
        lower = "cant"
    for ending, instead in _TAILS:
        if lower.endswith(ending) and len(lower) > len(ending):
            lower = lower.removesuffix(ending) + instead
            break
    named = core[:1].isupper() and lower not in {"i", "im", "ive", "id"}
    telling = lower not in _STOPS and lower not in DENIALS and lower not in {"", "longer"}
    return _Word(lower, key(lower) if telling and not lower[0].isdecimal() else "", named, ends)


_cached_word = lru_cache(maxsize=16_384)(_make_word)


def claim(text: str) -> Claim:
    """Take one sentence or clause apart; any text is one."""
    chunks = _WORD.findall(text[:_MOST_CHARACTERS])[:_MOST_WORDS]
    parts = [_cached_word(c) if len(c) <= _LONGEST else _make_word(c) for c in chunks]
    words = tuple(part.lower for part in parts)
    found = measures(words)[:_MOST_OF_A_KIND]
    counted = {place for measure in found for place in range(measure.start, measure.stop)}
    particles = tuple(Term(word, place, word, False) for place, word in enumerate(words) if word in PARTICLES)
    terms = _terms(parts, counted)
    denials = _denials(parts, terms, found)
    denied = frozenset[str]().union(*(denial.keys for denial in denials))
    verb_place = _verb_place(words, terms)
    keys = frozenset(term.key for term in terms)
    return Claim(
        words=words,
        terms=terms,
        particles=particles,
        keys=keys,
        affirmed=keys - denied,
        denials=denials,
        measures=found,
        verb_place=verb_place,
        subject=frozenset(term.key for term in terms if term.place < verb_place),
        first_person=not _FIRST.isdisjoint(words),
        indefinite=bool(words) and words[0] in _INDEFINITE,
    )


def _terms(parts: Sequence[_Word], counted: set[int]) -> tuple[Term, ...]:
    terms = []
    for place, part in enumerate(parts):
        if not part.key or place in counted:
            continue
        key_ = part.key
        if key_ in _UNBEARABLE and place and parts[place - 1].lower in {"cant", "not"}:
            key_ = "hate"
        # The first word is written large whatever it is.
        terms.append(Term(key_, place, part.lower, part.named and place > 0))
    return tuple(terms)


def _denials(parts: Sequence[_Word], terms: Sequence[Term], known: Sequence[Measure]) -> tuple[Denial, ...]:
    words = [part.lower for part in parts]
    found: list[Denial] = []
    for place, word in enumerate(words):
        if word not in DENIALS or len(found) == _MOST_OF_A_KIND:
            continue
        after = words[place + 1] if place + 1 < len(words) else ""
        if after in HEDGED or (word == "cant" and after in _UNBEARABLE):
            continue
        start, stop = _clause(parts, words, place)
        if word == "without" or (word == "no" and place and words[place - 1] == "with"):
            start, stop = place, min(stop, place + 4)
        covered = [term for term in terms if start <= term.place < stop]
        if covered:
            phrase = " ".join(words[place : min(stop, place + 6)])
            first = not _FIRST.isdisjoint(words[start:place])
            whole = word in _WHOLE or "any" in words[place : place + 4]
            measured = tuple(measure for measure in known if start <= measure.start < stop)
            found.append(Denial(frozenset(term.key for term in covered), measured, phrase, first, whole))
    return tuple(found)


def _clause(parts: Sequence[_Word], words: Sequence[str], place: int) -> tuple[int, int]:
    start, stop = place, place + 1
    while start > 0 and place - start < 12 and not parts[start - 1].ends and words[start - 1] not in BREAKS:
        start -= 1
    while stop < len(words) and stop - place < 16 and not parts[stop - 1].ends and words[stop] not in BREAKS:
        if words[stop] == "and" and stop + 1 < len(words) and words[stop + 1] in _PRONOUNS:
            break
        stop += 1
    return start, stop


def _verb_place(words: Sequence[str], terms: Sequence[Term]) -> int:
    for place, word in enumerate(words):
        if word in _AUXILIARIES and place:
            return place
        if word in _PRONOUNS and not place:
            return 1
    return terms[1].place if len(terms) > 1 else len(words)
