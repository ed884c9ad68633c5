"""What a plug must do: one small protocol per socket.

Each has a contract suite in `cortex.testing`; a plug that passes it fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from cortex.model.change import Applied, Batch, Prior
from cortex.model.embedding import EmbeddingSignature, EmbedResult
from cortex.model.feed import Feed
from cortex.model.health import Count, StoreInfo
from cortex.model.job import Job
from cortex.model.memory import Memory
from cortex.model.page import Details
from cortex.model.query import Selection
from cortex.model.scope import Scope


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors that can be compared."""

    @property
    def signature(self) -> EmbeddingSignature:
        """Model, dimension and revision; known without loading the model."""
        ...

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """One unit vector a text, in order. Raises `EmbedderError` when it cannot."""
        ...


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> datetime:
        """This instant, aware, in UTC."""
        ...


class RecordStore(Protocol):
    """The authoritative record: memories with their text index, vectors, jobs and keys.

    Errors are of the `StoreError` family. Every method may be called from any thread.
    """

    def apply(self, batch: Batch) -> Applied:
        """Commit everything in the batch or nothing; durable when it returns."""
        ...

    def read(self, seqs: Sequence[int]) -> list[Memory]:
        """The memories with these seqs that exist, in the order asked for."""
        ...

    def resolve(self, scopes: Sequence[Scope], prefix: str, limit: int) -> list[tuple[str, int]]:
        """Ids in these scopes that start with ``prefix`` (lower-case hex), with their seqs, sorted by id."""
        ...

    def known_scopes(self, org_id: str) -> list[Scope]:
        """Every scope of the organisation that was ever written to."""
        ...

    def select(self, selection: Selection) -> list[Memory]:
        """Memories in order, after the cursor, up to the limit."""
        ...

    def matching(self, selection: Selection, *, details: bool) -> list[Details]:
        """The seqs that the selection has, in no order; with tags and metadata when ``details``."""
        ...

    def count(self, selection: Selection) -> list[Count]:
        """How many memories the selection has (order, cursor and limit aside), by scope and nature."""
        ...

    def feed(self, scope: Scope, since: int, signature: EmbeddingSignature) -> Feed:
        """What changed in the scope after change number ``since``, with the vectors of that signature."""
        ...

    def prior(self, scope: Scope, identities: Sequence[bytes]) -> Mapping[bytes, Prior]:
        """The active memories of this scope that have one of these identities."""
        ...

    def lease(self, owner: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Take up to ``limit`` due jobs that nobody holds; they are the owner's until then."""
        ...

    def info(self, *, deep: bool = False) -> StoreInfo:
        """The plain facts; ``deep`` also checks the integrity of the whole store."""
        ...

    def close(self) -> None:
        """Release everything; the store cannot be used afterwards. Closing twice is allowed."""
        ...
