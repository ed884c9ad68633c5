"""Maximal marginal relevance: hits that do not all say the same (Carbonell and Goldstein, 1998)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cortex.core.scoring.conversation import scaled
from cortex.model.embedding import FloatArray


def diversified(scores: FloatArray, vectors: FloatArray, share: float, most: int) -> tuple[list[int], list[float]]:
    """The places of up to ``most`` candidates in their new order, and how near each is to the nearest before it.

    ``scores``: float32 [n], in whatever order ranks candidates, scaled to [0, 1] here. ``vectors``: unit, float32
    [n, dim], zero for a candidate without. Each next one has the best (1 - share) · score - share · nearness, where
    nearness is its greatest cosine with those that are chosen, 0–1; ties go to the one that stood first.
    """
    left = scaled(scores) * np.float32(1.0 - share)
    nearest = np.zeros(len(scores), dtype=np.float32)
    open_ = np.ones(len(scores), dtype=np.bool_)
    order: list[int] = []
    for _ in range(min(most, len(scores))):
        gain: npt.NDArray[np.float32] = np.where(open_, left - np.float32(share) * nearest, -np.inf)
        best = int(np.argmax(gain))
        order.append(best)
        open_[best] = False
        cosines = np.vecdot(vectors, vectors[best])
        nearest = np.where(open_, np.maximum(nearest, np.clip(cosines, 0.0, 1.0)), nearest)
    return order, [float(nearest[place]) for place in order]
