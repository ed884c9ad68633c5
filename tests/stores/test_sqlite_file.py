"""What a store in a file owes to the file, to other processes and to power cuts."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.errors import ForeignStore, StoreBusy, StoreError, StoreFull, StoreReadOnly
from cortex.stores.sqlite.driver import WAL_IS_SAFE, sqlite3
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder, add, commit, embedding, memory
from cortex.testing.contracts.suite import ADA, contents, within

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file modes and signals are those of POSIX")

WRITER = """
    import sys
    from cortex.stores.sqlite.store import SQLiteStore
    from cortex.testing import add, commit, memory

    path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    store = SQLiteStore(path)
    for number in range(count):
        content = f"{name} {number}"
        commit(store, add(memory(content, id=f"{ord(name):02x}{number:030x}")))
        sys.stdout.write(content + "\\n")
        sys.stdout.flush()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made: the folder is not there yet."""
    return tmp_path / "folder" / "memory.db"


def start_writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    """Another process that writes memories one by one and says of each that it is kept."""
    code = textwrap.dedent(WRITER)
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path), name, str(count)], stdout=subprocess.PIPE, text=True
    )


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def pragma(store: SQLiteStore, name: str) -> list[object]:
    """What the writing and a reading connection of a store say of a setting."""
    connections = store._connections
    with connections.raw() as writer, connections.read() as reader:
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for connection in (writer, reader)]


class TestFile:
    def test_only_its_owner_may_read_it(self, path: Path) -> None:
        """Folder, file and side files are private whatever the umask."""
        before = os.umask(0)
        try:
            store = SQLiteStore(path)
            commit(store, add(memory("secret")))
            assert mode(path.parent) == 0o700
            assert {mode(file) for file in path.parent.iterdir()} == {0o600}
            store.close()
        finally:
            os.umask(before)

    def test_a_folder_that_was_there_keeps_its_mode(self, tmp_path: Path) -> None:
        """Only folders that the store makes are made private."""
        tmp_path.chmod(0o755)
        SQLiteStore(tmp_path / "memory.db").close()
        assert mode(tmp_path) == 0o755

    def test_it_survives_power_loss_and_erases_securely(self, path: Path) -> None:
        """Write-ahead log, full synchronisation, secure deletion and foreign keys are on for each connection."""
        store = SQLiteStore(path)
        assert pragma(store, "journal_mode") == ["wal" if WAL_IS_SAFE else "delete"] * 2
        assert pragma(store, "synchronous") == [2, 2]
        assert pragma(store, "secure_delete") == [1, 1]
        assert pragma(store, "foreign_keys") == [1, 1]
        assert store.info().durability == "FULL"
        store.close()

    def test_normal_durability_is_opted_in(self, path: Path) -> None:
        """The faster mode is on when asked for, and said."""
        store = SQLiteStore(path, durability="NORMAL")
        assert pragma(store, "synchronous") == [1, 1]
        assert store.info().durability == "NORMAL"
        store.close()

    def test_a_reader_cannot_write(self, path: Path) -> None:
        """Connections for reading refuse to write."""
        store = SQLiteStore(path)
        with pytest.raises(StoreReadOnly), store._connections.read() as reader:
            reader.execute("DELETE FROM memories")
        store.close()

    def test_what_was_erased_is_not_in_the_file(self, path: Path) -> None:
        """After forgetting and closing, no byte of the text, its words or its key is in any file."""
        secret = "zebrafish quartz 4711"
        with Cortex(path, embedder=FakeEmbedder()) as cortex:
            for number in range(50):
                cortex.memorize(f"{secret} number {number}", metadata={"m": secret}, tags=[secret], speaker=secret)
            for kept in cortex.list_memories(limit=50).memories:
                cortex.forget(kept.id)
        for file in path.parent.iterdir():
            data = file.read_bytes()
            for trace in (b"zebrafish", b"zebrafish".upper(), b"quartz"):
                assert trace not in data, f"{trace!r} is in {file.name}"

    def test_it_opens_again(self, path: Path) -> None:
        """What was kept is there after closing, through every kind of path."""
        store = SQLiteStore(path)
        commit(store, add(memory("tea"), embedding()))
        store.close()
        again = SQLiteStore(str(path))
        assert contents(again) == ["tea"]
        assert again.info(deep=True).problems == ()
        again.close()

    def test_memory_is_private_to_its_store(self) -> None:
        """Two stores in memory share nothing and leave no file."""
        one, two = SQLiteStore(":memory:"), SQLiteStore(":memory:")
        commit(one, add(memory("tea")))
        assert contents(two) == []
        assert not Path(":memory:").exists()
        one.close()
        two.close()

    @pytest.mark.parametrize("name", ["with space.db", "ümläut 東京.db", "percent%20.db", "hash#?.db", "-dash.db"])
    def test_any_file_name_will_do(self, tmp_path: Path, name: str) -> None:
        """A path is a path, never an address."""
        store = SQLiteStore(tmp_path / name)
        commit(store, add(memory("tea")))
        store.close()
        assert (tmp_path / name).stat().st_size > 0


class TestRefusal:
    @pytest.fixture(autouse=True)
    def _folder(self, path: Path) -> None:
        path.parent.mkdir()

    def refused(self, path: Path, error: type[StoreError]) -> str:
        """Opening raises the error, and every file beside stays as it is, byte for byte."""
        before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
        with pytest.raises(error) as caught:
            SQLiteStore(path)
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
        return str(caught.value)

    def test_a_database_of_another_program(self, path: Path) -> None:
        """Another program's SQLite file is refused by its tables and left untouched."""
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
            connection.execute("INSERT INTO recipes VALUES ('soup')")
        connection.close()
        assert "recipes" in self.refused(path, ForeignStore)

    def test_a_newer_schema(self, path: Path) -> None:
        """A file of a newer version is refused with both numbers and left untouched."""
        store = SQLiteStore(path)
        commit(store, add(memory("tea")))
        store.close()
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 99")
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        connection.close()
        assert "99" in self.refused(path, ForeignStore)

    @pytest.mark.parametrize("content", [b"# Notes\n\nnot a database\n" * 100, b"xy", os.urandom(5000)])
    def test_a_file_that_is_no_database(self, path: Path, content: bytes) -> None:
        """A text is not taken for a store and not overwritten."""
        path.write_bytes(content)
        assert "not an SQLite file" in self.refused(path, ForeignStore)

    def test_a_damaged_file(self, path: Path) -> None:
        """A store whose pages are broken raises an error of ours, not the driver's."""
        store = SQLiteStore(path)
        commit(store, *(add(memory(f"{number} " * 300)) for number in range(50)))
        store.close()
        data = bytearray(path.read_bytes())
        data[4096 * 2 :] = b"\xff" * (len(data) - 4096 * 2)
        path.write_bytes(data)
        with pytest.raises(StoreError):
            SQLiteStore(path).select(within())

    def test_an_empty_file_is_a_new_store(self, path: Path) -> None:
        """An empty file belongs to nobody."""
        path.touch()
        store = SQLiteStore(path)
        assert contents(store) == []
        store.close()

    def test_a_folder(self, path: Path) -> None:
        """A folder is refused by name."""
        path.mkdir()
        with pytest.raises(StoreError, match="not a file"):
            SQLiteStore(path)

    def test_a_file_as_folder(self, path: Path) -> None:
        """A path through a file is refused."""
        path.write_text("x")
        with pytest.raises(StoreError, match="not a file"):
            SQLiteStore(path / "memory.db")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_read_only_folder(self, path: Path) -> None:
        """Where nothing can be written the error says so."""
        path.parent.chmod(0o500)
        with pytest.raises(StoreReadOnly):
            SQLiteStore(path)


class TestProcesses:
    def test_two_make_a_new_file_at_once(self, path: Path) -> None:
        """Processes that open a file that is not there and write at once lose nothing and share one schema."""
        writers = [start_writer(path, name, 40) for name in "abc"]
        outputs = [writer.communicate(timeout=60)[0].splitlines() for writer in writers]
        assert [writer.returncode for writer in writers] == [0, 0, 0]
        store = SQLiteStore(path)
        assert sorted(contents(store)) == sorted(line for lines in outputs for line in lines)
        assert store.info(deep=True).problems == ()
        store.close()

    @pytest.mark.slow
    def test_a_killed_writer_loses_nothing_it_acknowledged(self, path: Path) -> None:
        """After kill -9 in the middle of writing, every acknowledged memory is there and the file is sound."""
        for name in "abc":
            writer = start_writer(path, name, 100_000)
            assert writer.stdout is not None
            acknowledged = [writer.stdout.readline().strip() for _ in range(25)]
            writer.send_signal(signal.SIGKILL)
            acknowledged += [line.strip() for line in writer.stdout if line.endswith("\n")]
            writer.wait()
            writer.stdout.close()
            store = SQLiteStore(path)
            kept = [content for content in contents(store) if content.startswith(name)]
            # One more may have been committed whose acknowledgement was not written any more.
            assert set(acknowledged) <= set(kept)
            assert len(kept) <= len(acknowledged) + 1
            assert store.info(deep=True).problems == ()
            assert len(store.feed(ADA, 0, embedding().signature).rows) == len(contents(store))
            store.close()

    def test_another_process_s_writes_are_recalled_at_once(self, path: Path) -> None:
        """What another process adds, changes or erases counts in the next recall of an open Cortex."""
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            cortex.memorize("green tea")
            assert "lexical" not in cortex.recall("aardvark").hits[0].parts
            other = Cortex(path, user="ada", embedder=FakeEmbedder())
            new = other.memorize("the aardvark sleeps").id
            assert new is not None
            assert [hit.memory.id for hit in cortex.recall("aardvark", limit=1).hits] == [new]
            other.update(new, content="the zebra sleeps")
            assert "lexical" not in cortex.recall("aardvark", limit=1).hits[0].parts
            assert cortex.recall("zebra", limit=1).hits[0].memory.content == "the zebra sleeps"
            other.forget(new)
            assert [hit.memory.content for hit in cortex.recall("zebra").hits] == ["green tea"]
            other.close()

    def test_a_child_process_s_writes_are_recalled_at_once(self, path: Path) -> None:
        """A real process beside this one is followed as well."""
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.recall("17").hits == ()
            start_writer(path, "a", 20).communicate(timeout=60)
            assert cortex.recall("17").hits[0].memory.content == "a 17"
            assert cortex.count() == 20

    @pytest.mark.skipif(not WAL_IS_SAFE, reason="without a log nothing is locked at rest")
    @pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the kernel does not tell its locks")
    def test_opening_a_file_twice_drops_no_lock(self, path: Path) -> None:
        """A second store of one process, opened and closed, leaves the locks of the first as they are."""
        first = SQLiteStore(path)
        commit(first, add(memory("one")))
        number = str(path.stat().st_ino)
        held = [line for line in Path("/proc/locks").read_text("ascii").splitlines() if f":{number} " in line]
        assert held
        SQLiteStore(path).close()
        now = Path("/proc/locks").read_text("ascii")
        assert all(line.split(": ", 1)[1] in now for line in held)
        first.close()

    def test_a_held_store_is_busy(self, path: Path) -> None:
        """Waiting for another writer ends with an error that may be retried, and the next write works."""
        store = SQLiteStore(path, busy_seconds=0.05)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy) as caught:
            commit(store, add(memory("tea")))
        assert caught.value.retryable
        other.execute("ROLLBACK")
        other.close()
        assert commit(store, add(memory("tea")))[0].applied
        store.close()


class TestFullDisk:
    @pytest.fixture
    def full(self, path: Path) -> Iterator[SQLiteStore]:
        """A store that has no page left to grow by."""
        store = SQLiteStore(path)
        commit(store, add(memory("kept"), embedding()))
        with store._connections.raw() as writer:
            pages = writer.execute("PRAGMA page_count").fetchone()[0]
            writer.execute(f"PRAGMA max_page_count = {pages + 2}").fetchone()
        yield store
        store.close()

    def test_a_full_disk_is_said_and_harms_nothing(self, full: SQLiteStore) -> None:
        """The write fails as StoreFull, nothing of it is kept, and the next write works when there is space."""
        with pytest.raises(StoreFull):
            commit(full, add(memory("small")), add(memory("large " * 50_000)))
        assert contents(full) == ["kept"]
        with full._connections.raw() as writer:
            writer.execute("PRAGMA max_page_count = 1000000").fetchone()
        assert commit(full, add(memory("large " * 50_000)))[0].applied
        assert full.info(deep=True).problems == ()

    def test_no_backup_is_made_that_nobody_would_name(self, full: SQLiteStore, tmp_path: Path) -> None:
        """Where there is no room to note a backup none is made, since an erasure could not name it."""
        with suppress(StoreFull):
            for number in range(10_000):
                with full._connections.write() as writer:
                    writer.execute("INSERT INTO store (key, value) VALUES (?, '')", [f"{number:050}"])
        with pytest.raises(StoreFull):
            full.archive.backup(str(tmp_path / "copy.db"))
        assert not (tmp_path / "copy.db").exists()
        with full._connections.raw() as writer:
            writer.execute("PRAGMA max_page_count = 1000000").fetchone()
        full.archive.backup(str(tmp_path / "copy.db"))
        assert full.archive.backups() == [str(tmp_path / "copy.db")]

    def test_small_writes_go_on(self, full: SQLiteStore) -> None:
        """A batch that does not fit leaves room for one that does."""
        with pytest.raises(StoreFull):
            commit(full, add(memory("large " * 50_000)))
        assert commit(full, add(memory("small")))[0].applied


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_file_that_is_not_there_any_more_takes_no_write(tmp_path: Path, how: str) -> None:
    """Nothing is acknowledged, read or called healthy once the path leads to another file or to none."""
    path = tmp_path / "memory.db"
    with suppress(StoreError), Cortex(path, embedder=FakeEmbedder()) as cortex:  # closing tells it, too
        cortex.memorize("written before")
        path.unlink()
        if how == "replaced":
            Cortex(path, embedder=FakeEmbedder()).close()
        for call in (lambda: cortex.memorize("written after"), lambda: cortex.recall("written"), cortex.health):
            with pytest.raises(StoreError, match="deleted or replaced"):
                call()
