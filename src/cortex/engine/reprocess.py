"""Having the layers look at what was kept without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cortex.core import moments
from cortex.engine import guard, layered
from cortex.engine.deps import Deps
from cortex.errors import InvalidInput
from cortex.model.change import Batch, Supersede
from cortex.model.memory import Memory, Status
from cortex.model.policy import Action, Caller, Grant
from cortex.model.scope import Scope
from cortex.model.transfer import Reprocessed

_STEP = 100


def reprocess(
    deps: Deps, caller: Caller, scopes: Sequence[Scope] | None, report: Callable[[int, int], None]
) -> Reprocessed:
    """Read every active memory that a layer has not read yet, oldest first, a commit each; goes on where it stopped."""
    names = tuple(deps.layers)
    if not names:
        raise InvalidInput(
            "layers", "none is switched on, so there is nothing to do: choose some, CORTEX_PRESET or one by one"
        )
    chosen = deps.store.known_scopes(caller.org_id) if scopes is None else scopes
    grant = guard.authorise(caller, Action.WRITE, chosen)
    after = done = superseded = conflicts = 0
    while batch := deps.store.knowledge.unread(grant.scopes, names, after, _STEP):
        after = batch[-1].seq
        for memory in batch:
            outcomes = again(deps, grant, memory)
            done += 1
            superseded += outcomes[0]
            conflicts += outcomes[1]
        report(done, done + (len(batch) == _STEP))
    return Reprocessed(layers=names, memories=done, superseded=superseded, conflicts=conflicts)


def again(deps: Deps, grant: Grant, memory: Memory) -> tuple[int, int]:
    """Have the layers look at one memory; how many memories were superseded, and how many conflicts are open."""
    now = moments.after(memory.updated_at, deps.clock.now())
    if memory.status is not Status.ACTIVE:
        return 0, 0
    found = layered.read(deps, [memory], memory.event_time or memory.created_at)[0]
    outlook = layered.look(deps, grant, memory, None, found)
    changes = layered.changes_again(deps, outlook, now)
    applied = deps.store.apply(Batch(grant=grant, changes=tuple(changes))).outcomes
    if not applied[0].applied:
        return 0, 0  # it changed meanwhile, and whoever changed it had it read
    done = [change for change, outcome in zip(changes, applied, strict=True) if outcome.applied]
    return sum(isinstance(change, Supersede) for change in done), len(outlook.settled.doubtful)
