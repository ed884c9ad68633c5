"""Keeping a file of memories, with progress and an error for each line that cannot be kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from cortex.cli.escape import safe
from cortex.cli.exits import USAGE
from cortex.cli.options import from_json
from cortex.cli.run import Look, Run

if TYPE_CHECKING:
    from cortex.model.change import Receipt

_AT_ONCE = 100  # lines between two signs of progress


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file: its number, what it holds, or why and from which column on that cannot be read."""

    number: int
    item: Any = None
    problem: str = ""
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of one line; ``column`` is where it stops being JSON."""

    line: int
    receipt: Receipt
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a file."""

    kept: int
    already_kept: int
    failed: int
    lines: tuple[Kept, ...]


def keep(run: Run, file: str, defaults: Mapping[str, Any]) -> None:
    """Keep every line of the file; the exit code tells whether some could not be."""
    results: list[Kept] = []
    with click.open_file(file, "rb") as stream, run.cortex() as cortex:
        for lines in _chunks(read(stream, defaults)):
            good = [line for line in lines if not line.problem]
            receipts = zip(good, cortex.memorize_many([line.item for line in good]), strict=True)
            bad = [Kept(line.number, _refused(line.problem), line.column) for line in lines if line.problem]
            chunk = sorted([*bad, *(Kept(line.number, r) for line, r in receipts)], key=lambda kept: kept.line)
            results.extend(chunk)
            _tell(run, chunk, len(results))
    report = _report(results)
    run.show(report, lambda look: summary(report, look))
    if report.failed:
        click.get_current_context().exit(USAGE)


def read(stream: Iterable[bytes], defaults: Mapping[str, Any]) -> Iterator[Line]:
    """Each line that is not blank, with the defaults where it does not say otherwise."""
    for number, raw in enumerate(stream, start=1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            yield Line(number, problem=f"not UTF-8 ({error.reason} at byte {error.start})")
            continue
        if text.strip():
            yield _line(number, from_json(text.strip()), defaults, indent=len(text) - len(text.lstrip()))


def summary(report: Report, look: Look) -> Iterator[str]:
    """The numbers of a report that are not zero."""
    del look  # the numbers look the same everywhere
    numbers = {"kept": report.kept, "already kept": report.already_kept, "failed": report.failed}
    yield ", ".join(f"{name} {number:,}" for name, number in numbers.items() if number or name == "kept")


def _line(number: int, found: Any, defaults: Mapping[str, Any], *, indent: int) -> Line:
    match found:
        case json.JSONDecodeError():
            return Line(number, problem=found.msg, column=indent + found.pos + 1)
        case ValueError():
            return Line(number, problem=str(found))
        case str():
            return Line(number, {**defaults, "content": found})
        case dict():
            return Line(number, {**defaults, **found})
        case _:
            return Line(number, problem=f"{type(found).__name__} is no memory; expected a text or an object")


def _chunks(lines: Iterator[Line]) -> Iterator[list[Line]]:
    while chunk := list(islice(lines, _AT_ONCE)):
        yield chunk


def _refused(problem: str) -> Receipt:
    from cortex.model.change import Receipt

    return Receipt(verb="memorize", error=problem, error_code="invalid_input")


def _tell(run: Run, chunk: Iterable[Kept], so_far: int) -> None:
    for result in chunk:
        if result.receipt.error is not None and not run.as_json:
            place = f"line {result.line}" + (f", column {result.column}" if result.column else "")
            click.echo(f"{place}: {safe(result.receipt.error)}", err=True)
    run.note(f"{so_far:,} lines read")


def _report(results: list[Kept]) -> Report:
    failed = sum(result.receipt.error is not None for result in results)
    there = sum(result.receipt.deduplicated for result in results)
    return Report(len(results) - failed - there, there, failed, tuple(results))
