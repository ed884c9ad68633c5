from __future__ import annotations

from datetime import timedelta

import pytest

from cortex import Cortex, Memory, Status
from cortex.engine.facade import Engine
from cortex.errors import InvalidId, InvalidInput, NotFound
from cortex.model.layers import ALL
from tests.engine.support import Bench, found, kept


def stored(cortex: Engine, memory_id: str) -> Memory:
    """The memory as it is now."""
    memory = cortex.get(memory_id)
    assert isinstance(memory, Memory)
    return memory


def test_an_archived_memory_is_not_recalled_and_not_lost(cortex: Cortex) -> None:
    """Recall, listing and count leave it out, its id still finds it, and nothing of it changed."""
    cortex.memorize("milk")
    one = kept(cortex.memorize("green tea", tags=["a"], metadata={"k": 1}).id)
    before = stored(cortex, one)
    receipt = cortex.archive(one)
    assert (receipt.verb, receipt.id, receipt.scope, receipt.version) == ("archive", one, "user:ada", 2)
    assert found(cortex.recall("green tea")) == ["milk"]
    assert cortex.count() == cortex.list_memories().total == 1
    after = stored(cortex, one)
    changed = {name for name in Memory.__dataclass_fields__ if getattr(after, name) != getattr(before, name)}
    assert changed == {"status", "version", "updated_at"}
    assert [m.id for m in cortex.list_memories(statuses=["archived"]).memories] == [one]
    assert cortex.stats().memories == 2


def test_it_is_put_back(cortex: Cortex) -> None:
    """Undoing makes it recalled again with the same score as before."""
    cortex.memorize("milk")
    one = kept(cortex.memorize("green tea").id)
    before = [(hit.memory.id, hit.score) for hit in cortex.recall("green tea").hits]
    cortex.archive(one)
    assert cortex.archive(one, undo=True).version == 3
    assert [(hit.memory.id, hit.score) for hit in cortex.recall("green tea").hits] == before


@pytest.mark.parametrize("undo", [False, True])
def test_what_is_so_already_stays(cortex: Cortex, undo: bool) -> None:
    """Archiving twice, or undoing what was not archived, answers and makes no version."""
    one = kept(cortex.memorize("green tea").id)
    version = cortex.archive(one, undo=undo).version
    again = cortex.archive(one, undo=undo)
    assert (again.id, again.version) == (one, version)
    assert len(cortex.history(one)) == version


def test_a_keyed_undo_of_nothing_does_not_undo_later(cortex: Cortex) -> None:
    """What was answered as done already is not done when the same call comes again."""
    one = kept(cortex.memorize("green tea").id)
    first = cortex.archive(one, undo=True, idempotency_key="k")
    assert len(cortex.history(one)) == 1
    cortex.archive(one)
    assert cortex.archive(one, undo=True, idempotency_key="k") == first
    assert stored(cortex, one).status is Status.ARCHIVED


def test_an_equal_memory_is_not_joined(cortex: Cortex) -> None:
    """A memory whose words were told anew meanwhile is not put back, and the other is named."""
    one = kept(cortex.memorize("green tea").id)
    cortex.archive(one)
    other = kept(cortex.memorize("green tea").id)
    assert other != one
    with pytest.raises(InvalidInput, match=other):
        cortex.archive(one, undo=True)
    assert stored(cortex, one).status is Status.ARCHIVED
    cortex.archive(other)
    cortex.archive(one, undo=True)
    assert [hit.memory.id for hit in cortex.recall("green tea").hits] == [one]


def test_an_expired_memory_can_be_archived(cortex: Cortex) -> None:
    """Whatever a memory's scope and state, its id is enough."""
    away = kept(cortex.memorize("away", scope="project:x", expires_at="2020-01-01").id)
    assert cortex.archive(away).scope == "project:x"
    assert stored(cortex, away).status is Status.ARCHIVED


def test_what_is_not_there_is_not_archived(cortex: Cortex) -> None:
    """Unknown ids, erased ids and what is no id are refused."""
    one = kept(cortex.memorize("green tea").id)
    cortex.forget(one)
    for gone in (one, "f" * 32):
        with pytest.raises(NotFound):
            cortex.archive(gone)
    with pytest.raises(InvalidId):
        cortex.archive("%")


def test_an_archived_memory_is_erased_like_any_other(cortex: Cortex) -> None:
    """Being archived is no shelter."""
    one = kept(cortex.memorize("green tea").id)
    cortex.archive(one)
    counts = cortex.forget(one).counts
    assert (counts["memories"], counts["versions"], counts["version_vectors"]) == (1, 1, 1)
    assert cortex.get(one) is None


def test_it_is_archived_from_its_moment_on() -> None:
    """Looking back before it finds the memory, from then on it does not, and after the undo it does."""
    bench = Bench()
    engine = bench.engine()
    one = kept(engine.memorize("green tea").id)
    times = [bench.clock.now()]
    for undo in (False, True):
        bench.clock.tick(timedelta(days=1))
        engine.archive(one, undo=undo)
        times.append(bench.clock.now())
    assert [engine.count(as_of=at) for at in times] == [1, 0, 1]


def test_undoing_finds_no_successor_that_was_erased() -> None:
    """Superseded, archived, and the newer one forgotten: then there is nothing that it gives way to."""
    engine = Bench(layers=ALL).engine()
    old = kept(engine.memorize("The nightly backup takes 40 minutes").id)
    new = kept(engine.memorize("Note: the nightly backup now takes 25 minutes").id)
    assert stored(engine, old).superseded_by == new
    engine.archive(old)
    engine.archive(old, undo=True)
    assert stored(engine, old).status is Status.SUPERSEDED
    engine.archive(old)
    engine.forget(new)
    assert engine.archive(old, undo=True).notes == ()
    assert found(engine.recall("nightly backup")) == ["The nightly backup takes 40 minutes"]
