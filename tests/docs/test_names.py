from __future__ import annotations

import re
import tomllib

import click
import pytest

from cortex import errors
from cortex.app.settings import SETTINGS
from cortex.cli.main import cortex as root
from cortex.model import fields
from cortex.model.verbs import VERBS
from cortex.surfaces.mcp.server import SPECS
from cortex.surfaces.mcp.tools import TOOLS
from tests.docs.pages import ROOT, codes, name, pages, read, section
from tests.docs.settings_page import env_example, settings_page


def test_the_page_of_settings_is_up_to_date() -> None:
    """What is made from the settings is as they make it now; `python -m tests.docs.settings_page` renews it."""
    assert read("docs/settings.md") == settings_page()
    assert read(".env.example") == env_example()


def test_every_setting_is_documented() -> None:
    """Each setting stands in the reference by its name and by every variable."""
    assert {name for s in SETTINGS for name in (s.name, *s.variables)} - codes(read("docs/settings.md")) == set()


@pytest.mark.parametrize("page", ["README.md", "docs/mcp.md", "docs/python.md", "ARCHITECTURE.md", "SECURITY.md"])
def test_no_page_names_a_variable_that_is_none(page: str) -> None:
    """A variable that a page mentions is one that is read."""
    named = set(re.findall(r"CORTEX_[A-Z_]+", read(page)))
    assert named - {variable for setting in SETTINGS for variable in setting.variables} == set()


def test_the_defaults_in_the_readme_are_right() -> None:
    """The README's short table of settings has the defaults that hold."""
    rows = re.findall(r"^\| `(CORTEX_\w+)` \| `([^`]+)` \|", read("README.md"), re.MULTILINE)
    defaults = {variable: setting.default for setting in SETTINGS for variable in setting.variables}
    assert len(rows) >= 6
    assert {variable: defaults[variable] for variable, _ in rows} == dict(rows)


def test_every_error_is_documented() -> None:
    """Each class of the tree stands in the table of errors with its code, and nothing else does."""
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.CortexError)]
    rows = re.findall(r"^\| `(\w+)`[^|]*\| `(\w+)` \|", section(read("docs/python.md"), "Errors"), re.MULTILINE)
    assert dict(rows) == {c.__name__: c.code for c in classes}


def test_every_retryable_error_says_so() -> None:
    """Where trying again may help, the table says it."""
    text = section(read("docs/python.md"), "Errors")
    said = set(re.findall(r"^\| `(\w+)`.*retryable \|$", text, re.MULTILINE))
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.CortexError)]
    assert said == {c.__name__ for c in classes if c.retryable}


def test_every_command_is_documented() -> None:
    """Each command that the help lists stands in the reference, or on the page that its package has."""
    ctx = click.Context(root)
    text = read("docs/cli.md") + read("docs/evaluation.md")
    assert [command for command in root.list_commands(ctx) if f"cortex {command}" not in text] == []


def test_every_tool_is_documented() -> None:
    """Each MCP tool and each of its arguments stands in one row of the table of tools."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", read("docs/mcp.md"), re.MULTILINE)
    documented = {tool: re.findall(r"`(\w+)`", arguments) for tool, arguments in rows}
    assert documented == {tool: list(spec.takes["properties"]) for tool, spec in SPECS.items()}
    assert set(documented) == set(TOOLS)
    assert [tool for tool in TOOLS if f"`{tool}`" not in read("README.md")] == []


def test_every_verb_is_shown_in_python() -> None:
    """Each verb is called on the page about Python."""
    text = read("docs/python.md")
    assert [verb.name for verb in VERBS if f".{verb.name}(" not in text and f"`{verb.name}`" not in text] == []


def test_every_keyword_is_documented() -> None:
    """Each keyword of each verb stands on the page about Python."""
    kinds = (fields.Item, fields.Changes, fields.RecallFields, fields.ListFields, fields.TimelineFields)
    keywords = {keyword for kind in kinds for keyword in kind.__annotations__}
    assert keywords - codes(read("docs/python.md")) == set()


def test_every_table_is_in_the_architecture() -> None:
    """Each table that the migrations make has its row in the architecture, and nothing else has."""
    scripts = sorted((ROOT / "src/cortex/stores/sqlite/migrations").glob("*.sql"))
    made = set(re.findall(r"CREATE TABLE (\w+)", "\n".join(path.read_text("utf-8") for path in scripts)))
    text = section(read("ARCHITECTURE.md"), "The record")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == made


def test_every_dependency_is_explained() -> None:
    """Each dependency has its line, and no line is left of one that is gone."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    named = [*project["dependencies"], *(d for extra in project["optional-dependencies"].values() for d in extra)]
    wanted = {re.split(r"[^\w-]", dependency)[0] for dependency in named}
    lines = re.findall(r"^\| ([\w-]+) \|", read("docs/dependencies.md"), re.MULTILINE)
    assert set(lines) - {"package"} == wanted


@pytest.mark.parametrize("page", [name(page) for page in pages()])
def test_every_file_that_is_named_exists(page: str) -> None:
    """A module or file that a page names in backticks is there."""
    named = {code for code in codes(read(page)) if re.fullmatch(r"[\w./-]+/([\w-]+\.(py|md|toml|sql|json))?", code)}
    bases = (ROOT, ROOT / "src/cortex", ROOT / "src", (ROOT / page).parent)
    ours = {code for code in named if not code.startswith((".", "~")) and "NNNN" not in code}
    assert [code for code in sorted(ours) if not any((base / code).exists() for base in bases)] == []
