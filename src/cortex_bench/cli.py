"""The command group ``cortex eval``."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from cortex import Cortex, Fusion, Ranking
from cortex_bench import beam, locomo

F = TypeVar("F", bound=Callable[..., Any])


def _options(function: F) -> F:
    """What every evaluation takes."""
    rankings, fusions = ([item.value for item in kind] for kind in (Ranking, Fusion))
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
        click.option("--fusion", type=click.Choice(fusions), default="rrf", show_default=True),
        click.option("--ranking", type=click.Choice(rankings), default="relevance", show_default=True),
        click.option(
            "--retrieval-only", is_flag=True, required=True, help="Measure what recall finds; no reader, no judge."
        ),
    ):
        function = option(function)
    return function


@click.group("eval")
def evaluate() -> None:
    """Measure recall on public data sets.

    \b
    Example:
      cortex eval locomo --data locomo10.json --retrieval-only
    """  # noqa: D301 - Click reads the escape as its own mark


@evaluate.command("locomo")
@click.option(
    "--data", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), help="locomo10.json"
)
@_options
def locomo_command(data: Path, retrieval_only: bool, ranking: str, fusion: str, as_json: bool) -> None:  # noqa: FBT001 - Click passes options by name
    """LoCoMo: each turn a memory, each conversation a scope, one recall of 50 a question.

    \b
    Example:
      cortex eval locomo --data locomo10.json --retrieval-only --ranking conversation --json
    """  # noqa: D301 - Click reads the escape as its own mark
    del retrieval_only  # required for now: there is no other mode yet
    _evaluate(locomo, data, {"ranking": ranking, "fusion": fusion}, as_json=as_json)


@evaluate.command("beam")
@click.option(
    "--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="A folder of chats."
)
@_options
def beam_command(data: Path, retrieval_only: bool, ranking: str, fusion: str, as_json: bool) -> None:  # noqa: FBT001 - Click passes options by name
    """BEAM: each message a memory, each chat a scope, one recall of 50 a question.

    \b
    Example:
      cortex eval beam --data beam-100k --retrieval-only --ranking conversation
    """  # noqa: D301 - Click reads the escape as its own mark
    del retrieval_only
    _evaluate(beam, data, {"ranking": ranking, "fusion": fusion}, as_json=as_json)


def _evaluate(dataset: Any, data: Path, options: dict[str, str], *, as_json: bool) -> None:
    """Run one data set, a module that reads, ingests, asks and reports, and print the result."""
    try:
        parts = dataset.read(data)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    rows: list[tuple[Any, dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as folder, Cortex(Path(folder) / "eval.db") as cortex:
        for number, part in enumerate(parts, start=1):
            click.echo(f"{number}/{len(parts)} {part.scope}", err=True)
            original = dataset.ingest(cortex, part)
            rows.extend(dataset.ask(cortex, part, original, options))
    result = {**dataset.report(rows), **options}
    click.echo(json.dumps(result, indent=2) if as_json else _table(result))


def _table(result: dict[str, Any]) -> str:
    groups = {"overall": {"n": result["n"], **result["overall"]}, **result["categories"]}
    names = [name for name in result["overall"] if name != "n"]
    width = max(map(len, groups)) + 2
    lines = [f"{'':{width}}{'n':>6}" + "".join(f"{name:>11}" for name in names)]
    for group, values in groups.items():
        cells = "".join(f"{values.get(name, 0.0):>11.4f}" for name in names)
        lines.append(f"{group:{width}}{values['n']:>6}{cells}")
    return "\n".join(lines)
