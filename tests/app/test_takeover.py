"""Opening a file of the earlier single-user program: everything is taken over, or nothing is changed."""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import stat
import subprocess
import sys
import textwrap
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex import Cortex, Kind, Status
from cortex.errors import ForeignStore, StoreBusy, StoreError, StoreFull, StoreReadOnly
from cortex.model.embedding import EmbeddingSignature
from cortex.model.memory import Memory
from cortex.stores.sqlite import replace
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.single_user import is_single_user_file
from cortex.testing import FakeEmbedder
from tests.single_user import Row, an_id, ids, insert, make, many, vector, with_log

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file modes and signals are those of POSIX")

OPENER = """
    import os, signal, sys
    from cortex import Cortex
    from cortex.engine import portability
    from cortex.testing import FakeEmbedder

    path, at, chunk = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    steps = {"open", "os.rename", "os.link", "os.remove"}
    seen = puts = 0

    def step(event, args):
        global seen
        if event in steps and any(str(arg).startswith(path) for arg in args):
            seen += 1
            if seen == at:
                os.kill(os.getpid(), signal.SIGKILL)

    put = portability.put

    def counted(*args):
        global puts
        puts += 1
        if puts == chunk:
            os.kill(os.getpid(), signal.SIGKILL)
        return put(*args)

    portability.put = counted
    sys.addaudithook(step)
    with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
        print(cortex.count(statuses=["active", "superseded"]))
"""


def opener(path: Path, at: int = 0, chunk: int = 0) -> subprocess.Popen[str]:
    """Another process that opens the file; killed at a step on the file system, or before a chunk is written."""
    command = [sys.executable, "-c", textwrap.dedent(OPENER), str(path), str(at), str(chunk)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def state(path: Path) -> dict[str, bytes]:
    """Every file of the folder, but the scratch that readers of a log share and the empty lock."""
    ends = ("-shm", ".takeover-lock")
    return {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith(ends)}


def everything(cortex: Cortex) -> dict[str, Memory]:
    """Every memory of every user, by id."""
    memories = {}
    for line in list(cortex.admin.export_lines())[1:]:
        memory = cortex.get(json.loads(line)["id"])
        assert memory is not None
        memories[memory.id] = memory
    return memories


def backups(path: Path) -> list[Path]:
    """The backups beside."""
    return sorted(path.parent.glob(f"{path.name}.backup-single-user*"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file is."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder / "memory.db"


class TestContent:
    def test_ids_times_texts_and_metadata_come_along(self, path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """Each memory is in its user's scope, in the order it was written, and the log and health tell of it."""
        make(
            path,
            [
                Row(1, "Ada likes green tea", metadata='{"kind": "preference", "tags": ["drinks"], "x": [1, 2.5]}'),
                Row(2, "  Bob\nlikes coffee \u2615 東京", user_id="bob@example.org", created_at="2025-12-31T23:59:59"),
                Row(3, "a met b", event={"event_time": "2024-02-29", "actor": "b", "ingest_time": "2026-01-02"}),
                Row(4, "kind of its own", metadata='{"kind": "opinion", "tags": "t"}'),
            ],
            entities=3,
        )
        before = path.read_bytes()
        with caplog.at_level(logging.WARNING), Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            memories = list(everything(cortex).values())
            assert [m.id for m in memories] == [an_id(n) for n in range(1, 5)]
            assert [m.content for m in memories][:2] == ["Ada likes green tea", "  Bob\nlikes coffee \u2615 東京"]
            assert [m.scope.key for m in memories] == ["user:ada", "user:bob@example.org", "user:ada", "user:ada"]
            assert [m.author for m in memories][:2] == ["ada", "bob@example.org"]
            assert memories[0].created_at == memories[0].updated_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
            assert memories[1].created_at == datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC)
            assert memories[0].metadata == {"kind": "preference", "tags": ["drinks"], "x": [1, 2.5]}
            assert [m.kind for m in memories] == [Kind.PREFERENCE, Kind.FACT, Kind.FACT, Kind.FACT]
            assert [m.tags for m in memories] == [("drinks",), (), (), ("t",)]
            assert memories[2].event_time == datetime(2024, 2, 29, tzinfo=UTC)
            assert memories[2].source["event"] == {"actor": "b", "ingest_time": "2026-01-02"}
            assert cortex.recall("green tea", limit=1).hits[0].memory.id == an_id(1)
            health = cortex.health()
            assert health.ok
            assert "3 entities, 3 relations" in health.warnings[0]
            assert str(backups(path)[0]) in health.warnings[0]
            assert str(backups(path)[0]) in cortex.forget(an_id(4)).remaining
        (told,) = [record.getMessage() for record in caplog.records if record.name == "cortex.app.takeover"]
        assert "4 memories" in told
        assert "3 entities were left out" in told
        (backup,) = backups(path)
        assert ids(backup) == [an_id(n) for n in range(1, 5)]
        assert is_single_user_file(backup)
        assert backup.read_bytes()[100:] == before[100:]
        assert [stat.S_IMODE(file.stat().st_mode) for file in (backup, path)] == [0o600, 0o600]
        assert set(state(path)) == {path.name, backup.name}

    def test_it_happens_once(self, path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """Opened again, it is a store like any other; the warning ends when the backup is gone."""
        make(path, many(2))
        Cortex(path, user="ada", embedder=FakeEmbedder()).close()
        caplog.clear()
        with caplog.at_level(logging.WARNING), Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 2
            backups(path)[0].unlink()
            assert cortex.health().warnings == ()
        assert [record for record in caplog.records if record.name.startswith("cortex")] == []

    def test_a_backup_that_is_there_stays(self, path: Path) -> None:
        """The new one takes the next free name."""
        make(path, many(1))
        earlier = path.with_name(f"{path.name}.backup-single-user")
        earlier.write_text("mine")
        Cortex(path, embedder=FakeEmbedder()).close()
        assert earlier.read_text() == "mine"
        assert [file.name for file in backups(path)] == [earlier.name, f"{earlier.name}.1"]

    def test_vectors_of_the_same_model_are_taken(self, path: Path) -> None:
        """They are searched at once, scaled to length 1; bad ones and those of long texts are owed."""
        embedder = FakeEmbedder()
        good = embedder.embed(["green tea"]).vectors[0] * 7
        rows = [
            Row(1, "green tea", embedding=vector(good)),
            Row(2, "no numbers", embedding=vector([float("nan")] * 64)),
            Row(3, "zero", embedding=vector([0.0] * 64)),
            Row(4, "too short", embedding=vector([1.0] * 63)),
            Row(5, "long " * 5000, embedding=vector(good)),
            Row(6, "text", embedding="text"),
        ]
        make(path, rows, model="fake", dim=64)
        with Cortex(path, user="ada", embedder=embedder) as cortex:
            found = everything(cortex)
            assert [m.signature for m in found.values()] == [embedder.signature] + [None] * 5
            assert found[an_id(1)].embedded_chars == len("green tea")
            assert cortex.recall("green tea", limit=1).hits[0].parts["dense"].score == pytest.approx(1.0)
            assert cortex.health().store.jobs == 5
            assert cortex.admin.run_jobs().done == 5
            assert cortex.stats().pending == 0

    @pytest.mark.parametrize("model", ["gemini-embedding-001", "fake"])
    def test_vectors_of_another_model_are_owed(self, path: Path, model: str) -> None:
        """The job that makes them is in the new store, for every memory: the model or the dimension differs."""
        make(path, many(3), model=model, dim=4)
        embedder = FakeEmbedder()
        assert embedder.signature != EmbeddingSignature(model, 4)
        with Cortex(path, user="ada", embedder=embedder) as cortex:
            assert (cortex.stats().pending, cortex.health().store.jobs) == (3, 3)
            assert cortex.recall("note 2").legs
        with Cortex(path, user="ada", embedder=embedder) as cortex:
            assert cortex.stats().pending == 0

    def test_superseded_memories_stay_out_of_recall(self, path: Path) -> None:
        """They know by which, it knows which, and looking back finds them as they held."""
        make(
            path,
            [Row(1, "Ada lives in Oslo"), Row(2, "Ada lives in Rome", created_at="2026-03-01T00:00:00Z"), Row(3, "x")],
            supersessions=[(an_id(1), an_id(2), "2026-03-01T00:00:00+00:00"), (an_id(3), "gone", "someday")],
        )
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert [hit.memory.id for hit in cortex.recall("where does Ada live").hits] == [an_id(2)]
            (then,) = cortex.recall("Ada lives", as_of="2026-02-01", limit=1).hits
            assert then.memory.content == "Ada lives in Oslo"
            found = everything(cortex)
            assert (found[an_id(1)].status, found[an_id(1)].superseded_by) == (Status.SUPERSEDED, an_id(2))
            assert found[an_id(2)].supersedes == (an_id(1),)
            assert found[an_id(3)].status is Status.SUPERSEDED
            assert found[an_id(3)].source["unread"] == {"superseded_at": "someday", "superseded_by": "gone"}
            assert [m.status for m in cortex.history(an_id(1))] == [Status.ACTIVE, Status.SUPERSEDED]
            assert cortex.health().ok

    def test_equal_texts_are_all_kept(self, path: Path) -> None:
        """The first is active, its repetitions are superseded by it; another user's is none."""
        rows = [Row(1), Row(2, "TEA  "), Row(3, user_id="bob"), Row(4, metadata='{"kind": "event"}'), Row(5)]
        make(path, rows)
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            found = everything(cortex)
            active, repeated = Status.ACTIVE, Status.SUPERSEDED
            assert [m.status for m in found.values()] == [active, repeated, active, active, repeated]
            assert {found[an_id(n)].superseded_by for n in (2, 5)} == {an_id(1)}
            assert found[an_id(2)].content == "TEA  "
            assert cortex.health().ok

    def test_what_cannot_be_read_stays_as_text(self, path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """Metadata that is no JSON object, and dates that are none, are in the source word for word."""
        rows = [
            Row(1, "a", metadata="{not json"),
            Row(2, "b", metadata="[1]"),
            Row(3, "c", metadata='{"x": NaN}'),
            Row(4, "d", metadata=None),
            Row(5, "e", event={"event_time": "2026-13-45"}),
            Row(6, "f", metadata="[" * 5000),
        ]
        make(path, rows)
        with caplog.at_level(logging.WARNING), Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            sources = [m.source.get("unread") for m in everything(cortex).values()]
        assert sources[:3] == [{"metadata": "{not json"}, {"metadata": "[1]"}, {"metadata": '{"x": NaN}'}]
        assert sources[3:] == [None, {"event_time": "2026-13-45"}, {"metadata": "[" * 5000}]
        assert "5 have a part that could not be read" in caplog.text

    def test_a_link_is_followed(self, path: Path) -> None:
        """Where the path is a symbolic link, the file behind it is replaced and the link stays."""
        real = make(path.with_name("real.db"), many(2))
        path.symlink_to(real)
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 2
            assert cortex.health().warnings
        assert path.is_symlink()
        assert not is_single_user_file(real)
        assert len(backups(real)) == 1


BAD = {
    "content": [Row(7, " \n"), Row(7, "a\0b"), Row(7, "x" * 1_000_001), Row(7, b"\xff\xfe")],
    "created_at": [Row(7, created_at="yesterday"), Row(7, created_at=5), Row(7, created_at="2026-02-30T00:00:00")],
    "user_id": [Row(7, user_id=" "), Row(7, user_id="x" * 201), Row(7, user_id="a\nb")],
    "id": [Row(7, id="short"), Row(7, id="A" * 32)],
    "metadata": [Row(7, metadata="x" * 70_000), Row(7, metadata=b"\xff")],
}
CASES = [
    pytest.param(name, row, id=f"{name}-{number}") for name, rows in BAD.items() for number, row in enumerate(rows)
]


class TestRefusal:
    @pytest.mark.parametrize(("field", "row"), CASES)
    def test_a_row_that_cannot_be_kept(self, path: Path, field: str, row: Row) -> None:
        """It is named with its id and column, and every file stays as it was; without it, all goes well."""
        make(path, [*many(3), row])
        with_log(path, Row(8, "in the log"))
        before = state(path)
        with pytest.raises(ForeignStore, match=rf"row 7, id .*{field}.*left untouched"):
            Cortex(path, embedder=FakeEmbedder())
        assert state(path) == before
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM memories WHERE seq = 7")
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 4

    def test_text_that_is_no_unicode(self, path: Path) -> None:
        """Bytes of a text column that are no UTF-8 are refused with their place, not replaced."""
        make(path, [Row(7)])
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE memories SET content = CAST(x'61ff' AS TEXT)")
        with pytest.raises(ForeignStore, match=r"row 7.*surrogate U\+DCFF at position 1"):
            Cortex(path, embedder=FakeEmbedder())

    def test_many_bad_rows(self, path: Path) -> None:
        """All are counted, the first are named."""
        make(path, [Row(number, " ") for number in range(1, 300)])
        with pytest.raises(ForeignStore, match=r"299 of its rows .*row 1, .*row 3, .*and 296 more"):
            Cortex(path, embedder=FakeEmbedder())

    def test_while_the_program_has_it_open(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is left to it, and nothing that it writes is lost."""
        monkeypatch.setattr(replace, "_ATTEMPTS", 3)
        make(path, many(3))
        with closing(sqlite3.connect(path)) as program:
            program.execute("SELECT * FROM memories").fetchall()
            with pytest.raises(StoreBusy, match="has it open"):
                Cortex(path, embedder=FakeEmbedder())
            insert(program, Row(4, "written since"))
            program.commit()
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 4

    def test_what_is_written_meanwhile(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A commit after the copy was made stops the replacement; the next attempt has it."""
        make(path, many(3))
        copy = replace._copy

        def copy_and_write(file: Path, target: Path) -> None:
            copy(file, target)
            with closing(sqlite3.connect(file)) as program, program:
                insert(program, Row(4, "written since"))

        with monkeypatch.context() as patch:
            patch.setattr(replace, "_copy", copy_and_write)
            with pytest.raises(StoreBusy, match="changed by another program"):
                Cortex(path, embedder=FakeEmbedder())
        assert backups(path) == []
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 4

    def test_a_program_that_waited_fails(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whoever opened the old file before it was replaced cannot write into what nobody will see."""
        make(path, many(3))
        sole = replace._sole_connection
        waiting: list[sqlite3.Connection] = []

        def slow(file: Path) -> sqlite3.Connection:
            waiting.append(sqlite3.connect(file))
            return sole(file)

        monkeypatch.setattr(replace, "_sole_connection", slow)
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            with closing(waiting[0]) as program, pytest.raises(sqlite3.DatabaseError):
                insert(program, Row(4, "lost"))
            assert cortex.count() == 3
            assert cortex.health().ok

    @pytest.mark.parametrize(
        ("number", "error"), [(errno.ENOSPC, StoreFull), (errno.EACCES, StoreReadOnly), (errno.EIO, StoreError)]
    )
    def test_the_system_says_no(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type[StoreError]
    ) -> None:
        """The file is whole, nothing lies about, and the next attempt goes well."""
        make(path, many(3))

        def fail(*_: object) -> None:
            raise OSError(number, "no")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(error):
                Cortex(path, embedder=FakeEmbedder())
        assert set(state(path)) == {path.name}
        assert is_single_user_file(path)
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 3

    def test_a_file_system_without_links_will_do(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The backup gets its name another way, and holds what the file held."""
        make(path, many(3))

        def fail(*_: object) -> None:
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", fail)
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == 3
        assert is_single_user_file(path.with_name(f"{path.name}.backup-single-user"))

    def test_a_full_disk(self, path: Path) -> None:
        """Where the new store does not fit, the file stays as it is and nothing lies about."""
        make(path, many(500))
        before = state(path)
        code = (
            "import resource, sys\nfrom cortex import Cortex\nfrom cortex.errors import StoreFull\n"
            "from cortex.testing import FakeEmbedder\nsize = int(sys.argv[2])\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
            "try:\n    Cortex(sys.argv[1], embedder=FakeEmbedder())\nexcept StoreFull:\n    print('full')\n"
        )
        command = [sys.executable, "-c", code, str(path), str(path.stat().st_size + 4096)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=9)
        assert (done.returncode, done.stdout) == (0, "full\n"), done.stderr
        assert state(path) == before


class TestProcesses:
    @pytest.mark.slow
    def test_killed_at_any_step(self, path: Path, tmp_path: Path) -> None:
        """Whichever step on the file system is the last, the path leads to a whole file, and opening it goes on."""
        wanted = [an_id(n) for n in range(1, 251)]
        for step in range(1, 100):
            place = tmp_path / f"step{step}" / "memory.db"
            place.parent.mkdir()
            make(place, many(249))
            with_log(place, Row(250, "in the log"))
            process = opener(place, at=step)
            process.communicate(timeout=20)
            self.check(place, wanted)
            if process.returncode == 0:
                assert step > 8
                return
            assert process.returncode == -signal.SIGKILL
        pytest.fail("it never came to an end")

    @pytest.mark.parametrize("chunk", [1, 2])
    def test_killed_while_memories_are_written(self, path: Path, chunk: int) -> None:
        """Killed before or between two commits, the old file is there as it was."""
        make(path, many(300))
        before = path.read_bytes()
        process = opener(path, chunk=chunk)
        process.communicate(timeout=9)
        assert process.returncode == -signal.SIGKILL
        assert path.read_bytes() == before
        self.check(path, [an_id(n) for n in range(1, 301)])

    def check(self, path: Path, wanted: list[str]) -> None:
        """The file has everything now, after opening it, and in a backup, and nothing unfinished is left."""
        assert ids(path) == wanted
        with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
            assert cortex.count() == len(wanted)
            assert cortex.health().ok
        assert all(ids(backup) == wanted for backup in backups(path))
        assert len(backups(path)) in (1, 2)
        assert list(path.parent.glob("*takeover-*")) == []

    def test_several_at_once(self, path: Path) -> None:
        """One takes over, the others wait and find the new store; there is one backup."""
        make(path, many(1000))
        processes = [opener(path) for _ in range(3)]
        outputs = [process.communicate(timeout=9) for process in processes]
        assert [out for out, _ in outputs] == ["1000\n"] * 3, outputs
        assert sum("were taken over" in err for _, err in outputs) == 1
        assert len(backups(path)) == 1
        assert set(state(path)) == {path.name, backups(path)[0].name}
