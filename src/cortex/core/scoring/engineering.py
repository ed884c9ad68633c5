"""The ranking `engineering`: what is meant, and what of it still matters to a project."""

from __future__ import annotations

import numpy as np

from cortex.core.scoring.priority import priority, semantic_weights
from cortex.core.scoring.standing import Numbers, Standing, Weighed, total
from cortex.model.ranking import PriorityDays

WITH_RERANK = {"semantic": 0.40, "rerank": 0.40, "priority": 0.20}


def engineering(scales: PriorityDays, semantic: Numbers, standing: Standing, rerank: Numbers | None = None) -> Weighed:
    """w(kind) · semantic + (1 - w) · priority; with a reranker .40 semantic + .40 rerank + .20 priority.

    ``rerank``: 0–1 for every candidate, so that all stand on one scale.
    """
    signals = {"semantic": semantic, "priority": priority(standing, scales)}
    if rerank is None:
        own = semantic_weights(standing.kinds)
        return total(signals, {"semantic": own, "priority": 1.0 - own})
    signals["rerank"] = rerank
    return total(signals, {name: np.full(len(semantic), share) for name, share in WITH_RERANK.items()})
