"""Commands that change or erase a memory: update and forget."""

from __future__ import annotations

from typing import Any

import click

from cortex.cli import options, render
from cortex.cli.options import CLEARABLE, changed_fields, given, text_of
from cortex.cli.run import Run
from cortex.cli.verb import Verb


@click.command("update", cls=Verb, examples=[
    "cortex update 1f3a5c7e --content 'Ada prefers green tea'",
    "cortex update 1f3a5c7e --importance 9 --tag drinks --tag health",
    "cortex update 1f3a5c7e --clear speaker",
])  # fmt: skip
@click.argument("id")
@click.option("--content", metavar="TEXT", help="The new text; - reads standard input.")
@changed_fields
@click.option(
    "--clear",
    multiple=True,
    type=click.Choice(CLEARABLE),
    metavar="FIELD",
    help=f"Empty a field; may be repeated: {', '.join(CLEARABLE)}.",
)
@options.once
@click.pass_obj
def update(run: Run, /, id: str, content: str | None, clear: tuple[str, ...], **fields: Any) -> None:  # fmt: skip
    """Change what is given of a memory and keep the rest.

    What is not given stays as it is, whatever the defaults of a new memory are. Search finds the new text at once.
    ID is the id of a memory or its beginning, at least 4 digits.
    """
    changes = _changes(content, clear, given(fields))
    with run.cortex() as cortex:
        receipt = cortex.update(id, **changes)
    run.show(receipt, lambda look: render.updated(receipt, look))
    run.warn(render.owed([receipt]))


@click.command("forget", cls=Verb, examples=["cortex forget 1f3a5c7e", "cortex forget 1f3a5c7e --json"])
@click.argument("id")
@options.once
@click.pass_obj
def forget(run: Run, /, id: str, idempotency_key: str | None) -> None:
    """Erase a memory and every trace of it.

    It asks for nothing and cannot be undone. ID is the id of a memory or its beginning, at least 4 digits; a beginning
    that several memories share erases none.
    """
    with run.cortex() as cortex:
        receipt = cortex.forget(id, idempotency_key=idempotency_key)
    run.show(receipt, lambda look: render.forgotten(receipt, look))


@click.command("archive", cls=Verb, examples=["cortex archive 1f3a5c7e", "cortex archive 1f3a5c7e --undo"])
@click.argument("id")
@click.option("--undo", is_flag=True, help="Put it back into recall.")
@options.once
@click.pass_obj
def archive(run: Run, /, id: str, *, undo: bool, idempotency_key: str | None) -> None:
    """Take a memory out of recall and keep it.

    It is still found with --status archived, and looking back with --as-of.
    """
    with run.cortex() as cortex:
        receipt = cortex.archive(id, undo=undo, idempotency_key=idempotency_key)
    run.show(receipt, lambda look: render.archived(receipt, look, undo=undo))


@click.command("forget-all", cls=Verb, examples=[
    "cortex forget-all project:old --confirm project:old",
    "cortex forget-all project:old --tag draft --created-until 2025-12-31 --dry-run",
])  # fmt: skip
@click.argument("scope")
@click.option("--confirm", metavar="SCOPE", help="The scope once more; not needed with --dry-run.")
@click.option("--dry-run", is_flag=True, help="Say what would be erased.")
@options.narrow
@options.once
@click.pass_obj
def forget_all(run: Run, /, scope: str, *, dry_run: bool, **within: Any) -> None:
    """Erase everything in a scope.

    With filters, what list shows with the same ones. It cannot be undone. Other scopes, however similar their names,
    are not touched.
    """
    with run.cortex() as cortex:
        receipt = cortex.forget_all(scope, dry_run=dry_run, **given(within))
    run.show(receipt, lambda look: (render.chosen if dry_run else render.forgotten)(receipt, look))


def _changes(content: str | None, clear: tuple[str, ...], fields: dict[str, Any]) -> dict[str, Any]:
    emptied = dict.fromkeys((name.replace("-", "_") for name in clear), None)
    for name in emptied:
        if name in fields:
            raise click.UsageError(f"{name.replace('_', '-')} is both given and cleared")
    text = {} if content is None else {"content": text_of(content)}
    changes = {**text, **fields, **emptied}
    if not changes:
        raise click.UsageError("nothing to change: give --content, another option, or --clear FIELD")
    return changes
