"""The reference of the command line, made from its help: ``python -m cortex.cli.reference > docs/cli.md``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from cortex.cli.exits import MEANINGS
from cortex.cli.group import COMMANDS
from cortex.cli.main import cortex

_WIDTH = 110

_INTRODUCTION = """# The command `cortex`

<!-- Made by `python -m cortex.cli.reference > docs/cli.md`; a test compares. -->

`cortex COMMAND --help` says the same in the terminal. Answers go to stdout; warnings, progress and errors go to stderr.

- Options that hold everywhere stand before the command or after it.
- Times are shown in the zone of the setting `timezone`, and in UTC with `--json`.
- `--json` prints one document: times as ISO 8601, enumerations as words, bytes as hex. An error is then
  `{"error": {"code": …, "message": …}}` on stderr.
- Colours are for terminals; `NO_COLOR` turns them off.
- Control characters in what was stored are spelled out (`\\x1b`), so that no memory can steer the terminal or pass
  for another.
- An installed package adds commands through the entry point group `cortex.commands`.
"""


def reference() -> str:
    """The whole page as Markdown."""
    text = "\n".join(_lines())
    return "\n".join(line.rstrip() for line in text.split("\n")) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield "## Exit codes\n"
    yield "| code | meaning |\n|---|---|"
    yield from (f"| {code} | {meaning} |" for code, meaning in MEANINGS.items())
    root = click.Context(cortex, info_name="cortex", terminal_width=_WIDTH, **cortex.context_settings)
    yield "\n## cortex\n"
    yield _fenced(cortex, root)
    for name in COMMANDS:
        command = cortex.get_command(root, name)
        if command is not None:
            yield f"\n## cortex {name}\n"
            yield _fenced(command, click.Context(command, parent=root, info_name=name))


def _fenced(command: click.Command, ctx: click.Context) -> str:
    return f"```text\n{command.get_help(ctx)}\n```"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
