"""Two statements beside each other: what they share, and whether they speak of the same."""

from __future__ import annotations

from dataclasses import dataclass

from cortex.core.understanding.contradiction.claims import Claim, Term
from cortex.core.understanding.contradiction.lexicon import KIN
from cortex.core.understanding.contradiction.likeness import Overlap, missing, overlap
from cortex.core.understanding.contradiction.measures import Measure

_RELEASES = frozenset({"version", "releas", "v"})


@dataclass(frozen=True, slots=True)
class Clash:
    """One way in which two statements exclude each other: how sure it is, 0-1, and why in a few words."""

    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two claims and what they have in common."""

    older: Claim
    newer: Claim
    both: Overlap

    @classmethod
    def of(cls, older: Claim, newer: Claim) -> Pair:
        """The pair of two claims."""
        return cls(older, newer, overlap(older.keys, newer.keys))

    @property
    def is_of_others(self) -> bool:
        """Whether the subjects are two relatives, or two of a numbered series (sprint 4, sprint 5)."""
        older, newer = _relatives(self.older), _relatives(self.newer)
        if older and newer and missing(older, newer) == older:
            return True
        mine, theirs = _numbered(self.older), _numbered(self.newer)
        return any(kind in theirs and theirs[kind] != number for kind, number in mine.items())

    @property
    def has_other_subject(self) -> bool:
        """Whether each has words in its subject that the other does not have at all."""
        older, newer = self.older.subject, self.newer.subject
        return not (older.isdisjoint(self.both.older) or newer.isdisjoint(self.both.newer))

    @property
    def may_share_subject(self) -> bool:
        """Whether nothing speaks against one subject: a word of it is shared, both speak of themselves, or one is
        silent.
        """
        if self.older.first_person and self.newer.first_person:
            return True
        if overlap(self.older.subject, self.newer.subject).shared:
            return True
        silent = not (self.older.subject and self.newer.subject)
        return silent and self.older.first_person == self.newer.first_person


def texts(terms: list[Term]) -> str:
    """The words of terms as they are written."""
    return " ".join(term.text for term in terms)


def _relatives(claim: Claim) -> frozenset[str]:
    return claim.subject & KIN


def _numbered(claim: Claim) -> dict[str, tuple[tuple[str, float], ...]]:
    """The numbers in the subject's name, by the word they stand behind."""
    before = {term.place: term.key for term in claim.terms if term.place < claim.verb_place}
    return {
        before[measure.start - 1]: measure.fields
        for measure in claim.measures
        if measure.start < claim.verb_place and measure.start - 1 in before and _is_name(measure, before)
    }


def _is_name(measure: Measure, before: dict[int, str]) -> bool:
    if measure.sort == "version":
        return before[measure.start - 1] in _RELEASES
    return measure.sort in {"bare", "count"}
