"""Finding secrets in what is kept already, and masking them there with every trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cortex.core.redaction import rewritten
from cortex.engine import guard, traces
from cortex.engine.deps import Deps
from cortex.errors import InvalidInput
from cortex.model.change import Batch, RewriteMemory
from cortex.model.job import EMBED, UNDERSTAND, NewJob
from cortex.model.memory import Status
from cortex.model.policy import Action, Caller, Grant
from cortex.model.record import Record
from cortex.model.redaction import Finding, Scanned
from cortex.model.scope import Scope

_STEP = 100


def scan(
    deps: Deps, caller: Caller, scopes: Sequence[Scope] | None, report: Callable[[int, int], None], *, fix: bool
) -> Scanned:
    """Look at every memory and its earlier versions, whatever its status; with ``fix``, mask what is found.

    A commit each: others go on, and broken off it can be done again.
    """
    known = deps.store.known_scopes(caller.org_id)
    for scope in scopes or ():
        if scope not in known:
            raise InvalidInput("scope", f"{scope.key!r} has no memories; stats shows the scopes")
    grant = guard.authorise(caller, Action.ADMIN, known if scopes is None else scopes)
    total = max(deps.store.info().memories, 1)
    findings: list[Finding] = []
    changed: list[str] = []
    left: dict[str, None] = {}
    after = done = masked = 0
    while batch := deps.store.archive.records(grant.scopes, after, _STEP):
        after = batch[-1].current.memory.seq
        for record in batch:
            clean, found = rewritten(record)
            findings += found
            if found and fix:
                files = _rewrite(deps, grant, record, clean)
                masked += files is not None
                left |= dict.fromkeys(files or ())
                changed += [record.current.memory.id] if files is None else []
        done += len(batch)
        report(done, max(total, done))
    remaining = (*deps.store.archive.backups(), *_scrubbed(deps), *left) if masked else ()
    return Scanned(memories=done, masked=masked, findings=tuple(findings), changed=tuple(changed), remaining=remaining)


def _rewrite(deps: Deps, grant: Grant, record: Record, clean: Record) -> Sequence[str] | None:
    """Put the masked record in the place of what is there; files that may still hold some, None where it changed."""
    memory = record.current.memory
    texts = traces.held(deps, [memory])
    traces.disown(deps, texts)
    owed = NewJob(UNDERSTAND if deps.layers.reads else EMBED, deps.clock.now(), {})
    outcome = deps.store.apply(Batch(grant=grant, changes=(RewriteMemory(clean, owed),))).outcomes[0]
    if not outcome.applied and outcome.id != memory.id:
        # Another memory says the same now that both are masked: this one gives it its place.
        form = clean.current
        behind = replace(form.memory, status=Status.SUPERSEDED, superseded_by=outcome.id)
        second = replace(clean, current=replace(form, memory=behind))
        outcome = deps.store.apply(Batch(grant=grant, changes=(RewriteMemory(second, owed),))).outcomes[0]
    left = traces.disown(deps, texts)
    return left if outcome.applied else None


def _scrubbed(deps: Deps) -> Sequence[str]:
    return () if deps.store.archive.scrub() else deps.store.archive.unscrubbed()
