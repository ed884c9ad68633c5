"""Help that teaches, costs nothing and is the documentation."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cortex.cli import exits, installed, options
from cortex.cli.group import COMMANDS
from cortex.cli.main import cortex
from cortex.cli.reference import reference
from cortex.cli.verb import Server, Verb
from cortex.errors import CortexError
from cortex.model.memory import Clearance, Kind, Role, Status, Tier
from cortex.model.query import Order
from tests.architecture.rules import ROOT
from tests.cli.conftest import COMMAND, Cli, child_environment

HEAVY = {
    "numpy",
    "onnxruntime",
    "tokenizers",
    "mcp",
    "pydantic",
    "pysqlite3",
    "cortex.engine",
    "cortex.app",
    "cortex_bench",
}


def command(name: str) -> Verb | Server:
    """The command of this name."""
    found = cortex.get_command(click.Context(cortex), name)
    assert isinstance(found, Verb | Server)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_teaches(cli: Cli, name: str) -> None:
    """Help has the promise that the list of commands gives, one to three examples, and where settings come from."""
    shown = cli(name, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert COMMANDS[name].promise in shown.out
    assert re.search(r"^Examples?:\n  \S", shown.out, re.MULTILINE)
    assert 1 <= len(command(name).examples) <= 3
    assert "settings" in shown.out
    assert cli(name, "-h").out == shown.out


def test_update_promises_no_default(cli: Cli) -> None:
    """What is not given to update stays as it is, so no option of it has a default; those of memorize do."""
    assert "[default:" not in cli("update", "--help").out
    assert cli("memorize", "--help").out.count("[default:") == 6


@pytest.mark.parametrize("args", [(), ("eval",)], ids=["cortex", "eval"])
def test_a_group_alone_prints_its_help(cli: Cli, args: tuple[str, ...]) -> None:
    """Without a command the help is the answer, not an error."""
    assert cli(*args) == cli(*args, "--help")
    assert cli(*args).out.startswith("Usage: cortex")


def test_the_help_of_all_has_examples_and_exit_codes(cli: Cli) -> None:
    """The first page lists every command, every exit code and how to begin."""
    shown = cli("--help").out
    assert "Examples:" in shown
    for name in (*COMMANDS, "eval"):
        assert re.search(rf"^  {name}  ", shown, re.MULTILINE)
    for code, meaning in exits.MEANINGS.items():
        assert re.search(rf"^  {code} +{re.escape(meaning)}", shown, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_is_a_call_that_the_command_accepts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An example can be typed as it stands: its options and values exist."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.jsonl").touch()
    for example in command(name).examples:
        words = shlex.split(re.split(r"\| |-- ", example)[-1] if not example.startswith("cortex") else example)
        assert words[:2] == ["cortex", name]
        command(name).make_context(name, words[2:]).close()


def test_help_imports_nothing_heavy() -> None:
    """Help of all and of each command, the version and a misspelling cost neither numpy nor the engine."""
    calls = [["--help"], ["--version"], ["recal"], *([name, "--help"] for name in COMMANDS)]
    assert modules_after(calls) & HEAVY == set()


def test_the_root_help_imports_no_command() -> None:
    """The list of commands is known without any of them."""
    commands = {f"cortex.cli.{entry.module}" for entry in COMMANDS.values()}
    assert modules_after([["-h"], ["--version"]]) & commands == set()


def modules_after(calls: list[list[str]]) -> set[str]:
    """What a fresh process has imported after these calls of the command line."""
    run = f"from cortex.cli.main import main; [main(call) for call in {calls}]"
    code = f"import sys; {run}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return set(done.stderr.split())


def test_the_version_is_that_of_the_distribution(cli: Cli) -> None:
    """The version that is read from a folder's name is the one that the package has."""
    from importlib.metadata import version

    assert cli("--version").out == f"cortex {version('cortex-agent-memory')}\n"


@pytest.mark.parametrize(
    "typed",
    [["forget-all", "project:x", "--yes"], ["forget", "abcd", "--yes"], ["list", "--xyz"], ["export", "-q", "x"]],
)
def test_no_other_option_is_suggested(cli: Cli, typed: list[str]) -> None:
    """An option that merely has as many dashes is not what was meant."""
    wrong = cli(*typed)
    assert (wrong.code, wrong.out) == (2, "")
    assert "did you mean" not in wrong.err.lower()


@pytest.mark.parametrize("command", ["export", "copy"])
def test_the_default_is_the_one_that_holds(cli: Cli, command: str) -> None:
    """The help of an option agrees with the help of its command."""
    told = cli(command, "--help").out
    assert "Every scope, unless --scope names some" in told
    assert "[default: every scope]" in told
    assert "[default: your own]" not in told


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["recal"], "recall"),
        (["Recall"], "recall"),
        (["remember"], "memorize"),
        (["initdb"], "init-db"),
        (["delete"], "forget"),
        (["evl"], "eval"),
        (["recall", "x", "--limt", "3"], "--limit"),
        (["forget-all", "x", "--confrm", "x"], "--confirm"),
        (["--jsn", "list"], "--json"),
    ],
)
def test_the_nearest_name_is_suggested(cli: Cli, typed: list[str], meant: str) -> None:
    """A misspelt command or option, or another program's name for it, is answered with ours."""
    wrong = cli(*typed)
    assert (wrong.code, wrong.out) == (2, "")
    assert re.search(rf"^error: .*did you mean '{meant}'\?", wrong.err, re.IGNORECASE)
    assert "hint: cortex" in wrong.err


def test_the_values_in_the_help_are_those_of_the_model() -> None:
    """The lists that are written out name every value."""
    for text, values in (
        (options.KINDS, [kind.value for kind in Kind]),
        (options.TIERS, [tier.value for tier in Tier]),
        (options.STATUSES, [status.value for status in Status]),
        (options.ROLES, [role.value for role in Role]),
        (options.ORDERS, [order.value for order in Order]),
        (options.CLEARANCES, [clearance.name.lower() for clearance in Clearance]),
    ):
        assert text.split(", ") == values


def test_every_error_has_an_exit_code_with_a_meaning() -> None:
    """No class of error falls back to a code that means something else."""
    classes = [CortexError]
    for found in classes:
        classes.extend(found.__subclasses__())
    ours = {found.code for found in classes if found.__module__ == CortexError.__module__}
    assert ours == set(exits.CODES)
    assert set(exits.CODES.values()) < set(exits.MEANINGS)


def test_the_reference_is_up_to_date() -> None:
    """docs/cli.md is what the help says: python -m cortex.cli.reference > docs/cli.md."""
    assert (ROOT / "docs/cli.md").read_text("utf-8") == reference()


class TestAddedCommands:
    @pytest.fixture
    def package(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A package that adds a command that works, one that does not, and one whose name is taken."""
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "some_tool_x", raising=False)
        info = tmp_path / "some_tool-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-tool\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            "[console_scripts]\nsome = some_tool_x:main\n\n[cortex.commands]\nwave = some_tool_x:wave\n"
            "broken = some_tool_missing:wave\nnothing = some_tool_x:number\nrecall = some_tool_x:wave\n"
        )
        (tmp_path / "some_tool_x.py").write_text(
            "import click\nnumber = 3\n\n@click.command()\ndef wave():\n    'Wave.'\n    click.echo('hello')\n"
        )

    def test_they_are_listed_without_an_import(self, cli: Cli, package: None) -> None:
        """Help names each with its package and imports none."""
        shown = cli("--help").out
        assert re.search(r"^  wave +From the package some-tool\.$", shown, re.MULTILINE)
        assert "some_tool_x" not in sys.modules
        assert "some =" not in shown
        assert set(installed.names(beside=COMMANDS)) == {"eval", "wave", "broken", "nothing"}

    def test_they_run(self, cli: Cli, package: None) -> None:
        """An added command runs; one of our names stays ours."""
        assert cli("wave").out == "hello\n"
        assert COMMANDS["recall"].promise in cli("recall", "--help").out

    @pytest.mark.parametrize("name", ["broken", "nothing"])
    def test_one_that_cannot_be_loaded_is_told(self, cli: Cli, package: None, name: str) -> None:
        """The error names the command and where it should have been."""
        wrong = cli(name)
        assert wrong.code == exits.CONFIGURATION
        assert f"the command {name} (some_tool_" in wrong.err

    def test_eval_is_the_benchmark(self, cli: Cli) -> None:
        """The evaluation is loaded when it is asked for, and its errors are told as ours."""
        assert "locomo" in cli("eval", "--help").out
        assert cli("eval", "locomo", "--data", "nowhere.json", "--retrieval-only", "--json").error["code"] == "usage"


def test_python_runs_the_module() -> None:
    """The module is the command: python -m cortex.cli.main."""
    done = subprocess.run([*COMMAND, "--version"], env=child_environment(), capture_output=True, check=True, text=True)
    assert done.stdout.startswith("cortex ")
