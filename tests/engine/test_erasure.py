from __future__ import annotations

import random
import re
import string
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex, Scope
from cortex.errors import IdempotencyConflict, InvalidInput, NotFound
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder
from tests.engine.support import Bench, found, kept

SIZES = [10, 100, 1_000, 4_000, 20_000, 200_000]

READER = """
    import sqlite3, sys
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        pass
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM memories").fetchone()
    print("reading", flush=True)
    sys.stdin.readline()
    connection.execute("ROLLBACK")
    connection.close()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "store" / "memory.db"


@pytest.fixture
def filed(path: Path) -> Iterator[Cortex]:
    """A Cortex in a file."""
    with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
        yield cortex


class Words:
    """Random words that occur nowhere else, and which of them must be gone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.secret: list[str] = []

    def chance(self, share: float) -> bool:
        """True in this share of the calls."""
        return self._random.random() < share

    def pick(self, items: list[Any]) -> Any:
        """One of them."""
        return self._random.choice(items)

    def word(self) -> str:
        """Ten letters."""
        return "".join(self._random.choices(string.ascii_lowercase, k=10))

    def text(self, size: int, *, secret: bool) -> str:
        """About so many bytes of words."""
        words = [self.word() for _ in range(max(1, size // 11))]
        if secret:
            self.secret += words
        return " ".join(words)

    def fields(self) -> dict[str, Any]:
        """A secret in every field that takes a text."""
        names = [self.word() for _ in range(7)]
        self.secret += names
        return {
            "tags": [names[0]],
            "metadata": {names[1]: names[2]},
            "speaker": names[3],
            "session": names[4],
            "source": {"of": names[5]},
            "agent": names[6],
        }


def data(path: Path) -> bytes:
    """Every byte of the database and its side files.

    Another process reads them: to close a file in this one would drop the locks that SQLite has on it.
    """
    files = [str(file) for file in sorted(path.parent.iterdir())]
    code = "import sys; [sys.stdout.buffer.write(open(name, 'rb').read()) for name in sys.argv[1:]]"
    return subprocess.run([sys.executable, "-S", "-c", code, *files], stdout=subprocess.PIPE, check=True).stdout


def left(path: Path, secret: list[str]) -> list[str]:
    """The words of which the files still have something."""
    there = set(parts(re.findall(rb"[a-z]{8,}", data(path))))
    return [word for word in secret if not there.isdisjoint(parts([word.encode()]))]


def parts(words: Iterable[bytes]) -> Iterator[bytes]:
    """Every eight letters of these words: a copy may have lost its beginning or its end."""
    return (word[start : start + 8] for word in words for start in range(len(word) - 7))


class TestForgetAll:
    @pytest.mark.parametrize("confirm", ["", "ada", "user:Ada", "user:ada ", "yes", None, True, "*"], ids=repr)
    def test_the_scope_must_be_repeated(self, cortex: Cortex, confirm: Any) -> None:
        """Anything but the scope itself as confirmation erases nothing."""
        cortex.memorize("tea")
        with pytest.raises(InvalidInput, match="confirm"):
            cortex.forget_all("user:ada", confirm=confirm)
        assert cortex.count() == 1

    @pytest.mark.parametrize("unknown", ["user:bob", "user:Ada", "project:ada", "user:ad", "global"])
    def test_an_unknown_scope_is_refused(self, cortex: Cortex, unknown: str) -> None:
        """A scope that was never written to is a mistake, and is not made by asking."""
        cortex.memorize("tea")
        for _ in range(2):
            with pytest.raises(NotFound):
                cortex.forget_all(unknown, confirm=unknown)
        assert cortex.count() == 1

    def test_similar_scopes_are_untouched(self, cortex: Cortex) -> None:
        """Of scopes with similar names exactly one is erased; the answers of the others stay to the last digit."""
        keys = ["user:Ada", "user:ada.x", "user:ad", "user:adam", "user:a_a", "project:ada", "team:ada", "global"]
        for key in (*keys, "user:ada"):
            one = kept(cortex.memorize(f"green tea of {key}", scope=key).id)
            cortex.update(one, importance=7)
        before = {key: answer(cortex, key) for key in keys}
        receipt = cortex.forget_all("user:ada", confirm="user:ada")
        assert (receipt.verb, receipt.id, receipt.scope) == ("forget_all", None, "user:ada")
        assert (receipt.counts["memories"], receipt.counts["versions"]) == (1, 1)
        assert {key: answer(cortex, key) for key in keys} == before
        assert cortex.recall("green tea", scope="user:ada").hits == ()

    def test_a_scope_object_will_do(self, cortex: Cortex) -> None:
        """A scope is given as it is elsewhere: as text or as a value."""
        cortex.memorize("tea", scope="project:x")
        assert cortex.forget_all(Scope("project:x"), confirm="project:x").counts["memories"] == 1

    @pytest.mark.slow
    def test_everything_goes_in_one_call(self, filed: Cortex, path: Path) -> None:
        """1,250 memories go, expired, archived, changed and pending ones too, each kind of trace truly counted."""
        words = Words(1)
        items = [{"content": words.text(60, secret=True)} for _ in range(1_250)]
        for item in items[:100]:
            item["expires_at"] = "2020-01-01"
        ids = [kept(receipt.id) for receipt in filed.memorize_many(items)]
        for one in ids[100:200]:
            filed.archive(one)
        for one in ids[200:300]:
            filed.update(one, content=words.text(300, secret=True))
        moved = kept(filed.memorize(words.text(30, secret=True)).id)
        filed.update(moved, content="lives elsewhere", scope="project:x")
        filed.memorize("stays", scope="project:x")
        receipt = filed.forget_all("user:ada", confirm="user:ada")
        assert {name: number for name, number in receipt.counts.items() if number} == {
            "memories": 1_250,
            "text_index": 1_250,
            "vectors": 1_250,
            "versions": 201,
            "version_vectors": 201,
        }
        assert left(path, words.secret) == []
        assert filed.count() == filed.list_memories(statuses=["archived", "active"]).total == 0
        assert filed.count(as_of="2999-01-01", scope="user:ada") == 0
        assert {hit.memory.content for hit in filed.recall("stays", scope="project:x").hits} == {
            "stays",
            "lives elsewhere",
        }
        assert filed.stats().memories == 2
        assert sum(filed.forget_all("user:ada", confirm="user:ada").counts.values()) == 0
        assert filed.memorize("a new life").deduplicated is False

    def test_a_filter_chooses(self, filed: Cortex, path: Path) -> None:
        """What a listing shows with a filter, the dry run names and the erasure takes; the rest stays."""
        words = Words(2)
        gone = [kept(filed.memorize(words.text(99, secret=True), tags=["a_b"], kind="event").id) for _ in range(3)]
        filed.update(gone[0], importance=9)
        filed.memorize("stays", tags=["axb"], kind="event")
        filed.memorize("is elsewhere", tags=["a_b"], scope="global")
        filed.archive(kept(filed.memorize("archived", tags=["a_b"]).id))
        shown = [memory.id for memory in filed.list_memories(tags=["a_b"], order="oldest").memories]
        told = filed.forget_all("user:ada", tags=["a_b"], dry_run=True)
        assert (list(told.ids or ()), told.counts, filed.count()) == (shown, {"memories": 3}, 4)
        receipt = filed.forget_all("user:ada", confirm="user:ada", tags=["a_b"], idempotency_key="k")
        assert (receipt.ids, receipt.counts["memories"], receipt.counts["versions"]) == (told.ids, 3, 1)
        assert left(path, words.secret) == []
        assert filed.forget_all("user:ada", confirm="user:ada", tags=["a_b"], idempotency_key="k") == receipt
        with pytest.raises(IdempotencyConflict):
            filed.forget_all("user:ada", confirm="user:ada", tags=["axb"], idempotency_key="k")
        assert sum(filed.count(statuses=["active", "archived"], scope=s) for s in ("user:ada", "global")) == 3
        assert filed.forget_all("user:ada", confirm="user:ada", tags=["a_b"]).ids == ()

    def test_a_dry_run_of_everything(self, cortex: Cortex) -> None:
        """Without a filter it names every row, hidden ones too, and spends no key."""
        cortex.archive(kept(cortex.memorize("tea").id))
        cortex.memorize("coffee", expires_at="2020-01-01")
        told = cortex.forget_all("user:ada", dry_run=True, idempotency_key="k")
        assert (len(told.ids or ()), told.counts) == (2, {"memories": 2})
        done = cortex.forget_all("user:ada", confirm="user:ada", idempotency_key="k")
        assert (done.ids, done.counts["memories"]) == (None, 2)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"tags": []}, {"kinds": ()}, {"metadata": {}}, {"speaker": ""}, {"min_importance": 0}, {"dry_run": 1},
            {"tag": ["a"]}, {"as_of": "2026-05-31"}, {"scope": "global"}, {"metadata": {"k": {"$near": 1}}},
        ],
        ids=repr,
    )  # fmt: skip
    def test_a_filter_that_says_nothing_is_refused(self, cortex: Cortex, wrong: dict[str, Any]) -> None:
        """A filter that is empty, unknown or wrong erases nothing rather than everything."""
        cortex.memorize("tea")
        with pytest.raises((InvalidInput, TypeError)):
            cortex.forget_all("user:ada", confirm="user:ada", **wrong)
        assert cortex.count() == 1

    def test_another_cortex_on_the_file_knows_at_once(self, filed: Cortex, path: Path) -> None:
        """A search cache that was warm gives nothing of what was erased elsewhere."""
        filed.memorize_many(f"tea {number}" for number in range(20))
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as other:
            assert len(other.recall("tea", limit=50).hits) == 20
            filed.forget_all("user:ada", confirm="user:ada")
            assert other.recall("tea", explain=True).hits == ()
            assert other.recall("tea", explain=True).left_out == ()


class TestBytes:
    @pytest.mark.parametrize("size", SIZES)
    def test_a_forgotten_memory_is_in_no_byte(self, filed: Cortex, path: Path, size: int) -> None:
        """Of a text of any length, its fields and its old versions nothing is left while the store stays open."""
        words = Words(size)
        filed.memorize_many(words.text(100, secret=False) for _ in range(20))
        for _ in range(3):
            one = kept(filed.memorize(words.text(size, secret=True), **words.fields()).id)
            filed.memorize(words.text(50, secret=False))
            filed.update(one, content=words.text(size // 2, secret=True), **words.fields())
            filed.update(one, content=words.text(size + 500, secret=True), **words.fields())
            filed.archive(one)
            counts = filed.forget(one).counts
            assert (counts["versions"], counts["version_vectors"]) == (3, 3)
            assert left(path, words.secret) == []
        assert filed.count() == 23

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(4))
    def test_rounds_of_changes_leave_nothing(self, filed: Cortex, path: Path, seed: int) -> None:
        """Neighbours that grow and shrink push rows from page to page; no copy of an erased one stays behind."""
        words = Words(seed)
        stay = [kept(filed.memorize(words.text(words.pick([10, 300]), secret=False)).id) for _ in range(60)]
        for _ in range(20):
            gone = []
            for _ in range(words.pick([1, 3, 6])):
                gone.append(kept(filed.memorize(words.text(words.pick(SIZES[:4]), secret=True), **words.fields()).id))
                if words.chance(0.7):
                    filed.memorize(words.text(words.pick(SIZES[:4]), secret=False))
                filed.update(words.pick(stay), content=words.text(words.pick(SIZES[:4]), secret=False))
            for one in gone:
                for _ in range(words.pick([0, 1, 3])):
                    filed.update(one, content=words.text(words.pick(SIZES[:4]), secret=True))
                    filed.update(words.pick(stay), content=words.text(words.pick(SIZES[:3]), secret=False))
            for one in gone:
                filed.forget(one)
            assert left(path, words.secret) == []
        assert filed.health().ok
        texts = [m.content for one in stay for m in filed.history(one)]
        assert len(texts) > 150
        content = data(path)
        assert all(text.split(" ")[0].encode() in content for text in texts)

    def test_a_forgotten_scope_is_in_no_byte(self, filed: Cortex, path: Path) -> None:
        """Interleaved memories of two scopes: one is wholly gone from the files, the other wholly there."""
        words, others = Words(7), Words(8)
        for size in SIZES[:5] * 8:
            fields = words.fields()
            one = kept(filed.memorize(words.text(size, secret=True), scope="project:gone", **fields).id)
            filed.memorize(others.text(size, secret=True), scope="project:stays")
            filed.update(one, content=words.text(size, secret=True))
        filed.forget_all("project:gone", confirm="project:gone")
        assert left(path, words.secret) == []
        assert set(left(path, others.secret)) == set(others.secret)
        assert filed.count(scope="project:stays") == 40

    def test_idempotency_keys_and_jobs_hold_no_text(self, path: Path) -> None:
        """A memory that waits for its vector and was written under a key leaves neither text nor digest."""
        words = Words(9)
        embedder = FakeEmbedder()
        with Cortex(path, user="ada", embedder=embedder) as cortex:
            one = kept(cortex.memorize(words.text(99, secret=True), idempotency_key="k1", **words.fields()).id)
            cortex.update(one, content=words.text(99, secret=True), idempotency_key="k2")
            cortex.forget(one, idempotency_key="k3")
            assert left(path, words.secret) == []
            with pytest.raises(IdempotencyConflict):
                cortex.memorize("anything", idempotency_key="k1")


class TestBusy:
    @pytest.fixture
    def reader(self, filed: Cortex, path: Path) -> Iterator[Callable[[], None]]:
        """Another process in the middle of a read; the call lets it end."""
        filed.memorize("to make the file")
        code = textwrap.dedent(READER)
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"

        def end() -> None:
            process.communicate("\n", timeout=30)

        yield end
        if process.poll() is None:
            end()

    def test_a_reader_puts_the_scrubbing_off(self, filed: Cortex, path: Path, reader: Callable[[], None]) -> None:
        """While somebody reads the old state the erasure is done and answered at once, and cleaned up later."""
        words = Words(11)
        one = kept(filed.memorize(words.text(2_000, secret=True), **words.fields()).id)
        receipt = filed.forget(one, idempotency_key="k")
        assert receipt.counts["memories"] == 1
        assert receipt.remaining == (str(path), f"{path}-wal")
        assert filed.get(one) is None
        assert filed.health().ok
        assert "traces of what was erased" in " ".join(filed.health().warnings)
        store = SQLiteStore(path)
        assert not store.archive.scrub()
        reader()
        assert store.archive.scrub()
        assert left(path, words.secret) == []
        store.close()
        assert filed.health().warnings == ()
        assert filed.forget(one, idempotency_key="k").remaining == ()

    @pytest.mark.parametrize("who", ["jobs", "repetition", "close", "next opener"])
    def test_what_was_put_off_is_made_up_for(
        self, filed: Cortex, path: Path, reader: Callable[[], None], who: str
    ) -> None:
        """Whoever does jobs, repeats the request, closes or opens the file next removes what had to be left."""
        words = Words(13)
        one = kept(filed.memorize(words.text(2_000, secret=True), **words.fields()).id)
        assert filed.forget(one, idempotency_key="k").remaining
        assert left(path, words.secret) != []
        if who == "next opener":
            filed.close()
        reader()
        match who:
            case "jobs":
                filed.admin.run_jobs()
            case "repetition":
                assert filed.forget(one, idempotency_key="k").remaining == ()
            case "close":
                filed.close()
            case _:
                Cortex(path, embedder=FakeEmbedder()).close()
        assert left(path, words.secret) == []

    def test_no_trace_goes_into_a_backup(
        self, filed: Cortex, path: Path, tmp_path: Path, reader: Callable[[], None]
    ) -> None:
        """A copy that is made while the traces cannot be removed has none of them."""
        words = Words(14)
        filed.forget(kept(filed.memorize(words.text(2_000, secret=True), **words.fields()).id))
        assert left(path, words.secret) != []
        copy = tmp_path / "copies" / "copy.db"
        copy.parent.mkdir()
        filed.admin.backup(copy)
        assert left(copy, words.secret) == []
        assert [file.name for file in copy.parent.iterdir()] == ["copy.db"]
        with Cortex(copy, user="ada", embedder=FakeEmbedder()) as other:
            assert other.health().warnings == ()
            assert other.count() == 1

    def test_the_next_erasure_cleans_up_too(self, filed: Cortex, path: Path, reader: Callable[[], None]) -> None:
        """What one erasure could not remove the next one does."""
        words = Words(12)
        for _ in range(3):
            filed.forget(kept(filed.memorize(words.text(2_000, secret=True)).id))
        reader()
        filed.forget(kept(filed.memorize("one more").id))
        assert left(path, words.secret) == []

    def test_a_writer_puts_the_scrubbing_off(self, path: Path) -> None:
        """While another holds the write lock the answer is no, soon, and nothing breaks."""
        one, two = SQLiteStore(path), SQLiteStore(path)
        with two._connections.write():
            assert not one.archive.scrub()
        assert one.archive.scrub()
        assert one.info(deep=True).problems == ()
        one.close()
        two.close()


def test_what_may_still_hold_it_is_named(filed: Cortex, tmp_path: Path) -> None:
    """The receipt of an erasure names the backups that still lie there."""
    one, two = kept(filed.memorize("tea").id), kept(filed.memorize("milk").id)
    assert filed.forget(one).remaining == ()
    copy = tmp_path / "copy.db"
    filed.admin.backup(copy)
    assert filed.forget(two).remaining == (str(copy),)
    filed.memorize("water")
    assert filed.forget_all("user:ada", confirm="user:ada").remaining == (str(copy),)
    copy.unlink()
    assert filed.forget_all("user:ada", confirm="user:ada").remaining == ()


def test_an_erasure_reaches_warm_caches_and_the_past() -> None:
    """Neither a recall of now nor one of any instant before has anything of an erased memory."""
    bench = Bench()
    engine = bench.engine()
    one = kept(engine.memorize("the aardvark sleeps", event_time="2020-01-01").id)
    engine.memorize("milk")
    at = bench.clock.now()
    assert found(engine.recall("aardvark", as_of=at, limit=1)) == ["the aardvark sleeps"]
    bench.clock.tick(timedelta(days=1))
    engine.forget(one)
    for options in ({}, {"as_of": at}):
        recalled = engine.recall("aardvark", explain=True, **options)  # type: ignore[arg-type] # options by name
        assert found(recalled) == ["milk"]
        assert recalled.left_out == ()
        assert engine.timeline(**options).total == 0  # type: ignore[arg-type] # options by name


def answer(cortex: Cortex, scope: str) -> list[Any]:
    """What a scope answers: hits with scores, and every version."""
    hits = cortex.recall("green tea", scope=scope).hits
    return [[(hit.memory, hit.score, hit.parts) for hit in hits], [cortex.history(hit.memory.id) for hit in hits]]
