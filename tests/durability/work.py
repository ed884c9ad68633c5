"""What a child process does with a store: one function, named with the journal, the path and its arguments."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from cortex import Cortex
from cortex.stores.sqlite import connect, migrate, store
from cortex.testing import FakeEmbedder

ALWAYS = "the lighthouse keeper counts ships"


def say(line: object) -> None:
    """One line for the parent."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def write(path: Path, name: str, count: str) -> None:
    """Keep so many memories one by one; then find everything that the parent names."""
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        for number in range(int(count)):
            cortex.memorize(f"{name} wrote number {number}")
        say("done")
        wanted = sys.stdin.readline().split()
        memories = [cortex.get(id_) for id_ in wanted]
        found = 0
        for memory in (memory for memory in memories if memory is not None):
            if found % 20 == 0:
                assert memory.id in {hit.memory.id for hit in cortex.recall(memory.content, limit=20).hits}
            found += 1
        say(found)


def keep(path: Path, count: str) -> None:
    """Keep so many memories and wait."""
    with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
        for number in range(int(count)):
            cortex.memorize(f"kept by another {number}")
        say("kept")
        sys.stdin.read()


def change(path: Path, name: str) -> None:
    """Keep, change and erase without end, and say of each that it was acknowledged."""
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        ids: list[str] = []
        number = 0
        while True:
            number += 1
            receipt = cortex.memorize(f"{name} kept {number} " + "and more " * (number % 40), metadata={"n": number})
            ids.append(str(receipt.id))
            say(f"kept {receipt.id}")
            if number % 4 == 0:
                receipt = cortex.update(ids[-2], content=f"{name} changed {number}")
                say(f"changed {receipt.id} {receipt.version}")
            if number % 7 == 0:
                gone = ids.pop(-4)
                say(f"erasing {gone}")
                cortex.forget(gone)
                say(f"erased {gone}")


def recall(path: Path, dim: str) -> None:
    """Ask without end, until stdin ends; every answer must be right, and the count of them is said."""
    over = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        over.set()

    threading.Thread(target=wait, daemon=True).start()
    answers = 0
    with Cortex(path, embedder=FakeEmbedder(dim=int(dim))) as cortex:
        while not over.is_set():
            assert cortex.recall("who counts ships at the lighthouse?").hits[0].memory.content == ALWAYS
            answers += 1
            if answers == 1:
                say("asking")
    say(answers)


def reindex(path: Path, dim: str) -> None:
    """Make vectors of another dimension and say how far it is."""
    with Cortex(path, embedder=FakeEmbedder(dim=int(dim))) as cortex:
        done = cortex.admin.reindex(report=lambda done, total: say(f"{done} of {total}"))
        say(f"switched {done.switched} made {done.made}")


def copy(path: Path, target: str) -> None:
    """Make backups and exports without end."""
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        number = 0
        while True:
            number += 1
            cortex.admin.backup(f"{target}.{number}.db")
            cortex.admin.export_memories(f"{target}.{number}.jsonl")
            say(number)


def restore(path: Path, source: str) -> None:
    """Put a backup in place when told to."""
    with Cortex(path, embedder=FakeEmbedder()) as cortex:
        say("ready")
        sys.stdin.readline()
        cortex.admin.restore(source)
        say("restored")
        sys.stdin.readline()


def open_it(path: Path, statements: str) -> None:
    """Open the store; die at so many statements of the migration, or not at all for 0."""
    if int(statements):
        _die_after(int(statements))
    say("opening")
    with Cortex(path, user="ada", embedder=FakeEmbedder()):
        say("open")


def _die_after(statements: int) -> None:
    plain = migrate._upgrade
    left = [statements]

    def count(_: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(connection: Connection, *arguments: Any) -> None:
        connection.set_trace_callback(count)
        plain(connection, *arguments)

    vars(migrate)["_upgrade"] = traced


def main() -> None:
    """Do what the arguments say."""
    name, journal, path, *rest = sys.argv[1:]
    if journal == "rollback":
        for module in (connect, store):
            vars(module)["WAL_IS_SAFE"] = False
    globals()[name](Path(path), *rest)


if __name__ == "__main__":
    main()
