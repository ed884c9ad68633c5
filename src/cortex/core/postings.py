"""An inverted index that only grows: a sorted base, and a tail of what came since.

Adding a document touches the tail alone; when the tail has grown to a quarter of the base, the two
are merged. So the cost of an addition is constant on average, and nothing is rebuilt for a query.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_LEAST_MERGE = 4096


class _State(NamedTuple):
    """Base and tail belong together: a reader takes both in one step."""

    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]
    tail: dict[int, list[tuple[int, int]]]


class PostingLists:
    """Rows and counts of each term; document rows are appended in rising order.

    One thread may append while others read: a reader passes the number of rows it knows of.
    """

    def __init__(self) -> None:
        # A new term gets the next number; `map` over the dictionary costs half of calling a method.
        self._terms: defaultdict[str, int] = defaultdict(count().__next__)
        self._state = _State(
            np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32), {}
        )
        self._tail_size = 0

    @property
    def nbytes(self) -> int:
        """Roughly how much memory the lists take."""
        starts, rows, counts, _ = self._state
        return starts.nbytes + rows.nbytes + counts.nbytes + 120 * len(self._terms) + 100 * self._tail_size

    def append(self, first_row: int, documents: Sequence[Sequence[str]]) -> None:
        """Add the tokens of documents whose rows start at ``first_row``."""
        size = sum(map(len, documents))
        if self._tail_size + size > max(_LEAST_MERGE, len(self._state.rows) // 4):
            self._merge(first_row, documents)
            return
        for row, tokens in enumerate(documents, start=first_row):
            for term, times in Counter(tokens).items():
                self._state.tail.setdefault(self._terms[term], []).append((row, times))
                self._tail_size += 1

    def find(self, term: str, rows: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Rows below ``rows`` in which the term occurs, rising, and how often in each."""
        state = self._state
        number = self._terms.get(term, len(self._terms))
        known = number + 1 < len(state.starts)
        span = slice(state.starts[number], state.starts[number + 1]) if known else slice(0)
        found, counts = state.rows[span], state.counts[span]
        tail = state.tail.get(number)
        if tail:
            late = np.array(list(tail), dtype=np.int64)
            found = np.concatenate([found, late[:, 0].astype(np.int32)])
            counts = np.concatenate([counts, late[:, 1].astype(np.float32)])
        if len(found) and found[-1] >= rows:
            end = int(np.searchsorted(found, rows))
            return found[:end], counts[:end]
        return found, counts

    def _merge(self, first_row: int, documents: Sequence[Sequence[str]]) -> None:
        """Make a new base from base, tail and the new documents."""
        state = self._state
        new_numbers, new_rows, new_counts = self._postings(first_row, documents)
        base_numbers = np.repeat(np.arange(len(state.starts) - 1, dtype=np.int64), np.diff(state.starts))
        tail = [(number, row, times) for number, found in state.tail.items() for row, times in found]
        late = np.array(tail, dtype=np.int64).reshape(-1, 3)
        numbers = np.concatenate([base_numbers, late[:, 0], new_numbers])
        rows = np.concatenate([state.rows, late[:, 1].astype(np.int32), new_rows])
        counts = np.concatenate([state.counts, late[:, 2].astype(np.float32), new_counts])
        # A stable sort by term keeps rows rising: base, then tail, then new documents.
        order = np.argsort(numbers, kind="stable")
        starts = np.zeros(len(self._terms) + 1, dtype=np.int64)
        np.cumsum(np.bincount(numbers, minlength=len(self._terms)), out=starts[1:])
        self._state = _State(starts, rows[order], counts[order], {})
        self._tail_size = 0

    def _postings(
        self, first_row: int, documents: Sequence[Sequence[str]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        lengths = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
        tokens = chain.from_iterable(documents)
        numbers = np.fromiter(map(self._terms.__getitem__, tokens), dtype=np.int64, count=int(lengths.sum()))
        width = len(self._terms) + 1
        keys = np.repeat(np.arange(len(documents), dtype=np.int64), lengths) * width + numbers
        unique, counts = np.unique(keys, return_counts=True)
        offsets, terms = np.divmod(unique, width)
        return terms, (offsets + first_row).astype(np.int32), counts.astype(np.float32)
