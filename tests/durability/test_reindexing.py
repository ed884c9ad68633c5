"""Another model for a store that is in use: no read fails, a killed run goes on, and one can go back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.durability.conftest import Load
from tests.durability.support import Start, assert_sound, opened
from tests.durability.work import ALWAYS

pytestmark = pytest.mark.slow

MEMORIES = 400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of 64 dimensions with the memory that readers ask for."""
    path = tmp_path / "memory.db"
    with opened(path, "local") as cortex:
        cortex.memorize(ALWAYS)
        cortex.memorize_many(f"note {number} of several" for number in range(MEMORIES))
    return path


def test_readers_go_on_while_runs_are_killed(path: Path, load: Load, start: Start) -> None:
    """Readers of both models are answered all the while; what a killed run made is kept, the next makes the rest."""
    readers = [start("work", "recall", "log", path, dim) for dim in (64, 64, 32, 32)]
    assert [reader.line() for reader in readers] == ["asking"] * 4
    made = 0
    for number in load.rounds("kills of a reindex", 2 * load.breaks):
        child = start("work", "reindex", "log", path, 32)
        said = child.line()
        if not said.startswith("switched"):
            made = max(made, int(said.split()[0]))
        child.kill()
        if number == 0:
            with opened(path, "local", 64) as old:
                assert old.recall("who counts ships?").legs == ("dense", "lexical")
    *_, last = start("work", "reindex", "log", path, 32).end()
    assert last.startswith("switched True")
    assert int(last.split()[-1]) <= MEMORIES + 1 - made
    with opened(path, "local", 32) as new:
        assert new.recall("who counts ships?").legs == ("dense", "lexical")
        assert new.health().ok
    with opened(path, "local", 64) as old:
        assert old.recall("who counts ships?").degraded
        assert old.admin.roll_back().missing == 0
        assert old.recall("who counts ships?").legs == ("dense", "lexical")
        assert old.health().ok
    assert all(int(reader.end()[0]) > 1 for reader in readers)
    assert_sound(path)


def test_writers_of_the_old_model_do_not_fall_out_of_search(path: Path) -> None:
    """Who writes on with the old model, not knowing of the switch, writes memories that the new one can complete."""
    with opened(path, "local", 64) as old, opened(path, "local", 32) as new:
        old.recall("what is known?")
        new.admin.reindex()
        changed = old.list_memories(limit=1).memories[0].id
        ids = {str(old.memorize("a lamp was lit after the switch").id), changed}
        old.update(changed, content="a lamp was changed after the switch")
        new.admin.run_jobs()
        parts = {hit.memory.id: set(hit.parts) for hit in new.recall("lamp switch", limit=50).hits}
        assert {id_: parts[id_] for id_ in ids} == {id_: {"dense", "lexical"} for id_ in ids}
        assert new.health().warnings == ()
        assert new.admin.reindex(dry_run=True).missing == 0
