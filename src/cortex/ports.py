"""What a plug must do: one small protocol per socket.

Each has a contract suite in `cortex.testing`; a plug that passes it fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from cortex.model.change import Applied, Batch, Known, Prior
from cortex.model.conflict import Conflict, ConflictState
from cortex.model.embedding import EmbeddingSignature, EmbedResult
from cortex.model.feed import Feed
from cortex.model.generation import GenResult
from cortex.model.health import Count, StoreInfo
from cortex.model.job import Job, Wait
from cortex.model.knowledge import Name
from cortex.model.memory import Memory
from cortex.model.page import Details
from cortex.model.policy import Caller
from cortex.model.query import Selection
from cortex.model.record import Record
from cortex.model.scope import Scope
from cortex.model.understanding import Edge, Reading


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


@runtime_checkable
class PatientEmbedder(Protocol):
    """An `Embedder` that soon gives up, since somebody waits for it, and has one beside it that does not."""

    @property
    def patient(self) -> Embedder:
        """The same model, for work that nobody waits for: it tries longer before it fails."""
        ...


@runtime_checkable
class LLMProvider(Protocol):
    """Asks a language model. One that makes vectors too is an `Embedder` beside it."""

    @property
    def name(self) -> str:
        """Service and model, such as ``ollama/qwen3``; known without asking anybody."""
        ...

    def generate(self, prompt: str, *, temperature: float = 0.0, max_output_tokens: int = 512) -> GenResult:
        """What the model writes; never an empty text. Raises `ProviderError` when it cannot, `InvalidInput`."""
        ...


@runtime_checkable
class PatientProvider(Protocol):
    """An `LLMProvider` that soon gives up, since somebody waits for it, and has one beside it that does not."""

    @property
    def patient(self) -> LLMProvider:
        """The same model, for work that nobody waits for."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Puts what recall found in a better order, such as a cross-encoder or a language model."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[int]:
        """The places of the texts (from 0), the one that answers best first.

        What is left out follows in the order it had; places that there are not, and repeated ones, are passed over.
        Whatever it raises, or when it takes too long, recall answers as without it and says so.
        """
        ...


@runtime_checkable
class TextTraces(Protocol):
    """A plug that keeps something of texts beside the record, such as a cache; so that erasure reaches it.

    An `Embedder` that is one, too, is told of every commit and every erasure.
    """

    def own(self, texts: Mapping[str, Sequence[str]]) -> None:
        """These memories, by id, were kept with these texts, as they were embedded. Raises nothing."""
        ...

    def disown(self, texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """These memories are erased: what only they had goes, bytes included; the files that may still hold some.

        With each id the texts it had: those that no memory has any more go, whoever asked for them. Raises nothing.
        """
        ...


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> datetime:
        """This instant, aware, in UTC."""
        ...


class JobQueue(Protocol):
    """Follow-up work, each piece for one worker at a time."""

    def requeue(self, now: datetime) -> int:
        """Queue work for memories that lack vectors and have no job; how many."""
        ...

    def lease(self, owner: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Take up to ``limit`` due jobs that nobody holds; they are the owner's until then."""
        ...

    def waits(self) -> list[Wait]:
        """What the jobs wait for, the most frequent reason first; one that is being done waits too."""
        ...


class Ledger(Protocol):
    """What was asked before under an idempotency key."""

    def known(self, caller: Caller, key: str) -> Known | None:
        """The request of this caller under this key; None for a new key."""
        ...


class Archive(Protocol):
    """Memories whole: with what they said before, and all together."""

    def history(self, seq: int) -> list[Memory]:
        """Every version of a memory that is kept, oldest first, the current one last."""
        ...

    def records(self, scopes: Sequence[Scope], after: int, limit: int) -> list[Record]:
        """Memories of these scopes whose seq is greater than ``after``, by seq, with all that belongs to them."""
        ...

    def backup(self, target: str) -> None:
        """Write a consistent copy of the whole store to a new file, while others go on writing."""
        ...

    def restore(self, source: str) -> None:
        """Put a backup in the place of everything there is, in one step; `StoreError` for a damaged one."""
        ...

    def backups(self) -> list[str]:
        """The copies of this store that still lie where they were written."""
        ...

    def scrub(self) -> bool:
        """Remove what erased rows left in free space and logs; false where it cannot be done now: try again later."""
        ...

    def unscrubbed(self) -> list[str]:
        """Where something of erased rows may be left until `scrub` has been done; nothing when it has."""
        ...


class Reindexing(Protocol):
    """Changing the model whose vectors are searched; the vectors of several models lie side by side.

    The first vectors that are written decide the model, until a switch. A write with vectors of another one, by
    somebody who did not know of the switch, keeps them aside: the memory is pending, and a job owes what it lacks.
    """

    def current(self) -> EmbeddingSignature | None:
        """What is searched by now; None while there are no vectors."""
        ...

    def missing(self, scopes: Sequence[Scope], signature: EmbeddingSignature, limit: int) -> list[Memory]:
        """Memories of these scopes without vectors of that signature, by seq."""
        ...

    def progress(self, signature: EmbeddingSignature) -> tuple[int, int]:
        """How many memories have vectors of that signature, and how many there are."""
        ...

    def switch(self, signature: EmbeddingSignature, *, complete: bool) -> bool:
        """Search by that signature from now on, in one step; false where it is not ``complete`` yet.

        A memory that lacks its vectors is pending from then on, and a job owes them.
        """
        ...

    def signatures(self) -> list[tuple[EmbeddingSignature, int]]:
        """Every signature with vectors, and how many memories have them."""
        ...

    def discard(self, signature: EmbeddingSignature) -> int:
        """Remove the vectors of a signature that is not searched by; how many."""
        ...


class Mending(Protocol):
    """Making again what a damaged store has lost, as far as what is left says how."""

    def mend(self) -> list[str]:
        """Put right what needs no text to be read; what was done, nothing for a sound store."""
        ...

    def wordless(self, after: int, limit: int) -> list[Memory]:
        """Memories that have lost their words and whose seq is greater than ``after``, by seq."""
        ...

    def put_words(self, words: Mapping[int, Sequence[str]]) -> None:
        """Give memories without words these; others, and those that are gone, stay as they are."""
        ...


class Knowledge(Protocol):
    """What the layers of the write path made of memories; recall never asks it."""

    def readings(self, seqs: Sequence[int]) -> Mapping[int, Reading]:
        """What was read from these memories, where anything was."""
        ...

    def names(self, selection: Selection, containing: str) -> list[Name]:
        """The entities that the chosen memories mention and whose norm has this in it, by norm."""
        ...

    def named(self, selection: Selection, norms: Sequence[str]) -> list[Name]:
        """The entities with these norms that the chosen memories mention, by norm."""
        ...

    def mentioning(self, selection: Selection, norm: str, limit: int | None = None) -> list[int]:
        """The seqs of the chosen memories that mention an entity, the newest ones first."""
        ...

    def edges(self, selection: Selection, norms: Sequence[str]) -> list[tuple[int, Edge]]:
        """What the chosen memories state of these entities, each with the seq of the memory, in the order written."""
        ...

    def conflicts(
        self, scopes: Sequence[Scope], states: Sequence[ConflictState], clearance: int, prefix: str = ""
    ) -> list[Conflict]:
        """The conflicts of these scopes in these states whose id begins so, the newest first."""
        ...

    def unread(self, scopes: Sequence[Scope], layers: Sequence[str], after: int, limit: int) -> list[Memory]:
        """Active memories of these scopes, by seq, that not all of these layers have read; seqs above ``after``."""
        ...


class RecordStore(Protocol):
    """The authoritative record: memories with their text index, vectors, jobs and keys.

    Errors are of the `StoreError` family. Every method may be called from any thread.
    """

    def apply(self, batch: Batch) -> Applied:
        """Commit everything in the batch or nothing; durable when it returns."""
        ...

    def read(self, seqs: Sequence[int], at: datetime | None = None) -> list[Memory]:
        """The memories with these seqs that exist, in the order asked for; ``at``: as they were then."""
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

    def feed(self, scope: Scope, since: int, signature: EmbeddingSignature, *, tokens: bool = False) -> Feed:
        """What changed in the scope after change number ``since``, with the vectors of that signature.

        ``tokens``: with the vectors of the tokens, too.
        """
        ...

    def past(self, scope: Scope, at: datetime, signature: EmbeddingSignature) -> Feed:
        """Everything the scope held at an instant, with the vectors of that signature."""
        ...

    def prior(self, scope: Scope, identities: Sequence[bytes]) -> Mapping[bytes, Prior]:
        """The active memories of this scope that have one of these identities."""
        ...

    def info(self, *, deep: bool = False) -> StoreInfo:
        """The plain facts; ``deep`` also checks the integrity of the whole store."""
        ...

    def close(self) -> None:
        """Release everything; the store cannot be used afterwards. Closing twice is allowed."""
        ...


class Store(RecordStore, Protocol):
    """The record with its side doors; all of one store, closed together."""

    @property
    def jobs(self) -> JobQueue:
        """Follow-up work."""
        ...

    @property
    def ledger(self) -> Ledger:
        """Idempotency keys."""
        ...

    @property
    def reindexing(self) -> Reindexing:
        """The vectors of several models."""
        ...

    @property
    def archive(self) -> Archive:
        """Memories whole."""
        ...

    @property
    def knowledge(self) -> Knowledge:
        """What the layers made of memories."""
        ...

    @property
    def mending(self) -> Mending:
        """What was lost, made again."""
        ...
