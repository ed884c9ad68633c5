"""A process that may not write: gives up root's rights if it has them, reads twice, and tries to write."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.errors import StoreReadOnly
from cortex.testing import FakeEmbedder
from tests.durability.work import say

NOBODY = 65534
WRITES: dict[str, Callable[[Cortex, Path], object]] = {
    "memorize": lambda cortex, _: cortex.memorize("x"),
    "memorize_many": lambda cortex, _: cortex.memorize_many(["x", "y"]),
    "update": lambda cortex, _: cortex.update(_one(cortex), content="z"),
    "archive": lambda cortex, _: cortex.archive(_one(cortex)),
    "forget": lambda cortex, _: cortex.forget(_one(cortex)),
    "forget_all": lambda cortex, _: cortex.forget_all("user:ada", confirm="user:ada"),
    "reindex": lambda cortex, _: cortex.admin.reindex(),
    "requeue": lambda cortex, _: cortex.admin.requeue(),
    "import": lambda cortex, exported: cortex.admin.import_lines(_renamed(exported)),
}


def _renamed(exported: Path) -> list[str]:
    """The first memory of an export under an id that nobody has; what is there already would need no write."""
    header, line = exported.read_text("utf-8").splitlines()[:2]
    return [header, json.dumps({**json.loads(line), "id": "f" * 32})]


def _one(cortex: Cortex) -> str:
    return cortex.list_memories(limit=1).memories[0].id


def read(cortex: Cortex) -> int:
    """Everything that reads works; how many memories there are."""
    count = cortex.count()
    assert cortex.recall("note 7", limit=1).hits[0].memory.content == "note 7"
    assert len(cortex.list_memories(limit=500).memories) == count
    assert cortex.get(_one(cortex)) is not None
    assert len(cortex.history(_one(cortex))) == 1
    assert cortex.stats().memories == count
    assert len(list(cortex.admin.export_lines())) == count + 1
    health = cortex.health()
    assert (health.ok, "cannot be written" in " ".join(health.warnings)) == (True, True)
    return count


def warm_up(folder: Path) -> None:
    """Do everything once, since the modules that it loads may be out of reach for another user."""
    with Cortex(folder / "warm.db", user="ada", embedder=FakeEmbedder()) as cortex:
        cortex.memorize_many(f"note {number}" for number in range(20))
        list(cortex.admin.export_lines())
        cortex.recall("note 7")
        cortex.health()
        cortex.stats()
        for name, write in WRITES.items():
            if name not in {"import", "forget_all"}:
                write(cortex, folder)
        cortex.admin.export_memories(folder / "warm.jsonl")
        cortex.admin.import_memories(folder / "warm.jsonl")
        cortex.admin.backup(folder / "warm backup.db")
        cortex.admin.restore(folder / "warm backup.db")


def give_up_rights() -> None:
    """Be nobody, if this is root."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def restore(cortex: Cortex, exported: Path) -> None:
    """A write as the others are."""
    cortex.admin.restore(exported.with_name("backup.db"))


def main(path: Path, own: Path) -> None:
    """Read, say how many there are, wait for a line, read again; then every write is refused by name."""
    warm_up(own)
    give_up_rights()
    os.chdir(own)
    with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
        say(read(cortex))
        sys.stdin.readline()
        say(read(cortex))
        cortex.admin.export_memories(own / "export.jsonl")
        cortex.admin.backup(own / "backup.db")
        for write in (*WRITES.values(), restore):
            with pytest.raises(StoreReadOnly) as caught:
                write(cortex, own / "export.jsonl")
            assert str(path) in str(caught.value)
            assert "permissions" in str(caught.value)
        say(read(cortex))
    with Cortex(own / "backup.db", user="ada", embedder=FakeEmbedder()) as copy:
        assert copy.health().warnings == ()
        say(copy.count())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
