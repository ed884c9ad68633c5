from __future__ import annotations

import click
import pytest

from cortex_bench.cli import evaluate
from tests.docs.pages import read

PAGE = read("docs/evaluation.md")


@pytest.mark.parametrize("name", sorted(evaluate.commands))
def test_every_command_and_option_is_on_the_page(name: str) -> None:
    """Each option that the help shows, and each variable it may come from."""
    command = evaluate.commands[name]
    shown = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    wanted = {option.opts[0] for option in shown} - {"--help", "--data"}
    wanted |= {str(option.envvar) for option in command.params if isinstance(option, click.Option) and option.envvar}
    assert f"cortex eval {name}" in PAGE
    assert [word for word in sorted(wanted) if word not in PAGE] == []


@pytest.mark.parametrize("name", sorted(evaluate.commands))
def test_every_help_has_an_example_that_is_accepted(name: str) -> None:
    """An example can be typed as it stands, but for the files; what needs none is accepted whole."""
    command = evaluate.commands[name]
    words = (command.help or "").partition("Example:")[2].split()
    assert words[:3] == ["cortex", "eval", name]
    if not any(isinstance(option.type, click.Path) and option.type.exists for option in command.params):
        command.make_context(name, words[3:])
        return
    with pytest.raises(click.BadParameter, match="does not exist"):
        command.make_context(name, words[3:])
