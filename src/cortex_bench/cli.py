"""The command group ``cortex eval``."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import click

from cortex import Cortex, Fusion, Ranking
from cortex_bench import locomo


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
@click.option("--retrieval-only", is_flag=True, required=True, help="Measure what recall finds; no reader, no judge.")
@click.option("--ranking", type=click.Choice([item.value for item in Ranking]), default="relevance", show_default=True)
@click.option("--fusion", type=click.Choice([item.value for item in Fusion]), default="rrf", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def locomo_command(data: Path, retrieval_only: bool, ranking: str, fusion: str, as_json: bool) -> None:  # noqa: FBT001 - Click passes options by name
    """LoCoMo: each turn a memory, each conversation a scope, one recall of 50 a question.

    \b
    Example:
      cortex eval locomo --data locomo10.json --retrieval-only --fusion minmax --json
    """  # noqa: D301 - Click reads the escape as its own mark
    del retrieval_only  # required for now: there is no other mode yet
    result = _run(data, {"ranking": ranking, "fusion": fusion})
    click.echo(json.dumps(result, indent=2) if as_json else _table(result))


def _run(data: Path, options: dict[str, str]) -> dict[str, Any]:
    try:
        conversations = locomo.read(data)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    rows: list[tuple[int, dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as folder, Cortex(Path(folder) / "locomo.db") as cortex:
        for number, conversation in enumerate(conversations, start=1):
            click.echo(f"{number}/{len(conversations)} {conversation.scope}: {len(conversation.turns)} turns", err=True)
            turn_of = locomo.ingest(cortex, conversation)
            rows.extend(locomo.ask(cortex, conversation, turn_of, options))
    return {**locomo.report(rows), **options}


def _table(result: dict[str, Any]) -> str:
    groups = {"overall (1-4)": {"n": result["n"], **result["overall"]}, **result["categories"]}
    names = [name for name in result["overall"] if name != "n"]
    lines = [f"{'':14}{'n':>6}" + "".join(f"{name:>11}" for name in names)]
    for group, values in groups.items():
        cells = "".join(f"{values.get(name, 0.0):>11.4f}" for name in names)
        lines.append(f"{group:14}{values['n']:>6}{cells}")
    return "\n".join(lines)
