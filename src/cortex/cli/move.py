"""Commands that move memories: export, import, backup, restore, copy, reindex."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from cortex.cli import options, render
from cortex.cli.escape import safe
from cortex.cli.exits import USAGE
from cortex.cli.run import Run
from cortex.cli.verb import Verb

if TYPE_CHECKING:
    from cortex.app.cortex import Cortex
    from cortex.model.transfer import Imported

_EVERY = 500

_on_conflict = click.option(
    "--on-conflict",
    type=click.Choice(["skip", "overwrite", "new_id"]),
    default="skip",
    show_default=True,
    help="What to do where an id is taken by another memory.",
)


@click.command("export", cls=Verb, examples=[
    "cortex export memories.jsonl",
    "cortex export cortex.jsonl --scope project:cortex --as-of 2026-05-31",
])  # fmt: skip
@click.argument("file")
@options.chosen_scopes
@options.as_of
@click.pass_obj
def export(run: Run, /, file: str, scope: tuple[str, ...], as_of: str | None) -> None:
    """Write memories to a file of JSON lines.

    Every scope, unless --scope names some. Ids, times, vectors and earlier versions come along; with --scope, those
    versions that lived in these scopes. The first line names what belongs to this store alone. An existing FILE is
    never overwritten; - writes to standard output.
    """
    with run.cortex() as cortex:
        lines = cortex.admin.export_lines(scope=list(scope) or None, as_of=as_of)
        if file == "-":
            for line in lines:
                click.echo(line)
            return
        done = cortex.admin.export_memories(file, scope=list(scope) or None, as_of=as_of)
    run.show(done, lambda _: [f"exported {done.memories:,} memories to {safe(done.path)}"])


@click.command("import", cls=Verb, examples=[
    "cortex import memories.jsonl",
    "zcat memories.jsonl.gz | cortex import - --on-conflict overwrite",
    "cortex import old.db",
])  # fmt: skip
@click.argument("file", type=click.Path(allow_dash=True))
@_on_conflict
@click.pass_context
def import_(ctx: click.Context, /, file: str, on_conflict: str) -> None:
    """Take over the memories of an export.

    FILE may also be one of the earlier single-user program (tables memories and meta); it stays as it is. Done again
    it changes nothing; broken off it goes on where it was. The exit code is 2 if a line or row was refused.
    """
    run = ctx.ensure_object(Run)
    with run.cortex() as cortex:
        if file == "-":
            lines = _told(run, sys.stdin)
            done = cortex.admin.import_lines(lines, on_conflict=on_conflict)
        else:
            done = cortex.admin.import_memories(file, on_conflict=on_conflict)
    _report(ctx, run, done)


@click.command("copy", cls=Verb, examples=["cortex copy other.db", "cortex copy new.db --scope project:cortex"])
@click.argument("target")
@options.chosen_scopes
@_on_conflict
@click.pass_context
def copy(ctx: click.Context, /, target: str, scope: tuple[str, ...], on_conflict: str) -> None:
    """Copy memories into another store.

    Every scope, unless --scope names some; then earlier versions come along that lived in these scopes. TARGET is made
    if it is not there. What it has already stays.
    """
    run = ctx.ensure_object(Run)
    with run.cortex() as cortex, run.other(target) as other:
        lines = _told(run, cortex.admin.export_lines(scope=list(scope) or None))
        done = other.admin.import_lines(lines, on_conflict=on_conflict)
    _report(ctx, run, done)


@click.command("backup", cls=Verb, examples=["cortex backup memory-2026-05-31.db"])
@click.argument("file")
@click.pass_obj
def backup(run: Run, /, file: str) -> None:
    """Write a copy of the whole store while others go on using it.

    An existing FILE is never overwritten. Forgetting does not reach into backups; it names the ones it knows.
    """
    with run.cortex() as cortex:
        cortex.admin.backup(file)
    run.show({"path": file}, lambda _: [f"backed up to {safe(file)}"])


@click.command("restore", cls=Verb, examples=["cortex restore memory-2026-05-31.db --yes"])
@click.argument("file")
@click.option("--yes", is_flag=True, help="Really replace what is in the store.")
@click.pass_obj
def restore(run: Run, /, file: str, *, yes: bool) -> None:
    """Put a backup in the place of everything in the store.

    What was kept after the backup is gone then; back up first. Other processes see it at their next call.
    """
    if not yes:
        raise click.UsageError("this replaces everything in the store; say --yes")
    with run.cortex() as cortex:
        cortex.admin.restore(file)
        stats = cortex.stats()
    run.show(stats, lambda _: [f"restored {stats.memories:,} memories from {safe(file)}"])


@click.command("reindex", cls=Verb, examples=[
    "cortex reindex --dry-run",
    "cortex reindex --model ./my-onnx-model",
    "cortex reindex --rollback",
])  # fmt: skip
@click.option("--model", metavar="MODEL", help="The model to embed with: its name, or the path of an ONNX folder.")
@click.option("--only", multiple=True, metavar="SCOPE", help="Only this scope now; may be repeated.")
@click.option("--skip", multiple=True, metavar="SCOPE", help="Not this scope now; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Say what would be done.")
@click.option("--rollback", is_flag=True, help="Search by the vectors of this model again, which are still there.")
@click.pass_obj
def reindex(run: Run, /, model: str | None, **wishes: Any) -> None:
    """Make the vectors anew with another model.

    Others go on reading and writing. The switch is one step, when nothing is missing; broken off, it goes on where it
    was. The old vectors stay, so that --rollback (with the old --model) can go back. Then set CORTEX_EMBED_MODEL.
    """
    with run.cortex({} if model is None else {"embed_model": model}) as cortex:
        done = _reindex(run, cortex, **wishes)
    state = "recall searches by them" if done.switched else f"{done.missing:,} memories lack them"
    run.show(done, lambda _: [f"{done.signature}: {done.made:,} vectors made; {state}"])


def _reindex(
    run: Run, cortex: Cortex, *, only: tuple[str, ...], skip: tuple[str, ...], dry_run: bool, rollback: bool
) -> Any:
    if rollback:
        return cortex.admin.roll_back()
    return cortex.admin.reindex(
        only=list(only) or None,
        skip=list(skip) or None,
        dry_run=dry_run,
        report=lambda done, total: run.note(f"{done:,} of {total:,}"),
    )


def _told(run: Run, lines: Iterable[str]) -> Iterator[str]:
    """The lines, with a word of progress now and then."""
    for number, line in enumerate(lines):
        if number and number % _EVERY == 0:
            run.note(f"{number:,} memories read")
        yield line


def _report(ctx: click.Context, run: Run, done: Imported) -> None:
    names = ("added", "unchanged", "skipped", "overwritten", "renamed", "duplicates", "pending", "as_text")
    run.show(done, lambda _: render.table({name: f"{getattr(done, name):,}" for name in names if getattr(done, name)}))
    run.warn(f"{count:,} {name} were left out: they are in the file only" for name, count in done.left_out.items())
    run.warn(f"line {refused.line}: {refused.error}" for refused in done.refused)
    ctx.exit(USAGE if done.refused else 0)
