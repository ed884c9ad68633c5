"""How a text is read here: how much of it, in which language, as words, and as tokens with their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cortex.core.text import detect_language

MOST = 20_000  # characters; a memory that is longer says what it is about before
_LONGEST = 120  # characters of a token that names something; what is longer is data
_SAMPLE = 600  # characters; enough to tell a language
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]+\b")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_TOKEN = re.compile(r"[^\s,;!?\"“”„`\[\]{}<>()|=*…—–]+(?:\(\))?")
_ENDS_SENTENCE = frozenset(".!?:\n")
_APOSTROPHE = str.maketrans("’", "'")
_TITLES = frozenset(("Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Mt", "vs", "e.g", "i.e", "No", "approx"))


class Token(NamedTuple):
    """A stretch of text between spaces and brackets, without what closes it: where it is, and how it stands there."""

    text: str
    start: int
    end: int
    opens: bool  # the first of its sentence
    joined: bool  # nothing but spaces since the token before
    owns: bool  # written with 's


def in_english(text: str) -> bool:
    """Whether nothing shows that the text is in another language than English."""
    # Names look like words of other languages: Anna met Ben in Rome is no Dutch.
    return detect_language(_NAME.sub("", text[:_SAMPLE])) in {"en", None}


def words_in(text: str) -> list[str]:
    """The words in reading order, lower case, with straight apostrophes."""
    return _WORD.findall(text[:MOST].translate(_APOSTROPHE).lower())


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens in reading order; those too long to name anything are left out."""
    end, opens, closed = 0, True, True
    for found in _TOKEN.finditer(text[:MOST]):
        start, stop = found.span()
        gap = text[end:start]
        opens = opens or not _ENDS_SENTENCE.isdisjoint(gap)
        end = stop
        if stop - start > _LONGEST:
            opens, closed = False, True
            continue
        raw = found.group()
        head = raw.lstrip("'‘•")
        name = head.rstrip(".:'’-")
        owned = name.endswith(("'s", "’s"))
        bare = name[:-2] if owned else name
        if bare:
            first = start + len(raw) - len(head)
            yield Token(bare, first, first + len(bare), opens, gap.isspace() and not closed, owned)
        opens = raw.endswith((".", ":")) and name not in _TITLES
        closed = opens or owned
