"""The command group ``cortex eval``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from cortex import Fusion, Ranking
from cortex.errors import CortexError
from cortex_bench.evaluation import (
    beam,
    conduct,
    conflicts,
    dates,
    documents,
    feelings,
    locomo,
    longmemeval,
    saturation,
    screening,
    show,
    statements,
)
from cortex_bench.evaluation.conduct import NO_CACHE, Answering, Conducted, Endpoint, Options
from cortex_bench.evaluation.parts import DataSet
from cortex_bench.evaluation.profile import TIERS, profile, tier_of
from cortex_bench.evaluation.report import Prices

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_ONE_OR_MORE = click.IntRange(min=1)
_NO_PRICE = click.FloatRange(0, 1e9)


def _together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# What every evaluation takes.
_shared = _together(
    click.option("--ranking", type=click.Choice([item.value for item in Ranking]), default="conversation",
                 show_default=True),
    click.option("--fusion", type=click.Choice([item.value for item in Fusion]), default="calibrated",
                 show_default=True),
    click.option("--limit", type=_ONE_OR_MORE, metavar="N", help="Only the first N questions after a shuffle."),
    click.option("--seed", type=int, default=0, show_default=True, help="Of the shuffle, and of intervals."),
    click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
                 help="Write rows, settings and a report into this folder."),
    click.option("--resume", is_flag=True, help="Go on with the run in --out: rows that are there stay."),
    click.option("--embeddings", metavar="FILE",
                 help=f"The cache of embeddings; {NO_CACHE} for none. [default: embeddings.db in the user's cache]"),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
)  # fmt: skip

# What an evaluation with a reader takes besides.
_reading = _together(
    click.option("--retrieval-only", is_flag=True, help="Measure what recall finds; no reader, no judge."),
    click.option("--reader", type=click.Choice(["none", "openai"]),
                 help="Who answers: none shows the evidence, openai is a model behind an API of that kind."),
    click.option("--reader-url", envvar="CORTEX_READER_URL", show_envvar=True, metavar="URL",
                 help="Where /chat/completions is below. The key is CORTEX_READER_KEY."),
    click.option("--reader-model", envvar="CORTEX_READER_MODEL", show_envvar=True, metavar="NAME"),
    click.option("--reader-key", envvar="CORTEX_READER_KEY", hidden=True),
    click.option("--judge", type=click.Choice(["offline", "model"]), default="offline", show_default=True,
                 help="By words, or by a model."),
    click.option("--judge-url", envvar="CORTEX_JUDGE_URL", show_envvar=True, metavar="URL",
                 help="The reader's, unless given. The key is CORTEX_JUDGE_KEY."),
    click.option("--judge-model", envvar="CORTEX_JUDGE_MODEL", show_envvar=True, metavar="NAME",
                 help="The reader's, unless given."),
    click.option("--judge-key", envvar="CORTEX_JUDGE_KEY", hidden=True),
    click.option("--judge-votes", type=_ONE_OR_MORE, default=1, show_default=True, metavar="N",
                 help="How often a model judges; a tie is a yes."),
    click.option("--tier", envvar="CORTEX_TIER", show_envvar=True, metavar="TIER",
                 help=f"What the next four are unless given: {' or '.join(TIERS)}."),
    click.option("--top-k", type=click.IntRange(1, 1000), metavar="N", help="How many memories are found."),
    click.option("--preference-mode/--no-preference-mode", default=None,
                 help="Answer what asks for advice from preferences."),
    click.option("--answer-first/--no-answer-first", default=None, help="The answer before the notes."),
    click.option("--max-output-tokens", type=_ONE_OR_MORE, metavar="N", help="How much a reader may write."),
    click.option("--price-in", type=_NO_PRICE, metavar="X", help="Of a million tokens that the reader reads."),
    click.option("--price-out", type=_NO_PRICE, metavar="X", help="Of a million tokens that the reader writes."),
    click.option("--timeout", "timeout_seconds", type=click.FloatRange(0.1, 86_400), default=120.0, show_default=True,
                 metavar="SECONDS", help="How long a model may take for one call."),
)  # fmt: skip


@click.group("eval")
def evaluate() -> None:
    """Measure recall on public data sets, answers that a reader makes of it, and what is understood of a text.

    \b
    Examples:
      cortex eval locomo --data locomo10.json --retrieval-only
      cortex eval longmemeval --data longmemeval_s.json --reader openai --reader-url URL --reader-model NAME
    """  # noqa: D301 - Click reads the escape as its own mark


@evaluate.command("locomo")
@click.option("--data", required=True, type=_FILE, help="locomo10.json")
@click.option("--corrections", type=_FILE, help="An audit's corrections of evidence and answers.")
@_shared
@_reading
def locomo_command(data: Path, corrections: Path | None, **given: Any) -> int:
    """LoCoMo: each turn a memory, each conversation a scope, one recall a question.

    \b
    Example:
      cortex eval locomo --data locomo10.json --retrieval-only --ranking conversation --json
    """  # noqa: D301 - as above
    return _evaluate(lambda: locomo.read(data, corrections), given)


@evaluate.command("beam")
@click.option("--data", required=True, type=_FOLDER, help="A folder of chats.")
@_shared
@_reading
def beam_command(data: Path, **given: Any) -> int:
    """BEAM: each message a memory, each chat a scope, one recall a question.

    \b
    Example:
      cortex eval beam --data beam-100k --retrieval-only --ranking conversation
    """  # noqa: D301 - as above
    return _evaluate(lambda: beam.read(data), given)


@evaluate.command("longmemeval")
@click.option("--data", required=True, type=_FILE, help="longmemeval_s.json, or the file of M or of oracle.")
@_shared
@_reading
def longmemeval_command(data: Path, **given: Any) -> int:
    """LongMemEval: each question with a history of its own, found by sessions and by turns.

    \b
    Example:
      cortex eval longmemeval --data longmemeval_s.json --retrieval-only --ranking conversation --out run
    """  # noqa: D301 - as above
    return _evaluate(lambda: longmemeval.read(data), given)


@evaluate.command("qrels")
@click.option("--corpus", required=True, type=_FILE, help="Documents as JSON lines: _id, title, text.")
@click.option("--queries", required=True, type=_FILE, help="Queries as JSON lines: _id, text.")
@click.option("--qrels", required=True, type=_FILE, help="Columns query-id, corpus-id, score; or TREC's four.")
@click.option("--compare", is_flag=True, help="Compare the rankings, and relevance with its legs.")
@_shared
def qrels_command(corpus: Path, queries: Path, qrels: Path, compare: bool, **given: Any) -> int:  # noqa: FBT001 - Click passes options by name
    """Plain documents with judgements, as BEIR and TREC write them: each document a memory.

    \b
    Example:
      cortex eval qrels --corpus corpus.jsonl --queries queries.jsonl --qrels test.tsv --compare
    """  # noqa: D301 - as above
    conducted = conduct.comparison if compare else conduct.retrieval
    return _conducted(lambda: conducted(documents.read(corpus, queries, qrels), _options(given), _tell), given)


@evaluate.command("ablate")
@click.option("--locomo", "locomo_file", type=_FILE, help="locomo10.json")
@click.option("--beam", "beam_folder", type=_FOLDER, help="A folder of chats.")
@_shared
def ablate_command(locomo_file: Path | None, beam_folder: Path | None, **given: Any) -> int:
    """What each part of the ranking conversation is worth, and whether its weights hold elsewhere.

    \b
    Example:
      cortex eval ablate --locomo locomo10.json --out run
    """  # noqa: D301 - as above
    if (locomo_file is None) == (beam_folder is None):
        raise click.UsageError("choose what to measure on: --locomo or --beam")
    return _conducted(lambda: conduct.ablated(_either(locomo_file, beam_folder), _options(given), _tell), given)


@evaluate.command("contradiction")
@click.option("--sick", type=_FOLDER, help="A folder with SICK_train.txt and SICK_test_annotated.txt.")
@click.option("--pairs", type=_FILE, help="Messages that contradict each other, as JSON lines: chat, first, second.")
@click.option("--updates", type=_FILE, help="Messages with a newer value: chat, original, updated.")
@click.option("--beam", type=_FOLDER, help="A folder of chats, whose other messages are candidates, too.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of random pairs, and of intervals.")
@click.option(
    "--embeddings",
    metavar="FILE",
    help=f"The cache of embeddings; {NO_CACHE} for none. [default: embeddings.db in the user's cache]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def contradiction_command(as_json: bool, **given: Any) -> int:  # noqa: FBT001 - Click passes options by name
    """Contradictions judged without a model: beside the negation rule, on random pairs, and as candidates.

    \b
    Example:
      cortex eval contradiction --sick sick --pairs contradictions.jsonl --updates knowledge_updates.jsonl
    """  # noqa: D301 - as above
    if not (given["sick"] or given["pairs"] or given["updates"]):
        raise click.UsageError("choose what to measure on: --sick, --pairs or --updates")
    try:
        result = conflicts.run(conflicts.Sources(**given), _tell)
    except CortexError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    click.echo(json.dumps(result, indent=2) if as_json else _plain(conflicts.as_text(result)))
    return 0


@evaluate.command("saturation")
@click.option("--writes", type=_ONE_OR_MORE, default=saturation.WRITES, show_default=True, metavar="N")
@click.option("--seed", type=int, default=saturation.SEED, show_default=True, help="Of the stream.")
@click.option(
    "--embeddings",
    metavar="FILE",
    help=f"The cache of embeddings; {NO_CACHE} for none. [default: embeddings.db in the user's cache]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def saturation_command(writes: int, seed: int, embeddings: str | None, as_json: bool) -> int:  # noqa: FBT001 - as above
    """A stream of facts that repeat, are reworded and change, with every layer on: what is kept, what is found.

    \b
    Example:
      cortex eval saturation --json
    """  # noqa: D301 - as above
    with conduct.embedder(embeddings) as chosen:
        result = saturation.measure(chosen, seed, writes)
    click.echo(json.dumps(result, indent=2) if as_json else saturation.as_text(result))
    return 0


@evaluate.command("statements")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def statements_command(seed: int, as_json: bool) -> int:  # noqa: FBT001 - Click passes options by name
    """Kinds, entities and relations of labelled statements, found without a model.

    \b
    Example:
      cortex eval statements --json
    """  # noqa: D301 - as above
    result = statements.evaluate(statements.labelled(), seed)
    click.echo(json.dumps(result, indent=2) if as_json else statements.as_text(result))
    return 0


@evaluate.command("feelings")
@click.option("--emobank", required=True, type=_FILE, help="emobank.csv")
@click.option("--goemotions", required=True, type=_FOLDER, help="The folder with test.tsv and labels.txt.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def feelings_command(emobank: Path, goemotions: Path, seed: int, as_json: bool) -> int:  # noqa: FBT001 - as above
    """How strongly texts are felt, found without a model, beside VADER: EmoBank and GoEmotions, their test splits.

    \b
    Example:
      cortex eval feelings --emobank emobank.csv --goemotions goemotions
    """  # noqa: D301 - as above
    try:
        result = feelings.evaluate(emobank, goemotions, seed)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error
    click.echo(json.dumps(result, indent=2) if as_json else feelings.as_text(result))
    return 0


@evaluate.command("dates")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def dates_command(seed: int, as_json: bool) -> int:  # noqa: FBT001 - as above
    """When, who and where of labelled statements in three time zones, found without a model.

    \b
    Example:
      cortex eval dates --json
    """  # noqa: D301 - as above
    result = dates.evaluate(dates.labelled(), seed)
    click.echo(json.dumps(result, indent=2) if as_json else dates.as_text(result))
    return 0


@evaluate.command("secrets")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def secrets_command(as_json: bool) -> int:  # noqa: FBT001 - Click passes options by name
    """Secrets in labelled texts, whose values are made up for the run.

    \b
    Example:
      cortex eval secrets --json
    """  # noqa: D301 - as above
    return _screened(screening.evaluate_secrets(screening.lines()), as_json=as_json)


@evaluate.command("injections")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def injections_command(as_json: bool) -> int:  # noqa: FBT001 - Click passes options by name
    """Labelled texts that give orders to a model, told from those that do not.

    \b
    Example:
      cortex eval injections --json
    """  # noqa: D301 - as above
    return _screened(screening.evaluate_injections(screening.orders()), as_json=as_json)


def _screened(result: dict[str, Any], *, as_json: bool) -> int:
    click.echo(json.dumps(result, indent=2) if as_json else screening.as_text(result))
    return 0


def _either(locomo_file: Path | None, beam_folder: Path | None) -> DataSet:
    return beam.read(beam_folder) if beam_folder else locomo.read(cast("Path", locomo_file))


def _evaluate(read: Callable[[], DataSet], given: dict[str, Any]) -> int:
    """Run one data set in the mode that was asked for."""
    if given["retrieval_only"] == (given["reader"] is not None):
        raise click.UsageError("choose what to measure: --retrieval-only, or --reader none or openai")
    options = _options(given)
    if given["retrieval_only"]:
        return _conducted(lambda: conduct.retrieval(read(), options, _tell, given["top_k"]), given)
    return _conducted(lambda: _end_to_end(read(), options, given), given)


def _end_to_end(data: DataSet, options: Options, given: dict[str, Any]) -> Conducted:
    tier = tier_of(given["tier"], _warn)
    names = ("top_k", "preference_mode", "answer_first", "max_output_tokens")
    answering = Answering(
        tier=tier,
        knobs=profile(tier, data.name, **{name: given[name] for name in names}),
        reader=_endpoint(given, "reader") if given["reader"] == "openai" else None,
        judge=_endpoint(given, "judge") if given["judge"] == "model" and given["reader"] == "openai" else None,
        votes=given["judge_votes"],
        prices=Prices(given["price_in"], given["price_out"]),
    )
    return conduct.end_to_end(data, options, answering, _tell)


def _endpoint(given: dict[str, Any], who: str) -> Endpoint:
    """A model: where it is not given for the judge it is the reader's, and only its own server gets a key."""
    url, model = (given[f"{who}_{what}"] or given[f"reader_{what}"] for what in ("url", "model"))
    if not url or not model:
        raise click.UsageError(f"a model needs --{who}-url and --{who}-model")
    shared = given["reader_key"] if url == given["reader_url"] else None
    return Endpoint(url=url, model=model, key=given[f"{who}_key"] or shared, timeout_seconds=given["timeout_seconds"])


def _options(given: dict[str, Any]) -> Options:
    if given["resume"] and given["out"] is None:
        raise click.UsageError("--resume needs --out, the folder of the run")
    return Options(**{field.name: given[field.name] for field in fields(Options)})


def _conducted(run: Callable[[], Conducted], given: dict[str, Any]) -> int:
    """Run, print the result, and answer with 1 where a model failed."""
    try:
        done = run()
    except CortexError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    evidence = show.evidence_text(done.rows)
    if given["as_json"]:
        shown = {**done.result, "rows": done.rows} if evidence else done.result
        click.echo(json.dumps(shown, indent=2))
    else:
        click.echo(_plain("\n\n".join(filter(None, [evidence, show.as_table(done.result)]))))
    if done.failed:
        _warn(f"{done.failed} questions failed and are not scored; --out and --resume try them again")
    return int(done.failed > 0)


def _tell(text: str) -> None:
    click.echo(_plain(text), err=True)


def _warn(text: str) -> None:
    _tell(f"warning: {text}")


def _plain(text: str) -> str:
    """The text with its control characters spelled out, so that no data set steers the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
