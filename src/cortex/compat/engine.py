"""`CortexMemory`: a provider, a file and switches, and the six things an agent asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from os import PathLike
from types import TracebackType
from typing import Any, Final, Self

from cortex.app.cortex import Cortex
from cortex.app.embedders import configured_embedder
from cortex.errors import InvalidInput
from cortex.model.embedding import EmbeddingSignature, EmbedResult
from cortex.model.knowledge import About
from cortex.model.layers import Layers, thresholds_for
from cortex.model.memory import Memory
from cortex.ports import Embedder, LLMProvider

RRF_K: Final = 60
ABSTAIN_SENTINEL: Final = "I don't know"


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory, and how well it answers where it was asked for."""

    memory: Memory
    score: float = 0.0

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def content(self) -> str:
        """Its text."""
        return self.memory.content


class InMemoryStore(Cortex):
    """A store that is forgotten with the process."""

    def __init__(self, *, embedder: Embedder | None = None, user: str = "local") -> None:
        super().__init__(":memory:", embedder=embedder, user=user)


class CortexMemory:
    """Memory of one user, by meaning and words, fused by ranks.

    ``provider``: what embeds; with ``embed(texts)`` alone, its model is named after its class and its dimension is
    asked for once; None for the local model. ``store``: a path, None for the usual one. ``extractor``, ``use_episodic``
    and ``use_graph``: what happened and who is named is read from texts, by the extractor or without a model.
    ``use_dedup`` and ``use_soft_update``: what repeats is dropped, what is newer takes the place of the old.
    ``dedup_threshold``: another cosine than the one measured for the embedder.
    """

    def __init__(
        self,
        provider: object | None = None,
        store: str | PathLike[str] | None = None,
        *,
        user_id: str = "local",
        top_k: int = 5,
        extractor: LLMProvider | None = None,
        use_episodic: bool = False,
        use_graph: bool = False,
        use_dedup: bool = False,
        dedup_threshold: float | None = None,
        use_soft_update: bool = False,
    ) -> None:
        layers = Layers(episodic=use_episodic, graph=use_graph, dedup=use_dedup, soft_update=use_soft_update)
        embedder = configured_embedder() if provider is None else _embedder(provider)
        thresholds = thresholds_for(embedder.signature.model)
        if dedup_threshold is not None:
            thresholds = replace(thresholds, dedup=_share("dedup_threshold", dedup_threshold))
        self.cortex = Cortex(
            store, user=user_id, embedder=embedder, llm=extractor, layers=layers, thresholds=thresholds
        )
        self._top_k = top_k

    def memorize(self, content: str, kind: str | None = None, tags: Sequence[str] | None = None) -> Remembered:
        """Keep a text; the memory that says it already survives instead."""
        receipt = self.cortex.memorize(content, kind=kind, tags=tags)
        memory = self.cortex.get(receipt.id or "")
        if memory is None:
            raise InvalidInput("content", "it was erased a moment after it was kept")
        return Remembered(memory)

    def recall(self, query: str, limit: int | None = None) -> list[Remembered]:
        """The memories that best answer, best first."""
        return hybrid_retrieve(self.cortex, query, self._top_k if limit is None else limit)

    def recall_about(self, entity: str, limit: int = 20) -> About:
        """Everything about one entity."""
        return self.cortex.graph.recall_about(entity, limit=limit)

    def timeline(
        self, since: datetime | date | str | None = None, until: datetime | date | str | None = None, limit: int = 20
    ) -> list[Memory]:
        """What happened, in order."""
        return list(self.cortex.timeline(since=since, until=until, limit=limit).memories)

    def list_memories(self, limit: int = 20) -> list[Memory]:
        """The newest memories."""
        return list(self.cortex.list_memories(limit=limit).memories)

    def forget(self, memory_id: str) -> bool:
        """Erase a memory, by its id or an unambiguous beginning of it."""
        return bool(self.cortex.forget(memory_id).counts.get("memories"))

    def count(self) -> int:
        """How many memories there are."""
        return self.cortex.count()

    def close(self) -> None:
        """Release the store."""
        self.cortex.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def hybrid_retrieve(store: Cortex, query: str, top_k: int) -> list[Remembered]:
    """The best of vectors and words, fused by ranks: each list adds 1 / (60 + rank)."""
    hits = store.recall(query, limit=top_k, ranking="relevance", fusion="rrf").hits
    return [Remembered(hit.memory, hit.score) for hit in hits]


class _Named:
    """A provider that embeds, with the signature that it does not tell."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        dim = int(provider.embed(["dimension"]).vectors.shape[1])
        self.signature = EmbeddingSignature(type(provider).__name__, dim)

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """The provider's answer."""
        result: EmbedResult = self._provider.embed(texts)
        return result


def _embedder(provider: object) -> Embedder:
    if isinstance(provider, Embedder):
        return provider
    if not callable(getattr(provider, "embed", None)):
        raise InvalidInput("provider", f"{type(provider).__name__} has no embed(texts)")
    return _Named(provider)


def _share(name: str, value: object) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:  # type: ignore[operator]
        raise InvalidInput(name, f"{value!r} is no cosine from 0 to 1")
    return float(value)  # type: ignore[arg-type]
