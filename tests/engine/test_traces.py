"""What a cache of embeddings is told: whose texts are in it, and when these are erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from cortex import CachedEmbedder, Cortex
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import Failure, FakeEmbedder, FrozenClock
from tests.engine.support import Bench, kept


@pytest.fixture
def inner() -> FakeEmbedder:
    """The embedder behind the cache."""
    return FakeEmbedder()


@pytest.fixture
def cached(tmp_path: Path, inner: FakeEmbedder) -> Iterator[CachedEmbedder]:
    """A cache in a file."""
    with CachedEmbedder(inner, tmp_path / "cache.db") as embedder:
        yield embedder


@pytest.fixture
def memory(tmp_path: Path, cached: CachedEmbedder) -> Iterator[Cortex]:
    """A Cortex whose embedder is the cache."""
    with Cortex(tmp_path / "memory.db", user="ada", embedder=cached) as cortex:
        yield cortex


def known(cached: CachedEmbedder, *texts: str) -> list[bool]:
    """Whether the cache has each text; it is not asked to embed."""
    from cortex.providers.cache_file import digest

    rows = cached._file.connection.execute("SELECT digest FROM entries").fetchall()
    return [(digest(text),) in rows for text in texts]


def owned(cached: CachedEmbedder) -> set[str]:
    """The ids of the memories that have entries."""
    return {id_ for (id_,) in cached._file.connection.execute("SELECT memory_id FROM owners")}


def test_forgetting_reaches_the_cache(memory: Cortex, cached: CachedEmbedder) -> None:
    """A memory takes its entry along, its earlier versions' too; what another one has stays."""
    first = kept(memory.memorize("tea").id)
    memory.update(first, content="coffee")
    second = kept(memory.memorize("tea", scope="project:x").id)
    assert owned(cached) == {first, second}
    receipt = memory.forget(first)
    assert (receipt.remaining, known(cached, "tea", "coffee")) == ((), [True, False])
    memory.forget(second)
    assert known(cached, "tea") == [False]
    assert owned(cached) == set()


@pytest.mark.parametrize("within", [{}, {"tags": ["x"]}])
def test_forgetting_a_scope_reaches_the_cache(
    memory: Cortex, cached: CachedEmbedder, within: dict[str, list[str]]
) -> None:
    """The whole scope, and what a filter chooses of it; another scope stays."""
    memory.memorize_many([{"content": f"secret {n}", "tags": ["x"], "scope": "project:x"} for n in range(30)])
    memory.memorize("other")
    memory.forget_all("project:x", confirm="project:x", **within)  # type: ignore[arg-type]
    assert known(cached, "secret 1", "secret 29", "other") == [False, False, True]


def test_a_question_has_no_owner(memory: Cortex, cached: CachedEmbedder) -> None:
    """What was only asked stays until the cache is cleared."""
    memory.memorize("tea")
    memory.recall("who drinks?")
    assert known(cached, "tea", "who drinks?") == [True, True]
    cached.clear()
    assert known(cached, "tea", "who drinks?") == [True, False]


def test_owed_vectors_get_their_owner(tmp_path: Path, cached: CachedEmbedder, inner: FakeEmbedder) -> None:
    """A memory whose vectors came by a job has its entry like any other."""
    clock = FrozenClock()
    engine = Bench(store=SQLiteStore(tmp_path / "memory.db"), embedder=cached, clock=clock, traces=cached).engine()
    inner.fail = Failure.RAISE
    pending = kept(engine.memorize("tea").id)
    assert owned(cached) == set()
    inner.fail = None
    clock.tick(timedelta(hours=2))
    assert engine.admin.run_jobs().done == 1
    assert owned(cached) == {pending}
    engine.close()


def test_reindexing_gives_owners(tmp_path: Path, cached: CachedEmbedder) -> None:
    """Vectors of a new model are the memories' like those of the old one."""
    with Cortex(tmp_path / "old.db", embedder=FakeEmbedder(dim=8)) as old:
        first = kept(old.memorize("tea").id)
    with Cortex(tmp_path / "old.db", embedder=cached) as new:
        new.admin.reindex()
        assert owned(cached) == {first}
        new.forget(first)
    assert known(cached, "tea") == [False]


def test_an_import_that_overwrites_erases_what_was_there(
    memory: Cortex, cached: CachedEmbedder, tmp_path: Path
) -> None:
    """The text that an import replaces is gone from the cache."""
    first = kept(memory.memorize("tea").id)
    memory.admin.export_memories(tmp_path / "all.jsonl")
    memory.update(first, content="coffee")
    memory.admin.import_memories(tmp_path / "all.jsonl", on_conflict="overwrite")
    assert known(cached, "coffee") == [False]


def test_a_duplicate_has_one_owner(memory: Cortex, cached: CachedEmbedder) -> None:
    """Equal texts of one list are one memory, and it alone has the entry."""
    ids = {receipt.id for receipt in memory.memorize_many(["tea", "tea", {"content": "tea"}])}
    assert owned(cached) == ids
    assert len(ids) == 1


def test_a_cache_that_is_in_use_is_named(memory: Cortex, cached: CachedEmbedder) -> None:
    """The receipt names the file that may still hold something."""
    first = kept(memory.memorize("tea").id)
    cached.close()
    assert memory.forget(first).remaining == (str(cached.path),)


def test_the_usual_embedder_costs_nothing(tmp_path: Path) -> None:
    """Nobody is told, and a write has as many statements with traces as without."""
    store = SQLiteStore(tmp_path / "memory.db")
    engine = Bench(store=store).engine()
    assert engine._deps.traces is None
    first = kept(engine.memorize("tea").id)
    statements: list[str] = []
    store._connections._writer.set_trace_callback(statements.append)
    engine.memorize("coffee")
    plain = len(statements)
    engine.forget(first)
    engine.close()
    told = SQLiteStore(tmp_path / "told.db")
    other = Bench(store=told, traces=Counting()).engine()
    other.memorize("tea")
    statements.clear()
    told._connections._writer.set_trace_callback(statements.append)
    other.memorize("coffee")
    assert len(statements) == plain
    other.close()


class Counting:
    """Traces that count what they are told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._plain = FakeEmbedder()
        self.signature = self._plain.signature
        self.embed = self._plain.embed

    def own(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Count."""
        self.told.append("own")

    def disown(self, texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """Count."""
        self.told.append("disown")
        return ()


def test_an_erasure_is_told_before_its_commit_and_after(tmp_path: Path) -> None:
    """A process that dies in between leaves nothing in the cache."""
    told = Counting()
    with Cortex(":memory:", embedder=told) as cortex:
        cortex.forget(kept(cortex.memorize("tea").id))
    assert told.told == ["own", "disown", "disown"]


class Meanwhile(CachedEmbedder):
    """A cache beside which something happens just before it is told whose texts are in it."""

    before_own: Callable[[], object] | None = None

    def own(self, texts: Mapping[str, Sequence[str]]) -> None:
        """First what happens, once."""
        happens, self.before_own = self.before_own, None
        if happens is not None:
            happens()
        super().own(texts)


def test_what_is_erased_before_it_is_noted_leaves_nothing(tmp_path: Path, inner: FakeEmbedder) -> None:
    """A memory may be forgotten between its commit and the note in the cache."""
    with (
        Meanwhile(inner, tmp_path / "cache.db") as cached,
        Cortex(tmp_path / "memory.db", user="ada", embedder=cached) as memory,
        Cortex(tmp_path / "memory.db", user="ada", embedder=FakeEmbedder()) as other,
    ):
        cached.before_own = lambda: other.forget(other.list_memories().memories[0].id)
        memory.memorize("tea")
        assert memory.count() == 0
        assert owned(cached) == set()
        assert known(cached, "tea") == [False]


class Late(CachedEmbedder):
    """A cache beside which another process keeps something just before a commit that erases."""

    before_disown: Callable[[], object] | None = None

    def disown(self, texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """First what happens, once."""
        happens, self.before_disown = self.before_disown, None
        if happens is not None:
            happens()
        return super().disown(texts)


def test_a_scope_is_erased_with_what_came_late(tmp_path: Path, inner: FakeEmbedder) -> None:
    """What others keep while the scope is being erased goes with it, in the cache too."""
    with (
        Late(inner, tmp_path / "cache.db") as cached,
        Cortex(tmp_path / "memory.db", user="ada", embedder=cached) as memory,
        CachedEmbedder(inner, tmp_path / "cache.db") as shared,
        Cortex(tmp_path / "memory.db", user="ada", embedder=shared) as other,
    ):
        memory.memorize("tea")
        cached.before_disown = lambda: other.memorize("late")
        memory.forget_all("user:ada", confirm="user:ada")
        assert memory.count() == 0
        assert owned(cached) == set()
        assert known(cached, "tea", "late") == [False, False]


def test_a_repeated_erasure_tells_what_is_left(tmp_path: Path, memory: Cortex, cached: CachedEmbedder) -> None:
    """Under the same key the receipt still names the cache that could not be reached, until it could."""
    from cortex.stores.sqlite.driver import sqlite3

    first = kept(memory.memorize("tea").id)
    cached._file.connection.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(tmp_path / "cache.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for _ in range(2):
        assert memory.forget(first, idempotency_key="k").remaining == (str(tmp_path / "cache.db"),)
    other.execute("ROLLBACK")
    other.close()
    assert memory.forget(first, idempotency_key="k").remaining == ()
    assert known(cached, "tea") == [False]
