"""What came of moving memories between stores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from cortex.model.embedding import EmbeddingSignature


class Conflict(StrEnum):
    """What to do with a memory whose id is taken by another one."""

    SKIP = "skip"
    OVERWRITE = "overwrite"
    NEW_ID = "new_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """How many memories went into which file."""

    path: str
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """How many vectors were made, how many memories lack theirs, and whether recall searches by them now."""

    signature: EmbeddingSignature
    made: int
    missing: int
    switched: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not taken over, and why."""

    line: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of the memories of a file.

    ``unchanged`` were there already, just as they are. ``duplicates`` say what another memory here says.
    ``pending`` wait for vectors, since theirs are of another model. From a file of the earlier single-user program:
    ``as_text`` have something, such as a date, that could not be read and stands as it is under ``unread`` in their
    source, and ``left_out`` counts what the file has beside memories, which is not taken over.
    """

    added: int = 0
    unchanged: int = 0
    skipped: int = 0
    overwritten: int = 0
    renamed: int = 0
    duplicates: int = 0
    pending: int = 0
    as_text: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[Refused, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reprocessed:
    """Which layers looked at how many memories; how many were superseded, how many conflicts wait, what is missing."""

    layers: tuple[str, ...]
    memories: int = 0
    superseded: int = 0
    conflicts: int = 0
    notes: tuple[str, ...] = ()
