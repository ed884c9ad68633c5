"""Several processes on one file, and processes that are killed: nothing that was acknowledged is lost."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from cortex import Cortex, Memory
from tests.durability.conftest import Load
from tests.durability.support import Start, assert_sound, names, opened
from tests.durability.work import ALWAYS

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store that has the memory which readers ask for."""
    path = tmp_path / "store" / "memory.db"
    with opened(path, "local") as cortex:
        cortex.memorize(ALWAYS)
    return path


def test_many_writers_and_a_reader_lose_nothing(path: Path, journal: str, load: Load, start: Start) -> None:
    """Whatever several processes write into one file is there, and each of them finds all of it."""
    memories = load.memories if journal == "log" else load.memories // 5
    reader = start("work", "recall", journal, path, 64)
    assert reader.line() == "asking"
    writers = [start("work", "write", journal, path, f"writer{n}", memories) for n in range(load.writers)]
    assert [writer.line() for writer in writers] == ["done"] * load.writers
    with opened(path, "local") as cortex:
        wanted = {memory.id: memory.content for memory in everything(cortex)}
    expected = {f"writer{n} wrote number {i}" for n in range(load.writers) for i in range(memories)}
    assert set(wanted.values()) == expected | {ALWAYS}
    assert len(wanted) == load.writers * memories + 1
    for writer in writers:
        writer.tell(" ".join(wanted))
    assert [writer.end() for writer in writers] == [[str(len(wanted))]] * load.writers
    assert int(reader.end()[0]) > 0
    assert_sound(path)


def everything(cortex: Cortex) -> list[Memory]:
    """Every memory of the scope."""
    page = cortex.list_memories(limit=500)
    found = [*page.memories]
    while page.next_cursor is not None:
        page = cortex.list_memories(limit=500, cursor=page.next_cursor)
        found += page.memories
    return found


class Told:
    """What was acknowledged, and what may have been done without being."""

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}
        self.gone: set[str] = set()
        self.last = ""

    def hear(self, lines: list[str]) -> None:
        """Note what a child said before it was killed."""
        self.last = ""
        for line in lines:
            verb, id_, *rest = line.split()
            self.last = id_ if verb == "erasing" else ""
            match verb:
                case "kept":
                    self.versions[id_] = 1
                case "changed":
                    self.versions[id_] = int(rest[0])
                case "erased":
                    del self.versions[id_]
                    self.gone.add(id_)
                case _:
                    assert verb == "erasing"

    def check(self, cortex: Cortex) -> None:
        """Everything is there as it was acknowledged, and at most the one erasure under way was done as well."""
        found = {memory.id: memory.version for memory in everything(cortex)}
        missing = {id_ for id_, version in self.versions.items() if found.get(id_, 0) < version}
        assert missing <= {self.last}
        for id_ in missing:
            del self.versions[id_]
        assert self.gone.isdisjoint(found)


def test_kill_after_kill_loses_nothing(path: Path, journal: str, load: Load, start: Start) -> None:
    """Processes killed at any moment of writing, one after the other, lose nothing that they acknowledged."""
    told, number = Told(), 0
    for number in load.rounds(f"kills of a writer ({journal})", load.kills if journal == "log" else load.kills // 4):
        child = start("work", "change", journal, path, f"round{number}")
        lines = [child.line()]
        time.sleep(random.uniform(0, 0.2))
        told.hear(lines + child.kill())
        with opened(path, "local") as cortex:
            told.check(cortex)
            assert cortex.recall("who counts ships?").hits[0].memory.content == ALWAYS
        assert_sound(path)
    assert len(told.versions) > number


def test_a_killed_copy_is_no_copy(path: Path, load: Load, start: Start) -> None:
    """Of a process killed while it backs up and exports, whatever has the name of a copy is a whole one."""
    with opened(path, "local") as cortex:
        cortex.memorize_many(f"note {number} " + "with some length " * 20 for number in range(300))
    copies = path.parent.parent / "copies"
    copies.mkdir()
    number = 0
    for number in load.rounds("kills of a copier", load.breaks):
        child = start("work", "copy", "log", path, copies / f"copy{number}")
        child.line()
        time.sleep(random.uniform(0, 0.2))
        child.kill()
    whole = [file for file in sorted(copies.iterdir()) if ".unfinished-" not in file.name]
    assert len(whole) >= 2 * (number + 1)
    for place, file in enumerate(whole):
        if file.suffix == ".db":
            assert_sound(file)
        copy = file if file.suffix == ".db" else path.parent / f"imported{place}.db"
        with opened(copy, "local") as cortex:
            if file.suffix != ".db":
                assert cortex.admin.import_memories(file).refused == ()
            assert cortex.count() == 301
    with opened(path, "local") as cortex:
        remaining = cortex.forget(everything(cortex)[0].id).remaining
    assert set(remaining) == {str(file) for file in copies.iterdir() if ".db" in file.name}


def test_a_killed_restore_is_all_or_nothing(path: Path, load: Load, start: Start) -> None:
    """A restore that is killed has happened for everybody or for nobody, warm caches included."""
    backup = path.parent / "backup.db"
    with opened(path, "local") as reader, opened(path, "local") as writer:
        writer.memorize_many(f"old {number} " + "with some length " * 50 for number in range(500))
        writer.admin.backup(backup)
        outcomes = set()
        for number in load.rounds("kills of a restore", 3 * load.breaks):
            writer.memorize(f"new {number}")
            before = {memory.content for memory in everything(writer)}
            assert reader.recall(f"new {number}", limit=1).hits[0].memory.content == f"new {number}"
            child = start("work", "restore", "log", path, backup)
            child.line()
            child.tell("go")
            time.sleep(random.uniform(0, 0.15))
            child.kill()
            after = {memory.content for memory in everything(writer)}
            old = {content for content in before if not content.startswith("new")}
            assert after in (before, old)
            outcomes.add(after == before)
            writer.memorize(f"later {number}")
            found = {hit.memory.content for hit in reader.recall("new later", limit=100).hits}
            assert f"later {number}" in found
            assert {content for content in found if content.startswith("new")} == {
                content for content in after if content.startswith("new")
            }
            writer.forget(writer.recall(f"later {number}", limit=1).hits[0].memory.id)
    assert outcomes
    assert_sound(path)
    assert names(path.parent) == {"memory.db", "backup.db"}
