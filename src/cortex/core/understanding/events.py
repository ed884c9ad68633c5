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
_TOWARDS: Final = tuple("in near at around to into through across up visited visiting visit for from".split())
_LED: Final = re.compile(rf"\b({'|'.join(_TOWARDS)})\s+(?:the\s+)?$", re.IGNORECASE)
_LEAD: Final = 16  # characters before a name in which its preposition stands
_OPENING: Final = 300  # characters in which a sentence has its subject
_GOES_ON: Final = re.compile(r"[\s\x00]+[a-z]")
_AND_I: Final = re.compile(r"\s+(?:[\w-]{1,20}\s+){0,2}and\s+I\b")  # my wife and I
_AUXILIARIES: Final = frozenset(("will", "has", "have", "had"))
_ACTED: Final = PERSON_VERBS | frozenset(
    "will has gave went flew starts started won merged proposed moved arrived arrives left leaves called sold bought "
    "takes takes retires lost got".split()
)
_TELLING: Final[dict[Kind | None, str | None]] = {Kind.EVENT: None, Kind.ERROR: "incident", Kind.DECISION: "decision"}
_DOERS: Final = frozenset(
    (EntityType.PERSON, EntityType.ORGANIZATION, EntityType.TECHNOLOGY, EntityType.MODULE, EntityType.IDENTIFIER)
)
_PLACED: Final = frozenset((EntityType.PLACE, EntityType.THING, EntityType.PERSON, EntityType.EVENT))


def event_of(text: str, *, said_at: datetime, zone: tzinfo, speaker: str | None = None) -> Event | None:
    """The first event that a text tells of; None for facts, preferences, habits, questions and other languages.

    It is one if it has a time (as ``when_of`` reads it), or looks back or ahead on something of a known sort (a name in
    ``EVENT_TYPES``), or back on what a known actor did. The actor is the subject where that is a name, the ``speaker``
    for I and we (``self`` if nobody says who that is), and None for any other. The location is a named place. Raises
    ValueError for a naive ``said_at``.
    """
    moment = moment_in(text, said_at=said_at, zone=zone)
    if moment is None and not in_english(text):
        return None
    sentence = moment.sentence if moment else _happening(text)
    if sentence is None:
        return None
    blank = sentence.text
    if moment:
        blank = blank[: moment.start] + "\x00" * (moment.end - moment.start) + blank[moment.end :]
    entities = entities_of(sentence.text)
    sort = sort_of(sentence.text)
    actor = _actor(blank, entities)
    if moment is None and sort is None and (actor is None or sentence.tense is not Tense.PAST):
        return None
    return Event(
        event_time=moment.at if moment else None,
        actor=(speaker or SELF) if actor == SELF else actor,
        location=_location(blank, entities, sort),
        event_type=sort,
    )


def _happening(text: str) -> Sentence | None:
    """The sentence of an event without a time: in a text of that kind any, in others what went wrong or was decided."""
    kind = kind_of(text)
    if kind not in _TELLING:
        return None
    for sentence in sentences_of(without_code(text)):
        looks = sentence.tense is not Tense.UNSAID
        sort = sort_of(sentence.text)
        if looks and sentence.asserts and not sentence.recurs and (kind is Kind.EVENT or sort == _TELLING[kind]):
            return sentence
    return None


def _actor(text: str, entities: Sequence[Entity]) -> str | None:
    """The subject of a sentence: the first noun or pronoun that no preposition leads, if it is a name or I or we."""
    names = _names(text, entities)
    before, end = "", 0
    for found in _WORD.finditer(text[:_OPENING]):
        if found.start() < end:
            continue
        word = found.group().replace("’", "'")
        gap = text[end : found.start()]
        led = before in _PREPOSITIONS and gap.isspace()
        named = names.get(found.start())
        end = found.end() if named is None else found.start() + len(named.name)
        before = word.lower()
        if led:
            continue
        if named is not None:
            if _acts(text[end : end + 80], named, opens=not text[: found.start()].strip("\x00 \n")):
                return named.name
        elif word in _FIRST or _AND_I.match(text, end):
            return SELF
        elif before in _OTHERS or (before in _OWNERS and not _joins(before, text[end : end + 4])):
            return None
    return None


def _joins(word: str, after: str) -> bool:
    """Whether "that" joins a sentence to its verb: remember that Vera arrives."""
    return word == "that" and (after.lstrip()[:1].isupper() or after.startswith(" we"))


def _names(text: str, entities: Iterable[Entity]) -> dict[int, Entity]:
    """Where each name first stands."""
    starts: dict[int, Entity] = {}
    for entity in entities:
        if entity.type is not EntityType.SELF:
            starts.setdefault(text.find(entity.name), entity)
    return starts


def _acts(rest: str, named: Entity, *, opens: bool) -> bool:
    """Whether a verb in the active voice follows a name; a name that opens a sentence needs a verb of people."""
    words = _WORD.findall(rest)
    if not words or not _GOES_ON.match(rest):
        return False
    known = not opens or named.name in FIRST_NAMES or named.type in _DOERS
    if words[0] == "and":
        return known
    if words[0] in _NO_VERB:
        return False
    while len(words) > 1 and _ADVERB.fullmatch(words[0]):
        known = known or words[0] in _AUXILIARIES
        words = words[1:]
    if words[0] in _BE:
        return named.type is EntityType.PERSON and (len(words) < 2 or not _DONE.fullmatch(words[1]))
    return known or words[0] in _ACTED


def _location(text: str, entities: Iterable[Entity], sort: str | None) -> str | None:
    """A named place after in, at, to and the like: where somebody ends up before where they come from."""
    ranked: list[tuple[int, str]] = []
    for start, named in _names(text, entities).items():
        found = _LED.search(text[max(0, start - _LEAD) : start])
        if found and named.type in _PLACED and _can_be_place(named, found[1].lower(), sort):
            rank = -1 if found[1] == "to" and sort in MOVING else _TOWARDS.index(found[1].lower())
            ranked.append((rank, named.name))
    return min(ranked, key=lambda pair: pair[0], default=(0, None))[1]


def _can_be_place(named: Entity, preposition: str, sort: str | None) -> bool:
    if named.type is EntityType.PLACE:
        return preposition != "for" or sort == "travel"
    if named.name in FIRST_NAMES:
        return False
    return preposition in {"in", "near"} or (preposition in {"to", "from", "for"} and sort in MOVING)
