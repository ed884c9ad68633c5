"""What the rows of candidates say of them, whatever the question: the columns that the other signals are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cortex.core.scoring.emotion import emotion
from cortex.model.memory import Kind, Memory

Numbers: TypeAlias = npt.NDArray[np.float64]

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One value a candidate, all in the same order.

    ``hours``: since it was kept. ``idle_days``: since it was last returned by a ranking that counts that, or else kept.
    Neither is negative. ``accesses``: how often it was. ``importance``: 1–10. ``emotion``: 0–1.
    """

    kinds: tuple[Kind, ...]
    hours: Numbers
    idle_days: Numbers
    accesses: Numbers
    importance: Numbers
    emotion: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The scores of all candidates, 0–1, and what they are made of: by name each signal and how much it counts."""

    scores: Numbers
    signals: dict[str, Numbers]
    weights: dict[str, Numbers]


def standing(memories: Sequence[Memory], now: datetime) -> Standing:
    """The columns of these rows, as of ``now``."""
    return Standing(
        kinds=tuple(memory.kind for memory in memories),
        hours=_column([max(0.0, (now - memory.created_at) / _HOUR) for memory in memories]),
        idle_days=_column([max(0.0, (now - (m.last_accessed_at or m.created_at)) / _DAY) for m in memories]),
        # In a damaged file they may be anything: what follows takes logarithms and divides.
        accesses=np.maximum(_column([memory.access_count for memory in memories]), 0.0),
        importance=np.clip(_column([memory.importance for memory in memories]), 1.0, 10.0),
        emotion=emotion([memory.emotion for memory in memories]),
    )


def total(signals: dict[str, Numbers], weights: dict[str, Numbers]) -> Weighed:
    """The weighted sum of the signals, brought down to 1."""
    sums = np.asarray(sum(weights[name] * signal for name, signal in signals.items()), dtype=np.float64)
    return Weighed(np.clip(sums, 0.0, 1.0), signals, weights)


def _column(values: Sequence[float]) -> Numbers:
    return np.array(values, dtype=np.float64)
