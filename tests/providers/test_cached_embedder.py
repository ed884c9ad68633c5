from __future__ import annotations

import logging
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from cortex import CachedEmbedder, EmbedResult, configured_embedder
from cortex.errors import EmbedderError, ForeignStore
from cortex.ports import TextTraces
from cortex.providers.cache_file import digest
from cortex.providers.local import LocalEmbedder
from cortex.stores.sqlite.driver import sqlite3
from cortex.testing import EmbedderContract, Failure, FakeEmbedder, TextTracesContract

MODEL = LocalEmbedder()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cache is."""
    return tmp_path / "cache" / "embeddings.db"


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self, path: Path) -> Iterator[CachedEmbedder]:
        """The built-in model behind an empty cache."""
        with CachedEmbedder(MODEL, path) as cached:
            yield cached


class TestTraces(TextTracesContract):
    @pytest.fixture
    def traces(self, path: Path) -> Iterator[CachedEmbedder]:
        """An empty cache."""
        with CachedEmbedder(FakeEmbedder(), path) as cached:
            yield cached

    def keep(self, traces: TextTraces, *texts: str) -> None:
        assert isinstance(traces, CachedEmbedder)
        traces.embed(texts)

    def has(self, traces: TextTraces, text: str) -> bool:
        assert isinstance(traces, CachedEmbedder)
        found = traces._file.connection.execute("SELECT count(*) FROM entries WHERE digest = ?", [digest(text)])
        return bool(found.fetchone()[0])


class Tokens:
    """An embedder with tokens, whose numbers have no short decimal form; it keeps count of what it was asked."""

    def __init__(self) -> None:
        self.signature = FakeEmbedder(dim=8).signature
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """Vectors of the fake, and a token a word."""
        self.asked += texts
        plain = FakeEmbedder(dim=8).embed(texts)
        tokens = [np.full((len(text.split()), 3), 1 / 3, np.float32) * np.float32(len(text)) for text in texts]
        spans = [[(place, place + 1) for place in range(len(text.split()))] for text in texts]
        return EmbedResult(plain.vectors, plain.tokens, tokens, spans)


def same(one: EmbedResult, other: EmbedResult) -> bool:
    """Whether two results are the same to the last bit, tokens and spans included."""
    assert one.token_vectors is not None
    assert other.token_vectors is not None
    return (
        one.vectors.tobytes() == other.vectors.tobytes()
        and [t.tobytes() for t in one.token_vectors] == [t.tobytes() for t in other.token_vectors]
        and [t.shape for t in one.token_vectors] == [t.shape for t in other.token_vectors]
        and one.token_spans == other.token_spans
    )


def test_what_was_embedded_comes_back_to_the_last_bit(path: Path) -> None:
    """Vectors, token vectors and spans are those that the embedder gave, in another process too; no text is asked
    for twice, and a text without tokens is no exception.
    """
    texts = ["Ada prefers tea", "the harbour", "", "Ada prefers tea", "\ud800 half"]
    with CachedEmbedder(inner := Tokens(), path) as cached:
        first = cached.embed(texts)
    assert inner.asked == list(dict.fromkeys(texts))
    with CachedEmbedder(second := Tokens(), path) as cached:
        again = cached.embed(texts)
        mixed = cached.embed(["new", *texts])
    assert second.asked == ["new"]
    assert same(first, Tokens().embed(texts))
    assert same(again, first)
    assert (again.tokens, mixed.tokens) == (0, 1)


def test_models_do_not_mix(path: Path) -> None:
    """The same text has an entry for each signature."""
    for dim in (8, 16):
        with CachedEmbedder(FakeEmbedder(dim=dim), path) as cached:
            assert cached.embed(["tea"]).vectors.shape == (1, dim)
    with CachedEmbedder(inner := FakeEmbedder(dim=8), path) as cached:
        cached.embed(["tea"])
    assert inner.calls == []


def test_with_tokens_and_without_do_not_mix(path: Path) -> None:
    """An embedder that was told to give none gets none, and one that gives them gets its own."""
    for tokens in (True, False, True):
        with CachedEmbedder(LocalEmbedder(tokens=tokens), path) as cached:
            assert (cached.embed(["tea"]).token_vectors is None) is not tokens


def test_it_is_private_and_has_no_text(path: Path) -> None:
    """The file is its owner's only and holds a digest instead of the text."""
    with CachedEmbedder(FakeEmbedder(), path) as cached:
        cached.embed(["unmistakable words"])
        cached.own({"0" * 32: ["unmistakable words"]})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert b"unmistakable" not in path.read_bytes()


def test_an_answer_that_is_none_is_not_kept(path: Path) -> None:
    """A failure passes through and is tried again; where a part was known, it is an error."""
    with CachedEmbedder(inner := FakeEmbedder(), path) as cached:
        cached.embed(["known"])
        for failure in (Failure.NAN, Failure.LENGTH, Failure.COUNT, Failure.EMPTY):
            inner.fail = failure
            assert cached.embed(["new"]).vectors.shape == inner.embed(["new"]).vectors.shape
            with pytest.raises(EmbedderError, match="unusable"):
                cached.embed(["known", "new"])
        inner.fail = Failure.RAISE
        with pytest.raises(EmbedderError, match="told to fail"):
            cached.embed(["new"])
        inner.fail = None
        assert np.isfinite(cached.embed(["new"]).vectors).all()


def test_the_last_owner_takes_the_entry_along(path: Path) -> None:
    """An entry lives as long as a memory that has it; then not a byte of it is left."""
    with CachedEmbedder(Tokens(), path) as cached:
        secret = cached.embed(["a secret of two", *(f"filler {n}" for n in range(300))]).vectors[0].tobytes()
        cached.own({"a" * 32: ["a secret of two"], "b" * 32: ["a secret of two", "filler 1"]})
        assert cached.disown({"a" * 32: ["a secret of two"]}) == ()
        assert secret in data(path)
        assert cached.disown({"b" * 32: []}) == ()
        assert secret not in data(path)
        assert cached.embed(["filler 0", "filler 2"]).tokens == 0
        assert cached.embed(["filler 1"]).tokens == 2
        assert cached.embed(["a secret of two"]).tokens == 4


def test_an_entry_that_nobody_noted_goes_by_its_text(path: Path) -> None:
    """A process that died between the commit and the note leaves nothing behind that an erasure misses."""
    with CachedEmbedder(Tokens(), path) as cached:
        secret = cached.embed(["a secret of two"]).vectors.tobytes()
        assert cached.disown({"a" * 32: ["a secret of two"]}) == ()
    assert secret not in data(path)


def test_who_reads_delays_the_bytes_and_not_the_erasure(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """While another process reads, the file is named as what may still hold something; the next opening cleans up."""
    with CachedEmbedder(Tokens(), path) as cached:
        secret = cached.embed(["a secret of two"]).vectors.tobytes()
        cached._file.connection.execute("PRAGMA busy_timeout = 50")
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        assert cached.disown({"a" * 32: ["a secret of two"]}) == (str(path),)
        assert cached.embed(["a secret of two"]).tokens == 4
        cached.disown({"a" * 32: ["a secret of two"]})
        reader.close()
    CachedEmbedder(Tokens(), path).close()
    assert secret not in data(path)


def test_clear_removes_what_no_memory_has(path: Path) -> None:
    """Questions go; what memories have stays, unless all is to go."""
    with CachedEmbedder(FakeEmbedder(), path) as cached:
        cached.embed(["kept", "asked"])
        cached.own({"a" * 32: ["kept"]})
        assert cached.clear() == 1
        assert cached.embed(["kept"]).tokens == 0
        assert cached.clear(owned=True) == 1
        assert cached.embed(["kept"]).tokens == 1


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    """A database with tables of its own, and what is no database, are refused as they are."""
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(ForeignStore, match="no cache of embeddings"):
        CachedEmbedder(FakeEmbedder(), other)
    assert other.read_bytes() == before
    text = tmp_path / "notes.txt"
    text.write_text("not a database, and long enough to be taken for one " * 20)
    for path in (text, tmp_path, text / "below"):
        with pytest.raises(EmbedderError, match="cannot be used"):
            CachedEmbedder(FakeEmbedder(), path)
    assert text.read_text().startswith("not a database")


def test_a_cache_that_fails_keeps_nobody_from_embedding(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Without its file it answers as its embedder does, says so, and names the file at an erasure."""
    cached = CachedEmbedder(FakeEmbedder(), path)
    cached.close()
    with caplog.at_level(logging.WARNING):
        assert cached.embed(["tea"]).vectors.shape == (1, 64)
        cached.own({"a" * 32: ["tea"]})
        assert cached.disown({"a" * 32: ["tea"]}) == (str(path),)
    assert "cannot be used" in caplog.text


def test_a_damaged_row_is_made_anew(path: Path) -> None:
    """A vector that was cut is embedded again."""
    with CachedEmbedder(FakeEmbedder(), path) as cached:
        cached.embed(["tea"])
        cached._file.connection.execute("UPDATE entries SET vector = x'00'")
        assert cached.embed(["tea"]).tokens == 1
        assert cached.embed(["tea"]).tokens == 0


def test_it_is_told_of_commits_and_waits_for_its_model(path: Path) -> None:
    """It is the port that the engine looks for, and is ready when its model is."""
    with CachedEmbedder(configured_embedder(), path) as cached:
        assert isinstance(cached, TextTraces)
        assert not isinstance(LocalEmbedder(), TextTraces)
        assert not cached.ready
        cached.embed(["tea"])
        assert cached.ready


def data(path: Path) -> bytes:
    """Every byte of the cache and its side files."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))


def test_an_erasure_that_could_not_be_done_is_made_good(path: Path) -> None:
    """While another writes to the file it is only noted, by id; the next opening erases, and the note goes."""
    cached = CachedEmbedder(Tokens(), path)
    cached._file.connection.execute("PRAGMA busy_timeout = 50")
    cached.embed(["the secret harbour"])
    cached.own({"a" * 32: ["the secret harbour"]})
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert cached.disown({"a" * 32: ["the secret harbour"]}) == (str(path),)
    notes = list(path.parent.glob("*.erase*"))
    assert [stat.S_IMODE(note.stat().st_mode) for note in notes] == [0o600]
    assert "harbour" not in notes[0].read_text()
    other.execute("ROLLBACK")
    other.close()
    cached.close()
    with CachedEmbedder(Tokens(), path) as again:
        assert again._file.connection.execute("SELECT count(*) FROM entries").fetchone() == (0,)
    assert list(path.parent.glob("*.erase*")) == []
    assert digest("the secret harbour") not in path.read_bytes()


def test_the_next_erasure_makes_good_too(path: Path) -> None:
    """Nobody need open the file anew."""
    with CachedEmbedder(Tokens(), path) as cached:
        cached._file.connection.execute("PRAGMA busy_timeout = 50")
        for id_, text in (("a" * 32, "one"), ("b" * 32, "two")):
            cached.embed([text])
            cached.own({id_: [text]})
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert cached.disown({"a" * 32: ["one"]}) != ()
        other.execute("ROLLBACK")
        other.close()
        assert cached.disown({"b" * 32: ["two"]}) == ()
        assert cached._file.connection.execute("SELECT count(*) FROM entries").fetchone() == (0,)


@pytest.mark.parametrize(
    "damage",
    [
        "vector = zeroblob(32)",
        "vector = x'0000c07f' || substr(vector, 5)",
        "token_vectors = x'0000c07f' || substr(token_vectors, 5)",
        "spans = substr(spans, 9)",
    ],
)
def test_a_damaged_entry_is_made_anew(path: Path, damage: str) -> None:
    """Zeros, what is no number, spans that do not fit: the embedder is asked again, and the answer is kept."""
    with CachedEmbedder(Tokens(), path) as cached:
        sound = cached.embed(["two words"])
        cached._file.connection.execute(f"UPDATE entries SET {damage}")
        mended = cached.embed(["two words"])
        assert mended.tokens > 0
        assert mended.vectors.tobytes() == sound.vectors.tobytes()
        assert cached.embed(["two words"]).tokens == 0


def test_a_link_and_a_name_that_is_none(tmp_path: Path) -> None:
    """Where a link leads, the file is as private; a name with NUL is told as one that cannot be used."""
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "target.db")
    with CachedEmbedder(FakeEmbedder(), link) as cached:
        cached.embed(["tea"])
    assert stat.S_IMODE((tmp_path / "target.db").stat().st_mode) == 0o600
    with pytest.raises(EmbedderError, match="cannot be used"):
        CachedEmbedder(FakeEmbedder(), f"{tmp_path}/a\0b")


@pytest.mark.parametrize("others", [True, False])
def test_a_file_that_was_replaced_is_followed(path: Path, others: bool) -> None:
    """What is embedded and erased later goes to the file that lies there then, whoever made it."""
    with CachedEmbedder(Tokens(), path) as cached:
        cached.embed(["one"])
        for part in path.parent.iterdir():
            part.rename(part.with_name(f"old-{part.name}"))
        if others:
            with CachedEmbedder(Tokens(), path) as other:
                other.embed(["two"])
                other.own({"b" * 32: ["two"]})
        cached.embed(["three"])
        assert cached.disown({"b" * 32: ["two"]}) == ()
        with CachedEmbedder(Tokens(), path) as again:
            found = again._file.connection.execute("SELECT digest FROM entries").fetchall()
        assert found == [(digest("three"),)]
