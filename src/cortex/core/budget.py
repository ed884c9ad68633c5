"""Making several texts fit into one budget of characters."""

from __future__ import annotations

from collections.abc import Sequence

from cortex.core.text import preview

LEAST = 80


def fit(texts: Sequence[str], budget: int) -> list[str]:
    """The texts, the longest cut so that all together keep to the budget; a cut says how much it took.

    Short texts stay whole and what they leave goes to the longer ones. No text is cut below 80 characters.
    """
    share = budget
    left, waiting = budget, sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for place, i in enumerate(waiting):
        share = left // (len(waiting) - place)
        if len(texts[i]) > share:
            break
        left -= len(texts[i])
    return [preview(text, max(share, LEAST)) for text in texts]
