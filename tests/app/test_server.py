"""The parts of the stdio server that need no process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cortex.app.server import Opening
from cortex.app.settings import load
from cortex.errors import CortexError

DIVERTED = """
import os, sys
sys.stdout.write("before ")
from cortex.app.server import divert_stdout
wire = divert_stdout()
print("after")
os.system("echo child")
os.write(wire, b"protocol")
"""


def test_only_the_wire_reaches_stdout() -> None:
    """What was printed before and not yet flushed, what is printed after, and what children print go to stderr."""
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, "-c", DIVERTED], env=buffered, capture_output=True, text=True, check=True, timeout=9
    )
    assert done.stdout == "protocol"
    assert sorted(done.stderr.split()) == ["after", "before", "child"]


def test_the_store_is_opened_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every call gets the same engine; the counts are told when it is opened, once."""
    opening = Opening(load({"store": str(tmp_path / "memory.db")}))
    assert list(tmp_path.iterdir()) == []
    assert opening.engine() is opening.engine()
    opening.close()
    assert capfd.readouterr().err == "cortex: 0 memories in 0 scopes, 0 waiting for vectors\n"


def test_an_opening_that_failed_is_tried_again(tmp_path: Path) -> None:
    """Who repairs the folder need not restart the server."""
    (tmp_path / "data").write_text("not a folder")
    opening = Opening(load({"store": str(tmp_path / "data" / "memory.db")}))
    with pytest.raises(CortexError):
        opening.engine()
    (tmp_path / "data").unlink()
    assert opening.engine().count() == 0
    opening.close()


def test_closing_what_was_never_opened_is_allowed(tmp_path: Path) -> None:
    """A client that only looked leaves no file."""
    Opening(load({"store": str(tmp_path / "memory.db")})).close()
    assert list(tmp_path.iterdir()) == []
