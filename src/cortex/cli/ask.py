"""Commands that answer a question: recall and search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from cortex.cli import options, render
from cortex.cli.options import given, own_scope
from cortex.cli.run import Run
from cortex.cli.verb import Verb

if TYPE_CHECKING:
    from cortex.model.score import Recall


@click.command("recall", cls=Verb, examples=[
    "cortex recall 'what does Ada drink?'",
    "cortex recall 'why SQLite?' --scope project:cortex --kind decision --explain",
    "cortex recall 'standup' --since 2026-05-01 --until 2026-05-31 --limit 20 --json",
])  # fmt: skip
@click.argument("query")
@options.limit
@options.filters
@click.option(
    "--ranking",
    metavar="NAME",
    help="How hits are ordered: conversation, relevance, assistant or engineering. [default: CORTEX_RANKING]",
)
@click.option("--fusion", metavar="NAME", help="How relevance joins its legs: calibrated, rrf or minmax.")
@click.option(
    "--diversity", type=float, metavar="X", help="0 to 1: how much hits may differ from each other. [default: 0]"
)
@click.option("--explain", is_flag=True, default=None, help="Say also what was left out, and why.")
@click.pass_obj  # fmt: skip
def recall(run: Run, /, query: str, **fields: Any) -> None:
    """Find the memories that best answer a question.

    Each hit comes with its score and its rank in each leg: dense goes by meaning, lexical by words.
    """
    with run.cortex() as cortex:
        answer = cortex.recall(query, **given(fields))
    _show(run, answer, fields["limit"])


@click.command("search", cls=Verb, examples=[
    'cortex search user-123 "project architecture"',
    "cortex search user-123 databases --limit 3 --json",
])  # fmt: skip
@click.argument("owner", metavar="USER")
@click.argument("query")
@click.option("--limit", type=int, metavar="N", default=10, show_default=True, help="How many, 1 to 1000.")
@click.pass_obj
def search(run: Run, /, owner: str, query: str, limit: int) -> None:
    """Find a user's memories that best answer a question.

    It looks in the scope user:USER.
    """
    with run.cortex() as cortex:
        answer = cortex.recall(query, scope=own_scope(owner), limit=limit)
    run.look = replace(run.look, home=own_scope(owner))
    _show(run, answer, limit)


def _show(run: Run, answer: Recall, limit: int | None) -> None:
    run.show(answer, lambda look: render.recall(answer, look))
    if not answer.hits:
        run.note("nothing found")
    run.warn(render.lacking(answer))
    run.warn(render.capped(limit, answer.limit))
