from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from cortex import Cortex
from cortex.cli.main import cortex as root
from cortex.surfaces.mcp.tools import answer
from tests.docs.pages import blocks, name, pages, read

PYTHON = [name(page) for page in pages() if blocks(page.read_text("utf-8"), "python")]
_EXPECTED = re.compile(r"^\s*print\(.*\)  # (?P<said>.+)$", re.MULTILINE)


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """How a child process in this folder, with this test's environment and home, ended."""
    return subprocess.run(
        command, cwd=folder, env=dict(os.environ), stdin=subprocess.DEVNULL, capture_output=True,
        text=True, encoding="utf-8", check=False, timeout=50,
    )  # fmt: skip


def script(text: str) -> str:
    """The Python blocks of a page as one program, each line at its place in the page."""
    lines = [""] * text.count("\n")
    for block in blocks(text, "python"):
        code = block.text.splitlines()
        lines[block.line - 1 : block.line - 1 + len(code)] = code
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("page", PYTHON)
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    """The blocks of a page run one after another, without a warning, and print what stands beside them."""
    program = tmp_path / f"{Path(page).stem}.py"
    program.write_text(script(read(page)), "utf-8")
    done = run(sys.executable, "-W", "error", str(program), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    code = "".join(block.text for block in blocks(read(page), "python"))
    assert done.stdout.splitlines() == [match["said"] for match in _EXPECTED.finditer(code)]
    assert code.count("print(") == len(done.stdout.splitlines())


def test_a_wrong_example_is_seen(tmp_path: Path) -> None:
    """Lines keep their numbers, so that a failing example is found in its page."""
    program = tmp_path / "page.py"
    program.write_text(script("# Title\n\n```python\na = 1\n```\n\n```python\nraise ValueError(a)\n```\n"), "utf-8")
    done = run(sys.executable, str(program), folder=tmp_path)
    assert "line 8" in done.stderr
    assert "ValueError: 1" in done.stderr


def commands(page: str) -> list[list[str]]:
    """The lines of a page's shell blocks that call `cortex`, as arguments."""
    lines = [line for block in blocks(read(page), "sh") for line in block.text.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("cortex ")]


@pytest.mark.slow
def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    """Every line of the README that calls `cortex` ends well, in the order in which they stand."""
    given = commands("README.md")
    assert given
    for command in given:
        done = run(sys.executable, "-m", "cortex.cli.main", *command[1:], folder=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        if "--json" in command:
            json.loads(done.stdout)


def parsed(arguments: list[str]) -> None:
    """Nothing if the command line knows these arguments; `click.UsageError` if not. Nothing runs."""
    group: click.Group = root
    ctx = group.make_context("cortex", list(arguments))
    rest: list[str] = [*ctx._protected_args, *ctx.args]
    while True:
        found, command, rest = group.resolve_command(ctx, rest)
        assert command is not None
        ctx = click.Context(command, parent=ctx, info_name=found)
        if not isinstance(command, click.Group):
            command.make_parser(ctx).parse_args(list(rest))
            return
        group = command


@pytest.mark.parametrize("page", [name(page) for page in pages() if commands(name(page))])
def test_the_commands_of_a_page_exist(page: str) -> None:
    """Every command and option that a page's shell blocks use is one that `cortex` has."""
    for command in commands(page):
        parsed(command[1:])


def without_ids(text: str) -> str:
    """The text with every id and date the same."""
    return re.sub(r"\b[0-9a-f]{8,12}\b", "ID", re.sub(r"\d{4}-\d\d-\d\d", "DATE", text)).strip()


@pytest.mark.slow
def test_the_hit_in_the_readme_is_real(tmp_path: Path) -> None:
    """The README shows what its first question prints, save for id and date."""
    first, question = (next(c for c in commands("README.md") if c[1] == verb) for verb in ("memorize", "recall"))
    run(sys.executable, "-m", "cortex.cli.main", *first[1:], folder=tmp_path)
    printed = run(sys.executable, "-m", "cortex.cli.main", *question[1:], folder=tmp_path).stdout
    (shown,) = blocks(read("README.md"), "text")
    assert without_ids(printed) == without_ids(shown.text)


@pytest.mark.slow
def test_the_answer_on_the_page_about_mcp_is_real() -> None:
    """The page shows what the tool answers to that question, save for id and date."""
    (shown,) = blocks(read("docs/mcp.md"), "text")
    with Cortex(":memory:") as cortex:
        cortex.memorize("Ada prefers green tea in the morning", kind="preference", tags=["drinks"])
        reply = answer("recall", cortex, {"query": "what does Ada drink?"}, 20_000)
    assert without_ids(reply.text) == without_ids(shown.text)


def test_an_unknown_option_is_seen() -> None:
    """The check of commands refuses an option and a command that do not exist."""
    with pytest.raises(click.UsageError):
        parsed(["recall", "tea", "--colour", "green"])
    with pytest.raises(click.UsageError):
        parsed(["remember", "tea"])


def test_configurations_start_our_commands() -> None:
    """Every client configuration is well-formed and starts a command that the distribution installs."""
    installed = tomllib.loads(read("pyproject.toml"))["project"]["scripts"]
    found: list[Any] = []
    for page in ("README.md", "docs/mcp.md"):
        found += [json.loads(block.text) for block in blocks(read(page), "json")]
        found += [tomllib.loads(block.text) for block in blocks(read(page), "toml")]
    started = [entry["cortex"]["command"] for document in found for entry in document.values()]
    assert len(started) >= 4
    assert set(started) <= set(installed)
