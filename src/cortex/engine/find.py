"""From an id, or the beginning of one, to the memory that a grant covers."""

from __future__ import annotations

import re

from cortex.engine import guard
from cortex.engine.deps import Deps
from cortex.errors import MESSAGES, AmbiguousId, InvalidId, NotFound
from cortex.model.memory import Memory
from cortex.model.policy import Action, Caller, Grant

ID_DIGITS = 32
LEAST_PREFIX = 4
_SHOWN = 5


def everywhere(deps: Deps, caller: Caller, action: Action) -> Grant:
    """A grant for every scope of the caller's organisation in which the action is allowed."""
    return guard.authorise(caller, action, deps.store.known_scopes(caller.org_id))


def find(deps: Deps, grant: Grant, given: object) -> Memory:
    """The memory whose id this is or uniquely begins; `InvalidId`, `AmbiguousId` or `NotFound`."""
    prefix = normal(given)
    candidates = deps.store.resolve(grant.scopes, prefix, _SHOWN + 1)
    memories = [m for m in deps.store.read([seq for _, seq in candidates]) if guard.covers(grant, m)]
    if len(memories) > 1:
        ids = tuple(memory.id for memory in memories)
        raise AmbiguousId(prefix, ids[:_SHOWN], more=len(ids) > _SHOWN)
    if not memories:
        raise NotFound(f"no memory has the id {prefix}{'' if len(prefix) == ID_DIGITS else '…'}; list shows the ids")
    return memories[0]


def normal(given: object, field: str = "memory_id") -> str:
    """An id or prefix as lower-case hex; dashes, case and outer white space do not matter."""
    if not isinstance(given, str):
        raise InvalidId(field, f"expected text, got {type(given).__name__}")
    digits = given.strip().replace("-", "").lower()
    if not re.fullmatch(r"[0-9a-f]+", digits, re.ASCII):
        raise InvalidId(
            field, f"{MESSAGES.quoted(given)} is no id; expected {ID_DIGITS} hexadecimal digits or their beginning"
        )
    if not LEAST_PREFIX <= len(digits) <= ID_DIGITS:
        raise InvalidId(
            field, f"{MESSAGES.quoted(given)} has {len(digits)} digits; expected {LEAST_PREFIX} to {ID_DIGITS}"
        )
    return digits
