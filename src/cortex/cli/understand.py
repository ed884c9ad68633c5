"""Commands about what memories say: about, conflicts, resolve, reprocess."""

from __future__ import annotations

from typing import Any

import click

from cortex.cli import options, render
from cortex.cli.options import given
from cortex.cli.run import Run
from cortex.cli.verb import Verb

STATES = ("open", "auto_resolved", "resolved", "dismissed")
KEEP = ("newer", "older", "both")


@click.command("about", cls=Verb, examples=[
    "cortex about Redis",
    "cortex about me --limit 5 --json",
    "cortex about Ada --to Milan",
])  # fmt: skip
@click.argument("entity")
@click.option("--to", "target", metavar="ENTITY", help="The shortest way to another one, instead.")
@options.page_limit
@options.scopes
@click.pass_obj
def about(run: Run, /, entity: str, target: str | None, **fields: Any) -> None:
    """Show what is known of a person or thing by its name.

    A part of a name does; "me" is whose memories they are. It needs memories that the layer graph has read: set
    CORTEX_GRAPH=1, and for what is there already: cortex reprocess.
    """
    said = given(fields)
    with run.cortex() as cortex:
        if target is None:
            found = cortex.graph.recall_about(entity, **said)
            run.show(found, lambda look: render.about(found, look))
            run.warn([found.note] if found.note else [])
        else:
            way = cortex.graph.path(entity, target, scope=said.get("scope"))
            run.show(way, lambda _: render.way(entity, way))


@click.command("conflicts", cls=Verb, examples=["cortex conflicts", "cortex conflicts --state resolved --json"])
@click.option("--state", "states", multiple=True, type=click.Choice(STATES), help="May be repeated. [default: open]")
@options.scopes
@click.pass_obj
def conflicts(run: Run, /, states: tuple[str, ...], **fields: Any) -> None:
    """Show memories that contradict each other.

    They are found where the layer conflict is on: CORTEX_CONFLICT=1. Those that wait for you are ended by
    cortex resolve.
    """
    with run.cortex() as cortex:
        found = cortex.conflicts.list_conflicts(states=list(states) or None, **given(fields))
        texts = {id_: cortex.get(id_) for conflict in found for id_ in (conflict.older, conflict.newer)}
    run.show(found, lambda look: render.conflicts(found, texts, look))


@click.command("resolve", cls=Verb, examples=["cortex resolve 1f3a5c7e --keep newer"])
@click.argument("id")
@click.option("--keep", required=True, type=click.Choice(KEEP), help="Which of the two counts from now on.")
@click.pass_obj
def resolve(run: Run, /, id: str, keep: str) -> None:
    """Decide between two memories that contradict each other.

    ID is the id of a conflict or its beginning, at least 4 digits. The other memory is superseded: it is not recalled,
    is not erased, and comes back when the one that counts is forgotten, or by cortex archive --undo.
    """
    with run.cortex() as cortex:
        receipt = cortex.conflicts.resolve_conflict(id, f"keep_{keep}")
    run.show(receipt, lambda _: render.resolved(receipt))


@click.command("reprocess", cls=Verb, examples=[
    "cortex reprocess",
    "cortex reprocess --only project:cortex --json",
])  # fmt: skip
@click.option("--only", multiple=True, metavar="SCOPE", help="Only this scope; may be repeated.")
@click.pass_obj
def reprocess(run: Run, /, only: tuple[str, ...]) -> None:
    """Have the layers look at memories kept without them.

    Oldest first, a commit each: others go on reading and writing, and broken off it goes on where it was. The layers
    are those of the settings, CORTEX_PRESET or one by one.
    """
    with run.cortex() as cortex:
        done = cortex.admin.reprocess(
            only=list(only) or None, report=lambda count, _: run.note(f"{count:,} memories read")
        )
    run.show(done, lambda _: render.reprocessed(done))
