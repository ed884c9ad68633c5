"""Figures with the 95 % interval of resampled items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric and its 95 % interval."""

    value: float
    low: float
    high: float


def resampled(size: int, seed: int) -> Floats:
    """How often each item is drawn [1 + resamples, items]; the first row draws each once."""
    chance = np.random.default_rng(seed)
    drawn = chance.multinomial(size, np.full(size, 1 / size), size=RESAMPLES)
    return np.concatenate([np.ones((1, size)), drawn])


def figure(values: Floats) -> Figure:
    """Of a metric by resample, that of the whole set first."""
    low, high = np.percentile(values[1:], [2.5, 97.5])
    return Figure(float(values[0]), float(low), float(high))


def ratio(top: Floats, bottom: Floats) -> Floats:
    """0 where there is nothing to find and nothing found."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def shown(found: Figure) -> dict[str, float]:
    """The figure as plain values for JSON."""
    return {"value": round(found.value, 4), "low": round(found.low, 4), "high": round(found.high, 4)}


def cell(found: dict[str, float]) -> str:
    """A shown figure for a terminal."""
    return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"
