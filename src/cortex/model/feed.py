"""What a store supplies to the search cache of one scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class IndexRow(NamedTuple):
    """One memory as search sees it; times in microseconds since 1970 UTC.

    ``terms``: analysed tokens joined by a space. ``pieces``: float32 [pieces, dim] as bytes, or None.
    ``current``: whether the memory still stands so; an earlier version that has no vectors never gets any.
    ``tokens``: int8 [tokens, token_width] as bytes where they were asked for and are there, or None.
    """

    seq: int
    status: str
    clearance: int
    expires_at: int | None
    valid_from: int | None
    valid_to: int | None
    terms: str
    pieces: bytes | None
    current: bool
    session: str | None
    position: int | None
    speaker: str | None
    role: str | None
    tokens: bytes | None = None
    token_width: int | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """What changed in a scope since a change number: rows to put in, seqs to take out, the new number.

    ``restart``: the store no longer knows that far back; forget everything and read from 0.
    """

    rows: tuple[IndexRow, ...]
    erased: tuple[int, ...]
    change: int
    restart: bool = False
