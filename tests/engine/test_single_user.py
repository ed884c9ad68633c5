"""Importing a file of the earlier single-user program into a store that has memories of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex import Cortex
from cortex.testing import FakeEmbedder
from tests.engine.support import Bench
from tests.single_user import Row, an_id, make, many, with_log


def open_store(folder: Path) -> Cortex:
    """The store that takes the memories in."""
    return Cortex(folder / "memory.db", user="ada", embedder=FakeEmbedder())


def state(path: Path) -> dict[str, bytes]:
    """The file and its log."""
    return {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal") if Path(f"{path}{end}").exists()}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Such a file, with a commit in its log."""
    path = make(tmp_path / "old.db", many(250), entities=2, supersessions=[(an_id(1), an_id(2), "2026-02-01")])
    with_log(path, Row(251, "in the log", event={"event_time": "2026-13-45"}))
    return path


def test_its_memories_are_added(tmp_path: Path, old: Path) -> None:
    """Ids and times are kept, what is left out is counted, and the file stays as it was."""
    before = state(old)
    with open_store(tmp_path) as cortex:
        mine = cortex.memorize("mine")
        done = cortex.admin.import_memories(old)
        assert (done.added, done.pending, done.as_text, done.refused) == (251, 251, 1, ())
        assert done.left_out == {"entities": 2, "relations": 2}
        assert cortex.get(str(mine.id)) is not None
        assert cortex.count() == 251
        assert cortex.count(statuses="superseded") == 1
        again = cortex.admin.import_memories(old)
        assert (again.added, again.unchanged) == (0, 251)
        cortex.admin.run_jobs()
        assert cortex.admin.import_memories(old).skipped == 251
        assert cortex.health().warnings == ()
    assert state(old) == before


def test_a_row_that_cannot_be_kept_is_named(tmp_path: Path) -> None:
    """The others are added; a row is refused by its number and id."""
    old = make(tmp_path / "old.db", [*many(2), Row(3, " "), Row(4, "after it")])
    with open_store(tmp_path) as cortex:
        done = cortex.admin.import_memories(old)
        assert done.added == 3
        (refused,) = done.refused
        assert refused.line == 3
        assert an_id(3) in refused.error
        assert "content" in refused.error


def test_equal_texts_are_duplicates(tmp_path: Path) -> None:
    """What is here already, or repeats another one, is counted and stays in the file."""
    old = make(tmp_path / "old.db", [Row(1, "tea"), Row(2, "coffee"), Row(3, "Coffee")])
    with open_store(tmp_path) as cortex:
        cortex.memorize("Tea")
        done = cortex.admin.import_memories(old)
        assert (done.added, done.duplicates) == (1, 2)


def test_an_engine_without_the_plug_knows_no_such_file(old: Path) -> None:
    """It is then read as the text that it is not."""
    with pytest.raises(ValueError, match=r"no UTF-8|no export"):
        Bench().engine().admin.import_memories(old)
