"""The group of all commands: it knows their names at once and imports one when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

import click

from cortex.cli import installed
from cortex.cli.arguments import as_given
from cortex.cli.exits import MEANINGS
from cortex.cli.verb import SETTINGS, write_examples


class Entry(NamedTuple):
    """Where a command lives (in ``cortex.cli``), under which heading it is listed, what it promises."""

    module: str
    section: str
    promise: str


COMMANDS: Mapping[str, Entry] = {
    "memorize": Entry("keep", "Remember", "Keep a text, or a file of them."),
    "store": Entry("keep", "Remember", "Keep a text for a user."),
    "update": Entry("change", "Remember", "Change what is given of a memory and keep the rest."),
    "archive": Entry("change", "Remember", "Take a memory out of recall and keep it."),
    "forget": Entry("change", "Remember", "Erase a memory and every trace of it."),
    "forget-all": Entry("change", "Remember", "Erase everything in a scope."),
    "resolve": Entry("understand", "Remember", "Decide between two memories that contradict each other."),
    "recall": Entry("ask", "Ask", "Find the memories that best answer a question."),
    "search": Entry("ask", "Ask", "Find a user's memories that best answer a question."),
    "get": Entry("browse", "Ask", "Show one memory whole."),
    "history": Entry("browse", "Ask", "Show every version of a memory, oldest first."),
    "list": Entry("browse", "Ask", "Show memories in order, newest first."),
    "timeline": Entry("browse", "Ask", "Show what happened, in the order it happened."),
    "about": Entry("understand", "Ask", "Show what is known of a person or thing by its name."),
    "conflicts": Entry("understand", "Ask", "Show memories that contradict each other."),
    "count": Entry("browse", "Ask", "Print how many memories there are."),
    "init-db": Entry("care", "Look after the store", "Create the store, or bring it up to date."),
    "health": Entry("care", "Look after the store", "Check that everything works."),
    "stats": Entry("care", "Look after the store", "Print what is in the store."),
    "doctor": Entry("doctor", "Look after the store", "Say how everything is set up, and mend what can be."),
    "export": Entry("move", "Move memories", "Write memories to a file of JSON lines."),
    "import": Entry("move", "Move memories", "Take over the memories of an export."),
    "copy": Entry("move", "Move memories", "Copy memories into another store."),
    "backup": Entry("move", "Move memories", "Write a copy of the whole store while others go on using it."),
    "restore": Entry("move", "Move memories", "Put a backup in the place of everything in the store."),
    "reindex": Entry("move", "Move memories", "Make the vectors anew with another model."),
    "reprocess": Entry("understand", "Look after the store", "Have the layers look at memories kept without them."),
    "scan": Entry("care", "Look after the store", "Find secrets in what is kept, and mask them."),
    "worker": Entry("care", "Look after the store", "Do the work that is still owed, such as vectors."),
    "mcp": Entry("serve", "Run", "Serve memory to an agent over MCP (stdio)."),
    "demo": Entry("serve", "Run", "Show in a minute what Cortex does."),
}

# What other programs call these things.
_SYNONYMS = {
    "add": "memorize", "save": "memorize", "remember": "memorize", "put": "memorize", "observe": "memorize",
    "find": "recall", "query": "recall", "ask": "recall", "show": "get", "ls": "list", "all": "list",
    "delete": "forget", "rm": "forget", "remove": "forget", "edit": "update", "set": "update", "init": "init-db",
    "status": "health", "check": "health", "diagnose": "doctor", "serve": "mcp", "server": "mcp", "run": "worker",
    "entity": "about", "who": "about", "dump": "export", "load": "import", "versions": "history",
    "redact": "scan", "secrets": "scan",
}  # fmt: skip


class Commands(click.Group):
    """Every command of Cortex and of the packages that add some; ``examples`` are lines that work as printed."""

    examples = (
        "cortex memorize 'Ada prefers tea' --tag drinks",
        "cortex recall 'what does Ada drink?'",
        "cortex mcp",
    )

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's signature
        """The names of all commands."""
        return [*COMMANDS, *installed.names(beside=COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - Click's signature
        """The command, imported now; None when nobody has one of that name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return installed.load(cmd_name)
        module = import_module(f"cortex.cli.{entry.module}")
        return next(c for c in vars(module).values() if isinstance(c, click.Command) and c.name == cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; the nearest name is told for one that is not there."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            known = {**_SYNONYMS, **{command: command for command in self.list_commands(ctx)}}
            near = get_close_matches(name.lower(), known, n=1)
            hint = f"; did you mean '{known[near[0]]}'?" if near else ""
            raise click.UsageError(f"there is no command {name!r}{hint}", ctx)
        if name not in COMMANDS and not name.startswith("-"):
            args = [as_given(arg) for arg in args]
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples, then the options, then the commands under their headings."""
        write_examples(self.examples, formatter)
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - Click's signature
        """Write the commands under their headings, importing none."""
        for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
            with formatter.section(section):
                formatter.write_dl([(name, e.promise) for name, e in COMMANDS.items() if e.section == section])
        added = installed.names(beside=COMMANDS)
        if added:
            with formatter.section("Added by packages"):
                formatter.write_dl(list(added.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - Click's signature
        """Write where settings come from and what the exit code says."""
        with formatter.section("Settings"):
            formatter.write_text(SETTINGS)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in MEANINGS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """The commands and options that begin so, importing no command."""
        from click.shell_completion import CompletionItem

        named = [CompletionItem(n, help=e.promise) for n, e in COMMANDS.items() if n.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]
