"""The command that looks after everything: doctor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from cortex.cli import render
from cortex.cli.escape import safe
from cortex.cli.exits import CHECK_FAILED
from cortex.cli.run import Run
from cortex.cli.verb import Verb

if TYPE_CHECKING:
    from cortex.app.doctor import Diagnosis


@click.command("doctor", cls=Verb, examples=["cortex doctor", "cortex doctor --fix"])
@click.option("--fix", is_flag=True, help="Correct permissions, make again what was lost, do what is owed.")
@click.pass_context
def doctor(ctx: click.Context, /, *, fix: bool) -> None:
    """Say how everything is set up, and mend what can be.

    It shows the settings in force and where each comes from, and checks the whole file. The exit code is 1 when
    there is a problem.
    """
    from cortex.app.doctor import examine

    run = ctx.ensure_object(Run)
    found = examine(run.overrides(), mend=fix)
    run.show(found, lambda _: _lines(found))
    run.warn(found.health.warnings)
    ctx.exit(0 if found.ok else CHECK_FAILED)


def _lines(found: Diagnosis) -> Iterator[str]:
    yield click.style("ok", fg="green", bold=True) if found.ok else click.style("not ok", fg="red", bold=True)
    for problem in found.problems:
        yield f"problem: {safe(problem)}"
    for mended in found.mended:
        yield f"mended: {safe(mended)}"
    yield from render.health(found.health)
    yield ""
    yield from render.table({item.variable: f"{item.value or '(none)'}  ({item.origin})" for item in found.settings})
