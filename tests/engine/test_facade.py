"""What holds for all verbs: names, refusals, health, the end, no network, the async face."""

from __future__ import annotations

import asyncio
import inspect
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from cortex import AsyncCortex, Cortex
from cortex.errors import ConfigurationError, InvalidInput, StoreClosed, StoreError
from cortex.model.job import Job
from cortex.stores.ephemeral.doors import EphemeralJobs
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.ephemeral.tables import Shared
from cortex.testing import Failure, FakeEmbedder
from tests.engine.support import Bench, by_words, found, kept

VERBS = sorted(name for name in dir(Cortex) if not name.startswith("_") and callable(getattr(Cortex, name)))
ID = "0123456789abcdef" * 2


class TestNames:
    @pytest.mark.parametrize(
        ("call", "hint"),
        [
            (lambda c: c.memorize("x", tagz=["a"]), "tags"),
            (lambda c: c.memorize("x", speakr="a"), "speaker"),
            (lambda c: c.memorize("x", user_id="a"), "scope"),
            (lambda c: c.memorize("x", memory_type="fact"), "kind"),
            (lambda c: c.recall("x", k=3), "limit"),
            (lambda c: c.recall("x", top_k=3), "limit"),
            (lambda c: c.recall("x", kind="fact"), "kinds"),
            (lambda c: c.list_memories(sort="newest"), None),
            (lambda c: c.list_memories(limits=3), "limit"),
            (lambda c: c.timeline(from_="2020-01-01"), None),
            (lambda c: c.timeline(start="2020-01-01"), None),
            (lambda c: c.count(status="active"), "statuses"),
            (lambda c: c.update(ID, text="x"), "content"),
        ],
        ids=range(13),
    )
    def test_an_unknown_keyword_is_refused(self, cortex: Cortex, call: Any, hint: str | None) -> None:
        """A keyword that a verb does not have is an error that names the closest one."""
        cortex.memorize("x")
        with pytest.raises(InvalidInput, match="unknown argument") as caught:
            call(cortex)
        if hint is not None:
            assert f"did you mean '{hint}'" in str(caught.value)

    def test_a_missing_argument_is_a_type_error(self, cortex: Cortex) -> None:
        """A required argument that is not given is reported as Python does."""
        calls: list[Any] = [cortex.memorize, cortex.recall, cortex.get, cortex.forget, cortex.update]
        for call in calls:
            with pytest.raises(TypeError):
                call()

    def test_help_shows_every_keyword(self) -> None:
        """The signature of a verb lists the keywords it takes."""
        assert {"tags", "scope", "idempotency_key"} <= set(inspect.signature(Cortex.memorize).parameters)
        assert {"limit", "explain", "metadata"} <= set(inspect.signature(Cortex.recall).parameters)


TEXTS: dict[str, str] = {
    "half": "x \ud800",
    "other half": "\udfff",
    "nul": "x\0y",
    "empty": "",
    "blank": " \n\t",
    "invisible": "\u200b\u2060",
    "too long": "x" * 1_000_001,
}


class TestTexts:
    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    def test_what_cannot_be_kept_is_refused_everywhere(self, cortex: Cortex, text: str) -> None:
        """Half characters, NUL, blanks and too much are errors in content, query, tags and names alike."""
        calls = (
            lambda: cortex.memorize(text),
            lambda: cortex.recall(text),
            lambda: cortex.memorize("x", tags=[text]),
            lambda: cortex.memorize("x", speaker=text),
            lambda: cortex.memorize("x", session=text),
            lambda: cortex.memorize("x", agent=text),
            lambda: cortex.memorize("x", idempotency_key=text),
            lambda: cortex.recall("x", tags=[text]),
            lambda: cortex.recall("x", session=text),
            lambda: cortex.recall("x", author=text),
            lambda: cortex.list_memories(speaker=text),
        )
        for call in calls:
            with pytest.raises(InvalidInput):
                call()
        assert cortex.count() == 0

    @pytest.mark.parametrize("text", [TEXTS["half"], TEXTS["nul"], TEXTS["too long"]], ids=["half", "nul", "long"])
    def test_metadata_too(self, cortex: Cortex, text: str) -> None:
        """Metadata and source are checked at every depth, keys included."""
        for value in ({"k": text}, {text: 1}, {"k": [{"l": text}]}):
            for call in (
                lambda v: cortex.memorize("x", metadata=v),
                lambda v: cortex.memorize("x", source=v),
                lambda v: cortex.recall("x", metadata=v),
            ):
                with pytest.raises(InvalidInput):
                    call(value)

    @pytest.mark.parametrize(
        "value",
        [
            [1],
            "x",
            {"k": {1, 2}},
            {"k": b"x"},
            {"k": float("inf")},
            {1: "x"},
            {"k": "x" * 70_000},
            {"k": 10**5000},
        ],
        ids=range(8),
    )
    def test_metadata_is_a_json_object(self, cortex: Cortex, value: Any) -> None:
        """What JSON cannot say is refused with the field's name."""
        with pytest.raises(InvalidInput, match="metadata"):
            cortex.memorize("x", metadata=value)

    def test_deep_metadata_is_refused(self, cortex: Cortex) -> None:
        """A nesting without end is an error, not a crash."""
        deep: Any = {}
        for _ in range(5000):
            deep = {"k": deep}
        with pytest.raises(InvalidInput, match="levels"):
            cortex.memorize("x", metadata=deep)

    def test_the_longest_text_is_kept(self, cortex: Cortex) -> None:
        """A million characters are allowed."""
        receipt = cortex.memorize("word " * 200_000)
        assert (receipt.content_chars, receipt.embedded_chars) == (1_000_000, 20_000)

    @pytest.mark.parametrize(
        "text", ["%", "_", "*", '"', "'", "a AND b", "NEAR(", "--", "; DROP TABLE memories", "\\", "🧡"]
    )
    def test_a_query_is_a_text(self, cortex: Cortex, text: str) -> None:
        """No sign means anything to the search."""
        cortex.memorize(text)
        assert cortex.recall(text).hits[0].memory.content == text

    @pytest.mark.parametrize("wrong", [None, 5, b"x", ["x"], {"content": "x"}], ids=repr)
    def test_what_is_no_text_is_refused(self, cortex: Cortex, wrong: Any) -> None:
        """Content and query are text."""
        with pytest.raises(InvalidInput):
            cortex.memorize(wrong)
        with pytest.raises(InvalidInput):
            cortex.recall(wrong)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"kind": "opinion"}, {"tier": "x"}, {"role": "x"}, {"clearance_min": "x"}, {"clearance_min": 4},
            {"clearance_min": True}, {"importance": 0}, {"importance": 11}, {"importance": 5.0}, {"importance": "5"},
            {"confidence": -0.1}, {"confidence": "1"}, {"confidence": float("nan")}, {"position": -1},
            {"position": 2**63}, {"position": True}, {"tags": [1]}, {"tags": ["t" * 101]},
            {"tags": [str(i) for i in range(13)]}, {"event_time": "soon"}, {"scope": "nowhere"}, {"speaker": "x" * 201},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_wrong_value_is_refused(self, cortex: Cortex, wrong: dict[str, Any]) -> None:
        """An impossible value is an error that names its field, and nothing is kept."""
        with pytest.raises(InvalidInput) as caught:
            cortex.memorize("x", **wrong)
        assert next(iter(wrong)) in str(caught.value)
        assert cortex.count() == 0


class TestStatus:
    def test_health_of_a_good_store(self, cortex: Cortex) -> None:
        """A store that works says so, with its facts."""
        cortex.memorize("tea")
        health = cortex.health()
        assert (health.ok, health.problems, health.embedder_ready) == (True, (), True)
        assert (health.store.memories, health.store.pending, health.store.backend) == (1, 0, "sqlite")
        assert health.store.signature == health.embedder

    def test_health_says_what_is_owed(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """Owed vectors are a warning with its remedy, not a problem."""
        embedder.fail = Failure.RAISE
        cortex.memorize("tea")
        health = cortex.health()
        assert health.ok
        assert any("worker" in warning for warning in health.warnings)

    def test_stats(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """Counts by scope, kind, tier and status add up; the search cache is measured."""
        cortex.memorize_many(["a", {"content": "b", "kind": "event"}, {"content": "c", "scope": "project:x"}])
        embedder.fail = Failure.RAISE
        cortex.memorize("d", tier="working")
        cortex.recall("a")
        stats = cortex.stats()
        assert (stats.memories, stats.pending) == (4, 1)
        assert stats.scopes == {"user:ada": 3, "project:x": 1}
        assert stats.kinds == {"fact": 3, "event": 1}
        assert stats.tiers == {"long_term": 3, "working": 1}
        assert stats.statuses == {"active": 4}
        assert stats.store_bytes > 0
        assert stats.cache_bytes > 0

    def test_an_empty_store(self, cortex: Cortex) -> None:
        """Nothing is nothing, at every verb."""
        assert cortex.recall("x").hits == ()
        assert cortex.count() == cortex.stats().memories == cortex.list_memories().total == cortex.timeline().total == 0
        assert cortex.health().ok


def every_verb(cortex: Cortex) -> None:
    """Use each verb once."""
    receipt = cortex.memorize("tea", event_time="2023-05-08")
    cortex.memorize_many(["milk"])
    cortex.recall("tea", explain=True)
    cortex.get(kept(receipt.id))
    cortex.list_memories()
    cortex.timeline()
    cortex.count()
    cortex.update(kept(receipt.id), content="green tea")
    cortex.forget(kept(receipt.id))
    cortex.health()
    cortex.stats()
    cortex.admin.run_jobs()


class TestOffline:
    def test_no_verb_opens_a_socket(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Everything works where no socket can be made and no name looked up."""

        def refuse(*_args: object, **_options: object) -> None:
            raise AssertionError("a socket was asked for")

        for name in ("socket", "create_connection", "getaddrinfo", "socketpair"):
            monkeypatch.setattr(socket, name, refuse)
        with Cortex(tmp_path / "memory.db", embedder=FakeEmbedder()) as cortex:
            every_verb(cortex)


class TestEnd:
    @pytest.mark.parametrize(
        "call",
        [
            lambda c: c.memorize("x"),
            lambda c: c.memorize_many(["x"]),
            lambda c: c.recall("x"),
            lambda c: c.get(ID),
            lambda c: c.list_memories(),
            lambda c: c.timeline(),
            lambda c: c.count(),
            lambda c: c.update(ID, importance=1),
            lambda c: c.forget(ID),
            lambda c: c.health(),
            lambda c: c.stats(),
            lambda c: c.admin.run_jobs(),
        ],
        ids=range(12),
    )
    @pytest.mark.parametrize("place", [":memory:", "file"])
    def test_a_closed_cortex_says_so(self, tmp_path: Path, call: Any, place: str) -> None:
        """Every verb after close() raises StoreClosed."""
        cortex = Cortex(place if place == ":memory:" else tmp_path / "m.db", embedder=FakeEmbedder())
        cortex.memorize("x")
        cortex.close()
        with pytest.raises(StoreClosed):
            call(cortex)

    def test_closing_twice_is_allowed(self, cortex: Cortex) -> None:
        """The second close() does nothing, and the with statement may come after it."""
        cortex.close()
        cortex.close()

    def test_an_error_inside_closes_too(self, tmp_path: Path) -> None:
        """The with statement closes the store when its body raises, and lets the error through."""
        with pytest.raises(KeyError), Cortex(tmp_path / "m.db", embedder=FakeEmbedder()) as cortex:
            raise KeyError("x")
        with pytest.raises(StoreClosed):
            cortex.count()

    def test_a_failure_while_closing_closes_all_the_same(self) -> None:
        """If what is owed cannot be done because the store fails, the store is released nevertheless."""

        class Failing(EphemeralJobs):
            """A queue that cannot say which jobs are due."""

            def lease(self, owner: str, now: datetime, until: datetime, limit: int) -> list[Job]:
                """Fail."""
                raise StoreError("the disk is gone")

        store = EphemeralStore()
        store.jobs = Failing(Shared())
        bench = Bench(store=store)
        cortex = bench.engine()
        with pytest.raises(StoreError):
            cortex.close()
        with pytest.raises(StoreClosed):
            bench.store.info()


class TestOpening:
    @pytest.mark.parametrize("user", ["", " ", "a\n", "x" * 201, 5], ids=repr)
    def test_a_wrong_user_is_refused(self, user: Any) -> None:
        """A user is a name of 1 to 200 printable characters."""
        with pytest.raises(InvalidInput):
            Cortex(":memory:", user=user, embedder=FakeEmbedder())

    def test_places(self, tmp_path: Path) -> None:
        """A path, its text and its URL are the same store; an unknown scheme is refused."""
        path = tmp_path / "memory.db"
        for place in (path, str(path), f"sqlite:///{path}"):
            with Cortex(place, embedder=FakeEmbedder()) as cortex:
                cortex.memorize("tea")
                assert cortex.count() == 1
        with Cortex("sqlite:///:memory:", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 0
        with pytest.raises(ConfigurationError, match="mysql"):
            Cortex("mysql://host/db", embedder=FakeEmbedder())


class TestThreads:
    def test_threads_share_one_cortex(self, tmp_path: Path) -> None:
        """Eight threads that write and recall at once lose nothing and always find what they wrote."""
        with Cortex(tmp_path / "memory.db", embedder=FakeEmbedder()) as cortex:

            def work(thread: int) -> None:
                for i in range(10):
                    word = f"quark{'abcdefgh'[thread]}{'klmnopqrst'[i]}"
                    receipt = cortex.memorize(f"the {word} spins")
                    assert by_words(cortex.recall(word, limit=1000)) == {f"the {word} spins"}
                    if i % 5 == 4:
                        cortex.forget(kept(receipt.id))

            with ThreadPoolExecutor(8) as pool:
                list(pool.map(work, range(8)))
            assert cortex.count() == 64
            assert len(cortex.recall("anything", limit=1000).hits) == 64


class TestAsync:
    def test_it_has_the_same_verbs(self) -> None:
        """AsyncCortex has every method of Cortex with the same parameters and documentation."""
        for name in VERBS:
            blocking, awaited = getattr(Cortex, name), getattr(AsyncCortex, name)
            assert inspect.signature(awaited) == inspect.signature(blocking), name
            assert inspect.getdoc(awaited) == inspect.getdoc(blocking)
            assert inspect.iscoroutinefunction(awaited)
        assert inspect.signature(AsyncCortex) == inspect.signature(Cortex)
        own = {name for name in dir(AsyncCortex) if not name.startswith("_")}
        assert own == set(VERBS)

    def test_it_works(self, tmp_path: Path) -> None:
        """Each verb can be awaited, many at once, and errors come through."""
        misspelt: dict[str, Any] = {"tagz": ["a"]}

        async def use() -> None:
            async with AsyncCortex(tmp_path / "m.db", user="ada", embedder=FakeEmbedder()) as cortex:
                receipts = await asyncio.gather(*(cortex.memorize(f"tea {i}") for i in range(20)))
                assert len({receipt.id for receipt in receipts}) == 20
                await cortex.memorize_many(["milk"])
                assert found(await cortex.recall("milk", limit=1)) == ["milk"]
                first = kept(receipts[0].id)
                assert (await cortex.update(first, content="green tea")).version == 2
                memory = await cortex.get(first)
                assert memory is not None
                assert memory.content == "green tea"
                await cortex.forget(first)
                assert await cortex.count() == 20
                assert (await cortex.list_memories(limit=3)).total == 20
                assert (await cortex.timeline()).total == 0
                assert (await cortex.health()).ok
                assert (await cortex.stats()).memories == 20
                assert (await cortex.admin.run_jobs()).done == 0
                with pytest.raises(InvalidInput, match="did you mean 'tags'"):
                    await cortex.memorize("x", **misspelt)
            with pytest.raises(StoreClosed):
                await cortex.count()

        asyncio.run(use())

    def test_the_loop_is_not_blocked(self) -> None:
        """While a verb waits for the embedder the event loop goes on."""

        async def use() -> int:
            ticks = 0
            running = True

            async def tick() -> None:
                nonlocal ticks
                while running:
                    ticks += 1
                    await asyncio.sleep(0)

            async with AsyncCortex(":memory:", embedder=FakeEmbedder()) as cortex:
                ticking = asyncio.create_task(tick())
                await cortex.memorize_many(f"number {i}" for i in range(300))
                running = False
                await ticking
            return ticks

        assert asyncio.run(use()) > 3
