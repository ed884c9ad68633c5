"""Denials, opposites and changes: one statement says that what the other says is not so, or no longer."""

from __future__ import annotations

from collections.abc import Iterator

from cortex.core.understanding.contradiction.claims import Claim, Denial, Term
from cortex.core.understanding.contradiction.lexicon import ABODES, CHANGES, ENDINGS, KIN, MOVES
from cortex.core.understanding.contradiction.likeness import missing, opposites, overlap
from cortex.core.understanding.contradiction.measures import agree
from cortex.core.understanding.contradiction.pair import Clash, Pair, texts
from cortex.core.understanding.contradiction.values import changed_measures, changed_values

# "Never" denies every case, so a part of it that is said elsewhere weighs more than a part of what "not" denies.
_WHOLE, _SINGLE = 1.3, 2.5
_UNLIKELY = 0.4  # what is left of a clash whose statements seem to have two subjects
_OPPOSITE = 0.85
_BOUNDS = frozenset("to with by for and in because".split())
_SHORT = (7, 12)  # terms of the older, of the newer statement: a change is told of what both are about


def clashes(older: Claim, newer: Claim) -> Iterator[Clash]:
    """Everything that speaks against both statements being true at once."""
    pair = Pair.of(older, newer)
    if pair.is_of_others:
        return
    yield from _denied(pair)
    yield from _opposites(pair)
    yield from _changes(pair)
    measured = list(changed_measures(pair))
    yield from measured
    if not measured:
        yield from changed_values(pair)


def presumed(older: Claim, newer: Claim) -> Iterator[Clash]:
    """What clashes where a question takes something for granted: denials of every case, and changed measures.

    Either claim may be a whole sentence of which a part asks.
    """
    pair = Pair.of(older, newer)
    if not pair.is_of_others:
        yield from changed_measures(pair, stated=False)
        yield from _denied(pair, only_whole=True)


def _denied(pair: Pair, *, only_whole: bool = False) -> Iterator[Clash]:
    doubt = _UNLIKELY if pair.has_other_subject else 1.0
    for one, other in ((pair.older, pair.newer), (pair.newer, pair.older)):
        for denial in one.denials:
            if only_whole and not denial.whole:
                continue
            sure = doubt * _coverage(denial, one, other)
            if sure > 0:
                yield Clash(sure, f"one denies '{denial.phrase}'")


def _coverage(denial: Denial, one: Claim, other: Claim) -> float:
    """How sure it is that what is denied here is said there, 0-1; names, numbers and relatives count twice."""
    lacking = missing(denial.keys, other.affirmed)
    if lacking and opposites(lacking, other.affirmed):
        return 0.0  # not open, closed: the same in other words
    if any(len(missing(lacking, each.keys)) < len(lacking) for each in other.denials):
        return 0.0  # denied there as well
    named = KIN | {term.key for term in one.terms if term.named}
    weight = len(denial.keys) + len(denial.keys & named) + 2 * len(denial.measures)
    unsaid = [each for each in denial.measures if not any(agree(each, said) for said in other.measures)]
    covered: float = 1 - (len(lacking) + len(lacking & named) + 2 * len(unsaid)) / weight
    covered **= _WHOLE if denial.whole else _SINGLE
    return covered / 2 if denial.first_person and not other.first_person else covered


def _opposites(pair: Pair) -> Iterator[Clash]:
    older, newer = pair.older, pair.newer
    if pair.has_other_subject or older.indefinite or newer.indefinite:
        return
    mine, theirs = _by_key(older), _by_key(newer)
    for left, right in opposites(mine, theirs.keys()):
        one, other = mine[left], theirs[right]
        if left in theirs or right in mine or _is_denied(one, older) or _is_denied(other, newer):
            continue
        if one.place < older.verb_place and other.place < newer.verb_place:
            continue  # the cheap plan, the expensive plan
        rest = overlap(older.keys - {left}, newer.keys - {right})
        sure = _OPPOSITE * rest.containment * (1 + rest.likeness) / 2
        if not rest.shared and older.first_person and newer.first_person and len(older.terms) + len(newer.terms) < 5:
            sure = 0.6
        yield Clash(sure, f"'{one.text}' against '{other.text}'")


def _by_key(claim: Claim) -> dict[str, Term]:
    return {term.key: term for term in (*claim.terms, *claim.particles)}


def _is_denied(term: Term, claim: Claim) -> bool:
    return any(term.key in denial.keys for denial in claim.denials)


def _changes(pair: Pair) -> Iterator[Clash]:
    older, newer = pair.older, pair.newer
    if newer.denials or pair.has_other_subject or not pair.may_share_subject:
        return
    short = len(older.terms) <= _SHORT[0] and len(newer.terms) <= _SHORT[1]
    for term in newer.terms:
        if term.key in older.keys or term.text.endswith("ing") or term.key not in CHANGES | ENDINGS:
            continue
        gone = _left_behind(newer, term)
        if gone and not missing({each.key for each in gone}, older.affirmed):
            about = pair.both.shared > len(gone) - (older.first_person and newer.first_person)
            yield Clash(0.8 if short and about else 0.4, f"'{texts(gone)}' was left behind")
        elif short and term.key in MOVES and not ABODES.isdisjoint(older.keys):
            yield from _moved(pair, term)


def _moved(pair: Pair, verb: Term) -> Iterator[Clash]:
    """Who lives here and moves there lives here no more."""
    words = pair.newer.words
    goals = [term for term in pair.newer.terms if term.place > verb.place and words[term.place - 1] in {"to", "into"}]
    if goals and (goals[0].named or verb.key == "move") and missing({goals[0].key}, pair.older.keys):
        yield Clash(0.7, f"changed to '{goals[0].text}'")


def _left_behind(claim: Claim, verb: Term) -> list[Term]:
    """What a change leaves behind: what stands behind ``from``, or the object of a verb that ends something."""
    words = claim.words
    for place in range(verb.place + 1, min(len(words), verb.place + 8)):
        if words[place] == "from":
            return _until_bound(claim, place + 1)
    if verb.key in ENDINGS or words[verb.place].startswith(("replac", "swap")):
        return _until_bound(claim, verb.place + 1)
    return []


def _until_bound(claim: Claim, start: int) -> list[Term]:
    stop = start + 1
    while stop < len(claim.words) and claim.words[stop] not in _BOUNDS:
        stop += 1
    found = [term for term in claim.terms if start <= term.place < stop]
    if not found:  # broke up with Paul
        found = [term for term in claim.terms if start <= term.place < start + 3]
    return found[:3]
