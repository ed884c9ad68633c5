"""The ranking `assistant`: what is meant, what is new, what is felt and what is wanted often."""

from __future__ import annotations

import numpy as np

from cortex.core.scoring.churn import churn
from cortex.core.scoring.recency import recency
from cortex.core.scoring.reinforcement import reinforcement
from cortex.core.scoring.standing import Numbers, Standing, Weighed, total
from cortex.model.ranking import AssistantWeights


def assistant(weights: AssistantWeights, semantic: Numbers, standing: Standing) -> Weighed:
    """.40 semantic + .25 recency + .20 emotion + .15 reinforcement, plus the bonus of churn, at most 1."""
    signals = {
        "semantic": semantic,
        "recency": recency(standing.hours),
        "emotion": standing.emotion,
        "reinforcement": reinforcement(standing.accesses),
        "churn": churn(standing.accesses),
    }
    shares = {
        "semantic": weights.similarity,
        "recency": weights.recency,
        "emotion": weights.emotion,
        "reinforcement": weights.reinforcement,
        "churn": 1.0,
    }
    return total(signals, {name: np.full(len(semantic), share) for name, share in shares.items()})
