"""A memory with everything that belongs to it, as it leaves one store and enters another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cortex.model.embedding import Embedding
from cortex.model.memory import Memory
from cortex.model.quick import quickly_made
from cortex.model.understanding import Reading


@quickly_made
@dataclass(frozen=True, slots=True)
class Form:
    """One version of a memory: how it reads, what it is found by, and until when it stood (None: it still does).

    ``identity`` is what an exact duplicate would share; ``terms`` are its analysed tokens.
    """

    memory: Memory
    identity: bytes
    terms: tuple[str, ...]
    embedding: Embedding | None
    replaced_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The current form of a memory and its earlier ones, oldest first; what was read from the current text."""

    current: Form
    earlier: tuple[Form, ...] = ()
    reading: Reading | None = None
