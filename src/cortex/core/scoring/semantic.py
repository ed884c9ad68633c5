"""How near a memory is to a question in what it says: from 0 to 1, and never a matter of ranks.

The cosine says how near by meaning. Texts that have the very words of the question are nearer than it knows, since a
small model does not know names and identifiers; so their words are a second, independent reason (a probabilistic or).
What shares no word stands at its cosine. The share of the words, and the line that stands in for a cosine where there
is none, were chosen on half of the conversations of LoCoMo; docs/evaluation.md has the figures of both halves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cortex.model.embedding import FloatArray

Numbers = npt.NDArray[np.float64]

# All words of a question in one text make it almost certain, and not quite, that it is meant.
WORDS = 0.9
# The cosine of a memory that has no vectors yet, by its words: mean over what words found on the chosen half.
COSINE_WITHOUT_WORDS, COSINE_BY_WORDS = 0.31, 0.14


def semantic(cosines: FloatArray | None, words: Numbers) -> Numbers:
    """1 - (1 - cosine) · (1 - .9 · words) of each candidate.

    ``cosines``: -inf for a memory without vectors, None where the question has none: then .31 + .14 · words stands for
    it. A negative cosine counts as 0. ``words``: 0–1, as `words_shared` gives them.
    """
    estimate = COSINE_WITHOUT_WORDS + COSINE_BY_WORDS * words
    known = estimate if cosines is None else np.where(np.isfinite(cosines), cosines, estimate)
    found: Numbers = 1.0 - (1.0 - np.clip(known, 0.0, 1.0)) * (1.0 - WORDS * words)
    return found


def words_shared(lexical: FloatArray, weights: list[float]) -> Numbers:
    """How much of the question's words a memory has, 0–1: BM25 as a share of the sum of the idf of its terms.

    1 for a text of mean length that has every word once, and for more than that.
    """
    most = sum(weights)
    if most <= 0:
        return np.zeros(len(lexical), dtype=np.float64)
    return np.clip(lexical.astype(np.float64) / most, 0.0, 1.0)
