"""What the engine's tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from itertools import count

from cortex import Recall
from cortex.engine.deps import Deps
from cortex.engine.facade import Engine
from cortex.engine.index import Index
from cortex.engine.rerank import Deadline
from cortex.model.layers import OFF, USUAL, Layers, Thresholds
from cortex.model.memory import Clearance
from cortex.model.policy import Caller
from cortex.model.query import Ranking
from cortex.model.ranking import USUAL_ASSISTANT, AssistantWeights
from cortex.model.redaction import Redaction
from cortex.ports import Embedder, LLMProvider, Reranker, Store, TextTraces
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.testing import FakeEmbedder, FrozenClock


def _ids() -> Iterator[str]:
    return (f"{number:032x}" for number in count(1))


@dataclass
class Bench:
    """An engine whose every plug is at hand: its clock stands still and its ids are chosen."""

    store: Store = field(default_factory=EphemeralStore)
    embedder: Embedder = field(default_factory=FakeEmbedder)
    clock: FrozenClock = field(default_factory=FrozenClock)
    ids: Iterator[str] = field(default_factory=_ids)
    ready: Callable[[], bool] = lambda: True
    wait: bool = True
    cache_bytes: int = 2**24
    zone: tzinfo = UTC
    traces: TextTraces | None = None
    layers: Layers = OFF
    thresholds: Thresholds = USUAL
    llm: LLMProvider | None = None
    ranking: Ranking = Ranking.CONVERSATION
    assistant: AssistantWeights = USUAL_ASSISTANT
    reranker: Reranker | None = None
    rerank_seconds: float = 5.0
    counts: bool = True
    redaction: Redaction = Redaction.MASK

    def engine(self, user: str = "ada", clearance: Clearance = Clearance.RESTRICTED) -> Engine:
        """An engine for a user, with a search cache of its own."""
        deps = Deps(
            store=self.store,
            embedder=self.embedder,
            index=Index(self.store, self.embedder.signature, self.cache_bytes),
            clock=self.clock,
            new_id=lambda: next(self.ids),
            ready=self.ready,
            zone=self.zone,
            wait=self.wait,
            traces=self.traces,
            layers=self.layers,
            thresholds=self.thresholds,
            llm=self.llm,
            ranking=self.ranking,
            assistant=self.assistant,
            reranking=None if self.reranker is None else Deadline(self.reranker, self.rerank_seconds),
            counts=self.counts,
            background=False,
            redaction=self.redaction,
        )
        return Engine(deps, Caller(user, clearance=clearance))


def found(recall: Recall) -> list[str]:
    """The contents of the hits, best first."""
    return [hit.memory.content for hit in recall.hits]


def by_words(recall: Recall) -> set[str]:
    """The contents of the hits that the lexical leg found."""
    return {hit.memory.content for hit in recall.hits if "lexical" in hit.parts}


def kept(receipt_id: str | None) -> str:
    """The id of a receipt that has one."""
    assert receipt_id is not None
    return receipt_id


def fill(cortex: Engine) -> None:
    """Memories of three scopes in every state, with versions, every field and several scripts."""
    rich = cortex.memorize(
        "Ada prefers green tea ☕ in 東京",
        kind="preference",
        tags=["drinks", "tea"],
        speaker="Ada",
        role="user",
        session="s1",
        position=3,
        event_time="2024-02-29T23:59:59.999999+02:00",
        valid_from="2020-01-01",
        valid_to="9999-12-31",
        metadata={"a": [1, 2.5, None, {"ü": "é"}], "big": 2**63},
        source={"url": "https://example.org/?q=1"},
        importance=9,
        confidence=0.25,
        clearance_min="restricted",
        agent="tester",
    )
    cortex.update(str(rich.id), content="Ada prefers black tea", tags=["drinks"])
    cortex.update(str(rich.id), scope="project:X.y-Z")
    put_away = cortex.memorize("an old note", expires_at="2999-01-01")
    cortex.archive(str(put_away.id))
    cortex.memorize("x" * 25_000, scope="team:日本", tier="working")
    cortex.memorize("line one\nline two\r\n\u2028 and three", scope="global")
    gone = cortex.memorize("forget me")
    cortex.forget(str(gone.id))
