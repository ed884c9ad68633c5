"""How much a statement matters, from what it says."""

from __future__ import annotations

import re
from typing import Final

from cortex.core.understanding.kinds import says_nothing
from cortex.core.understanding.reading import MOST, in_english, words_in
from cortex.core.understanding.vocabulary import CALENDAR, KIN, SPOUSES
from cortex.model.memory import Kind

LEAST, HIGHEST = 1, 10
_USUAL: Final = 4
# Where a kind starts: what binds later work stands above what is true for a day.
_BY_KIND: Final = {
    Kind.DECISION: 7,
    Kind.INSTRUCTION: 6,
    Kind.ERROR: 6,
    Kind.PREFERENCE: 6,
    Kind.RELATIONSHIP: 6,
    Kind.PROJECT: 6,
    Kind.SUMMARY: 6,
    Kind.PATTERN: 5,
    Kind.FACT: 5,
    Kind.EVENT: 5,
    Kind.CONTEXT: 4,
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Harm to body, data or money.
_SAFETY: Final = _words(
    """
    allergic allergy allergies anaphylaxis epipen asthma diabetic diabetes insulin epilepsy seizure seizures medication
    medicine penicillin pregnant coeliac celiac pacemaker emergency suicide overdose poison poisonous toxic deaf blind
    hospital surgery cancer stroke breach leaked leak
    vulnerability exploit ransomware cve gdpr hipaa lawsuit fraud irreversible destructive wipes
    """
)
_GRAVE: Final = _words(
    """
    critical urgent mandatory required blocker outage production security incident important crucial essential
    password passwords secret secrets credential credentials forbidden never must always breaking legal contract
    compliance
    """
)
_DEADLINE: Final = _words("deadline due expires expire expiry by until before overdue")
_IDENTITY: Final = re.compile(
    r"\b(?:my name is|call me|i live in|i work (?:at|for|as)|i am based|i'm based|my birthday|my (?:wife|husband|"
    r"partner|son|daughter|children|kids)|i was born|"
    r"my (?:phone|number|address|email)|i'm (?:a|an|vegan|vegetarian)|i am an?|"
    r"born (?:in|on)|birthday|married|pronouns)\b"
)
_HEDGE: Final = re.compile(
    r"\b(?:maybe|perhaps|might|not sure|i think|i guess|possibly|probably|apparently|could be|seems|"
    r"as far as i can tell|no idea|someday|wondering)\b"
)
_TRIVIA: Final = _words(
    """
    weather rain raining sunny cloudy lol haha funny meme lunch breakfast snack nap bored boring tv joke cute weekend
    sandwich yawn traffic
    """
)
_NUMBER: Final = re.compile(r"\d")


def importance_of(text: str, kind: Kind | None) -> int | None:
    """From 1 (small talk) to 10 (somebody's safety); None without words, and in other languages than English.

    The kind says where to start; safety, weight, deadlines and who somebody is raise it, hedging and trivia lower it.
    """
    words = words_in(text)
    if not words or not in_english(text):
        return None
    if says_nothing(text[:MOST], words):
        return 1 if kind is None and not text.rstrip().endswith("?") else 2
    start = _BY_KIND[kind] if kind else _USUAL
    return max(LEAST, min(HIGHEST, start + _raised(words, f" {' '.join(words)} ") - _lowered(words, kind)))


def _raised(words: list[str], padded: str) -> int:
    known = frozenset(words)
    raised = 3 if known & _SAFETY else 0
    raised += min(len(known & _GRAVE), 2)
    raised += int(bool(known & _DEADLINE) and bool(known & CALENDAR or any(map(str.isdigit, known))))
    raised += 2 if _IDENTITY.search(padded) else int(bool(known & SPOUSES & KIN))
    return raised + int(_NUMBER.search(padded) is not None and len(words) > 5)


def _lowered(words: list[str], kind: Kind | None) -> int:
    padded = f" {' '.join(words)} "
    lowered = 2 if _HEDGE.search(padded) else 0
    lowered += 2 if not _TRIVIA.isdisjoint(words) and kind is not Kind.INSTRUCTION else 0
    return lowered + int(len(words) < 4)
