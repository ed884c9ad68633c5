"""Whether a text tells of an event: something that happened or is to happen, when, by whom, where, of what sort."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from typing import Final

from cortex.core.understanding.assertions import Sentence, Tense, sentences_of
from cortex.core.understanding.entities import entities_of
from cortex.core.understanding.gazetteer import FIRST_NAMES
from cortex.core.understanding.happenings import MOVING, sort_of
from cortex.core.understanding.kinds import kind_of
from cortex.core.understanding.reading import in_english
from cortex.core.understanding.vocabulary import PERSON_VERBS
from cortex.core.understanding.when import moment_in, without_code
from cortex.model.memory import Kind
from cortex.model.understanding import Entity, EntityType, Event

SELF: Final = "self"


_PREPOSITIONS: Final = frozenset(
    "in at to from on with for of by after before about near under over into like than via against without between "
    "and or as".split()
)
_OTHERS: Final = frozenset("he she it they there you somebody someone everybody everyone who this these".split())
_OWNERS: Final = frozenset("the a an my our his her their your its that".split())
_FIRST: Final = frozenset("I I'm I've I'll I'd We We're We've We'll We'd we we're we've we'll we'd".split())
_BE: Final = frozenset("was were is are been got gets be being".split())
_NO_VERB: Final = _PREPOSITIONS | _OWNERS | frozenset("i we is's not no so but if then when where will's".split())
_ADVERB: Final = re.compile(r"\w+ly|just|also|finally|already|now|then|recently|still|never|always|has|have|had|will")
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DONE: Final = re.compile(r"\w+(?:ed|en)|built|made|sold|sent|held|put|told|given|taken|shown|set|born|hit")
_TOWARDS: Final = ("in", "near", "at", "around", "to", "into", "through", "across", "up", "for", "from")
_ACTED: Final = PERSON_VERBS | frozenset(
    "will has gave went flew starts started won merged proposed moved arrived arrives left leaves called sold bought "
    "takes takes retires lost got".split()
)
_PLACED: Final = frozenset((EntityType.PLACE, EntityType.THING, EntityType.PERSON, EntityType.EVENT))


def event_of(text: str, *, said_at: datetime, zone: tzinfo, speaker: str | None = None) -> Event | None:
    """The first event that a text tells of; None for facts, preferences, habits, questions and other languages.

    It is one if it has a time (as ``when_of`` reads it) or a sort (a name in ``EVENT_TYPES``) in a sentence that looks
    back or ahead. The actor is the subject where that is a name, the ``speaker`` for I and we (``self`` if nobody
    says who that is), and None for any other. The location is a named place. Raises ValueError for a naive
    ``said_at``.
    """
    moment = moment_in(text, said_at=said_at, zone=zone)
    if moment is None and not in_english(text):
        return None
    sentence = moment.sentence if moment else _happening(text)
    if sentence is None:
        return None
    blank = sentence.text
    if moment:
        blank = blank[: moment.start] + " " * (moment.end - moment.start) + blank[moment.end :]
    entities = entities_of(sentence.text)
    sort = sort_of(sentence.text)
    actor = _actor(blank, entities)
    return Event(
        event_time=moment.at if moment else None,
        actor=(speaker or SELF) if actor == SELF else actor,
        location=_location(blank, entities, sort),
        event_type=sort,
    )


def _happening(text: str) -> Sentence | None:
    """The first sentence without a time that tells of something of a known sort."""
    if kind_of(text) in {Kind.PREFERENCE, Kind.INSTRUCTION, Kind.PATTERN}:
        return None
    for sentence in sentences_of(without_code(text)):
        looks = sentence.tense is not Tense.UNSAID
        if looks and sentence.asserts and not sentence.recurs and sort_of(sentence.text):
            return sentence
    return None


def _actor(text: str, entities: Sequence[Entity]) -> str | None:
    """The subject of a sentence: the first noun or pronoun that no preposition leads, if it is a name or I or we."""
    starts = _name_starts(text, entities)
    before = ""
    end = 0
    for found in _WORD.finditer(text):
        if found.start() < end:
            continue
        word = found.group().replace("’", "'")
        led = before in _PREPOSITIONS and found.start() > 0 and not text[: found.start()].rstrip().endswith((",", ":"))
        name = starts.get(found.start())
        before = word.lower()
        if name is not None:
            end = found.start() + len(name)
            before = name.lower()
            if not led and _acts(text[end:], name, known=found.start() > 0 or name in FIRST_NAMES):
                return name
            continue
        if led:
            continue
        if word in _FIRST:
            return SELF
        if word.lower() in _OTHERS or (word.lower() in _OWNERS and not _ends_a_verb(word, text, found.end())):
            return None
    return None


def _ends_a_verb(word: str, text: str, end: int) -> bool:
    """Whether "that" joins a sentence to its verb: remember that Vera arrives."""
    after = text[end:].lstrip()
    return word.lower() == "that" and (after[:1].isupper() or after.startswith("we "))


def _name_starts(text: str, entities: Iterable[Entity]) -> dict[int, str]:
    starts: dict[int, str] = {}
    for entity in entities:
        if entity.type is not EntityType.SELF:
            starts.setdefault(text.find(entity.name), entity.name)
    return starts


def _acts(rest: str, name: str, *, known: bool) -> bool:
    """Whether a verb in the active voice follows a name; a name that opens a sentence needs a verb of people."""
    if re.match(r"['’]s\b", rest):
        return False
    words = _WORD.findall(rest[:80])
    if not words:
        return False
    if words[0] == "and":
        return known or len(name.split()) > 1
    if not re.match(r"\s+[a-z]", rest) or words[0] in _NO_VERB:
        return False
    while len(words) > 1 and _ADVERB.fullmatch(words[0]):
        if words[0] in {"will", "has", "have", "had"}:
            known = True
        words = words[1:]
    if words[0] in _BE and len(words) > 1 and _DONE.fullmatch(words[1]) and words[1] != "married":
        return False
    return known or words[0] in _ACTED or words[0] in _BE or words[0].endswith("ed")


def _location(text: str, entities: Iterable[Entity], sort: str | None) -> str | None:
    """A named place after in, at, to and the like: where somebody ends up before where they come from."""
    ranked: list[tuple[int, str]] = []
    for entity in entities:
        if entity.type not in _PLACED:
            continue
        found = re.search(
            rf"\b([Ii]n|[Nn]ear|[Aa]t|around|to|into|through|across|up|for|from)\s+(?:the\s+)?{re.escape(entity.name)}\b",
            text,
        )
        if found and _can_be_place(entity, found[1].lower(), sort):
            rank = _TOWARDS.index(found[1].lower())
            ranked.append((-1 if found[1] == "to" and sort in MOVING else rank, entity.name))
    return min(ranked, key=lambda pair: pair[0], default=(0, None))[1]


def _can_be_place(entity: Entity, preposition: str, sort: str | None) -> bool:
    if entity.type is EntityType.PLACE:
        return preposition != "for" or sort == "travel"
    if preposition in {"in", "near"}:
        return entity.name not in FIRST_NAMES
    return preposition in {"to", "from", "for"} and sort in MOVING and entity.name not in FIRST_NAMES
