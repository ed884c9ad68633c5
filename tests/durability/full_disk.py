"""Operations that run out of space, each in a process of its own: named with how, the operation and a folder."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.errors import StoreFull
from cortex.stores.sqlite import migrate, schema
from cortex.stores.sqlite.driver import sqlite3
from cortex.testing import FakeEmbedder
from tests.durability.support import assert_sound, names

LIMIT = 40_000  # more than the index of a log
SECRET = "quartzite"
LARGE = " ".join(f"word{number}" for number in range(9_000))


@dataclass(frozen=True, slots=True)
class Operation:
    """What is done, and whether it is done in the store's own file."""

    act: Callable[[Cortex, Path], object]
    within: bool = True
    acknowledged: bool = False
    dim: int = 64


def _fill_another(folder: Path) -> None:
    """Something to import, of a store that has much more."""
    with Cortex(folder / "other.db", embedder=FakeEmbedder()) as other:
        other.memorize_many(f"other {number} {LARGE[:1500]}" for number in range(150))
        other.admin.export_memories(folder / "other.jsonl")
        other.admin.backup(folder / "copy of other.db")


def _forget(cortex: Cortex, _: Path) -> None:
    (found,) = cortex.recall(SECRET, limit=1).hits
    receipt = cortex.forget(found.memory.id)
    assert receipt.counts["memories"] == 1
    assert receipt.remaining
    assert "traces" in " ".join(cortex.health().warnings)


OPERATIONS = {
    "memorize": Operation(lambda cortex, _: cortex.memorize(LARGE)),
    "memorize_many": Operation(lambda cortex, _: cortex.memorize_many(f"{n} {LARGE[:1500]}" for n in range(100))),
    "update": Operation(lambda cortex, _: cortex.update(_one(cortex), content=LARGE)),
    "reindex": Operation(lambda cortex, _: cortex.admin.reindex(), dim=4096),
    "import": Operation(lambda cortex, folder: cortex.admin.import_memories(folder / "other.jsonl")),
    "restore": Operation(lambda cortex, folder: cortex.admin.restore(folder / "copy of other.db")),
    "export": Operation(lambda cortex, folder: cortex.admin.export_memories(folder / "new.jsonl"), within=False),
    "backup": Operation(lambda cortex, folder: cortex.admin.backup(folder / "new.db"), within=False),
    "forget": Operation(_forget, within=False, acknowledged=True),
}


def _one(cortex: Cortex) -> str:
    return cortex.list_memories(limit=1).memories[0].id


@contextmanager
def no_room(how: str, cortex: Cortex, limit: int) -> Iterator[None]:
    """Nothing can grow by more than a little, while it lasts."""
    if how == "pages":
        with cortex._deps.store._connections.raw() as writer:  # type: ignore[attr-defined]
            most = writer.execute("PRAGMA max_page_count").fetchone()[0]
            pages = writer.execute("PRAGMA page_count").fetchone()[0]
            writer.execute(f"PRAGMA max_page_count = {pages + 5}").fetchone()
        yield
        with cortex._deps.store._connections.raw() as writer:  # type: ignore[attr-defined]
            writer.execute(f"PRAGMA max_page_count = {most}").fetchone()
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def run(how: str, name: str, folder: Path) -> None:
    """The operation fails as it should, everything is as it was, reading goes on, and with room it works."""
    operation, path = OPERATIONS[name], folder / "memory.db"
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        cortex.memorize_many([*(f"note {number} {LARGE[:1500]}" for number in range(100)), f"the {SECRET} is here"])
    _fill_another(folder)
    with Cortex(path, embedder=FakeEmbedder(dim=operation.dim)) as cortex:
        cortex.recall("note")  # the log and its index are open
        before, files = list(cortex.admin.export_lines()), names(folder)
        with no_room(how, cortex, path.stat().st_size // 2 if operation.acknowledged else LIMIT):
            if operation.acknowledged:
                operation.act(cortex, folder)
            else:
                _refused(folder, lambda: operation.act(cortex, folder))
                assert list(cortex.admin.export_lines()) == before
            assert names(folder) == files
            assert cortex.recall("note 7", limit=20).hits
            assert cortex.get(_one(cortex)) is not None
            assert [p for p in cortex.health().problems if "embedder" not in p] == []
        if operation.acknowledged:
            cortex.admin.run_jobs()
            assert cortex.health().warnings == ()
        else:
            operation.act(cortex, folder)
        assert cortex.memorize("there is room again").deduplicated is False
    assert_sound(path)


def _refused(folder: Path, act: Callable[[], object]) -> None:
    with pytest.raises(StoreFull, match="space") as caught:
        act()
    assert str(folder) in str(caught.value)


def migrate_old(folder: Path) -> None:
    """A file of the first schema whose backup does not fit is left as it was, and migrated when there is room."""
    path = folder / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dict(schema.migrations())[1])
        connection.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO store VALUES ('filling', ?)", [LARGE])
        connection.commit()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (path.stat().st_size // 2, LIMIT, 0):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        _refused(folder, lambda: Cortex(path, embedder=FakeEmbedder()))
        assert names(folder) == {"memory.db"}
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == 1
        assert connection.execute("SELECT value FROM store WHERE key = 'filling'").fetchone()[0] == LARGE
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        assert cortex.health().ok
    assert names(folder) == {"memory.db", "memory.db.backup-schema-1"}


def create(folder: Path) -> None:
    """A store that cannot be made says so, and is made when there is room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 1000, LIMIT):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        _refused(folder, lambda: Cortex(folder / "memory.db", embedder=FakeEmbedder()))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with Cortex(folder / "memory.db", embedder=FakeEmbedder()) as cortex:
        assert cortex.memorize("there is room").id
        assert cortex.health().ok


if __name__ == "__main__":
    _, how, name, where = sys.argv
    match name:
        case "migrate":
            migrate_old(Path(where))
        case "create":
            create(Path(where))
        case _:
            run(how, name, Path(where))
