"""Child processes of these tests: started, listened to, and ended by their own handle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.stores.sqlite.driver import sqlite3
from cortex.testing import FakeEmbedder

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 50


class Child:
    """A process that runs one of the functions of a module, and speaks in lines."""

    def __init__(self, module: str, *arguments: object) -> None:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", module, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.into, self.out, self.err = self.process.stdin, self.process.stdout, self.process.stderr

    def line(self) -> str:
        """What it says next; its complaint if it said nothing."""
        line = self.out.readline()
        if not line.endswith("\n"):
            raise AssertionError(f"the child ended: {self.err.read()}")
        return line.rstrip("\n")

    def tell(self, line: str) -> None:
        """Say something to it."""
        self.into.write(f"{line}\n")
        self.into.flush()

    def end(self) -> list[str]:
        """Close its stdin and wait until it has ended in order; the rest of what it said."""
        self.into.close()
        said, complaint = self.out.read(), self.err.read()
        assert self.process.wait(PATIENCE_SECONDS) == 0, complaint
        assert complaint == ""
        return said.splitlines()

    def kill(self) -> list[str]:
        """End it as a power cut would; the whole lines that it had said and nobody has read."""
        self.process.send_signal(signal.SIGKILL)
        return self.die()

    def die(self) -> list[str]:
        """Wait until it has been killed, by whomever; the whole lines that it had said and nobody has read."""
        said, complaint = self.out.read(), self.err.read()
        assert self.process.wait(PATIENCE_SECONDS) == -signal.SIGKILL, complaint
        return [line.rstrip("\n") for line in said.splitlines(keepends=True) if line.endswith("\n")]


Start = Callable[..., Child]


@pytest.fixture(name="start")
def start_children() -> Iterator[Start]:
    """Starts children, and ends those that are still there when the test is over."""
    children: list[Child] = []

    def start(module: str, *arguments: object) -> Child:
        children.append(Child(f"tests.durability.{module}", *arguments))
        return children[-1]

    yield start
    for child in children:
        if child.process.poll() is None:
            child.process.kill()
        for pipe in (child.into, child.out, child.err):
            with suppress(BrokenPipeError):
                pipe.close()
        child.process.wait()


def opened(path: Path, user: str = "ada", dim: int = 64) -> Cortex:
    """The store in this process."""
    return Cortex(path, user=user, embedder=FakeEmbedder(dim=dim))


def assert_sound(path: Path) -> None:
    """The file is whole in SQLite's eyes and in ours."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    with opened(path) as cortex:
        health = cortex.health()
        assert [problem for problem in health.problems if "embedder" not in problem] == []


def names(folder: Path) -> set[str]:
    """The files in a folder, the side files of databases aside."""
    return {file.name for file in folder.iterdir() if not file.name.endswith(("-wal", "-shm"))}
