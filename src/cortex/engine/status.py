"""How the store is: whether it works, and what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo

from cortex.engine import guard
from cortex.engine.deps import Deps
from cortex.model.health import Count, Health, Stats
from cortex.model.job import Wait
from cortex.model.memory import Status
from cortex.model.policy import Action, Caller
from cortex.model.query import Filter, Selection


def health(deps: Deps, caller: Caller) -> Health:
    """Checks the whole file and what would keep recall from being complete."""
    guard.authorise(caller, Action.READ, ())
    store = deps.store.info(deep=True)
    signature = deps.embedder.signature
    problems = [*store.problems]
    warnings = [*store.warnings]
    if store.signature is not None and store.signature != signature:
        problems.append(
            f"the vectors of this store are of {store.signature}, the embedder is {signature}: recall goes by words "
            "only; use the embedder that made them, or make new ones: cortex reindex"
        )
    if store.pending:
        remedy = "cortex doctor --fix" if store.unowed else "cortex worker --once"
        warnings.append(f"{store.pending} memories wait for their vectors; run: {remedy}")
    if store.jobs and not store.problems:
        warnings += [_waiting(wait, deps.zone) for wait in deps.store.jobs.waits() if wait.error]
    return Health(
        ok=not problems,
        problems=tuple(problems),
        warnings=tuple(warnings),
        store=store,
        embedder=signature,
        embedder_ready=deps.ready(),
        llm="" if deps.llm is None else deps.llm.name,
    )


def _waiting(wait: Wait, zone: tzinfo) -> str:
    due = wait.due.astimezone(zone).isoformat(sep=" ", timespec="seconds")
    which = "1 job is" if wait.jobs == 1 else f"{wait.jobs:,} jobs are"
    return f"{which} tried again from {due} on; the last try failed: {wait.error}"


def stats(deps: Deps, caller: Caller) -> Stats:
    """Counts of everything the caller may read."""
    grant = guard.authorise(caller, Action.READ, deps.store.known_scopes(caller.org_id))
    everything = Filter(statuses=frozenset(Status))
    selection = Selection(scopes=grant.scopes, clearance=grant.clearance, now=deps.clock.now(), filter=everything)
    counts = deps.store.count(selection)
    store = deps.store.info()
    return Stats(
        memories=sum(count.memories for count in counts),
        scopes=_sum(counts, "scope"),
        kinds=_sum(counts, "kind"),
        tiers=_sum(counts, "tier"),
        statuses=_sum(counts, "status"),
        pending=store.pending,
        store_bytes=store.bytes,
        cache_bytes=deps.index.nbytes,
    )


def _sum(counts: Sequence[Count], field: str) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for count in counts:
        totals[getattr(count, field)] += count.memories
    return dict(sorted(totals.items(), key=lambda item: (-item[1], item[0])))
