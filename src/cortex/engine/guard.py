"""The gate: every read and write passes here, and only here a grant is made.

An embedded store has one owner in one organisation: the same gate, open for every scope of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from cortex.errors import AccessDenied
from cortex.model.memory import Memory
from cortex.model.policy import Action, Caller, Grant
from cortex.model.scope import Scope


def authorise(caller: Caller, action: Action, scopes: Sequence[Scope]) -> Grant:
    """Permission for the action in all of these scopes, or `AccessDenied`."""
    for scope in scopes:
        if scope.org_id != caller.org_id:
            raise AccessDenied(f"{caller.user} of {caller.org_id} may not {action.value} {scope.key} of {scope.org_id}")
    distinct = tuple(scopes) if len(scopes) == 1 else tuple(dict.fromkeys(scopes))
    return Grant(caller, action, distinct, caller.clearance)


def covers(grant: Grant, memory: Memory) -> bool:
    """Whether a row that a store supplied is really within the grant: the second look before it leaves."""
    return memory.scope in grant.scopes and memory.clearance_min <= grant.clearance
