"""Exports, imports, copies, backups: what comes out is what went in."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.errors import CortexError, InvalidInput, StoreError
from cortex.testing import FakeEmbedder
from tests.engine.support import fill


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Cortex]:
    """A store that uses every feature there is."""
    with Cortex(tmp_path / "full.db", user="ada", embedder=FakeEmbedder()) as cortex:
        fill(cortex)
        yield cortex


def lines(cortex: Cortex) -> list[str]:
    """The export, line by line."""
    return list(cortex.admin.export_lines())


def other(path: Path, dim: int = 64) -> Cortex:
    """A store of somebody else."""
    return Cortex(path, user="bob", embedder=FakeEmbedder(dim=dim))


def test_a_round_trip_gives_identical_lines(full: Cortex, tmp_path: Path) -> None:
    """Export, import into a new file, export: the same bytes, and importing again changes nothing."""
    exported = lines(full)
    with other(tmp_path / "new.db") as cortex:
        done = cortex.admin.import_lines(iter(exported))
        assert (done.added, done.refused, done.pending) == (len(exported) - 1, (), 0)
        assert lines(cortex) == exported
        again = cortex.admin.import_lines(iter(exported))
        assert (again.unchanged, again.added) == (len(exported) - 1, 0)
        assert lines(cortex) == exported


def test_what_was_imported_is_recalled_just_so(full: Cortex, tmp_path: Path) -> None:
    """Hits, scores, history and pasts are those of the store it came from."""
    with other(tmp_path / "new.db") as cortex:
        cortex.admin.import_lines(iter(lines(full)))
        for scope in ("user:ada", "project:X.y-Z", "team:日本", "global"):
            ours = full.recall("what tea does Ada drink?", scope=scope)
            theirs = cortex.recall("what tea does Ada drink?", scope=scope)
            assert [(h.memory.id, h.score) for h in theirs.hits] == [(h.memory.id, h.score) for h in ours.hits]
        moved = full.list_memories(scope="project:X.y-Z").memories[0].id
        told = [(m.version, m.content, m.scope) for m in full.history(moved)]
        assert [(m.version, m.content, m.scope) for m in cortex.history(moved)] == told


def test_lines_are_strict_json_and_ordered(full: Cortex) -> None:
    """Each line is one JSON object without NaN; two exports are the same."""
    exported = lines(full)
    assert exported == lines(full)
    for line in exported:
        assert "\n" not in line
        assert isinstance(json.loads(line, parse_constant=pytest.fail), dict)


def test_one_scope_alone(full: Cortex, tmp_path: Path) -> None:
    """An export of a scope has its memories and no others."""
    exported = list(full.admin.export_lines(scope="team:日本"))
    assert [json.loads(line)["scope"] for line in exported[1:]] == ["team:日本"]
    with other(tmp_path / "new.db") as cortex:
        cortex.admin.import_lines(iter(exported))
        assert cortex.stats().scopes == {"team:日本": 1}


SECRET = "a secret of project a"


@pytest.fixture
def moved(tmp_path: Path) -> Iterator[Cortex]:
    """A memory that was written in one scope, moved with other words to a second, and changed there twice."""
    with Cortex(tmp_path / "moved.db", user="ada", embedder=FakeEmbedder()) as cortex:
        one = str(cortex.memorize(SECRET, scope="project:a").id)
        cortex.update(one, content="first in b", scope="project:b")
        cortex.update(one, content="second in b")
        cortex.update(one, content="third in b")
        yield cortex


@pytest.mark.parametrize(
    ("scope", "told"),
    [
        ("project:b", ["first in b", "second in b", "third in b"]),
        (["project:b", "global"], ["first in b", "second in b", "third in b"]),
        ("project:a", []),
        (["project:a", "project:b"], [SECRET, "first in b", "second in b", "third in b"]),
        (None, [SECRET, "first in b", "second in b", "third in b"]),
    ],
)
def test_a_scoped_export_has_the_words_of_its_scopes_only(
    moved: Cortex, tmp_path: Path, scope: Any, told: list[str]
) -> None:
    """What a memory said where it lived before does not leave with the scope it lives in; all of it leaves with all."""
    exported = list(moved.admin.export_lines(scope=scope))
    for line in exported[1:]:
        record = json.loads(line)
        assert [form["content"] for form in (*record["earlier"], record)] == told
    with other(tmp_path / "new.db") as cortex:
        assert cortex.admin.import_lines(iter(exported)).refused == ()
        assert lines(cortex) == exported
        memories = [m for name in ("project:a", "project:b") for m in cortex.list_memories(scope=name).memories]
        assert [m.content for memory in memories for m in cortex.history(memory.id)] == told


def test_a_scoped_export_of_the_past_is_no_other(moved: Cortex) -> None:
    """With an instant, too, versions of other scopes stay behind."""
    (memory,) = moved.list_memories(scope="project:b").memories
    second = moved.history(memory.id)[2].updated_at
    line = list(moved.admin.export_lines(scope="project:b", as_of=second))[1]
    assert json.loads(line)["content"] == "second in b"
    assert SECRET not in line
    assert SECRET in list(moved.admin.export_lines(as_of=second))[1]


@pytest.mark.parametrize(
    ("rule", "content", "outcome"),
    [("skip", "mine now", "skipped"), ("overwrite", "theirs", "overwritten"), ("new_id", "mine now", "renamed")],
)
def test_a_taken_id_follows_the_rule(rule: str, content: str, outcome: str) -> None:
    """Where another memory has the id, the rule decides, and says what it did."""
    with (
        Cortex(":memory:", embedder=FakeEmbedder()) as theirs,
        Cortex(":memory:", embedder=FakeEmbedder()) as mine,
    ):
        id_ = str(theirs.memorize("theirs").id)
        exported = lines(theirs)
        mine.admin.import_lines(iter(exported))
        mine.update(id_, content="mine now")
        done = mine.admin.import_lines(iter(exported), on_conflict=rule)
        assert getattr(done, outcome) == 1
        kept = mine.get(id_)
        assert kept is not None
        assert kept.content == content
        assert mine.count() == (2 if rule == "new_id" else 1)


def test_an_equal_memory_under_another_id_is_told(tmp_path: Path) -> None:
    """A memory that is there already under another id is not kept twice."""
    with other(tmp_path / "a.db") as theirs, other(tmp_path / "b.db") as mine:
        theirs.memorize("the same")
        mine.memorize("the same")
        done = mine.admin.import_lines(iter(lines(theirs)))
        assert (done.duplicates, done.added, mine.count()) == (1, 0, 1)


def test_vectors_of_another_model_are_made_anew(tmp_path: Path) -> None:
    """Without usable vectors a memory is taken over all the same, found by its words, and repaired."""
    with other(tmp_path / "a.db", dim=32) as theirs, other(tmp_path / "b.db", dim=64) as mine:
        theirs.memorize("a lamp in the hall")
        mine.memorize("my own note")
        done = mine.admin.import_lines(iter(lines(theirs)))
        assert (done.added, done.pending) == (1, 1)
        assert "a lamp in the hall" in [hit.memory.content for hit in mine.recall("lamp").hits]
        assert mine.admin.run_jobs().done == 1
        assert {"dense", "lexical"} in [hit.parts.keys() for hit in mine.recall("lamp").hits]


BROKEN = {
    "no JSON": "{",
    "a list": "[]",
    "no id": '{"content":"x"}',
    "a path for an id": '{"id":"../../../../../../../../etc/passwd"}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("bad", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_line_is_told_and_the_rest_taken(full: Cortex, tmp_path: Path, bad: str) -> None:
    """A line that is no record is named with its number, its text is not repeated, and the others come in."""
    exported = lines(full)
    with other(tmp_path / "new.db") as cortex:
        done = cortex.admin.import_lines(iter([exported[0], bad, *exported[1:]]))
        assert [refused.line for refused in done.refused] == [2]
        assert "passwd" not in done.refused[0].error
        assert lines(cortex) == exported


CHANGED = {
    "content": " ",
    "id": "zz" * 16,
    "scope": "nobody",
    "kind": "rumour",
    "importance": 11,
    "confidence": float("nan"),
    "created_at": "yesterday",
    "version": 0,
    "tags": ["t"] * 5 + [" "],
    "metadata": [],
    "embedding": {"model": "m", "dim": 0, "revision": "", "pieces": ""},
}


@pytest.mark.parametrize("field", CHANGED)
def test_a_field_that_cannot_be_is_refused(full: Cortex, tmp_path: Path, field: str) -> None:
    """A record with an impossible value is refused, and nothing of it is kept."""
    exported = lines(full)
    record = json.loads(exported[1]) | {field: CHANGED[field]}
    with other(tmp_path / "new.db") as cortex:
        done = cortex.admin.import_lines(iter([exported[0], json.dumps(record)]))
        assert len(done.refused) == 1
        assert cortex.stats().memories == 0


@pytest.mark.parametrize("first", ["", "{}", "not json", '{"format":"cortex-export","version":99}'])
def test_another_file_is_refused(first: str) -> None:
    """Only what says that it is an export of a known version is read."""
    with Cortex(":memory:", embedder=FakeEmbedder()) as cortex, pytest.raises(InvalidInput):
        cortex.admin.import_lines(iter([first, "{}"]))


class TestFiles:
    def test_a_file_is_written_whole_and_private(self, full: Cortex, tmp_path: Path) -> None:
        """The file has every line, is readable by its owner only, and is never overwritten."""
        target = tmp_path / "out.jsonl"
        done = full.admin.export_memories(target)
        assert done.memories == len(lines(full)) - 1
        assert target.read_text("utf-8").splitlines()[0] == lines(full)[0]
        assert target.stat().st_mode & 0o777 == 0o600
        before = target.read_bytes()
        with pytest.raises(InvalidInput, match="exists"):
            full.admin.export_memories(target)
        assert target.read_bytes() == before
        assert [path.name for path in tmp_path.glob("out*")] == ["out.jsonl"]

    def test_reading_it_back(self, full: Cortex, tmp_path: Path) -> None:
        """A file comes back as it went out, separators inside of texts and a byte order mark included."""
        target = tmp_path / "out.jsonl"
        full.admin.export_memories(target)
        target.write_bytes(b"\xef\xbb\xbf" + target.read_bytes())
        with other(tmp_path / "new.db") as cortex:
            assert cortex.admin.import_memories(target).refused == ()
            assert lines(cortex) == lines(full)

    @pytest.mark.parametrize("kind", ["missing", "folder", "device", "binary"])
    def test_no_file_is_refused(self, full: Cortex, tmp_path: Path, kind: str) -> None:
        """What is no regular text file is refused with a clear error."""
        (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
        (tmp_path / "folder").mkdir()
        target = Path("/dev/zero") if kind == "device" else tmp_path / kind
        with pytest.raises(CortexError):
            full.admin.import_memories(target)

    def test_a_packed_file_is_told(self, full: Cortex, tmp_path: Path) -> None:
        """A file packed with gzip is refused with what to do."""
        target = tmp_path / "out.jsonl.gz"
        target.write_bytes(gzip.compress("\n".join(lines(full)).encode()))
        with pytest.raises(InvalidInput, match="gunzip"):
            full.admin.import_memories(target)

    def test_no_folder_is_made(self, full: Cortex, tmp_path: Path) -> None:
        """An export into a folder that is not there fails and makes none."""
        with pytest.raises(InvalidInput):
            full.admin.export_memories(tmp_path / "no" / "such" / "out.jsonl")
        assert not (tmp_path / "no").exists()


def _write_on(path: str, count: int) -> None:
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        for number in range(count):
            cortex.memorize(f"written meanwhile {number}", scope="user:busy")


class TestBackups:
    def test_a_backup_under_load_is_a_clean_store(self, full: Cortex, tmp_path: Path) -> None:
        """A copy taken while another process writes is sound and has all that was there before."""
        exported = lines(full)
        writer = multiprocessing.get_context("spawn").Process(target=_write_on, args=(str(tmp_path / "full.db"), 200))
        writer.start()
        for number in range(5):
            full.admin.backup(tmp_path / f"copy{number}.db")
        writer.join(30)
        assert writer.exitcode == 0
        for number in range(5):
            copy = tmp_path / f"copy{number}.db"
            assert copy.stat().st_mode & 0o777 == 0o600
            with other(copy) as cortex:
                assert cortex.health().ok
                assert lines(cortex)[: len(exported)] == exported

    def test_a_backup_never_overwrites(self, full: Cortex, tmp_path: Path) -> None:
        """An existing file is left as it is."""
        (tmp_path / "there").write_text("precious")
        with pytest.raises(InvalidInput, match="exists"):
            full.admin.backup(tmp_path / "there")
        assert (tmp_path / "there").read_text() == "precious"

    @pytest.mark.parametrize("bad", ["", "a\0b", 5, None, b"bytes"])
    def test_what_is_no_path(self, full: Cortex, bad: Any) -> None:
        """It is refused by name."""
        for call in (full.admin.backup, full.admin.restore):
            with pytest.raises(InvalidInput, match="path"):
                call(bad)

    def test_restoring_puts_everything_back(self, full: Cortex, tmp_path: Path) -> None:
        """After a restore the store is what it was, for other processes' caches too; what came later is gone."""
        exported = lines(full)
        full.admin.backup(tmp_path / "copy.db")
        with Cortex(tmp_path / "full.db", user="ada", embedder=FakeEmbedder()) as reader:
            assert full.memorize("written later").id
            assert reader.recall("written later").hits[0].memory.content == "written later"
            full.forget_all("global", confirm="global")
            full.admin.restore(tmp_path / "copy.db")
            assert lines(full) == exported
            assert lines(reader) == exported
            for cortex in (full, reader):
                assert "written later" not in [hit.memory.content for hit in cortex.recall("written later").hits]
                assert len(cortex.recall("line", scope="global").hits) == 1
            again = full.memorize("written after the restore")
            assert reader.recall("written after the restore").hits[0].memory.id == again.id

    def test_a_restore_forgets_no_backup(self, full: Cortex, tmp_path: Path) -> None:
        """Copies made after the one that was restored are still named when something is erased."""
        copies = [str(tmp_path / f"copy[{number}].db") for number in range(3)]
        for copy in copies:
            full.admin.backup(copy)
        full.admin.restore(copies[0])
        (unfinished := tmp_path / "copy[1].db.unfinished-abc").touch()  # of somebody who was killed
        receipt = full.forget_all("global", confirm="global")
        assert receipt.remaining == tuple(sorted([*copies, str(unfinished)]))

    @pytest.mark.parametrize("kind", ["missing", "text", "foreign", "cut short"])
    def test_a_bad_backup_changes_nothing(self, full: Cortex, tmp_path: Path, kind: str) -> None:
        """What is no sound store is refused before anything is touched."""
        exported = lines(full)
        full.admin.backup(tmp_path / "cut short")
        size = (tmp_path / "cut short").stat().st_size
        os.truncate(tmp_path / "cut short", size - size // 3)
        (tmp_path / "text").write_text("no database")
        (tmp_path / "foreign").write_bytes(b"")
        with pytest.raises(StoreError):
            full.admin.restore(tmp_path / kind)
        assert lines(full) == exported
        assert full.health().ok
