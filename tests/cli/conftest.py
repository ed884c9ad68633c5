"""The command line in this process, and as a child process, each with a home of its own."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.cli.main import main

COMMAND = [sys.executable, "-m", "cortex.cli.main"]
# Clears a screen, turns around, changes the colour, rings, and begins a line that looks like another memory.
EVIL = "evil \x1b[2J\u202etxet\x9b31m\x07 text\n0badc0de  2026-01-01  fact"


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; a number that JSON has not is an error."""
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))

    @property
    def error(self) -> dict[str, str]:
        """The error that was told as JSON on stderr."""
        found: dict[str, str] = json.loads(self.err)["error"]
        return found


Cli = Callable[..., Result]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Cli]:
    """Runs the command line in this process: ``cli("count", "--json")``, with ``stdin`` if it reads some."""
    monkeypatch.chdir(tmp_path)
    handlers = logging.root.handlers[:]
    level = logging.root.level

    def run(*args: str | Path, stdin: str | bytes = b"") -> Result:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        capsys.readouterr()
        code = main([str(arg) for arg in args])
        return Result(code, *capsys.readouterr())

    yield run
    logging.captureWarnings(capture=False)
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


@pytest.fixture
def child(tmp_path: Path) -> Cli:
    """Runs the command line as a child process: the same call as ``cli``, with variables to set by name."""

    def run(*args: str | Path, stdin: bytes = b"", command: list[str] | None = None, **variables: str) -> Result:
        done = subprocess.run(
            [*(command or COMMAND), *map(str, args)],
            cwd=tmp_path, env=child_environment(**variables), input=stdin, capture_output=True, check=False, timeout=9,
        )  # fmt: skip
        return Result(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run


def child_environment(**variables: str) -> dict[str, str]:
    """The environment of a child: this test's, and the given variables."""
    return {**os.environ, **variables}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that the tests of a module read and do not change."""
    path = tmp_path_factory.mktemp("shared") / "memory.db"
    with Cortex(path) as cortex:
        cortex.memorize_many([
            {"content": "Ada prefers green tea in the morning", "kind": "preference", "tags": ["drinks", "morning"],
             "speaker": "Ada", "event_time": "2026-05-30T08:15", "metadata": {"cups": 2}},
            {"content": "The database is SQLite because it needs no server", "kind": "decision",
             "event_time": "2026-05-31", "session": "design", "importance": 9},
            {"content": "朝はいつも緑茶を飲みます", "tags": ["飲み物"], "event_time": "2026-06-01"},
            {"content": EVIL, "speaker": "M\x1b[1mallory",
             "tags": ["a\x1b[0mb"], "metadata": {"k\u2066": "\x1b[5m"}},
            {"content": "The harbour has twelve berths", "scope": "project:harbour", "kind": "fact"},
        ])  # fmt: skip
    return path
