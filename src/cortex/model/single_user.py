"""What the file of the earlier single-user program holds, as it is written there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

PROGRAM = "single-user file"


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleUserRow:
    """One memory with its event and its supersession, nothing checked: a column may hold any value of SQLite.

    ``embedding`` is one float32 vector, little endian. ``event`` has the columns of its event that are set,
    ``supersedes`` the ids of memories that it took the place of.
    """

    seq: int
    id: Any
    user: Any
    content: Any
    metadata: Any
    created_at: Any
    embedding: Any
    event: Mapping[str, Any]
    superseded_by: Any
    superseded_at: Any
    supersedes: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleUserFile:
    """The whole file: which model made its vectors, its memories in the order they were written.

    ``left_out`` counts what it holds beside memories and this program does not keep.
    """

    model: str
    dim: int | None
    rows: Iterable[SingleUserRow]
    left_out: Mapping[str, int]
