"""Embedders that change, fail or answer nonsense."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cortex_model_minilm
from cortex import Cortex, EmbeddingSignature, EmbedResult
from cortex.errors import EmbedderError, InvalidInput
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import Failure, FakeEmbedder
from tests.cases.conftest import Cli
from tests.e2e.wire import Wire, environment, wait_for
from tests.engine.support import Bench, found, kept

# --- MEM-036: another model ---------------------------------------------------------------------------

NOTES = [f"note {i} on the harbour" for i in range(50)]
OTHER_MODELS = {
    "wider": FakeEmbedder(dim=768),
    "narrower": FakeEmbedder(dim=32),
    "another name": FakeEmbedder(model="other", dim=384),
    "another revision": FakeEmbedder(dim=384, revision="2"),
}


class GivesUp(FakeEmbedder):
    """Fails after so many texts, until it is told to go on."""

    left = 20

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """As the fake does, while it lasts."""
        self.left -= len(texts)
        if self.left < 0:
            raise EmbedderError("the machine went to sleep")
        return super().embed(texts)


def identities(cortex: Cortex) -> dict[str, Any]:
    """What must not change: ids, texts, dates, versions."""
    page = cortex.list_memories(limit=1_000)
    return {
        memory.id: (memory.content, memory.created_at, memory.updated_at, memory.version) for memory in page.memories
    }


@pytest.mark.parametrize("other", OTHER_MODELS.values(), ids=OTHER_MODELS)
def test_mem_036_a_switched_model_loses_nothing(tmp_path: Path, other: FakeEmbedder) -> None:
    """It is said, everything goes on by words, vectors are made anew in one switch, and one can go back."""
    path, first = tmp_path / "memory.db", FakeEmbedder(dim=384)
    with Cortex(path, embedder=first) as cortex:
        cortex.memorize_many(NOTES)
        before = identities(cortex)
    with Cortex(path, embedder=other) as cortex:
        (problem,) = cortex.health().problems
        assert str(first.signature) in problem
        assert "reindex" in problem
        answer = cortex.recall("note 7", limit=1)
        assert (found(answer), answer.legs, answer.degraded) == ([NOTES[7]], ("lexical",), ("dense",))
        added = cortex.memorize("the crane is green")
        assert added.pending
        assert found(cortex.recall("crane")) == ["the crane is green"]
        cortex.forget(kept(added.id))
        assert identities(cortex) == before
        done = cortex.admin.reindex()
        assert (done.made, done.missing, done.switched) == (50, 0, True)
        assert cortex.recall("note 7", limit=1).degraded == ()
        assert cortex.health().ok
        assert identities(cortex) == before
    with Cortex(path, embedder=first) as cortex:
        assert cortex.recall("note 7", limit=1).degraded == ("dense",)
        assert cortex.admin.roll_back().switched
        assert cortex.recall("note 7", limit=1).degraded == ()
        assert identities(cortex) == before


def test_mem_036_a_broken_off_change_goes_on(tmp_path: Path) -> None:
    """Until every vector is there the old ones are searched; the second run makes only what is missing."""
    path = tmp_path / "memory.db"
    with Cortex(path, embedder=FakeEmbedder(dim=384)) as cortex:
        cortex.memorize_many(NOTES)
    other = GivesUp(dim=768)
    with Cortex(path, embedder=other) as cortex:
        with pytest.raises(EmbedderError):
            cortex.admin.reindex()
        assert cortex.recall("note 7", limit=1).degraded == ("dense",)
        assert cortex.count() == 50
    with Cortex(path, embedder=FakeEmbedder(dim=384)) as cortex:
        assert cortex.recall("note 7", limit=1).degraded == ()
    other.left = 10_000
    with Cortex(path, embedder=other) as cortex:
        assert cortex.admin.reindex(dry_run=True).missing <= 50
        assert cortex.admin.reindex().switched
        assert cortex.recall("note 7", limit=1).degraded == ()


@pytest.fixture
def own_model(tmp_path: Path) -> Path:
    """A model of the user: the built-in one under another name, so of the same dimension and not the same."""
    folder = tmp_path / "my-model"
    folder.mkdir()
    for name in cortex_model_minilm.SHA256:
        shutil.copyfile(cortex_model_minilm.MODEL_DIR / name, folder / name)
    return folder


@pytest.mark.slow
def test_mem_036_on_the_command_line(cli: Cli, own_model: Path) -> None:
    """Health fails and names both models, recall says what it lacks, reindex mends it, rollback takes it back."""
    for i in range(3):
        cli("memorize", NOTES[i])
    own = {"CORTEX_EMBED_MODEL": str(own_model)}
    before = [(m["id"], m["created_at"]) for m in cli("list", "--json").json["memories"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORTEX_EMBED_MODEL", own["CORTEX_EMBED_MODEL"])
        health = cli("health")
        assert health.code == 1
        assert "all-MiniLM-L6-v2" in health.out + health.err
        assert "my-model" in health.out + health.err
        assert "answered without dense" in cli("recall", "harbour").err
        assert cli("reindex", "--dry-run", "--json").json["missing"] == 3
        assert cli("reindex", "--json").json["switched"] is True
        assert cli("recall", "harbour", "--json").json["degraded"] == []
    assert cli("recall", "harbour", "--json").json["degraded"] == ["dense"]
    assert cli("reindex", "--rollback").code == 0
    assert cli("recall", "harbour", "--json").json["degraded"] == []
    assert [(m["id"], m["created_at"]) for m in cli("list", "--json").json["memories"]] == before


# --- MEM-042: vectors that are none -------------------------------------------------------------------

Spoil = Callable[[np.ndarray[Any, Any]], Any]
SPOILT: dict[str, Spoil] = {
    "nan": lambda row: np.full_like(row, np.nan),
    "one nan": lambda row: np.where(np.arange(len(row)) == 3, np.nan, row),
    "infinite": lambda row: np.full_like(row, np.inf),
    "minus infinite": lambda row: np.where(np.arange(len(row)) == 0, -np.inf, row),
    "nought": np.zeros_like,
    "too long": lambda row: np.append(row, 1.0),
    "too short": lambda row: row[:-1],
    "empty": lambda row: row[:0],
    "texts": lambda row: [f"{x:.3f}" for x in row],
    "nothing": lambda row: [None] * len(row),
}


class Spoiling:
    """The fake, but for texts with a marked word, whose vector is spoilt."""

    def __init__(self, spoil: Spoil) -> None:
        self._fake = FakeEmbedder()
        self._spoil = spoil

    @property
    def signature(self) -> EmbeddingSignature:
        """The fake's."""
        return self._fake.signature

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """A list of rows, since they may differ in length."""
        rows = list(self._fake.embed(texts).vectors)
        spoilt = [self._spoil(row) if "rotten" in text else row for text, row in zip(texts, rows, strict=True)]
        return EmbedResult(spoilt, 1)  # type: ignore[arg-type] # what a careless embedder would give


@pytest.mark.parametrize("store", [EphemeralStore, lambda: SQLiteStore(":memory:")], ids=["ephemeral", "sqlite"])
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_mem_042_a_spoilt_vector_spoils_no_answer(spoil: Spoil, store: Callable[[], Any]) -> None:
    """The text is kept and pending, the others keep their ranks; a spoilt question is answered by words and says so."""
    ranked = [f"boat {'boat ' * i}pier" for i in range(9)]
    clean = Bench(embedder=FakeEmbedder()).engine()
    clean.memorize_many(ranked)
    bench = Bench(store=store(), embedder=Spoiling(spoil))
    ada = bench.engine()
    receipts = [ada.memorize(text) for text in [*ranked[:4], "a rotten plank", *ranked[4:]]]
    assert [receipt.pending for receipt in receipts] == [i == 4 for i in range(10)]
    answer = ada.recall("boat", limit=5)
    assert found(answer) == found(clean.recall("boat", limit=5))
    assert (answer.degraded, answer.pending) == ((), 1)
    by_words_only = ada.recall("rotten plank", limit=5)
    assert found(by_words_only)[0] == "a rotten plank"
    assert (by_words_only.legs, by_words_only.degraded) == (("lexical",), ("dense",))
    assert by_words_only.notes
    for recall in (answer, by_words_only):
        for hit in recall.hits:
            numbers = [hit.score, *(part.score for part in hit.parts.values())]
            json.dumps(numbers, allow_nan=False)
    bench.store.close()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")], ids=str)
def test_mem_042_no_number_that_is_none_comes_in(bench: Bench, number: float) -> None:
    """As a share, in metadata, in a filter, as a limit or a threshold it is refused."""
    ada = bench.engine()
    for call in (
        lambda: ada.memorize("x", confidence=number), lambda: ada.memorize("x", metadata={"n": [number]}),
        lambda: ada.memorize("x", importance=number), lambda: ada.memorize("x", source={"n": number}),  # type: ignore[arg-type]
        lambda: ada.count(metadata={"n": {"$lt": number}}), lambda: ada.count(min_importance=number),  # type: ignore[arg-type]
        lambda: ada.recall("x", limit=number),  # type: ignore[arg-type]
        lambda: ada.recall("x", threshold=number),  # type: ignore[call-arg]
    ):  # fmt: skip
        with pytest.raises(InvalidInput):
            call()
    assert ada.count() == 0


# --- MEM-043: an embedder that is down ----------------------------------------------------------------


@pytest.mark.parametrize("failure", Failure)
@pytest.mark.parametrize("store", ["file", "ephemeral"])
def test_mem_043_what_was_kept_meanwhile_is_found_now_and_by_meaning_later(
    tmp_path: Path, failure: Failure, store: str
) -> None:
    """Found by words at once and marked pending; once the embedder is back it gets its vector, with its id and date."""
    embedder = FakeEmbedder(fail=failure)
    bench = Bench(store=SQLiteStore(tmp_path / "memory.db") if store == "file" else EphemeralStore(), embedder=embedder)
    ada = bench.engine()
    receipts = ada.memorize_many([f"crate {i} is on the quay" for i in range(5)])
    assert all(receipt.pending and receipt.embedded_chars == 0 for receipt in receipts)
    answer = ada.recall("crate 3", limit=1)
    assert (found(answer), answer.degraded, answer.pending) == (["crate 3 is on the quay"], ("dense",), 5)
    assert ada.stats().pending == ada.health().store.pending == ada.health().store.jobs == 5
    assert any("5 memories wait" in warning for warning in ada.health().warnings)
    before = ada.list_memories().memories
    bench.clock.tick()
    assert ada.admin.run_jobs().failed > 0
    assert ada.stats().pending == 5
    embedder.fail = None
    bench.clock.set(bench.clock.now().replace(year=2027))
    assert ada.admin.run_jobs().done == 5
    again = ada.recall("crate 3", limit=1)
    assert (again.degraded, again.pending, set(again.hits[0].parts)) == ((), 0, {"dense", "lexical"})
    after = ada.list_memories().memories
    assert [(m.id, m.created_at, m.updated_at, m.version) for m in after] == [
        (m.id, m.created_at, m.updated_at, m.version) for m in before
    ]
    assert ada.health().store.jobs == 0
    bench.store.close()


def test_mem_043_a_passing_failure_poisons_nothing(bench: Bench) -> None:
    """A question that failed once is embedded the next time; so is a text that is told again."""
    embedder = FakeEmbedder(script=[Failure.RAISE, Failure.NAN, None, Failure.RAISE, None])
    bench.embedder = embedder
    ada = bench.engine()
    assert ada.memorize("crate one").pending
    assert ada.recall("crate").degraded == ("dense",)
    assert ada.recall("crate").degraded == ()
    assert ada.recall("crate").degraded == ("dense",)
    assert ada.recall("crate").degraded == ()
    assert ada.memorize("crate two").pending is False


@pytest.mark.slow
def test_mem_043_over_mcp(tmp_path: Path, own_model: Path) -> None:
    """A server whose model is damaged keeps and finds by words, and says so; with the model whole it catches up."""
    model = (own_model / "model.onnx").read_bytes()
    env = environment(tmp_path, CORTEX_STORE=tmp_path / "memory.db", CORTEX_EMBED_MODEL=own_model)
    (own_model / "model.onnx").write_bytes(b"damaged")
    with Wire(env) as wire:
        ids = [wire.call("memorize", content=f"crate {i} is on the quay")["id"] for i in range(5)]
        answer = wire.call("recall", query="crate 3", limit=1)
        assert (answer["degraded"], answer["pending"], answer["memories"][0]["id"]) == (["dense"], 5, ids[3])
        assert answer["notes"]
        assert wire.end() == 0
    (own_model / "model.onnx").write_bytes(model)
    with Wire(env) as wire:
        assert {memory["id"] for memory in wire.call("list_memories")["memories"]} == set(ids)
        wait_for(lambda: wire.call("recall", query="boxes at the dock")["pending"] == 0)
        memories = wire.call("recall", query="boxes at the dock")["memories"]
        assert {memory["id"] for memory in memories} == set(ids)
        assert wire.end() == 0
