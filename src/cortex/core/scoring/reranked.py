"""What a reranker's answer is worth: an order of everything, whatever it left out or made up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def complete(order: object, count: int) -> list[int] | str:
    """Every place from 0 to ``count`` - 1 once: first those that are named, then the others in their order.

    Places that are named twice or that there are not are passed over. A text, why the answer is none: no sequence, no
    whole numbers in it, or none of the places.
    """
    if isinstance(order, np.ndarray):
        order = order.tolist()
    if isinstance(order, (str, bytes)) or not isinstance(order, Sequence):
        return f"expected the places of the texts in their new order, got {type(order).__name__}"
    strange = [
        type(place).__name__ for place in order if type(place) is bool or not isinstance(place, (int, np.integer))
    ]
    if strange:
        return f"expected whole numbers, got {strange[0]}"
    named = [int(place) for place in order if 0 <= place < count]
    if not named:
        return "none of the texts was named"
    return list(dict.fromkeys([*named, *range(count)]))


def by_place(count: int) -> npt.NDArray[np.float64]:
    """Scores of an order, from 1 for the first down by equal steps: it says who comes before whom and no more."""
    return 1.0 - np.arange(count, dtype=np.float64) / max(1, count)
