"""The command ``cortex``: options that hold everywhere, and how every run ends.

The commands are imported when they run: help, version and the wrong spelling of a command cost only Click.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

import click

from cortex.cli import exits, installed
from cortex.cli.arguments import decoded
from cortex.cli.group import Commands
from cortex.cli.run import Run
from cortex.cli.verb import CONTEXT, shared
from cortex.errors import CortexError


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - Click's signature
    if value:
        click.echo(f"cortex {installed.version()}")
        ctx.exit()


def _no_color(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value:
        ctx.color = False


@click.command(
    "cortex", cls=Commands, params=shared(), context_settings=CONTEXT,
)  # fmt: skip
@click.option("--no-color", is_flag=False, flag_value="1", envvar="NO_COLOR", expose_value=False, is_eager=True,
              callback=_no_color, hidden=True)  # fmt: skip
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.pass_context
def cortex(ctx: click.Context) -> None:
    """Long-term memory for AI agents, in one file."""
    ctx.ensure_object(Run)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and answer with its exit code."""
    given = sys.argv[1:] if args is None else list(args)
    options = given[: given.index("--")] if "--" in given else given
    as_json = "--json" in options
    _speak_utf8()
    try:
        code = _run(given, as_json=as_json, decode=args is None)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `head` has
        code = exits.FINE
        _let_go()
    except OSError as error:
        code = exits.told(error, as_json=as_json)
        _let_go()
    return code


def _run(args: list[str], *, as_json: bool, decode: bool) -> int:
    stdout = sys.stdout
    try:
        code: Any = cortex.main(decoded(args) if decode else args, prog_name="cortex", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        return exits.interrupted()
    except click.exceptions.NoArgsIsHelpError as nothing:
        click.echo(nothing.ctx.get_help())
        return exits.FINE
    except (click.ClickException, CortexError) as error:
        return exits.told(error, as_json=as_json)
    except SystemExit as end:
        if sys.stdout is stdout:
            raise
        sys.stdout = stdout  # Click puts a silent one in its place when the pipe is closed
        raise BrokenPipeError from end
    return code if isinstance(code, int) else exits.FINE


def _speak_utf8() -> None:
    """Print every text, wherever the locale stands: what cannot be encoded is spelled out."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _let_go() -> None:
    """Give what is still to be flushed nowhere to go, so that Python ends in silence."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
