"""The import contracts of .importlinter: the code keeps them, and each of them bites."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.rules import ROOT

CONFIG = ROOT / ".importlinter"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which contracts were broken, by their ids, and what the linter printed."""

    broken: frozenset[str]
    output: str


def contracts() -> dict[str, str]:
    """The name of each contract, by its id."""
    parser = configparser.ConfigParser()
    parser.read(CONFIG, "utf-8")
    prefix = "importlinter:contract:"
    return {
        section.removeprefix(prefix): parser[section]["name"]
        for section in parser.sections()
        if section.startswith(prefix)
    }


def lint(src: Path, cache: Path) -> Verdict:
    """Check every contract on the packages in this folder, in a process that imports from nowhere else."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()"]
    done = subprocess.run(
        [*command, "--no-logo", "--cache-dir", str(cache), str(CONFIG)],
        cwd=src,
        env={**os.environ, "PYTHONPATH": str(src), "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    assert re.search(r"Contracts: \d+ kept, \d+ broken", output), output
    broken = {
        id_ for id_, name in contracts().items() if re.search(rf"^{re.escape(name)} BROKEN", output, re.MULTILINE)
    }
    assert (done.returncode == 0) is (not broken), output
    return Verdict(frozenset(broken), output)


def test_the_code_keeps_every_contract(tmp_path: Path) -> None:
    """Imports go down, plugs are strangers, what is pure stays pure."""
    verdict = lint(ROOT / "src", tmp_path / "cache")
    assert verdict.broken == frozenset(), verdict.output


@dataclass(frozen=True, slots=True)
class Plant:
    """One forbidden import: the contract it breaks, the file that gets it, and the lines added there."""

    contract: str
    file: str
    lines: str


PLANTS = (
    Plant("layers", "cortex/model/planted.py", "import cortex.ports"),
    Plant("layers", "cortex/core/planted.py", "def f():\n    import cortex.engine.recall"),
    Plant("layers", "cortex/core/planted.py", "import cortex.ports"),
    Plant("layers", "cortex/engine/recall.py", "import cortex.stores.sqlite"),
    Plant("layers", "cortex/stores/planted.py", "from cortex.engine import guard"),
    Plant("layers", "cortex/providers/planted.py", "import cortex.stores.ephemeral"),
    Plant("layers", "cortex/surfaces/mcp/planted.py", "import cortex.app.build"),
    Plant("layers", "cortex/cli/planted.py", "import cortex.mcp.server"),
    Plant("layers", "cortex/engine/recall.py", "from cortex import Cortex"),
    Plant("layers", "cortex/nobody_placed_this/__init__.py", ""),
    Plant("engine", "cortex/engine/recall.py", "def f():\n    from cortex.engine import update"),
    Plant("engine", "cortex/engine/index.py", "import cortex.engine.guard"),
    Plant("engine", "cortex/engine/nobody_placed_this.py", ""),
    Plant("acyclic", "cortex/stores/sqlite/planted.py", "import cortex.stores._sql.planted"),
    Plant("private", "cortex/app/planted.py", "import cortex.stores._sql"),
    Plant("pure", "cortex/core/planted.py", "def f():\n    import random"),
    Plant("pure", "cortex/core/scoring/planted.py", "from time import monotonic"),
    Plant("pure", "cortex/model/planted.py", "from pathlib import Path"),
    Plant("plugs", "cortex/stores/sqlite/planted.py", "import cortex.core.lexical"),
    Plant("plugs", "cortex/providers/planted.py", "from cortex import core"),
    Plant("stores", "cortex/stores/sqlite/planted.py", "import cortex.stores.ephemeral"),
    Plant("sqlite", "cortex/stores/_sql/planted.py", "import sqlite3"),
    Plant("sqlite", "cortex/app/planted.py", "def f():\n    from pysqlite3 import dbapi2"),
    Plant("model_runtime", "cortex/app/planted.py", "def f():\n    import onnxruntime"),
    Plant("model_runtime", "cortex/core/text/planted.py", "import tokenizers"),
    Plant("http_client", "cortex/app/planted.py", "def f():\n    import httpx2"),
    Plant("http_client", "cortex/engine/planted.py", "from httpx2 import Client"),
    Plant("emotion_lexicon", "cortex/core/understanding/tags.py", "def f():\n    from vader.data import lexicon"),
    Plant("mcp_sdk", "cortex/app/planted.py", "from mcp.server import mcpserver"),
    Plant("click", "cortex/app/planted.py", "import click"),
    Plant("settings", "cortex/surfaces/mcp/planted.py", "import cortex.app.settings"),
    Plant("settings", "cortex/engine/planted.py", "def f():\n    from cortex.app import settings"),
    Plant("surfaces", "cortex/surfaces/mcp/planted.py", "import cortex.engine.recall"),
    Plant("surfaces", "cortex/surfaces/mcp/planted.py", "import cortex.stores.sqlite"),
    Plant("testing", "cortex/app/planted.py", "def f():\n    import cortex.testing"),
    Plant("bench_below", "cortex/cli/planted.py", "def f():\n    import cortex_bench"),
    Plant("bench_public", "cortex_bench/planted.py", "import cortex.engine.facade"),
)
# What a plant needs beside it: for a cycle, the way back.
COMPANIONS = {"acyclic": ("cortex/stores/_sql/planted.py", "import cortex.stores.sqlite.planted")}


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the code to plant in; the linter's cache beside it makes the second look quick."""
    folder = tmp_path_factory.mktemp("garden")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def plant_in(garden: Path) -> Iterator[Planter]:
    """Something that adds lines to files of the copy; they are as before when the test ends."""
    planter = Planter(garden / "src")
    yield planter
    planter.undo()


class Planter:
    """Adds lines to files and takes them away again."""

    def __init__(self, src: Path) -> None:
        self.src = src
        self._before: list[tuple[Path, str | None]] = []

    def add(self, file: str, lines: str) -> None:
        path = self.src / file
        before = path.read_text("utf-8") if path.exists() else None
        self._before.append((path, before))
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{before or ''}\n{lines}\n", "utf-8")

    def undo(self) -> None:
        for path, before in reversed(self._before):
            if before is None:
                path.unlink()
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()
            else:
                path.write_text(before, "utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: f"{plant.contract}-{plant.file}")
def test_a_contract_bites(plant: Plant, garden: Path, plant_in: Planter) -> None:
    """A forbidden import breaks the contract that forbids it, inside a function too."""
    plant_in.add(plant.file, plant.lines)
    if plant.contract in COMPANIONS:
        plant_in.add(*COMPANIONS[plant.contract])
    verdict = lint(plant_in.src, garden / "cache")
    assert plant.contract in verdict.broken, verdict.output


def test_every_contract_is_planted_against() -> None:
    """A new contract comes with a violation that it is seen to catch."""
    assert {plant.contract for plant in PLANTS} == set(contracts())
