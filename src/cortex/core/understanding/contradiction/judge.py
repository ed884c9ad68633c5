"""The verdict on two texts: the clearest clash between their statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, isfinite

from cortex.core.text.language import detect_language, in_latin
from cortex.core.understanding.contradiction.claims import Claim, claim
from cortex.core.understanding.contradiction.clashes import clashes, presumed
from cortex.core.understanding.contradiction.foreign import plain_clash
from cortex.core.understanding.contradiction.pair import Clash
from cortex.core.understanding.contradiction.sentences import clauses, presumes, sentences, stated
from cortex.core.understanding.slots import refilled
from cortex.core.understanding.statement import without_preamble
from cortex.model.understanding import Verdict

NOTHING = Verdict(False, 0.0, "")
THRESHOLD = 0.5  # of confidence: F1 is best around it on captions and on labelled statements alike
CERTAIN = 0.95  # no rule is surer: of the clearest denials, one in twelve describes something else
TYPICAL_SIMILARITY = 0.53  # mean cosine of statements that contradict each other
_STEEPNESS = 1.5  # so little that no cosine makes a verdict, or breaks a clear one
_CLAIMS = 12  # of a text, those that share most with the other text
_PAIRS = 36
_SENTENCES = 40


def judge(older: str, newer: str, similarity: float | None = None) -> Verdict:
    """Whether two texts cannot both hold of the same subject at the same time; never raises.

    ``similarity``: the cosine of the two, -1 to 1, below 0 as 0; it shifts the confidence and decides nothing alone.
    The confidence, 0-1, grows with the share of such verdicts that are right; from .5 on the texts contradict.
    Of long texts the clearest clash of two statements counts; code, questions and requests state nothing. The order
    matters where the newer text tells of a change. Texts that are not English clash in a number or a name only.
    """
    if older == newer:
        return NOTHING
    if not (_is_english(older) and _is_english(newer)):
        found = plain_clash(older, newer)
        return _verdict([found] if found else [], similarity)
    verdict = _verdict(_clashes(_read(older), _read(newer)), similarity)
    refill = refilled(older, newer)
    return verdict if refill is None or refill.confidence <= verdict.confidence else refill


def _is_english(text: str) -> bool:
    return detect_language(text) in {"en", None} and (text.isascii() or in_latin(text))


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a text states, and the sentences with a question that takes the rest of them for granted."""

    told: list[Claim]
    presumed: list[Claim]


@lru_cache(maxsize=32)  # a new text is held against twenty others, one after the other
def _read(text: str) -> _Reading:
    told: list[Claim] = []
    granted: list[Claim] = []
    for sentence in sentences(without_preamble(text))[:_SENTENCES]:
        said = stated(sentence)
        if said:
            told.append(claim(said))
            parts = clauses(said)
            if len(parts) > 1:
                told += map(claim, parts)
        if said != sentence and presumes(sentence):
            granted.append(claim(sentence))
    return _Reading(told, granted)


def _clashes(older: _Reading, newer: _Reading) -> Iterator[Clash]:
    for mine, theirs in _pairs(older.told, newer.told):
        yield from clashes(mine, theirs)
    for left, right in (
        (older.told, newer.presumed),
        (older.presumed, newer.told),
        (older.presumed, newer.presumed),
    ):
        for mine, theirs in _pairs(left, right):
            yield from presumed(mine, theirs)


def _pairs(older: Sequence[Claim], newer: Sequence[Claim]) -> list[tuple[Claim, Claim]]:
    """The pairs that share most words; the only pair in any case, since two short statements may share none."""
    if not older or not newer:
        return []
    if len(older) == len(newer) == 1:
        return [(older[0], newer[0])]
    ours, theirs = _telling(older, newer), _telling(newer, older)
    shared = [
        (-common, first, second)
        for first, one in enumerate(ours)
        for second, other in enumerate(theirs)
        if (common := len(one.keys & other.keys))
    ]
    return [(ours[first], theirs[second]) for _, first, second in sorted(shared)[:_PAIRS]]


def _telling(claims: Sequence[Claim], others: Sequence[Claim]) -> Sequence[Claim]:
    """The claims that share most words with the other text, in their order."""
    if len(claims) <= _CLAIMS:
        return claims
    words = frozenset[str]().union(*(other.keys for other in others))
    best = sorted(range(len(claims)), key=lambda place: (-len(claims[place].keys & words), place))
    return [claims[place] for place in sorted(best[:_CLAIMS])]


def _verdict(found: Iterator[Clash] | list[Clash], similarity: float | None) -> Verdict:
    best = max(found, key=lambda each: each.confidence, default=None)
    if best is None or best.confidence <= 0:
        return NOTHING
    sure = min(best.confidence, CERTAIN)
    if similarity is not None and isfinite(similarity):
        away = max(0.0, min(1.0, similarity)) - TYPICAL_SIMILARITY
        sure = sure / (sure + (1 - sure) * exp(-_STEEPNESS * away))
    return Verdict(sure >= THRESHOLD, round(sure, 4), best.reason)
