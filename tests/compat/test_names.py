"""The names that other programs know: importable, thin, and doing what they say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import cortex.compat
from cortex.compat import (
    ABSTAIN_SENTINEL,
    RRF_K,
    CortexMemory,
    EmbedResult,
    FakeProvider,
    InMemoryStore,
    hybrid_retrieve,
)
from cortex.errors import InvalidInput
from cortex.testing import FakeEmbedder


class Bare:
    """A provider that embeds and says nothing of its model."""

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """Vectors of the fake."""
        return FakeEmbedder(dim=32).embed(texts)


def test_every_name_is_there() -> None:
    """Each is what it says, and nothing else is."""
    for name in cortex.compat.__all__:
        assert getattr(cortex.compat, name) is not None
    assert dir(cortex.compat) == sorted(cortex.compat.__all__)
    with pytest.raises(AttributeError, match="no_such"):
        _ = cortex.compat.no_such
    assert (RRF_K, ABSTAIN_SENTINEL) == (60, "I don't know")


@pytest.mark.parametrize("provider", [FakeProvider(), Bare()], ids=["signed", "bare"])
def test_it_remembers(provider: object, tmp_path: Path) -> None:
    """Kept, found with a score that is the sum of reciprocal ranks, listed, counted and forgotten."""
    with CortexMemory(provider, tmp_path / "memory.db", user_id="ada", top_k=2) as memory:
        kept = memory.memorize("Ada prefers tea", kind="preference", tags=["drinks"])
        memory.memorize("The harbour is deep")
        hits = memory.recall("what does Ada prefer?")
        assert hits[0].id == kept.id
        assert np.isclose(hits[0].score, 2 / (RRF_K + 1))
        assert memory.recall("tea", limit=1)[0].content == "Ada prefers tea"
        assert [each.content for each in memory.list_memories()] == ["The harbour is deep", "Ada prefers tea"]
        assert memory.forget(kept.id[:8])
        assert memory.count() == 1


def test_its_layers(tmp_path: Path) -> None:
    """Each switch is a layer; the extractor reads texts where there is one."""
    answer = json.dumps([{"i": 0, "event": {"time": "2024-05-01"}, "entities": [{"name": "Acme"}]}])
    extractor = FakeProvider([answer])
    with CortexMemory(
        FakeProvider(),
        tmp_path / "memory.db",
        extractor=extractor,
        use_episodic=True,
        use_graph=True,
        use_dedup=True,
        dedup_threshold=0.5,
        use_soft_update=True,
    ) as memory:
        first = memory.memorize("The port of the API is 8080")
        assert memory.memorize("the API port is 8080").id == first.id
        assert memory.recall_about("acme").total == 1
        assert len(memory.timeline(since="2024-05-01")) == 1
        assert len(extractor.prompts) == 2


def test_one_that_is_forgotten() -> None:
    """In memory, with the function that finds."""
    with InMemoryStore(embedder=FakeEmbedder()) as store:
        store.memorize("Ada prefers tea")
        assert [hit.content for hit in hybrid_retrieve(store, "tea", 3)] == ["Ada prefers tea"]


def test_wrong_values() -> None:
    """What is no provider, and no cosine, is named."""
    with pytest.raises(InvalidInput, match=r"embed\(texts\)"):
        CortexMemory(7, ":memory:")
    with pytest.raises(InvalidInput, match="dedup_threshold"):
        CortexMemory(FakeProvider(), ":memory:", dedup_threshold=7)
