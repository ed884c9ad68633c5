"""Generations that are kept: asked for once, in the file of the embeddings, gone with the memories they tell of."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

import pytest

from cortex import CachedEmbedder, Cortex, GenResult
from cortex.errors import ForeignStore, InvalidInput, ProviderError, ProviderUnavailable
from cortex.ports import LLMProvider, TextTraces
from cortex.providers.metered import Meter, MeteredProvider, TokenPrices
from cortex.providers.remembered import CachedProvider
from cortex.stores.sqlite.driver import sqlite3 as driver
from cortex.testing import FakeEmbedder, FakeProvider, LLMProviderContract

ADA, BEN = "a" * 32, "b" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a cache will be."""
    return tmp_path / "cache" / "models.db"


def data(path: Path) -> bytes:
    """Every byte of the cache and its side files."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))


class TestCached(LLMProviderContract):
    """It is a provider like another."""

    @pytest.fixture
    def provider(self, path: Path) -> LLMProvider:
        return CachedProvider(FakeProvider(), path)


class TestMetered(LLMProviderContract):
    """It is a provider like another."""

    @pytest.fixture
    def provider(self) -> LLMProvider:
        return MeteredProvider(FakeProvider(), Meter())


def test_nothing_is_asked_twice(path: Path) -> None:
    """The same question has the same answer, in another process too, and costs nothing; another is another."""
    with CachedProvider(inner := FakeProvider(), path) as cached:
        first = cached.generate("which tea?")
        again = cached.generate("which tea?", temperature=0)
        assert (first.text, first.truncated, first.model) == (again.text, again.truncated, again.model)
        assert first.output_tokens > 0
        assert (again.input_tokens, again.output_tokens) == (0, 0)
        cached.generate("which tea?", temperature=0.5)
        cut = cached.generate("which tea?", max_output_tokens=1)
        assert cached.generate("which tea?", max_output_tokens=1).truncated is cut.truncated is True
        assert len(inner.prompts) == 3
    with CachedProvider(second := FakeProvider(), path) as cached:
        assert cached.generate("which tea?").text == first.text
        assert second.prompts == []
    with CachedProvider(other := FakeProvider(model="other"), path) as cached:
        cached.generate("which tea?")
        assert len(other.prompts) == 1


def test_a_failure_is_not_kept(path: Path) -> None:
    """It is tried again."""
    with CachedProvider(FakeProvider([ProviderUnavailable("busy"), "tea"]), path) as cached:
        with pytest.raises(ProviderUnavailable):
            cached.generate("which?")
        assert cached.generate("which?").text == "tea"


def test_it_goes_with_any_memory_it_is_about(path: Path) -> None:
    """An answer about two memories goes with the first that is erased, and not a byte of it is left."""
    with CachedProvider(FakeProvider(lambda prompt: f"unmistakable {prompt}"), path) as cached:
        cached.about(ADA, BEN).generate("both")
        cached.about(BEN).generate("bens")
        assert b"unmistakable both" in data(path)
        assert cached.disown({ADA: ["text"]}) == ()
        assert b"unmistakable both" not in data(path)
        assert b"unmistakable bens" in data(path)
        assert cached.disown({BEN: []}) == ()
        assert b"unmistakable" not in data(path)
        owners = cached._file.connection.execute("SELECT count(*) FROM generation_owners").fetchone()
        assert owners == (0,)


def test_what_nobody_owns_goes_with_any_erasure(path: Path) -> None:
    """Nobody can tell whether it repeats what is erased; an erasure of nothing erases nothing."""
    with CachedProvider(FakeProvider(lambda _: "unmistakable"), path) as cached:
        cached.generate("a question")
        cached.disown({})
        assert b"unmistakable" in data(path)
        cached.disown({ADA: ["text"]})
        assert b"unmistakable" not in data(path)


def test_who_asks_again_owns_it_too(path: Path) -> None:
    """An answer from the cache is owned by those it is about now."""
    with CachedProvider(FakeProvider(lambda _: "unmistakable"), path) as cached:
        cached.about(ADA).generate("both")
        cached.about(BEN).generate("both")
        cached.disown({BEN: []})
        assert b"unmistakable" not in data(path)


def test_one_file_serves_both_caches(path: Path) -> None:
    """Through the engine, an erasure reaches vectors and generations; each cache is told, and the receipt is whole."""
    cached = CachedEmbedder(inner := FakeEmbedder(), path)
    model = CachedProvider(FakeProvider(lambda _: "Ada likes unmistakable tea"), path)
    with Cortex(path.parent / "memory.db", embedder=cached, llm=model) as cortex:
        kept = cortex.memorize("Ada prefers tea")
        other = cortex.memorize("Ben prefers coffee")
        assert kept.id
        assert other.id
        model.about(kept.id).generate("what of Ada?")
        model.about(other.id).generate("what of Ben?")
        asked = len(inner.calls)
        receipt = cortex.forget(kept.id)
        assert receipt.remaining == ()
        rows = cached._file.connection.execute("SELECT memory_id FROM generation_owners").fetchall()
        assert rows == [(other.id,)]
        cortex.memorize("Ben prefers coffee", scope="project:x")
        assert len(inner.calls) == asked
    model.close()
    cached.close()


def test_the_engine_tells_a_cache_of_generations_alone(path: Path) -> None:
    """With an embedder that keeps nothing, too."""
    with (
        CachedProvider(FakeProvider(lambda _: "unmistakable"), path) as model,
        Cortex(":memory:", embedder=FakeEmbedder(), llm=model) as cortex,
    ):
        assert isinstance(model, TextTraces)
        kept = cortex.memorize("Ada prefers tea")
        assert kept.id
        model.about(kept.id).generate("what of Ada?")
        cortex.forget(kept.id)
        assert b"unmistakable" not in data(path)


def test_an_erasure_that_could_not_be_done_is_made_good(path: Path) -> None:
    """While another writes to the file it is noted; the next opening erases."""
    with CachedProvider(FakeProvider(lambda _: "unmistakable"), path) as cached:
        cached._file.connection.execute("PRAGMA busy_timeout = 50")
        cached.about(ADA).generate("what of Ada?")
        other = driver.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert cached.disown({ADA: []}) == (str(path),)
        other.execute("ROLLBACK")
        other.close()
    CachedProvider(FakeProvider(), path).close()
    assert b"unmistakable" not in data(path)


def test_a_file_of_before_is_taken(path: Path) -> None:
    """A cache that was made before there were generations gets their tables."""
    with CachedEmbedder(FakeEmbedder(), path) as cached:
        cached.embed(["tea"])
        for table in ("generations", "generation_owners"):
            cached._file.connection.execute(f"DROP TABLE {table}")
    with CachedProvider(FakeProvider(), path) as model:
        assert model.generate("hello").text
    with CachedEmbedder(inner := FakeEmbedder(), path) as cached:
        cached.embed(["tea"])
        assert inner.calls == []


def test_clear_removes_what_no_memory_has(path: Path) -> None:
    """What memories own stays, unless all is to go."""
    with CachedProvider(FakeProvider(), path) as cached:
        cached.generate("nobody's")
        cached.about(ADA).generate("Ada's")
        assert cached.clear() == 1
        assert cached.generate("Ada's").input_tokens == 0
        assert cached.clear(owned=True) == 1
        assert cached.generate("Ada's").input_tokens > 0


@pytest.mark.parametrize("damage", ["'{'", "'[]'", '\'{"text": ""}\'', "'{\"other\": 1}'"])
def test_a_damaged_entry_is_made_anew(path: Path, damage: str) -> None:
    """The model is asked again, and the answer is kept."""
    with CachedProvider(inner := FakeProvider(), path) as cached:
        cached.generate("tea?")
        cached._file.connection.execute(f"UPDATE generations SET answer = {damage}")
        assert cached.generate("tea?").text == cached.generate("tea?").text
        assert len(inner.prompts) == 2


def test_a_cache_that_fails_keeps_nobody_from_asking(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Without its file it answers as its model does, says so, and names the file at an erasure."""
    cached = CachedProvider(FakeProvider(), path)
    cached.close()
    with caplog.at_level(logging.WARNING):
        assert cached.generate("tea?").text
        assert cached.disown({ADA: []}) == (str(path),)
    assert "cannot be used" in caplog.text


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    """A database with tables of its own is refused as it is; a folder is none."""
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(ForeignStore):
        CachedProvider(FakeProvider(), other)
    with pytest.raises(ProviderError, match="cannot be used"):
        CachedProvider(FakeProvider(), tmp_path)


def test_costs_add_up_by_verb() -> None:
    """Tokens and price of each call and of all; what was not counted or failed costs nothing and is told."""
    meter = Meter(TokenPrices(read=1_000_000, written=2_000_000))
    provider = MeteredProvider(FakeProvider(["one two", "three", ProviderUnavailable("busy")]), meter)
    result = provider.for_verb("memorize").generate("a b c")
    assert meter.prices is not None
    assert meter.prices.of(result) == 3 + 2 * 2
    provider.for_verb("memorize").generate("a")
    with pytest.raises(ProviderUnavailable):
        provider.for_verb("consolidate").generate("a b c")
    assert {verb: (u.calls, u.failed, u.cost) for verb, u in meter.by_verb().items()} == {
        "memorize": (2, 0, 3 + 4 + 1 + 2),
        "consolidate": (1, 1, 0.0),
    }
    total = meter.total()
    assert (total.calls, total.failed, total.input_tokens, total.output_tokens, total.cost) == (3, 1, 4, 3, 10)


def test_without_prices_no_cost_is_told() -> None:
    """Tokens are, and whether they were counted."""
    meter = Meter()
    meter.count("", GenResult("x", 0, 0, "m", counted=False))
    assert (meter.total().cost, meter.total().uncounted, meter.total().calls) == (None, 1, 1)
    for price in (-1.0, float("nan")):
        with pytest.raises(InvalidInput, match="price"):
            TokenPrices(price, 0)
