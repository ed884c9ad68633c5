"""What came of moving memories between stores."""

from __future__ import annotations

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
    ``pending`` wait for vectors, since theirs are of another model.
    """

    added: int = 0
    unchanged: int = 0
    skipped: int = 0
    overwritten: int = 0
    renamed: int = 0
    duplicates: int = 0
    pending: int = 0
    refused: tuple[Refused, ...] = field(default=())
