"""What a text names, and what sort of thing each name stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from cortex.core.text.stopwords import ENGLISH, QUESTION
from cortex.core.understanding.codelike import codelike
from cortex.core.understanding.gazetteer import (
    FIRST_NAMES,
    ORGANIZATIONS,
    PLACES,
    TECHNOLOGIES,
    TECHNOLOGIES_AS_WRITTEN,
    TECHNOLOGY_FAMILIES,
)
from cortex.core.understanding.naming import GROUPS, TITLES, Naming, is_employer, type_of_name
from cortex.core.understanding.reading import Token, in_english, tokens_of
from cortex.core.understanding.vocabulary import ACRONYMS, CALENDAR, IMPERATIVES, LANGUAGES, OPENERS, THIRD_PERSON
from cortex.model.understanding import Entity, EntityType

MOST_ENTITIES = 20
_FIRST_PERSON: Final = frozenset("i i'm i've i'd i'll we we're we've we'd we'll my mine".split())
_PARTICLES: Final = frozenset("de da di del der den van von la le bin al sans of the &".split())
_OF_GROUPS: Final = frozenset(("of", "the", "&"))
_NO_NAME: Final = (
    _FIRST_PERSON
    | ENGLISH
    | QUESTION
    | CALENDAR
    | LANGUAGES
    | ACRONYMS
    | frozenset("may let's here's there's it's that's".split())
)
_NO_START: Final = _NO_NAME | IMPERATIVES | OPENERS
_KNOWN: Final = PLACES | ORGANIZATIONS | FIRST_NAMES
_COMMON_ENDINGS: Final = tuple("ing tion tions ment ments ness ity ly able ous ers ies ance ed".split())
_BESIDE_A_NAME: Final = frozenset("over and or instead not vs".split())
_SETS: Final = re.compile(r"\b(?:[Ss]et|[Ff]lag|[Ss]ettings?|[Oo]ption|[Kk]ey|[Cc]onfig|[Vv]ariable|[Pp]arameter)\b")
_ABBREVIATION: Final = re.compile(r"[A-Z0-9.]+s?|[A-Z]+-[a-z]+")
_VERSION: Final = re.compile(r"v\d+(?:\.\d+)+")  # beside a technology it is only which one
_TITLE_IN_QUOTES: Final = re.compile(r"([A-Z][^\"“”\n,;:]{1,60}?)[.!?]?[\"”]")
_DESCRIBES: Final = frozenset("a an our the my your his her their its".split())
_LEADS_TO_TOOL: Final = frozenset("in with on use uses using to from of and or".split())
_NAMED_AS: Final = frozenset("and or from over".split())

_DONE_TO: Final = frozenset("taught told gave met knows lent sent hired".split())

Read = tuple[int, str, EntityType]  # how many tokens, and what they name; an empty name for nothing
_NOTHING: Final[Read] = (1, "", EntityType.THING)


def entities_of(text: str) -> tuple[Entity, ...]:
    """The things a text names, in reading order, each once whatever its capitals; at most 20, and never raises.

    ``self`` stands for the first person. In a text that is not English only what has the shape of code and
    technologies are found, since capitals mean other things there.
    """
    tokens = list(tokens_of(text))
    english = in_english(text)
    names: dict[str, Entity] = {}
    for name, type_ in _named(tokens, text, english=english):
        names.setdefault(name.casefold(), Entity(name, type_))
        if len(names) == MOST_ENTITIES:
            break
    return tuple(names.values())


def _named(tokens: Sequence[Token], text: str, *, english: bool) -> Iterator[tuple[str, EntityType]]:
    place = 0
    before: EntityType | None = None
    while place < len(tokens):
        taken, name, type_ = _at(tokens, place, before, text, english=english)
        if name:
            yield name, type_
            before = type_ if type_ is not EntityType.SELF else before
        place += taken


def _at(tokens: Sequence[Token], place: int, before: EntityType | None, text: str, *, english: bool) -> Read:
    token = tokens[place]
    word = token.text
    if english and word != "i" and (_plain(word) in _FIRST_PERSON or _takes_part(tokens, place)):
        return 1, "self", EntityType.SELF
    technology = _technology(tokens, place)
    if technology:
        employs = english and is_employer(Naming(tokens, place, technology, before, text))
        type_ = EntityType.ORGANIZATION if employs else EntityType.TECHNOLOGY
        return technology, text[token.start : tokens[place + technology - 1].end], type_
    code = codelike(word)
    if code and not (_VERSION.fullmatch(word) and before is EntityType.TECHNOLOGY and token.joined):
        return 1, code[0], _settled(code[1], token, text)
    if not english or not word[0].isupper():
        return _NOTHING
    return _capitalised(tokens, place, text, before)


def _takes_part(tokens: Sequence[Token], place: int) -> bool:
    """Whether something happened to "me": Ruta introduced me, taught me; not: call me."""
    last = tokens[place - 1] if place else None
    return tokens[place].text == "me" and last is not None and (last.text.endswith("ed") or last.text in _DONE_TO)


def _settled(type_: EntityType, token: Token, text: str) -> EntityType:
    """A snake_case or camelCase name that the words before it call a setting is a key of a configuration."""
    is_key = type_ is EntityType.IDENTIFIER and "-" not in token.text and not token.text.endswith("()")
    if is_key and _SETS.search(text, max(0, token.start - 30), token.start):
        return EntityType.CONFIG
    return type_


def _technology(tokens: Sequence[Token], place: int) -> int:
    """How many tokens here name a technology."""
    token = tokens[place]
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after and _is_family(token, after):
        return 2
    if token.text.lower() in TECHNOLOGIES:
        return 1
    if token.text not in TECHNOLOGIES_AS_WRITTEN:
        return 0
    if token.text in FIRST_NAMES and (token.opens or tokens[place - 1].text not in _LEADS_TO_TOOL):
        return 0
    if not token.opens or not token.text.istitle():
        return 1
    return int(after is not None and after.joined and (after.text in THIRD_PERSON or after.text in _BESIDE_A_NAME))


def _is_family(token: Token, after: Token) -> bool:
    """Whether two words make one name, a vendor's and a product's: AWS Lambda."""
    if token.text.lower() not in TECHNOLOGY_FAMILIES or not token.text[0].isupper() or not after.joined:
        return False
    return after.text[0].isupper() and after.text.lower() not in _NO_NAME


def _capitalised(tokens: Sequence[Token], place: int, text: str, before: EntityType | None) -> Read:
    first = tokens[place]
    quoted = _quoted(tokens, place, text)
    if quoted:
        return quoted
    size = _run(tokens, place)
    refused = _NO_START if first.opens and first.text not in _KNOWN else _NO_NAME
    if first.text not in TITLES and _plain(first.text) in refused:
        return _NOTHING
    if size > 1 and first.opens and first.text.endswith(("ed", "ing")) and first.text not in _KNOWN:
        return _NOTHING
    if size == 1 and first.opens and not _stands_alone(tokens, place, text):
        return _NOTHING
    name = text[first.start : tokens[place + size - 1].end]
    type_ = type_of_name(Naming(tokens, place, size, before, text))
    if type_ in {EntityType.THING, EntityType.PERSON} and _ABBREVIATION.fullmatch(name):
        return _NOTHING
    return size, name, type_


def _quoted(tokens: Sequence[Token], place: int, text: str) -> Read | None:
    """A title in quotation marks, whole: of a book, a film, a song."""
    start = tokens[place].start
    title = _TITLE_IN_QUOTES.match(text, start) if text[start - 1 : start] in {'"', "“"} and start else None
    if title is None:
        return None
    size = 1
    while place + size < len(tokens) and tokens[place + size].end <= title.end(1):
        size += 1
    return size, title[1], EntityType.THING


def _run(tokens: Sequence[Token], place: int) -> int:
    """How many tokens from here on make one name: capitals side by side, with small words between them."""
    size = 1
    while place + size < len(tokens):
        token = tokens[place + size]
        if not token.joined or (not token.text.isascii() and not token.text[0].isalpha()):
            break
        if _goes_on(token, tokens[place + size - 1]):
            size += 1
            continue
        small = _small_words(tokens, place + size)
        if not small:
            break
        size += small + 1
    return size


def _small_words(tokens: Sequence[Token], place: int) -> int:
    """How many small words stand here inside of a name: van, de la; and "of the" after University and the like."""
    last = tokens[place - 1]
    for size in (1, 2):
        words = tokens[place : place + size]
        if not all(token.joined and token.text in _PARTICLES for token in words):
            return 0
        if last.text not in GROUPS and not _OF_GROUPS.isdisjoint(token.text for token in words):
            return 0
        ahead = tokens[place + size : place + size + 1]
        if ahead and ahead[0].joined and _goes_on(ahead[0], words[-1]):
            return size
    return 0


def _goes_on(token: Token, last: Token) -> bool:
    word = token.text
    if not word[0].isupper() or _plain(word) in _NO_NAME or codelike(word):
        return False
    return word.lower() not in TECHNOLOGIES or last.text in GROUPS or last.text in FIRST_NAMES


def _stands_alone(tokens: Sequence[Token], place: int, text: str) -> bool:
    """Whether one capitalised word at the start of a sentence is a name, and not just its first word."""
    token = tokens[place]
    word = token.text
    if word in _KNOWN or token.owns:
        return True
    if word.lower().endswith(_COMMON_ENDINGS) or len(word) < 3:
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None:
        return False
    if not after.joined:
        return text[token.end : token.end + 1] in {":", ","} and (after.text in _DESCRIBES or after.owns)
    return after.text in THIRD_PERSON or after.text in _NAMED_AS


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")
