"""Commands that take over the process: mcp and demo."""

from __future__ import annotations

import click

from cortex.cli.run import Run
from cortex.cli.verb import Server, Verb


@click.command("mcp", cls=Verb, examples=["cortex mcp", "cortex mcp --db ./project.db --user ada"])
@click.pass_obj
def mcp(run: Run) -> None:
    """Serve memory to an agent over MCP (stdio).

    An MCP client starts it. Everything but the protocol goes to stderr.
    """
    from cortex.app.server import serve

    serve(run.overrides())


@click.command("demo", cls=Server, examples=["cortex demo"])
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Show in a minute what Cortex does.

    It works in a folder of its own with settings of its own, and leaves your memories alone.
    """
    from cortex.app.demo import run

    ctx.exit(run())
