"""How often a memory was wanted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def reinforcement(accesses: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """min(1, ln(1 + n) / 10) for n ≥ 0 accesses: .07 for one, .24 for 10, .46 for 100."""
    return np.minimum(1.0, np.log1p(accesses) / 10.0)
