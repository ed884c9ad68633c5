"""Changing the embedder of a store that is in use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cortex import Cortex, EmbedResult
from cortex.errors import EmbedderError, InvalidInput, StoreError
from cortex.testing import Failure, FakeEmbedder

MANY = 300


class DiesAfter(FakeEmbedder):
    """Embeds so many texts, then fails."""

    def __init__(self, texts: int, dim: int) -> None:
        super().__init__(dim=dim)
        self.left = texts

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """As the fake does, while it lasts."""
        self.left -= len(texts)
        if self.left < 0:
            raise RuntimeError("killed")
        return super().embed(texts)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with many memories in two scopes, of 64 dimensions."""
    with Cortex(tmp_path / "memory.db", embedder=FakeEmbedder(dim=64)) as cortex:
        cortex.memorize_many({"content": f"note {i}", "scope": f"user:{'ab'[i % 2]}"} for i in range(MANY))
    return tmp_path / "memory.db"


def opened(path: Path, dim: int) -> Cortex:
    """The store, with an embedder of that dimension."""
    return Cortex(path, user="a", embedder=FakeEmbedder(dim=dim))


def legs(cortex: Cortex) -> tuple[str, ...]:
    """Which legs answer."""
    answer = cortex.recall("note 8")
    assert answer.hits[0].memory.content == "note 8"
    return answer.legs


def test_another_dimension_is_switched_to_at_once(path: Path) -> None:
    """Until it is done recall goes by words and says so; then by the new vectors, with every id and date."""
    with opened(path, 32) as cortex:
        before = {m.id: (m.created_at, m.version) for m in cortex.list_memories(limit=1000, scope="user:a").memories}
        assert legs(cortex) == ("lexical",)
        seen: list[tuple[int, int]] = []
        done = cortex.admin.reindex(report=lambda done, total: seen.append((done, total)))
        assert (done.made, done.missing, done.switched) == (MANY, 0, True)
        assert seen[-1] == (MANY, MANY)
        assert legs(cortex) == ("dense", "lexical")
        after = {m.id: (m.created_at, m.version) for m in cortex.list_memories(limit=1000, scope="user:a").memories}
        assert after == before
        assert cortex.health().ok


def test_the_same_as_made_anew(path: Path, tmp_path: Path) -> None:
    """Hits and scores after the switch are those of a store that never knew another model."""
    with opened(path, 32) as cortex, opened(tmp_path / "fresh.db", 32) as fresh:
        cortex.admin.reindex()
        fresh.memorize_many({"content": f"note {i}", "scope": f"user:{'ab'[i % 2]}"} for i in range(MANY))
        for question in ("note 8", "something else", "note 17 and 18"):
            ours, theirs = cortex.recall(question, limit=20), fresh.recall(question, limit=20)
            assert [(h.memory.content, h.score) for h in ours.hits] == [
                (h.memory.content, h.score) for h in theirs.hits
            ]


def test_a_dry_run_changes_nothing(path: Path) -> None:
    """It tells how many vectors are missing."""
    with opened(path, 32) as cortex:
        plan = cortex.admin.reindex(dry_run=True)
        assert (plan.made, plan.missing, plan.switched) == (0, MANY, False)
        assert legs(cortex) == ("lexical",)


def test_broken_off_it_goes_on(path: Path) -> None:
    """What was made before the end is kept, and the next run makes the rest only."""
    with (
        Cortex(path, user="a", embedder=DiesAfter(150, 32)) as cortex,
        pytest.raises(EmbedderError, match="go on"),
    ):
        cortex.admin.reindex()
    with opened(path, 64) as old:
        assert legs(old) == ("dense", "lexical")
    with opened(path, 32) as cortex:
        assert cortex.admin.reindex().made == MANY - 128
        assert legs(cortex) == ("dense", "lexical")


def test_scope_by_scope(path: Path) -> None:
    """With only or skip the switch waits for the rest."""
    with opened(path, 32) as cortex:
        first = cortex.admin.reindex(only="user:a")
        assert (first.made, first.missing, first.switched) == (MANY // 2, MANY // 2, False)
        assert cortex.admin.reindex(skip="user:b").switched is False
        assert cortex.admin.reindex().switched
        with pytest.raises(InvalidInput, match="user:nobody"):
            cortex.admin.reindex(only="user:nobody")


def test_going_back(path: Path) -> None:
    """The old vectors are still there to go back to; what was written since is made up for by jobs."""
    with opened(path, 32) as cortex:
        cortex.admin.reindex()
        cortex.memorize("note written since")
    with opened(path, 64) as old:
        assert legs(old) == ("lexical",)
        back = old.admin.roll_back()
        assert (back.missing, back.switched) == (1, True)
        assert legs(old) == ("dense", "lexical")
        assert old.health().warnings == ("1 memories wait for their vectors; run: cortex worker --once",)
        assert old.admin.run_jobs().done == 1
        assert old.recall("note written since").hits[0].parts.keys() == {"dense", "lexical"}
    with opened(path, 16) as never, pytest.raises(StoreError, match="no vectors"):
        never.admin.roll_back()


class Meanwhile(FakeEmbedder):
    """While it embeds what is written, something else happens, once."""

    act: Callable[[], object] | None = None

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """As the fake does, when the other thing has been done."""
        act, self.act = self.act, None
        if act is not None:
            act()
        return super().embed(texts)


@pytest.mark.parametrize("verb", ["memorize", "memorize again", "update"])
def test_a_switch_in_the_middle_of_a_write(path: Path, verb: str) -> None:
    """The receipt, and the one that its key is answered with, tell that the vectors are owed; a job makes them."""
    embedder = Meanwhile(dim=64)
    with Cortex(path, user="a", embedder=embedder) as old, opened(path, 32) as new:
        id_ = old.recall("note 8", limit=1).hits[0].memory.id
        embedder.act = new.admin.reindex
        for _ in range(2):
            if verb == "update":
                receipt = old.update(id_, content="written meanwhile", idempotency_key="k")
            else:
                key = "k" if verb == "memorize again" else None
                receipt = old.memorize("written meanwhile", idempotency_key=key)
            assert receipt.pending
        assert new.admin.run_jobs().done == 1
        assert new.recall("written meanwhile").hits[0].parts.keys() == {"dense", "lexical"}


@pytest.mark.parametrize("how", ["reindex", "restore"])
def test_recall_tells_at_once_of_another_model(path: Path, tmp_path: Path, how: str) -> None:
    """In scopes that were asked before and in others, in the past too; after a switch and after a restore."""
    with opened(path, 32) as new, opened(path, 64) as old:
        new.admin.reindex()
        new.admin.backup(tmp_path / "new.db")
        old.admin.roll_back()
        assert not old.recall("note 8").degraded
        if how == "reindex":
            new.admin.reindex()
        else:
            new.admin.restore(tmp_path / "new.db")
        for scope, as_of in (("user:b", None), ("user:nobody", None), ("user:a", "2999-01-01"), ("user:a", None)):
            assert old.recall("note 8", scope=scope, as_of=as_of).degraded == ("dense",)
        assert not new.recall("note 8").degraded
        assert old.memorize("written after it").pending
        assert new.admin.run_jobs().done == 1


def test_the_past_says_what_it_lost(tmp_path: Path) -> None:
    """Versions keep the vectors of their time: with another model they are found by words, which is said, not owed."""
    path = tmp_path / "past.db"
    with opened(path, 64) as old:
        one, two = (str(old.memorize(text).id) for text in ("green tea", "cold milk"))
        old.memorize("warm bread")
        before = max(memory.updated_at for memory in old.list_memories().memories)
        old.update(one, content="black coffee")
        past = old.recall("green tea", as_of=before)
        assert (past.pending, past.notes, past.degraded) == (0, (), ())
    with opened(path, 32) as new:
        assert new.admin.reindex().switched
        past = new.recall("green tea", as_of=before)
        assert past.hits[0].memory.content == "green tea"
        assert past.hits[0].parts.keys() == {"lexical"}
        assert (past.pending, past.degraded, past.legs) == (0, (), ("dense", "lexical"))
        assert len(past.notes) == 1
        assert past.notes[0].startswith("1 memory is found by words only")
        now = new.recall("black coffee")
        assert (now.pending, now.notes) == (0, ())
        new.update(two, content="hot milk")
        assert new.recall("milk", as_of=before).notes[0].startswith("1 memory is")


def test_a_version_that_never_had_vectors_is_not_owed_any() -> None:
    """A memory that was changed while its vectors were owed: what it said before is not pending, what it says is."""
    embedder = FakeEmbedder()
    with Cortex(":memory:", embedder=embedder) as cortex:
        embedder.fail = Failure.RAISE
        one = str(cortex.memorize("green tea").id)
        (memory,) = cortex.list_memories().memories
        cortex.update(one, content="black coffee")
        embedder.fail = None
        past, now = cortex.recall("tea", as_of=memory.updated_at), cortex.recall("coffee")
        assert (past.pending, len(past.notes)) == (0, 1)
        assert (now.pending, now.notes) == (1, ())


@pytest.mark.slow
def test_readers_never_fail_meanwhile(path: Path) -> None:
    """Four readers with the old model and the new one recall all the while; every answer has its hit."""
    stop = threading.Event()
    failures: list[BaseException] = []
    answers = [0]

    def read(dim: int) -> None:
        try:
            with opened(path, dim) as reader:
                while not stop.is_set():
                    legs(reader)
                    answers[0] += 1
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test must fail with it
            failures.append(error)

    readers = [threading.Thread(target=read, args=(dim,)) for dim in (64, 64, 32, 32)]
    for reader in readers:
        reader.start()
    with opened(path, 32) as cortex, opened(path, 64) as old:
        for round_ in range(3):
            old.memorize_many([f"more {round_} {i}" for i in range(50)])
            assert cortex.admin.reindex().switched
            assert old.admin.roll_back().switched
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert answers[0] > 20
