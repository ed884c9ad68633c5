"""How new a memory is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def recency(hours: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 / (1 + ln(1 + h)) for an age of h ≥ 0 hours: 1 for now, .59 after an hour, .24 after a day, .13 after a month.

    It falls fast at first and never to 0, so that old memories stay apart from older ones.
    """
    found: npt.NDArray[np.float64] = 1.0 / (1.0 + np.log1p(hours))
    return found
