"""How strongly felt a memory is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# Nobody said and nothing read how it is felt: neither calm nor moved, so that it is put neither last nor first.
UNKNOWN = 0.5


def emotion(values: Sequence[float | None]) -> npt.NDArray[np.float64]:
    """The emotion of each memory, 0–1; what is not known (None) counts as .5."""
    known = [UNKNOWN if value is None else value for value in values]
    return np.clip(np.array(known, dtype=np.float64), 0.0, 1.0)
