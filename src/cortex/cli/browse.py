"""Commands that read without a question: get, list, timeline, count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from cortex.cli import options, render
from cortex.cli.escape import safe
from cortex.cli.options import ORDERS, given
from cortex.cli.run import Run
from cortex.cli.verb import Verb
from cortex.errors import NotFound

if TYPE_CHECKING:
    from cortex.app.cortex import Cortex
    from cortex.model.page import Page

_AT_ONCE = 1000


@click.command("get", cls=Verb, examples=["cortex get 1f3a5c7e", "cortex get 1f3a5c7e --json"])
@click.argument("id")
@click.pass_obj
def get(run: Run, /, id: str) -> None:
    """Show one memory whole.

    ID is the id of a memory or its beginning, at least 4 digits.
    """
    with run.cortex() as cortex:
        memory = cortex.get(id)
    if memory is None:
        raise NotFound(f"no memory has the id {id}")
    found = memory
    run.show(found, lambda look: render.whole(found, look))


@click.command("history", cls=Verb, examples=["cortex history 1f3a5c7e", "cortex history 1f3a5c7e --json"])
@click.argument("id")
@click.pass_obj
def history(run: Run, /, id: str) -> None:
    """Show every version of a memory, oldest first.

    ID is the id of a memory or its beginning, at least 4 digits.
    """
    with run.cortex() as cortex:
        versions = cortex.history(id)
    run.show(versions, lambda look: render.versions(versions, look))


@click.command("list", cls=Verb, examples=[
    "cortex list --limit 50",
    "cortex list --kind decision --scope project:cortex --order oldest",
    "cortex list --all --json",
])  # fmt: skip
@options.page_limit
@options.cursor
@click.option("--all", "every", is_flag=True, help="All pages in one.")
@click.option("--order", metavar="ORDER", help=f"One of {ORDERS}. [default: newest]")
@options.filters
@click.pass_obj
def list_memories(run: Run, /, *, every: bool, **fields: Any) -> None:
    """Show memories in order, newest first."""
    with run.cortex() as cortex:
        page = _all_pages(cortex, given(fields)) if every else cortex.list_memories(**given(fields))
    run.show(page, lambda look: render.memories(page.memories, look))
    _more(run, page, None if every else fields["limit"])


@click.command("timeline", cls=Verb, examples=[
    "cortex timeline --since 2026-05-01 --until 2026-05-31",
    "cortex timeline --scope project:cortex --kind decision --json",
])  # fmt: skip
@click.option("--since", metavar="TIME", help=f"Happened then or later: {options.TIMES}.")
@click.option("--until", metavar="TIME", help="Happened then or earlier; a date means all of it.")
@options.page_limit
@options.cursor
@options.scopes
@options.kinds
@options.tags
@options.as_of
@click.pass_obj
def timeline(run: Run, /, **fields: Any) -> None:
    """Show what happened, in the order it happened.

    It shows the memories whose event time was given, and where the layer episodic is on (CORTEX_EPISODIC=1) those whose
    text tells of an event: when it was, who did it and where; undated ones last.
    """
    with run.cortex() as cortex:
        page = cortex.timeline(**given(fields))
    run.show(page, lambda look: render.timeline(page, look))
    _more(run, page, fields["limit"])
    run.warn([page.note] if page.note else [])


@click.command("count", cls=Verb, examples=["cortex count", "cortex count --kind decision --tag database"])
@options.filters
@click.pass_obj
def count(run: Run, /, **fields: Any) -> None:
    """Print how many memories there are."""
    with run.cortex() as cortex:
        number = cortex.count(**given(fields))
    run.show({"count": number}, lambda _: [str(number)])


def _all_pages(cortex: Cortex, fields: dict[str, Any]) -> Page:
    """Every page from the cursor on as one; ``limit`` says how many it may hold."""
    page = cortex.list_memories(**{"limit": _AT_ONCE, **fields})
    found = [*page.memories]
    while page.next_cursor is not None:
        page = cortex.list_memories(**{"limit": _AT_ONCE, **fields, "cursor": page.next_cursor})
        found.extend(page.memories)
    return replace(page, memories=tuple(found), limit=len(found))


def _more(run: Run, page: Page, limit: int | None) -> None:
    run.warn(render.capped(limit, page.limit))
    if page.next_cursor is not None:
        run.note(f"{len(page.memories):,} of {page.total:,}; more with --cursor {safe(page.next_cursor)}, or --all")
    elif not page.memories:
        run.note("nothing found")
