"""Memories that contradict each other: which there are, and deciding between two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from cortex.core import moments
from cortex.engine import guard
from cortex.engine.deps import Deps
from cortex.engine.find import everywhere, find, normal
from cortex.errors import AmbiguousId, InvalidInput, NotFound
from cortex.model.change import Batch, Change, Decide, Receipt, SetStatus, Supersede
from cortex.model.conflict import Conflict, ConflictState, Resolution
from cortex.model.memory import Memory, Status
from cortex.model.policy import Action, Caller, Grant
from cortex.model.scope import Scope

_SHOWN = 5
_UNDECIDED = (ConflictState.OPEN, ConflictState.AUTO_RESOLVED)


def listed(deps: Deps, caller: Caller, scopes: Sequence[Scope], states: Sequence[ConflictState]) -> list[Conflict]:
    """The conflicts of these scopes in these states, newest first."""
    grant = guard.authorise(caller, Action.READ, scopes)
    return deps.store.knowledge.conflicts(grant.scopes, states, int(grant.clearance))


def resolve(deps: Deps, caller: Caller, prefix: object, resolution: Resolution) -> Receipt:
    """Decide a conflict, also one that was settled without anybody: who loses is superseded, who wins is active.

    Both are kept where they do not clash after all.
    """
    grant = everywhere(deps, caller, Action.WRITE)
    conflict = _find(deps, grant, prefix)
    older, newer = (find(deps, grant, id_) for id_ in (conflict.older, conflict.newer))
    now = moments.after(max(older.updated_at, newer.updated_at), deps.clock.now())
    changes: list[Change] = []
    winners: tuple[Memory, ...]
    match resolution:
        case Resolution.KEEP_BOTH:
            state, winners, loser = ConflictState.DISMISSED, (older, newer), None
        case Resolution.KEEP_NEWER:
            state, winners, loser = ConflictState.RESOLVED, (newer,), older
        case Resolution.KEEP_OLDER:
            state, winners, loser = ConflictState.RESOLVED, (older,), newer
        case _:
            assert_never(resolution)
    changes += [SetStatus(each.seq, Status.ACTIVE, now) for each in winners if each.status is Status.SUPERSEDED]
    if loser is not None:
        changes.append(Supersede(loser.seq, loser.version, winners[0].id, conflict.reason, now))
    decide = Decide(conflict.id, state, resolution, caller.user, now)
    outcomes = deps.store.apply(Batch(grant=grant, changes=(decide, *changes))).outcomes
    if not outcomes[0].applied:
        raise InvalidInput("conflict_id", f"conflict {conflict.id} was decided by somebody else a moment ago")
    lost = () if loser is None else (loser.id,)
    return Receipt(verb="resolve_conflict", id=conflict.id, scope=conflict.scope.key, superseded=lost)


def _find(deps: Deps, grant: Grant, prefix: object) -> Conflict:
    digits = normal(prefix, "conflict_id")
    found = deps.store.knowledge.conflicts(grant.scopes, _UNDECIDED, int(grant.clearance), digits)
    if len(found) > 1:
        raise AmbiguousId(digits, tuple(conflict.id for conflict in found[:_SHOWN]), more=len(found) > _SHOWN)
    if not found:
        raise NotFound(f"no conflict that can be decided has the id {digits}; conflicts lists them")
    return found[0]
