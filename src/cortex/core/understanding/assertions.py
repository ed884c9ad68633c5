"""Which sentences of a text assert that something happened or will, and in which direction from the speaker's now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Tense(Enum):
    """Whether a sentence looks back, ahead, or does not say."""

    PAST = auto()
    FUTURE = auto()
    UNSAID = auto()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of the text, and what its words say of all of it. ``recurs``: its times come again and again."""

    start: int
    end: int
    text: str
    recurs: bool
    asserts: bool
    tense: Tense

    def tense_at(self, place: int) -> Tense:
        """The tense of the part between commas or "and" that holds this place, or else of the sentence."""
        start, end = max(0, place - _REACH), min(len(self.text), place + _REACH)
        for found in _PART.finditer(self.text, start, end):
            if found.start() >= place:
                end = found.start()
                break
            start = found.end()
        tense = _tense(self.text[start:end].lower())
        return self.tense if tense is Tense.UNSAID else tense


# A point ends a sentence only before a capital: Dec. 15 and 6:05 a.m. go on.
_BREAK: Final = re.compile(
    r"(?<![.!?])[.!?]+[\"”')]*\s+(?=[\"“'(]?[A-Z])|[;\n]|\s[—–]\s|,?\s(?:but|because|although|though|whereas)(?=\s)|"
    r",?\sand(?=\s(?:nobody|no one|\w{1,20}\s(?:\w{1,9}n['’]t|never|\w{1,9}\s(?:not|never)))\b)"
)
_REACH: Final = 200  # characters on either side of a date in which its verb is looked for
_PART: Final = re.compile(r",\s|\s(?:and|which|while)\s")
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:if|unless|might|maybe|perhaps|possibly|wish|suppose|imagine|(?:would|could|should)(?:n't)?\s+have|"
    r"(?:would|could|should)['’]ve|in case|what would|were to|"
    r"(?:birthday|anniversary) is)\b"
)  # fmt: skip
_MAY: Final = re.compile(r"\bmay\s[a-z]")  # May is a month
_DENIED: Final = re.compile(
    r"\b(?:not|never|nobody|no one|cannot|neither|without)\b|n['’]t\b",
)
# What denies nothing: don't forget the dentist tomorrow.
_DOUBLE: Final = re.compile(r"(?:do not|don['’]t|never) (?:forget|miss)|not (?:only|so|too|bad)|no later")
_RECURS: Final = re.compile(
    r"\b(?:(?:every|each)\s+(?:(?:single|other|second|third|working|week)\s+)?(?:day|night|morning|afternoon|evening|week|"
    r"month|year|quarter|hour|minute|time|weekend|sprint|sunday|monday|tuesday|wednesday|thursday|friday|saturday|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|"
    r"winter|christmas|\d+)|"
    r"(?:sun|mon|tues|wednes|thurs|fri|satur)days|weekdays|weekends|usually|(?<!to )always|normally|typically|"
    r"generally|regularly|often|sometimes|daily at|nightly at|(?:once|twice|times)\s+(?:a|an|per|each)|"
    r"prefers?|favou?rite|(?:i|we|they|you)(?: really| usually)? (?:like|love|enjoy|hate)|"
    r"(?:he|she) (?:likes|loves|enjoys|hates))\b"
)  # fmt: skip

# After these a verb in the past speaks of what is ahead: we agreed to meet on Friday.
_ARRANGED: Final = re.compile(
    r"\b(?:agreed|decided|promised|planned|scheduled|booked|postponed|pushed|rescheduled|delayed|invited|wanted|hoped|"
    r"moved the \w+|was moved|were moved|been moved|asked|reserved|ordered|set up|arranged|expected|supposed|due|"
    r"confirmed)\b[^.,]{0,60}\b(?:to|for|until|till|by)\b"
)  # fmt: skip
_AHEAD: Final = re.compile(
    r"\b(?:will|shall|won['’]t|going to|gonna|about to|plans? to|intends? to|aims? to|upcoming|scheduled|planned|due|"
    r"deadline|coming|remind|remember to|don['’]t forget|let['’]s|must|need to|needs to|have to|has to|should|"
    r"(?:(?:it|he|she|who|that)['’]s|(?:we|you|they)['’]re|i['’]m|is|are|am)\s+[a-z]{2,}ing)\b|['’]ll\b"
)  # fmt: skip
_PROGRESSIVE_PAST: Final = re.compile(r"\b(?:was|were|been)\s+[a-z]{2,}ing\b")
_BACK: Final = re.compile(
    r"\b(?:was|were|had|did|didn['’]t|went|met|came|got|took|gave|made|saw|told|said|left|lost|won|bought|sold|built|"
    r"wrote|ran|broke|fell|flew|drove|became|began|found|felt|grew|held|kept|knew|led|paid|quit|sent|"
    r"sat|slept|spent|spoke|stood|taught|thought|woke|wore|ate|drank|caught|chose|died|hit|sang|swam|"
    r"rose|shook|shot|stole|struck|threw|forgot|froze|hid|rode|since|ago|has been|have been|"
    r"(?!need|feed|speed|exceed|proceed|breed|indeed|embed|shed)[a-z]{2,}ed)\b"
)  # fmt: skip


def sentences_of(text: str) -> Iterator[Sentence]:
    """The sentences and the parts of them that "but" and its like set apart, in reading order."""
    start = 0
    for found in _BREAK.finditer(text):
        if text[start : found.end()].strip():
            yield _sentence(text, start, found.end())
        start = found.end()
    if text[start:].strip():
        yield _sentence(text, start, len(text))


def _sentence(text: str, start: int, end: int) -> Sentence:
    own = text[start:end]
    lower = own.lower()
    asks = own.rstrip(" \n\"”')").endswith("?")
    asserts = not asks and not _HYPOTHETICAL.search(lower) and not _MAY.search(own) and not _denied(lower)
    return Sentence(start, end, own, _RECURS.search(lower) is not None, asserts, _tense(lower))


def _denied(lower: str) -> bool:
    found = _DENIED.search(_DOUBLE.sub("", lower))
    # Not until Friday is Friday.
    return found is not None and not re.search(r"\b(?:until|till)\b", lower[found.start() :])


def _tense(lower: str) -> Tense:
    if _ARRANGED.search(lower):
        return Tense.FUTURE
    if _AHEAD.search(lower) and not _PROGRESSIVE_PAST.search(lower):
        return Tense.FUTURE
    return Tense.PAST if _BACK.search(lower) else Tense.UNSAID
