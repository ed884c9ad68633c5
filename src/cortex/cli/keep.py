"""Commands that keep memories: memorize and store."""

from __future__ import annotations

from typing import Any

import click

from cortex.cli import many, render
from cortex.cli.options import MEMORY_TYPES, File, given, memory_fields, once, own_scope, text_of
from cortex.cli.run import Run
from cortex.cli.verb import Verb


@click.command("memorize", cls=Verb, examples=[
    "cortex memorize 'Ada prefers tea' --kind preference --tag drinks",
    "git log -1 --format=%B | cortex memorize - --kind decision --scope project:cortex",
    "cortex memorize --file notes.jsonl --session standup",
])  # fmt: skip
@click.argument("text", required=False)
@click.option(
    "--file",
    type=File(exists=True, dir_okay=False, allow_dash=True),
    metavar="FILE.jsonl",
    help="Keep each line: a JSON text, or an object with content and fields such as kind; - reads stdin.",
)
@memory_fields
@once
@click.pass_obj
def memorize(run: Run, /, text: str | None, file: str | None, **fields: Any) -> None:  # fmt: skip
    """Keep a text, or a file of them.

    TEXT is kept as it is; - reads it from standard input. Equal texts are kept once. With --file the options
    hold for every line that does not say otherwise, and a line that cannot be kept is told and skipped.
    """
    if (text is None) is (file is None):
        raise click.UsageError("give either TEXT or --file FILE.jsonl")
    if file is not None:
        many.keep(run, file, given(fields))
        return
    with run.cortex() as cortex:
        receipt = cortex.memorize(text_of(text or ""), **given(fields))
    run.show(receipt, lambda look: render.kept(receipt, look))
    run.warn(render.owed([receipt]))


@click.command("store", cls=Verb, examples=[
    "cortex store user-123 'Learned about vector databases' --memory-type semantic",
    "cortex store user-123 'Met Grace in Oslo' --json",
])  # fmt: skip
@click.argument("owner", metavar="USER")
@click.argument("text")
@click.option(
    "--memory-type",
    type=click.Choice(list(MEMORY_TYPES), case_sensitive=False),
    default="episodic",
    show_default=True,
    help="How it is held.",
)
@once
@click.pass_obj
def store(run: Run, /, owner: str, text: str, memory_type: str, idempotency_key: str | None) -> None:  # fmt: skip
    """Keep a text for a user.

    It is kept in the scope user:USER; a TEXT of - is read from standard input.
    """
    with run.cortex() as cortex:
        fields = {"scope": own_scope(owner), "idempotency_key": idempotency_key, **MEMORY_TYPES[memory_type]}
        receipt = cortex.memorize(text_of(text), **fields)
    run.show(receipt, lambda look: render.kept(receipt, look))
    run.warn(render.owed([receipt]))
