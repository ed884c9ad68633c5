"""Access statistics are written beside: after the answer, in few commits, and never at anybody's cost."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.engine import accesses
from cortex.errors import StoreBusy, StoreReadOnly
from cortex.model.change import Applied, Batch, Touch
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder


@pytest.fixture
def cortex(tmp_path: Path) -> Cortex:
    """A store in a file with two memories."""
    cortex = Cortex(tmp_path / "memory.db", embedder=FakeEmbedder())
    cortex.memorize_many(["green tea", "milk"])
    return cortex


def counts(tmp_path: Path) -> dict[str, int]:
    """What the file says by now."""
    with Cortex(tmp_path / "memory.db", embedder=FakeEmbedder()) as cortex:
        return {memory.content: memory.access_count for memory in cortex.list_memories().memories}


def test_closing_writes_what_waits(cortex: Cortex, tmp_path: Path) -> None:
    """Every hit of every answer is in the file after close, and the thread is gone."""
    for _ in range(5):
        cortex.recall("green tea", limit=1, ranking="assistant")
    cortex.close()
    assert [thread.name for thread in threading.enumerate() if thread.name == "cortex-accesses"] == []
    assert counts(tmp_path) == {"green tea": 5, "milk": 0}


def test_many_answers_are_few_commits(cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes while the thread waits is written together."""
    apply = SQLiteStore.apply
    batches: list[Batch] = []

    def spied(self: SQLiteStore, batch: Batch) -> Applied:
        batches.append(batch)
        return apply(self, batch)

    monkeypatch.setattr(accesses, "GATHER_SECONDS", 5.0)
    monkeypatch.setattr(SQLiteStore, "apply", spied)
    for _ in range(50):
        cortex.recall("green tea", ranking="engineering")
    assert batches == []
    cortex.close()
    assert [len(batch.changes) for batch in batches if any(isinstance(c, Touch) for c in batch.changes)] == [50]
    assert counts(tmp_path) == {"green tea": 50, "milk": 50}


def test_it_is_written_without_closing_too(cortex: Cortex) -> None:
    """A server that runs for months counts all the same, and the thread ends when all is written."""
    cortex.recall("green tea", ranking="assistant", limit=1)
    threads = [thread for thread in threading.enumerate() if thread.name == "cortex-accesses"]
    for thread in threads:
        thread.join(9)
    assert cortex.list_memories(order="oldest").memories[0].access_count == 1
    cortex.recall("green tea", ranking="assistant", limit=1)
    cortex.close()


@pytest.mark.parametrize("error", [StoreBusy("held"), StoreReadOnly("locked")])
def test_what_cannot_be_written_is_dropped(
    cortex: Cortex,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    """No answer and no closing fails for statistics; a log line says what was lost."""

    def refuse(*_: object) -> None:
        raise error

    with caplog.at_level(logging.INFO, "cortex.engine.accesses"), monkeypatch.context() as patch:
        patch.setattr(SQLiteStore, "apply", refuse)
        assert len(cortex.recall("green tea", ranking="assistant").hits) == 2
        cortex.close()
    assert [record.getMessage() for record in caplog.records] == [f"accesses of 1 answers are not counted: {error}"]


def test_what_waits_is_bounded(
    cortex: Cortex, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Beyond the bound an answer is not counted, and a log line says so."""
    monkeypatch.setattr(accesses, "MOST_WAITING", 3)
    monkeypatch.setattr(accesses, "GATHER_SECONDS", 5.0)
    with caplog.at_level(logging.INFO, "cortex.engine.accesses"):
        for _ in range(5):
            cortex.recall("green tea", ranking="assistant", limit=1)
    cortex.close()
    assert [record.getMessage() for record in caplog.records] == [
        "accesses of 1 memories are not counted: too many wait"
    ] * 2
    assert counts(tmp_path) == {"green tea": 3, "milk": 0}


def test_an_erased_memory_stays_erased(cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits to be counted brings nothing back."""
    monkeypatch.setattr(accesses, "GATHER_SECONDS", 5.0)
    hit = cortex.recall("green tea", ranking="assistant", limit=1).hits[0]
    cortex.forget(hit.memory.id)
    cortex.close()
    assert counts(tmp_path) == {"milk": 0}
