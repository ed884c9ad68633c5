"""A command of Cortex: it takes the options that hold everywhere, and its help has examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

import click

from cortex.cli.run import Run

SETTINGS = (
    "Where the settings, such as the store and the user, come from; the first found wins: the option, the "
    "environment, .env and cortex.toml here, cortex.toml in your configuration folder, the default."
)

CONTEXT = {"help_option_names": ["-h", "--help"]}


class Verb(click.Command):
    """A command that prints or changes memories; ``examples`` are lines that work as printed."""

    def __init__(self, name: str | None, *, examples: Sequence[str], **attributes: Any) -> None:
        super().__init__(name, context_settings=CONTEXT, **attributes)
        self.examples = tuple(examples)
        self.own = len(self.params)
        self.params.extend(shared())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; for an option that is not there one is named whose word is near, dashes aside."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            names = {name.lstrip("-"): name for param in self.get_params(ctx) for name in param.opts}
            near = get_close_matches(error.option_name.lstrip("-"), names)
            raise click.NoSuchOption(error.option_name, possibilities=[names[name] for name in near], ctx=ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the command's own options, then those that hold everywhere."""
        write_examples(self.examples, formatter)
        own = [param for param in self.params[: self.own] if isinstance(param, click.Option)]
        general = [*self.params[self.own :], self.get_help_option(ctx)]
        for title, params in (("Options", own), ("General options", general)):
            records = [record for param in params if param and (record := param.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - Click's signature
        """Write where settings come from."""
        with formatter.section("Settings"):
            formatter.write_text(SETTINGS)


class Server(click.Command):
    """A command that takes over the process and reads its settings by itself."""

    def __init__(self, name: str | None, *, examples: Sequence[str], **attributes: Any) -> None:
        super().__init__(name, context_settings=CONTEXT, **attributes)
        self.examples = tuple(examples)

    def invoke(self, ctx: click.Context) -> Any:
        """Refuse what the process would not hear of, then run."""
        run = ctx.ensure_object(Run)
        if run.db is not None or run.user is not None:
            raise click.UsageError(
                f"{ctx.info_name} takes its store and user from CORTEX_STORE and CORTEX_USER_ID", ctx
            )
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the options."""
        write_examples(self.examples, formatter)
        super().format_options(ctx, formatter)


def write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    """Write the examples, one a line, never broken."""
    with formatter.section("Examples" if len(examples) > 1 else "Example"):
        for line in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def shared() -> list[click.Option]:
    """The options that hold everywhere, before the command or after it."""
    return [
        _option("db", "--db", metavar="FILE", help="The store: a file, :memory: or sqlite:///FILE.", check=_file),
        _option("user", "--user", metavar="NAME", help="Whose memories; the scope is then user:NAME.", check=_user),
        _option("as_json", "--json", is_flag=True, help="Print one JSON document instead of text for people."),
        _option("verbose", "-v", "--verbose", count=True, help="Log what happens on stderr; -vv logs more."),
    ]


def _option(field: str, *names: str, check: Callable[[str], None] | None = None, **attributes: Any) -> click.Option:
    def keep(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        if value not in (None, False, 0):
            if check is not None:
                check(value)
            setattr(ctx.ensure_object(Run), field, value)

    return click.Option([*names], expose_value=False, is_eager=True, callback=keep, **attributes)


def _file(name: str) -> None:
    if not name.strip():
        raise click.UsageError("--db is empty; expected a file, :memory: or sqlite:///FILE")


def _user(name: str) -> None:
    from cortex.model.scope import check_name

    check_name("--user", name)
