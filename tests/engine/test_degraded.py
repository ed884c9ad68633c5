"""When the embedder fails: nothing is lost, nothing is hidden, everything is repaired."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cortex import Cortex, EmbeddingSignature, EmbedResult
from cortex.model.memory import EmbeddingState
from cortex.ports import Embedder
from cortex.testing import Failure, FakeEmbedder
from tests.engine.support import Bench, found, kept


class ForeignEmbedder:
    """An embedder as somebody might write one: ``answer`` is whatever it returns."""

    signature = EmbeddingSignature("foreign", 4)

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """What it was given, or what that makes of the texts."""
        result: EmbedResult = self.answer(texts) if callable(self.answer) else self.answer
        return result


def ones(texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """A right answer."""
    return np.ones((len(texts), 4), dtype=np.float32)


class Bare:
    """A result with vectors and nothing else."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors


@pytest.mark.parametrize("failure", Failure)
class TestFailure:
    def test_a_memory_is_kept_and_found_by_its_words(
        self, cortex: Cortex, embedder: FakeEmbedder, failure: Failure
    ) -> None:
        """Whatever the embedder does, the text is kept, said to be pending, and found at once."""
        embedder.fail = failure
        receipt = cortex.memorize("the aardvark sleeps")
        assert (receipt.pending, receipt.error, receipt.embedded_chars) == (True, None, 0)
        answer = cortex.recall("aardvark")
        assert found(answer) == ["the aardvark sleeps"]
        assert answer.legs == ("lexical",)
        assert answer.degraded == ("dense",)
        assert answer.notes
        assert answer.pending == 1
        assert not any(np.isnan(hit.score) for hit in answer.hits)

    def test_it_is_repaired(self, cortex: Cortex, embedder: FakeEmbedder, failure: Failure) -> None:
        """When the embedder is back the vectors come, with the same id, version and dates."""
        embedder.fail = failure
        receipt = cortex.memorize("the aardvark sleeps")
        before = cortex.get(kept(receipt.id))
        embedder.fail = None
        report = cortex.admin.run_jobs()
        assert (report.done, report.failed, report.waiting) == (1, 0, 0)
        after = cortex.get(kept(receipt.id))
        assert before is not None
        assert after is not None
        assert (before.embedding, after.embedding) == (EmbeddingState.PENDING, EmbeddingState.READY)
        assert (after.id, after.seq, after.version) == (before.id, before.seq, before.version)
        assert (after.created_at, after.updated_at) == (before.created_at, before.updated_at)
        answer = cortex.recall("aardvark")
        assert set(answer.hits[0].parts) == {"dense", "lexical"}
        assert (answer.degraded, answer.pending) == ((), 0)

    def test_a_list_is_kept(self, cortex: Cortex, embedder: FakeEmbedder, failure: Failure) -> None:
        """A failing embedder refuses no item of a list."""
        embedder.script.append(failure)
        receipts = cortex.memorize_many(f"number {i}" for i in range(700))
        assert [receipt.pending for receipt in receipts] == [True] * 500 + [False] * 200
        assert cortex.admin.run_jobs().done == 500
        assert cortex.stats().pending == 0

    def test_an_update_is_kept(self, cortex: Cortex, embedder: FakeEmbedder, failure: Failure) -> None:
        """A change whose vectors fail is pending, and the old vectors do not answer for it."""
        receipt = cortex.memorize("the aardvark sleeps")
        embedder.script.append(failure)
        assert cortex.update(kept(receipt.id), content="a zebra").pending
        (hit,) = cortex.recall("zebra").hits
        assert set(hit.parts) == {"lexical"}
        cortex.admin.run_jobs()
        (hit,) = cortex.recall("zebra").hits
        assert hit.parts["dense"].score > 0


class TestForeignAnswers:
    @pytest.mark.parametrize(
        "answer",
        [
            None,
            42,
            Bare(None),
            Bare([[1.0], [2.0]]),
            Bare("vectors"),
            lambda texts: EmbedResult(np.zeros((len(texts), 4), dtype=np.float32), 1),
            lambda texts: EmbedResult(np.full((len(texts), 4), np.inf, dtype=np.float32), 1),
            lambda texts: EmbedResult(np.ones((len(texts), 4), dtype=np.int64), 1),
            EmbedResult(np.ones(4, dtype=np.float32), 1),
            lambda texts: EmbedResult(np.array([["a"] * 4] * len(texts)), 1),
        ],
        ids=range(10),
    )
    def test_nonsense_is_not_kept(self, answer: Any) -> None:
        """What is no answer leaves the memory pending, the recall lexical, and nothing raises."""
        with Cortex(":memory:", embedder=ForeignEmbedder(answer)) as cortex:
            assert cortex.memorize("the aardvark sleeps").pending
            answered = cortex.recall("aardvark")
            assert (found(answered), answered.degraded) == (["the aardvark sleeps"], ("dense",))

    @pytest.mark.parametrize(
        "tokens",
        [[], [np.ones((2, 3), dtype=np.float32)], "xx", [None, None], [np.ones(3), np.ones(3)]],
        ids=range(5),
    )
    def test_token_vectors_that_do_not_fit_lose_nothing(self, tokens: Any) -> None:
        """Token vectors that are too few, or no arrays of tokens, do not keep the text from being kept."""
        embedder = ForeignEmbedder(lambda texts: EmbedResult(ones(texts), 1, tokens))
        with Cortex(":memory:", embedder=embedder) as cortex:
            receipts = cortex.memorize_many(["the aardvark sleeps", "the zebra runs"])
            assert [receipt.error for receipt in receipts] == [None, None]
            assert found(cortex.recall("aardvark", limit=1)) == ["the aardvark sleeps"]

    def test_a_result_without_token_vectors_will_do(self) -> None:
        """An answer that has vectors only loses no text."""
        with Cortex(":memory:", embedder=ForeignEmbedder(lambda texts: Bare(ones(texts)))) as cortex:
            cortex.memorize("the aardvark sleeps")
            assert found(cortex.recall("aardvark")) == ["the aardvark sleeps"]

    def test_lists_and_doubles_will_do(self) -> None:
        """Vectors as lists or of another float type, and of any length, are understood."""
        for vectors in (lambda texts: [[3.0, 4.0, 0.0, 0.0]] * len(texts), lambda texts: ones(texts).astype("f8")):
            with Cortex(":memory:", embedder=ForeignEmbedder(lambda texts, v=vectors: EmbedResult(v(texts), 1))) as c:
                assert not c.memorize("the aardvark sleeps").pending
                assert c.recall("aardvark").hits[0].parts["dense"].score == pytest.approx(1.0)

    def test_one_bad_vector_spoils_no_other(self) -> None:
        """Of a list only the memories whose vectors are unusable are pending."""

        def answer(texts: Sequence[str]) -> EmbedResult:
            vectors = ones(texts)
            vectors[[text == "bad" for text in texts]] = np.nan
            return EmbedResult(vectors, 1)

        with Cortex(":memory:", embedder=ForeignEmbedder(answer)) as cortex:
            assert [r.pending for r in cortex.memorize_many(["good", "bad", "fine"])] == [False, True, False]

    def test_pieces_are_each_embedded(self) -> None:
        """A long text is found by the meaning of any of its parts."""
        embedder = FakeEmbedder()
        with Cortex(":memory:", embedder=embedder) as cortex:
            cortex.memorize("filler words of no interest. " * 99 + "xylophone quartz. " * 300 + "more filler. " * 99)
            assert len(embedder.calls[0]) > 1
            assert cortex.recall("xylophone quartz").hits[0].parts["dense"].score > 0.9


class TestJobs:
    def test_a_failing_job_waits_longer_each_time(self) -> None:
        """A job that fails is tried again later and later, and is done when the embedder is back."""
        embedder = FakeEmbedder(fail=Failure.RAISE)
        bench = Bench(embedder=embedder)
        cortex = bench.engine()
        cortex.memorize("tea")
        assert cortex.admin.run_jobs().failed == 1
        report = cortex.admin.run_jobs()
        assert (report.done, report.failed, report.waiting) == (0, 0, 1)
        bench.clock.tick(timedelta(seconds=2))
        assert cortex.admin.run_jobs().failed == 1
        bench.clock.tick(timedelta(seconds=2))
        assert cortex.admin.run_jobs().failed == 0
        embedder.fail = None
        bench.clock.tick(timedelta(seconds=2))
        assert cortex.admin.run_jobs().done == 1

    def test_errors_are_reported_once(self) -> None:
        """The report names each reason once."""
        cortex = Bench(embedder=FakeEmbedder(fail=Failure.RAISE)).engine()
        cortex.memorize_many(f"number {i}" for i in range(50))
        report = cortex.admin.run_jobs()
        assert report.failed == 50
        assert len(report.errors) == 1

    def test_no_more_than_asked_for(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """At most ``most`` jobs are tried."""
        embedder.script.append(Failure.RAISE)
        cortex.memorize_many(f"number {i}" for i in range(100))
        assert cortex.admin.run_jobs(most=40).done == 40
        assert cortex.stats().pending == 60

    def test_a_job_of_a_forgotten_or_changed_memory_does_no_harm(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """What was erased stays erased, what was changed has the vectors of what it says now."""
        embedder.fail = Failure.RAISE
        gone, changed = (kept(cortex.memorize(text).id) for text in ("gone", "aardvark"))
        cortex.forget(gone)
        cortex.update(changed, content="zebra")
        embedder.fail = None
        cortex.admin.run_jobs()
        assert cortex.get(gone) is None
        (hit,) = cortex.recall("zebra").hits
        assert hit.parts["dense"].score == pytest.approx(1.0)
        assert cortex.stats().pending == 0

    def test_two_runners_share_the_work(self) -> None:
        """A job that another runner holds is left to it until its lease ends."""
        embedder = FakeEmbedder(fail=Failure.RAISE)
        bench = Bench(embedder=embedder)
        cortex = bench.engine()
        cortex.memorize("tea")
        embedder.fail = None
        now = bench.clock.now()
        assert len(bench.store.jobs.lease("somebody else", now, now + timedelta(minutes=2), 5)) == 1
        assert cortex.admin.run_jobs().done == 0
        bench.clock.tick(timedelta(minutes=2))
        assert cortex.admin.run_jobs().done == 1

    def test_closing_does_what_is_owed(self, tmp_path: Path) -> None:
        """close() makes the vectors that can be made, and leaves the others for the next time."""
        path = tmp_path / "memory.db"
        embedder = FakeEmbedder(fail=Failure.RAISE)
        with Cortex(path, embedder=embedder) as cortex:
            cortex.memorize("tea")
        with Cortex(path, embedder=FakeEmbedder()) as cortex:
            assert cortex.stats().pending == 1
            cortex.memorize("milk")
        embedder.fail = None
        with Cortex(path, embedder=embedder) as cortex:
            assert "dense" in cortex.recall("milk").hits[0].parts

    def test_closing_drains(self, tmp_path: Path) -> None:
        """A job that is due when close() is called is done before the store closes."""
        embedder = FakeEmbedder(script=[Failure.RAISE])
        with Cortex(tmp_path / "memory.db", embedder=embedder) as cortex:
            assert cortex.memorize("tea").pending
        with Cortex(tmp_path / "memory.db", embedder=embedder) as cortex:
            assert cortex.stats().pending == 0


class TestLoading:
    def test_a_model_that_is_loading_is_not_waited_for(self) -> None:
        """Where nobody waits, writes are pending and recall goes by words, and both say so."""
        embedder = FakeEmbedder()
        loaded = False
        cortex = Bench(embedder=embedder, ready=lambda: loaded, wait=False).engine()
        assert cortex.memorize("tea").pending
        answer = cortex.recall("tea")
        assert (found(answer), answer.degraded) == (["tea"], ("dense",))
        assert "loading" in answer.notes[0]
        assert embedder.calls == []
        assert not cortex.health().embedder_ready
        loaded = True
        assert not cortex.memorize("milk").pending
        assert cortex.recall("tea").degraded == ()


class TestSignature:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        """A store whose vectors another model made."""
        path = tmp_path / "memory.db"
        with Cortex(path, embedder=FakeEmbedder(model="old", dim=32)) as cortex:
            cortex.memorize_many(["green tea", "black tea", "milk"])
        return path

    @pytest.mark.parametrize(
        "other",
        [FakeEmbedder(model="new", dim=32), FakeEmbedder(model="old", dim=64), FakeEmbedder(model="old", revision="2")],
        ids=["model", "dim", "revision"],
    )
    def test_a_mismatch_bricks_nothing(self, path: Path, other: Embedder) -> None:
        """Listing, getting, forgetting, writing and recall by words go on; health says what is wrong."""
        with Cortex(path, embedder=other) as cortex:
            assert cortex.count() == 3
            answer = cortex.recall("green tea")
            assert found(answer)[0] == "green tea"
            assert answer.degraded == ("dense",)
            assert "old" in answer.notes[0]
            health = cortex.health()
            assert not health.ok
            assert any("old" in problem for problem in health.problems)
            receipt = cortex.memorize("the aardvark sleeps")
            assert receipt.pending
            assert found(cortex.recall("aardvark")) == ["the aardvark sleeps"]
            cortex.update(kept(receipt.id), content="the zebra sleeps")
            assert found(cortex.recall("zebra")) == ["the zebra sleeps"]
            cortex.forget(kept(receipt.id))
            assert cortex.recall("zebra").hits == ()
            assert cortex.admin.run_jobs().waiting == 0

    def test_the_right_embedder_sets_it_right(self, path: Path) -> None:
        """With the embedder that made the vectors both legs run again; what was written meanwhile is still owed."""
        with Cortex(path, embedder=FakeEmbedder(model="new", dim=32)) as cortex:
            cortex.memorize("the aardvark sleeps")
        with Cortex(path, embedder=FakeEmbedder(model="old", dim=32)) as cortex:
            answer = cortex.recall("green tea")
            assert (answer.degraded, answer.pending) == ((), 1)
            assert answer.hits[0].parts["dense"].rank == 1
            assert cortex.health().ok
