"""How much a memory of a project still matters: by importance, by use, and by how long nobody wanted it.

Two formulas, by kind. What was decided, found or agreed holds until something replaces it, so its priority falls
slowly (Bayesian). What somebody likes or what is going on fades (like FSRS, the free spaced repetition scheduler).
`docs/decisions/0016` says why the scales are what they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from cortex.core.scoring.standing import Standing
from cortex.model.memory import Kind
from cortex.model.ranking import PriorityDays

Numbers = npt.NDArray[np.float64]

_LEAST_DOUBT = 0.1
BAYESIAN = frozenset({Kind.DECISION, Kind.FACT, Kind.ERROR, Kind.PATTERN, Kind.INSTRUCTION, Kind.PROJECT})

# How much of a score is the meaning, by kind; the rest is the priority.
SEMANTIC_WEIGHTS: Mapping[Kind, float] = {
    Kind.DECISION: 0.55,
    Kind.FACT: 0.65,
    Kind.ERROR: 0.55,
    Kind.PATTERN: 0.50,
    Kind.PREFERENCE: 0.75,
    Kind.CONTEXT: 0.75,
    Kind.INSTRUCTION: 0.65,
    Kind.PROJECT: 0.65,
    Kind.EVENT: 0.75,
    Kind.RELATIONSHIP: 0.75,
    Kind.SUMMARY: 0.75,
}


def priority(standing: Standing, scales: PriorityDays) -> Numbers:
    """The priority of each candidate, 0–1, by the formula of its kind."""
    holds = np.array([kind in BAYESIAN for kind in standing.kinds], dtype=np.bool_)
    accesses, importance, days = standing.accesses, standing.importance, standing.idle_days
    return np.where(
        holds,
        bayesian(accesses, importance, days, scales.holding),
        fading(accesses, importance, days, scales.fading),
    )


def bayesian(accesses: Numbers, importance: Numbers, days: Numbers, scale: float) -> Numbers:
    """α / (α + β), α = accesses + importance / 2, β = max(.1, days · (10 / importance) / scale).

    With a scale of 84 days a decision of importance 9 is above .85 until nobody has wanted it for 60 days, as the
    system that this ranking comes from promises; with its own constant, a scale of 1, it falls below within a day.
    """
    trust = accesses + importance / 2.0
    doubt = np.maximum(_LEAST_DOUBT, days * (10.0 / importance) / scale)
    found: Numbers = trust / (trust + doubt)
    return found


def fading(accesses: Numbers, importance: Numbers, days: Numbers, scale: float) -> Numbers:
    """exp(-days / max(s, 1) / scale), with the stability s = ln(1 + accesses) · importance / 5.

    With a scale of 30 days a preference that nobody wanted is at a third after a month; with 1, after a day.
    """
    stability = np.maximum(1.0, np.log1p(accesses) * importance / 5.0)
    found: Numbers = np.exp(-days / stability / scale)
    return found


def semantic_weights(kinds: tuple[Kind, ...]) -> Numbers:
    """How much the meaning counts for each candidate."""
    return np.array([SEMANTIC_WEIGHTS[kind] for kind in kinds], dtype=np.float64)
