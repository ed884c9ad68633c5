"""Commands that look after the store: init-db, health, stats, scan, worker."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from cortex.cli import options, render
from cortex.cli.escape import safe
from cortex.cli.exits import CHECK_FAILED
from cortex.cli.run import Run
from cortex.cli.verb import Verb
from cortex.errors import CortexError
from cortex.model.job import JobReport

if TYPE_CHECKING:
    from cortex.app.cortex import Cortex
    from cortex.model.health import Health, Stats

_BLINK_SECONDS = 0.2  # how soon a waiting worker hears that it shall stop


@click.command("init-db", cls=Verb, examples=["cortex init-db", "cortex init-db --db project.db"])
@click.pass_context
def init_db(ctx: click.Context) -> None:
    """Create the store, or bring it up to date.

    It is not needed: every command does it. What is there is kept; before a change of its schema it is backed up.
    """
    _check(ctx)


@click.command("health", cls=Verb, examples=["cortex health", "cortex health --json"])
@click.pass_context
def health(ctx: click.Context) -> None:
    """Check that everything works.

    It reads the whole file. The exit code is 1 when there is a problem; warnings do not count.
    """
    _check(ctx)


@click.command("stats", cls=Verb, examples=["cortex stats", "cortex stats --json"])
@click.pass_obj
def stats(run: Run) -> None:
    """Print what is in the store.

    It counts every scope and state, not only your own.
    """
    with run.cortex() as cortex:
        found = cortex.stats()
    run.show(found, lambda _: _stats(found))


@click.command("scan", cls=Verb, examples=[
    "cortex scan",
    "cortex scan --scope project:cortex --json",
    "cortex scan --fix",
])  # fmt: skip
@options.chosen_scopes
@click.option("--fix", is_flag=True, help="Mask what is found, everywhere in the store.")
@click.pass_context
def scan(ctx: click.Context, *, scope: Any, fix: bool) -> None:
    """Find secrets in what is kept, and mask them.

    Earlier versions are read, too. Each secret is told by id, version, field, kind and place, and never shown. With
    --fix it is masked there, and its traces are removed as by forget; vectors are made anew by cortex worker --once.
    The exit code is 1 while some stay.
    """
    run = ctx.ensure_object(Run)
    with run.cortex() as cortex:
        found = cortex.admin.scan(
            scope=list(scope) or None, fix=fix, report=lambda done, total: run.note(f"{done:,} of {total:,} memories")
        )
    run.show(found, lambda _: render.scanned(found, fix=fix))
    stay = found.findings and (not fix or found.changed)
    ctx.exit(CHECK_FAILED if stay else 0)


@click.command("worker", cls=Verb, examples=["cortex worker --once", "cortex worker --interval 10"])
@click.option("--once", is_flag=True, help="Do what is due now, then end.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.05),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait before looking again.",
)
@click.pass_context
def worker(ctx: click.Context, *, once: bool, interval: float) -> None:  # fmt: skip
    """Do the work that is still owed, such as vectors.

    Without --once it goes on until SIGTERM or Ctrl-C. Any number of workers may share a store.
    """
    run = ctx.ensure_object(Run)
    with run.cortex() as cortex:
        report = cortex.admin.run_jobs() if once else _work(run, cortex, interval)
    run.show(report, lambda look: render.worked(report, look))
    run.warn(error for error in report.errors if error not in {wait.error for wait in report.waits})
    ctx.exit(CHECK_FAILED if report.failed else 0)


def _check(ctx: click.Context) -> None:
    run = ctx.ensure_object(Run)
    with run.cortex() as cortex:
        found = cortex.health()
    run.show(found, lambda _: _health(found))
    run.warn(found.warnings)
    ctx.exit(0 if found.ok else CHECK_FAILED)


def _health(found: Health) -> Iterator[str]:
    yield click.style("ok", fg="green", bold=True) if found.ok else click.style("not ok", fg="red", bold=True)
    for problem in found.problems:
        yield f"problem: {safe(problem)}"
    yield from render.health(found)


def _stats(found: Stats) -> Iterator[str]:
    yield from render.table({
        "memories": f"{found.memories:,}",
        **{f"{title} {name}": f"{number:,}" for title, counts in (
            ("scope", found.scopes), ("kind", found.kinds), ("tier", found.tiers), ("status", found.statuses),
        ) for name, number in counts.items()},
        "vectors owed": f"{found.pending:,}",
        "bytes": f"{found.store_bytes:,}",
    })  # fmt: skip


def _work(run: Run, cortex: Cortex, interval: float) -> JobReport:
    """Do owed work again and again until a signal says stop; the sum of what was done."""
    signals: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: signals.append(number))
    run.note(f"looking for work every {interval:g} s; stop with Ctrl-C")
    total = JobReport()
    while not signals:
        total = _sum(total, _round(run, cortex))
        until = time.monotonic() + interval
        while not signals and time.monotonic() < until:
            time.sleep(min(_BLINK_SECONDS, interval))
    return total


def _round(run: Run, cortex: Cortex) -> JobReport:
    try:
        return cortex.admin.run_jobs()
    except CortexError as error:
        if not error.retryable:
            raise
        run.warn([str(error)])
        return JobReport()


def _sum(total: JobReport, last: JobReport) -> JobReport:
    errors = tuple(dict.fromkeys((*total.errors, *last.errors)))
    return replace(last, done=total.done + last.done, errors=errors)
