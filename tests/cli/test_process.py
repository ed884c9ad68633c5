"""The command as a real process: pipes, signals, locales, and the lines of the documents as printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Cli, child_environment

SCRIPT = Path(sys.executable).with_name("cortex")


def start(*args: str | Path, cwd: Path) -> subprocess.Popen[str]:
    """The command, running, with pipes to it."""
    # Where the tests run in the background of a shell, Ctrl-C is ignored, and a child would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [*COMMAND, *map(str, args)], cwd=cwd, env=child_environment(), text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_printed_lines_run(child: Cli) -> None:
    """The commands that the documents print work as printed, one after the other."""
    command = [str(SCRIPT)] if SCRIPT.exists() else COMMAND
    lines = [
        ["init-db"],
        ["health"],
        ["store", "user-123", "Learned about vector databases", "--memory-type", "semantic"],
        ["search", "user-123", "project architecture"],
    ]
    results = [child(*line, command=command) for line in lines]
    assert [result.code for result in results] == [0, 0, 0, 0], results
    assert "Learned about vector databases" in results[-1].out


@pytest.mark.parametrize(
    "locale",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    ],
    ids=["C", "ascii", "latin-1"],
)
def test_every_script_is_printed_in_every_locale(child: Cli, shared: Path, locale: dict[str, str]) -> None:
    """Where the locale knows only ASCII, text still comes out, as UTF-8."""
    shown = child("--db", shared, "list", "--tag", "drinks", **locale)
    assert (shown.code, shown.err) == (0, "")
    every = child("--db", shared, "list", **locale)
    assert "朝はいつも緑茶を飲みます" in every.out
    assert child("memorize", "-", stdin="緑茶".encode(), **locale).code == 0


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("locale", [{}, ASCII], ids=["UTF-8", "ascii"])
def test_arguments_are_utf8_in_every_locale(child: Cli, tmp_path: Path, locale: dict[str, str]) -> None:
    """Texts, names and paths are taken as they were typed, from the arguments, the environment and a file."""
    (tmp_path / "茶.jsonl").write_text('"zweite Notiz für Grüße"\n', "utf-8")
    (tmp_path / "cortex.toml").write_text('store = "緑.db"\n', "utf-8")
    assert child("--user", "ä", "memorize", "緑茶", "--tag", "飲み物", **locale).code == 0
    assert (
        child("--db", "緑.db", "memorize", "--file", "茶.jsonl", CORTEX_USER_ID="ä", **locale).err == "1 lines read\n"
    )
    found = child("--user", "ä", "list", "--order", "oldest", "--json").json["memories"]
    assert [(m["content"], m["tags"], m["scope"]) for m in found] == [
        ("緑茶", ["飲み物"], "user:ä"),
        ("zweite Notiz für Grüße", [], "user:ä"),
    ]
    assert (tmp_path / "緑.db").exists()
    missing = child("eval", "locomo", "--data", "無.json", "--retrieval-only", **locale)
    assert (missing.code, "無.json" in missing.err) == (2, True)


@pytest.mark.parametrize("locale", [{}, ASCII], ids=["UTF-8", "ascii"])
def test_arguments_that_are_not_utf8_are_refused(child: Cli, locale: dict[str, str]) -> None:
    """Bytes that are no text end with 2 and the number of the argument, for people and for programs."""
    wrong = child("memorize", os.fsdecode(b"caf\xe9"), **locale)
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith("error: argument 2 is not UTF-8 (unexpected end of data at byte 3)")
    parsed = child("--json", "memorize", os.fsdecode(b"caf\xe9"), **locale)
    assert (parsed.code, parsed.error["code"]) == (2, "usage")


def test_a_reader_that_leaves_early_is_no_error(shared: Path, tmp_path: Path) -> None:
    """`cortex list | head -1` ends in silence, however much was still to come."""
    big = tmp_path / "big.jsonl"
    big.write_text("".join(json.dumps({"content": f"note {i} " + "x" * 3000}) + "\n" for i in range(40)))
    command = [*COMMAND, "memorize", "--file", str(big)]
    subprocess.run(command, cwd=tmp_path, env=child_environment(), check=True, capture_output=True)
    with start("list", "--all", "--json", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "{\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(9) == 0


def test_help_into_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """A pipe that nobody reads is no error either."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, "--help"], stdout=writer, stderr=subprocess.PIPE, env=child_environment(), check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written_is_an_error(shared: Path) -> None:
    """A full disk behind stdout is told, and not taken for success."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "--db", str(shared), "count"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=child_environment(),
            check=False,
        )
    assert done.returncode == 6
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_ctrl_c_keeps_what_was_committed(tmp_path: Path, child: Cli) -> None:
    """An interrupted file leaves the lines that were said to be read; the exit code is 130."""
    with start("memorize", "--file", "-", cwd=tmp_path) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("".join(json.dumps(f"note {i}") + "\n" for i in range(100)))
        process.stdin.flush()
        assert process.stderr.readline() == "100 lines read\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(9) == 130
        assert process.stderr.read().split() == ["interrupted"]
    assert child("count").out == "100\n"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_the_worker_ends_at_a_signal(tmp_path: Path, sent: signal.Signals) -> None:
    """It says that it looks for work, and ends in order when it is told to."""
    with start("worker", "--interval", "60", cwd=tmp_path) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("looking for work every 60 s")
        process.send_signal(sent)
        out, err = process.communicate(timeout=9)
    assert (process.returncode, out, err) == (0, "done 0, failed 0, waiting 0\n", "")


def test_mcp_ends_with_its_client(child: Cli) -> None:
    """With a client that is gone at once it ends, and stdout has had nothing but protocol."""
    done = child("mcp")
    assert (done.code, done.out) == (0, "")
