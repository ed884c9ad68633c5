"""Another value of the same attribute: a number, a date, a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cortex.core.understanding.contradiction.claims import Claim, Term
from cortex.core.understanding.contradiction.lexicon import ATTRIBUTES, COLOURS, EVENTS, PLACED, RESETS, SINGLE
from cortex.core.understanding.contradiction.likeness import overlap
from cortex.core.understanding.contradiction.measures import Measure, clash
from cortex.core.understanding.contradiction.pair import Clash, Pair, texts

_BE: Final = frozenset("is are was were be been am im isnt arent wasnt werent".split())
_PAST: Final = frozenset("was were used".split())
_PREPOSITIONS: Final = frozenset("in at on by from with to as for after".split())
_WORKPLACE: Final = frozenset({"at", "as", "for"})
_NOW: Final = frozenset("now currently anymore instead longer".split())
_DOUBTED = 0.45  # a clear clash is then a little below the threshold, and passes it where the texts are alike
_NEAR = 5  # words on each side of a number that tell what it counts


def changed_measures(pair: Pair, *, stated: bool = True) -> Iterator[Clash]:
    """Measures of the same thing that differ; ``stated``: both are stated, not only taken for granted."""
    found = _rivals(pair)
    if not found:
        return
    cued = not RESETS.isdisjoint(pair.newer.keys) or not _NOW.isdisjoint(pair.newer.words)
    of_dates = [mine.dated for mine, _ in found]
    if not cued and (not stated or (any(of_dates) and not all(of_dates))):
        return  # another day, another number: two events
    near, mine, theirs = max(((_shared_nearby(pair, *each), *each) for each in found), key=lambda each: each[0])
    both = pair.both
    sure = both.containment * (0.6 + 0.4 * both.likeness) * min(1.0, 0.4 + 0.3 * both.shared)
    if cued:
        sure = min(1.0, sure * 1.2)
    if near > 1:
        sure = max(sure, min(0.75, 0.3 + 0.1 * near + 0.15 * cued))
    if pair.has_other_subject or not pair.may_share_subject or (not cued and _is_event(pair)):
        sure *= _DOUBTED
    if cued and not pair.newer.keys - RESETS and len(pair.older.measures) == 1:
        sure = 0.6  # "now 250 ms" can only be about what was measured
    yield Clash(sure, f"'{mine.text}' became '{theirs.text}'")


def _rivals(pair: Pair) -> list[tuple[Measure, Measure]]:
    """The measures of both that differ, without those that the newer statement repeats."""
    found: list[tuple[Measure, Measure]] = []
    for mine in pair.older.measures:
        rivals = [theirs for theirs in pair.newer.measures if (theirs.sort, theirs.unit) == (mine.sort, mine.unit)]
        if all(clash(mine, theirs) or _is_start(pair.newer, theirs) for theirs in rivals):
            denied = _is_denied(pair.older, mine)
            found += [
                (mine, theirs)
                for theirs in rivals
                if clash(mine, theirs) and denied == _is_denied(pair.newer, theirs)  # not on Friday, on Monday
            ]
    return found


def _is_denied(claim: Claim, measure: Measure) -> bool:
    return any(measure in denial.measures for denial in claim.denials)


def _is_event(pair: Pair) -> bool:
    """Whether both tell of something that happened, and may have happened twice: I spent, I ran."""
    return all(
        any(
            term.key in EVENTS and (term.text.endswith("ed") or not term.text.startswith(term.key))
            for term in claim.terms
        )
        for claim in (pair.older, pair.newer)
    )


def _is_start(claim: Claim, measure: Measure) -> bool:
    """Whether a change starts from it: from 40 % to 55 %."""
    return measure.start > 0 and claim.words[measure.start - 1] == "from"


def _shared_nearby(pair: Pair, mine: Measure, theirs: Measure) -> int:
    return overlap(_nearby(pair.older, mine), _nearby(pair.newer, theirs)).shared


def _nearby(claim: Claim, measure: Measure) -> frozenset[str]:
    first, last = measure.start - _NEAR, measure.stop + _NEAR
    return frozenset(term.key for term in claim.terms if first <= term.place < last)


def changed_values(pair: Pair) -> Iterator[Clash]:
    """One place in which the statements differ, where only one value can stand."""
    older, newer = pair.older, pair.newer
    if older.indefinite or newer.indefinite or older.denials or newer.denials or not pair.both.shared:
        return
    mine, theirs = _region(older, pair.both.older), _region(newer, pair.both.newer)
    if not mine or not theirs:
        return
    subjects = [terms[0].place < claim.verb_place for claim, terms in ((older, mine), (newer, theirs))]
    if all(subjects):
        sure = 0.75 if mine[0].place < 3 and _is_sole(older) and _is_sole(newer) else 0.0
    elif any(subjects) or _is_over(pair):
        return
    else:
        sure = _exclusive(pair, mine, theirs)
    if sure > 0:
        yield Clash(sure, f"'{texts(mine)}' became '{texts(theirs)}'")


def _region(claim: Claim, alone: frozenset[str]) -> list[Term]:
    """The terms that the statement has alone, where they stand together and are few."""
    places = [number for number, term in enumerate(claim.terms) if term.key in alone]
    if not 1 <= len(places) <= 3 or places[-1] - places[0] >= len(places):
        return []
    return [claim.terms[number] for number in places]


def _is_sole(claim: Claim) -> bool:
    """Whether the predicate fits one only: is the lead of the team."""
    verb, after = (*claim.words[claim.verb_place : claim.verb_place + 2], "", "")[:2]
    return verb in _BE and after in {"the", "my", "our"}


def _is_over(pair: Pair) -> bool:
    """Whether only one of the statements tells of a past: lived, was, used to."""
    older, newer = pair.older, pair.newer
    if _PAST.isdisjoint(older.words) != _PAST.isdisjoint(newer.words):
        return True
    before = {term.key: term.text for term in older.terms}
    return any(
        term.text.endswith("ed") != before[term.key].endswith("ed")
        for term in newer.terms
        if term.key in before and term.key in SINGLE | PLACED
    )


def _exclusive(pair: Pair, mine: list[Term], theirs: list[Term]) -> float:
    """How sure it is that only one of two values behind the verb can be there, 0-1."""
    older, newer = pair.older, pair.newer
    shared = older.keys - pair.both.older
    between = set(older.words[older.verb_place : mine[0].place]) & set(newer.words[newer.verb_place : theirs[0].place])
    relation = [term for term in older.terms if older.verb_place - 1 <= term.place < mine[0].place]
    related = {term.key for term in relation}
    is_being = not _BE.isdisjoint(between)
    if is_being and any(term.text.endswith("ing") for term in relation if term.key in shared):
        return 0.0  # what somebody is doing passes
    placed = not _PREPOSITIONS.isdisjoint(between)
    if not SINGLE.isdisjoint(related & shared) or (placed and not PLACED.isdisjoint(related & shared)):
        return _DOUBTED if "prefer" in related and not _is_about_one(pair, mine, theirs) else 0.8
    if "work" in related & shared and not _WORKPLACE.isdisjoint(between):
        return 0.75
    if not ATTRIBUTES.isdisjoint(shared & older.subject):
        return 0.85
    if is_being and not related - older.subject:
        return 0.75 if placed or _is_identity(pair, mine, theirs) else 0.0
    goes_on = mine[-1].place < older.terms[-1].place and theirs[-1].place < newer.terms[-1].place
    return 0.65 if "use" in related and goes_on else 0.0  # GitLab for all deployments, Jenkins for all deployments


def _is_about_one(pair: Pair, mine: list[Term], theirs: list[Term]) -> bool:
    """Whether two preferences share what they are about: window seats, aisle seats."""
    last = max(term.place for term in pair.older.terms if term.key == "prefer")
    object_ = {term.key for term in pair.older.terms if term.place > last and term not in mine}
    return bool(object_) or len(mine) == len(theirs) == 1


def _is_identity(pair: Pair, mine: list[Term], theirs: list[Term]) -> bool:
    """Whether two values behind a form of to be are names, colours, or what somebody or something is (a nurse)."""
    if (mine[-1].named and theirs[-1].named) or {mine[-1].key, theirs[-1].key} <= COLOURS:
        return True
    ahead = (pair.older.words[mine[0].place - 1], pair.newer.words[theirs[0].place - 1])
    return all(word in {"a", "an"} for word in ahead)
