"""A short statement as the words that count, for comparing two of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cortex.core.text.normal import nfkc
from cortex.core.text.stems import stems
from cortex.model.quick import quickly_made

_APOSTROPHE: Final = re.compile("[\u2018\u2019\u201b\u02bc]")
_WORD: Final = re.compile(r"[^\W_]+(?:[-'./:@_#+][^\W_]+|,\d+)*[+#%]*|[%$€£°]")
# What somebody says before the statement itself.
_PREAMBLE: Final = re.compile(
    r"\s*(?:(?:(?:please )?(?:note|remember|be aware)|remind(?:er)?|btw|by the way|for the record|update|correction"
    r"|just (?:so you know|to (?:note|remember|remind(?: you)?|let you know))|okay|ok|well|hey)"
    r"(?:\s*[,:]\s*(?:so\b|that\b)?|\s+that\b)|fyi\b[\s,:]*|please (?:note|remember)\b)+",
    re.IGNORECASE,
)
COPULAS: Final = frozenset("is are am be being".split())
# Words that add nothing to a statement. Times, modes, negations, comparisons and prepositions all do.
WEAK: Final = COPULAS | frozenset(
    "a an the do does this that so well just please really actually basically simply currently now also note "
    "remember fyi hey ok okay".split()
)
_ONE_WORD: Final = {
    "me": "i", "my": "i", "mine": "i", "us": "we", "our": "we", "ours": "we", "cannot": "can not", "i'm": "i am",
    "can't": "can not", "won't": "will not", "shan't": "shall not", "it's": "it is", "that's": "that is",
    "i've": "i have", "i'd": "i would", "i'll": "i will", "we're": "we are", "we've": "we have", "we'll": "we will",
}  # fmt: skip
# Where the owner in "the port of the login service …" ends.
_ENDS: Final = COPULAS | frozenset(
    "in on at to for from with by and or but was were has have had not never no happens happen takes take uses use "
    "runs run starts start ends end lasts last goes go became becomes will can must should may might of".split()
)
# What "of" follows without owning anything.
_OWNS_NOTHING: Final = WEAK | frozenset(
    "most all some one none many out because instead kind sort lot each both".split()
)
_LONGEST_OWNER: Final = 4
_LONGEST_THING: Final = 3
_ARTICLES: Final = frozenset({"a", "an", "the"})


@quickly_made
@dataclass(frozen=True, slots=True)
class Word:
    """A word: as it is compared, as it is written in lower case, and whether it is one that adds nothing."""

    norm: str
    raw: str
    written: str

    @property
    def weak(self) -> bool:
        """Whether it adds nothing to a statement."""
        return self.raw in WEAK and self.written != "A"  # "server A"


def without_preamble(text: str) -> str:
    """The text without what only announces it, such as "Note that" or "FYI:"."""
    found = _PREAMBLE.match(text)
    return text[found.end() :] if found and found.end() < len(text) else text


def words_of(text: str) -> list[Word]:
    """Every word in order, with what is owned after its owner: "the port of the API" is "the API port"."""
    body = without_preamble(text)
    raw: list[tuple[str, str]] = []
    for word in _WORD.findall(_APOSTROPHE.sub("'", nfkc(body))):
        folded = word.casefold()
        raw += [(part, word) for part in _ONE_WORD.get(folded, _without_not(folded)).split()]
    words: list[Word] = []
    place = 0
    while place < len(raw):
        folded, written = raw[place]
        place += 1
        if folded == "of" and words and words[-1].raw not in _OWNS_NOTHING and place < len(raw):
            owner = _owner(raw, place)
            place += len(owner)
            thing = _thing(words)
            words = [*_without_article(words[: -len(thing)]), *map(_word, owner), *thing]
            continue
        words.append(_word((folded, written)))
    return words


def telling(words: Sequence[Word]) -> list[str]:
    """The words that count, as they are compared."""
    return [word.norm for word in words if not word.weak]


def _thing(words: Sequence[Word]) -> list[Word]:
    """What is owned: the words since its article, if that is near; else the last word."""
    for size in range(1, min(_LONGEST_THING, len(words) - 1) + 1):
        if words[-size - 1].raw in _ARTICLES:
            return list(words[-size:])
    return [words[-1]]


def _without_article(words: Sequence[Word]) -> list[Word]:
    return list(words[:-1] if words and words[-1].raw in _ARTICLES else words)


def _owner(raw: Sequence[tuple[str, str]], place: int) -> list[tuple[str, str]]:
    end = place
    while end < len(raw) and end - place < _LONGEST_OWNER and raw[end][0] not in _ENDS:
        end += 1
    return list(raw[place:end])


def _word(found: tuple[str, str]) -> Word:
    folded, written = found
    return Word(_stem(folded.removesuffix("'s")), folded, written)


def _without_not(word: str) -> str:
    return word.removesuffix("n't") + " not" if word.endswith("n't") else word


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """The word without its inflection; a past keeps a mark, since what was need not be."""
    if not word.isalpha():
        return word
    stem = stems(word, "en")[1][0]
    return f"{stem}<" if word.endswith("ed") else stem
