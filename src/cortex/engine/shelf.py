"""The search arrays of one scope: vectors, postings and what decides visibility.

Rows are only ever appended, into arrays with room to spare; a changed memory gets a new row and its
old one is marked dead. A reader works on a `View`: the arrays and the number of rows of one moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from cortex.core.keep import ASKS
from cortex.core.lexical import Corpus, Postings
from cortex.core.postings import PostingLists
from cortex.core.scoring.late import Tokens
from cortex.core.scoring.similarity import Codes, Pieces, encode
from cortex.core.scoring.turns import NOBODY, Turns, in_order
from cortex.model.embedding import comparable
from cortex.model.feed import Feed, IndexRow
from cortex.model.memory import Role, Status

T = TypeVar("T", bound=np.generic)

DEAD = -1
ACTIVE = 0
STATUSES = {Status.ACTIVE.value: ACTIVE, "superseded": 1, "archived": 2, "quarantined": 3}
ROLES = {role.value: number for number, role in enumerate(Role)}
USER = ROLES[Role.USER.value]
_NEVER = int(np.iinfo(np.int64).max)
_ALWAYS = int(np.iinfo(np.int64).min)
_LEAST_ROOM = 64
_COLUMNS: Mapping[str, npt.DTypeLike] = {
    "seq": np.int64,
    "status": np.int8,
    "clearance": np.int8,
    "expires": np.int64,
    "valid_from": np.int64,
    "valid_to": np.int64,
    "length": np.float32,
    "session": np.int32,
    "position": np.int64,
    "speaker": np.int32,
    "role": np.int8,
    "asks": np.bool_,
}


@dataclass(frozen=True)
class View:
    """What one search of a scope works on; stays as it is while the shelf grows.

    ``pending`` rows wait for their vectors; ``lost`` ones, versions of the past, never get any.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    pieces: Pieces
    postings: PostingLists
    corpus: Corpus
    pending: int
    lost: int
    all_active: bool
    bounds: tuple[int, int, int, int]
    speakers: Sequence[str]
    tokens: Tokens | None

    @cached_property
    def turns(self) -> Turns:
        """The neighbours of each row in its session; worked out when first wanted."""
        own = self.columns
        return in_order(own["session"], own["position"], own["seq"], self.alive())

    @property
    def rows(self) -> int:
        """How many rows there are, dead ones included."""
        return len(self.columns["seq"])

    @property
    def seqs(self) -> npt.NDArray[np.int64]:
        """The seq of each row."""
        return self.columns["seq"]

    def visible(self, clearance: int, now: int) -> npt.NDArray[np.bool_] | None:
        """Which rows are active, cleared, unexpired and valid; None for all of them."""
        highest, first_expiry, last_start, first_end = self.bounds
        if self.all_active and highest <= clearance and first_expiry > now and last_start <= now < first_end:
            return None
        own = self.columns
        mask: npt.NDArray[np.bool_] = (own["status"] == ACTIVE) & (own["clearance"] <= clearance)
        mask &= (own["expires"] > now) & (own["valid_from"] <= now) & (own["valid_to"] > now)
        return mask

    def alive(self) -> npt.NDArray[np.bool_]:
        """Which rows hold a memory that exists, whatever its state."""
        mask: npt.NDArray[np.bool_] = self.columns["status"] != DEAD
        return mask

    def chosen(self, seqs: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which living rows have one of these seqs."""
        return self.alive() & np.isin(self.columns["seq"], np.array(seqs, dtype=np.int64))

    def rows_of(self, seqs: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
        """The living rows that have one of these seqs, in rising order."""
        return np.flatnonzero(self.alive() & np.isin(self.seqs, seqs))

    def find(self, term: str) -> Postings:
        """Where a term occurs, and in how many active memories."""
        rows, counts = self.postings.find(term, self.rows)
        if self.all_active:
            return Postings(rows, counts, len(rows))
        return Postings(rows, counts, int(np.count_nonzero(self.columns["status"][rows] == ACTIVE)))


class Shelf:
    """Owns the arrays of one scope; `put` is called by one thread at a time."""

    def __init__(self, dim: int, *, tokens: bool = False) -> None:
        self._dim = dim
        self.with_tokens = tokens
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._rows = 0
        self._columns = {name: np.zeros(0, dtype=dtype) for name, dtype in _COLUMNS.items()}
        self._pieces = np.zeros((0, self._dim), dtype=np.float32)
        self._codes = np.zeros((0, self._dim), dtype=np.int8)
        self._scales = np.zeros(0, dtype=np.float32)
        self._error = 0.0
        self._owners = np.zeros(0, dtype=np.int32)
        self._piece_count = 0
        self._one_piece_each = True
        self._postings = PostingLists()
        self._row_of: dict[int, int] = {}
        self._vectorless: set[int] = set()
        self._lost: set[int] = set()
        self._sessions: dict[str, int] = {}
        self._speakers: dict[str, int] = {}
        self._tokens = np.zeros((0, 1), dtype=np.int8)
        self._token_starts = np.zeros(1, dtype=np.int64)
        self._corpus = Corpus(0, 0.0)
        self._dead = 0
        self._inactive = 0
        self._bounds = (0, _NEVER, _ALWAYS, _NEVER)
        self._view: View | None = None
        self.change = 0

    @property
    def nbytes(self) -> int:
        """Roughly how much memory the shelf takes."""
        arrays = sum(
            array.nbytes for array in (*self._columns.values(), *self._piece_arrays, self._tokens, self._token_starts)
        )
        return arrays + self._postings.nbytes + 120 * len(self._row_of)

    @property
    def wasteful(self) -> bool:
        """Whether so many rows are dead that reading the scope afresh pays."""
        return self._dead > 1000 and self._dead * 4 > self._rows

    def put(self, feed: Feed) -> bool:
        """Take in what changed; whether anything did."""
        if not feed.rows and not feed.erased:
            return False
        self._view = None
        self._bury([*feed.erased, *(row.seq for row in feed.rows)])
        if feed.rows:
            self._append(feed.rows)
        self.change = feed.change
        return True

    def view(self) -> View:
        """The arrays of this moment; the same object until something changes."""
        if self._view is None:
            self._view = self._look()
        return self._view

    def _look(self) -> View:
        return View(
            columns={name: array[: self._rows] for name, array in self._columns.items()},
            pieces=self._piece_view(),
            postings=self._postings,
            corpus=self._corpus,
            pending=len(self._vectorless),
            lost=len(self._lost),
            all_active=self._dead + self._inactive == 0,
            bounds=self._bounds,
            speakers=tuple(self._speakers),
            tokens=self._token_view(),
        )

    def _token_view(self) -> Tokens | None:
        starts = self._token_starts[: self._rows + 1]
        return Tokens(self._tokens[: starts[-1]], starts) if self.with_tokens and starts[-1] > 0 else None

    @property
    def _piece_arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return self._pieces, self._codes, self._scales, self._owners

    def _piece_view(self) -> Pieces:
        vectors, values, scales, owners = (array[: self._piece_count] for array in self._piece_arrays)
        return Pieces(vectors, Codes(values, scales, self._error), None if self._one_piece_each else owners, self._rows)

    def _bury(self, seqs: Sequence[int]) -> None:
        gone = [(seq, self._row_of.pop(seq)) for seq in seqs if seq in self._row_of]
        if not gone:
            return
        # A copy, so that the views of readers keep the state of their moment.
        status = self._columns["status"] = self._columns["status"].copy()
        for seq, row in gone:
            if status[row] == ACTIVE:
                self._corpus += Corpus(-1, -float(self._columns["length"][row]))
            else:
                self._inactive -= 1
            status[row] = DEAD
            self._vectorless.discard(seq)
            self._lost.discard(seq)
        self._dead += len(gone)

    def _append(self, rows: Sequence[IndexRow]) -> None:
        first, self._rows = self._rows, self._rows + len(rows)
        documents = [row.terms.split(" ") if row.terms else [] for row in rows]
        asks = [tokens[-1:] == [ASKS] for tokens in documents]
        documents = [tokens[:-1] if asked else tokens for tokens, asked in zip(documents, asks, strict=True)]
        lengths = [len(tokens) for tokens in documents]
        added: dict[str, Sequence[int]] = {
            "seq": [row.seq for row in rows],
            "status": [STATUSES[row.status] for row in rows],
            "clearance": [row.clearance for row in rows],
            "expires": [_NEVER if row.expires_at is None else row.expires_at for row in rows],
            "valid_from": [_ALWAYS if row.valid_from is None else row.valid_from for row in rows],
            "valid_to": [_NEVER if row.valid_to is None else row.valid_to for row in rows],
            "length": lengths,
            "session": [_number(self._sessions, row.session) for row in rows],
            "position": [_NEVER if row.position is None else row.position for row in rows],
            "speaker": [_number(self._speakers, row.speaker) for row in rows],
            "role": [NOBODY if row.role is None else ROLES[row.role] for row in rows],
            "asks": asks,
        }
        for name, items in added.items():
            self._columns[name] = _grown(self._columns[name], self._rows)
            self._columns[name][first : self._rows] = items
        self._postings.append(first, documents)
        self._row_of.update(zip(added["seq"], range(first, self._rows), strict=True))
        self._count(added)
        self._append_pieces(first, rows)
        if self.with_tokens:
            self._append_tokens(first, rows)

    def _append_tokens(self, first: int, rows: Sequence[IndexRow]) -> None:
        if self._token_starts[first] == 0:  # what most have says how wide they are; the others do without
            widths = Counter(row.token_width for row in rows if row.token_width)
            self._tokens = np.zeros((0, max(widths, key=lambda width: widths[width], default=1)), dtype=np.int8)
        width = self._tokens.shape[1]
        own = [row.tokens if row.tokens and row.token_width == width else b"" for row in rows]
        sizes = np.array([len(tokens) // width for tokens in own], dtype=np.int64)
        start = int(self._token_starts[first])
        self._token_starts = _grown(self._token_starts, self._rows + 1)
        self._token_starts[first + 1 : self._rows + 1] = start + np.cumsum(sizes)
        end = int(self._token_starts[self._rows])
        self._tokens = _grown(self._tokens, end)
        self._tokens[start:end] = np.frombuffer(b"".join(own), dtype=np.int8).reshape(-1, width)

    def _count(self, added: Mapping[str, Sequence[int]]) -> None:
        active = [length for length, code in zip(added["length"], added["status"], strict=True) if code == ACTIVE]
        self._corpus += Corpus(len(active), float(sum(active)))
        self._inactive += len(added["status"]) - len(active)
        highest, first_expiry, last_start, first_end = self._bounds
        self._bounds = (
            max(highest, *added["clearance"]),
            min(first_expiry, *added["expires"]),
            max(last_start, *added["valid_from"]),
            min(first_end, *added["valid_to"]),
        )

    def _append_pieces(self, first: int, rows: Sequence[IndexRow]) -> None:
        dim = self._dim
        whole = _usable(rows, dim)
        sizes = [len(pieces) // (4 * dim) for pieces in whole]
        start, self._piece_count = self._piece_count, self._piece_count + sum(sizes)
        self._one_piece_each = self._one_piece_each and start == first and all(size == 1 for size in sizes)
        end = self._piece_count
        joined = b"".join(whole)
        vectors = np.frombuffer(joined, dtype="<f4").reshape(-1, dim)
        codes = encode(vectors)
        self._pieces = _grown(self._pieces, end)
        self._codes = _grown(self._codes, end)
        self._scales = _grown(self._scales, end)
        self._owners = _grown(self._owners, end)
        self._pieces[start:end] = vectors
        self._codes[start:end] = codes.values
        self._scales[start:end] = codes.scales
        self._error = max(self._error, codes.error)
        self._owners[start:end] = np.repeat(np.arange(first, self._rows, dtype=np.int32), sizes)
        for row, size in zip(rows, sizes, strict=True):
            if size == 0:
                (self._vectorless if row.current else self._lost).add(row.seq)


def _usable(rows: Sequence[IndexRow], dim: int) -> list[bytes]:
    """The vectors of each row; none where they are damaged: the memory is found by its words, and counted as owed."""
    whole = [row.pieces if row.pieces is not None and len(row.pieces) % (4 * dim) == 0 else b"" for row in rows]
    with np.errstate(over="ignore", invalid="ignore"):
        vectors = np.frombuffer(b"".join(whole), dtype="<f4").reshape(-1, dim)
        squares = np.vecdot(vectors, vectors)
    if ((squares > 0) & (squares < np.inf)).all():
        return whole
    return [each if comparable(np.frombuffer(each, dtype="<f4").reshape(-1, dim)).all() else b"" for each in whole]


def _number(numbers: dict[str, int], name: str | None) -> int:
    """The number of a name, the next one for a new name; -1 for none."""
    return NOBODY if name is None else numbers.setdefault(name, len(numbers))


def _grown(array: npt.NDArray[T], size: int) -> npt.NDArray[T]:
    """The same rows in an array with room for ``size`` and half as many again."""
    if size <= len(array):
        return array
    larger = np.zeros((max(_LEAST_ROOM, size + size // 2), *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
