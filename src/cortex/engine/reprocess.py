"""Having the layers look at what was kept without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cortex.engine import guard, layered
from cortex.engine.deps import Deps
from cortex.errors import InvalidInput
from cortex.model.policy import Action, Caller
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
    notes: dict[str, None] = {}
    while batch := deps.store.knowledge.unread(grant.scopes, names, after, _STEP):
        after = batch[-1].seq
        for each in layered.again(deps, grant, batch):
            superseded += each.superseded
            conflicts += each.conflicts
            notes |= {each.problem: None} if each.problem else {}
        done += len(batch)
        report(done, done + (len(batch) == _STEP))
    return Reprocessed(layers=names, memories=done, superseded=superseded, conflicts=conflicts, notes=tuple(notes))
