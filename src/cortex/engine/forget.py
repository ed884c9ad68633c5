"""Erasing memories with every trace of them, and retiring one without."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from cortex.engine import guard, requests
from cortex.engine.deps import Deps
from cortex.engine.find import everywhere, find
from cortex.errors import InvalidInput, NotFound
from cortex.model.change import Batch, EraseMemory, EraseScope, Receipt, SetStatus
from cortex.model.memory import Status
from cortex.model.policy import Action, Caller
from cortex.model.scope import Scope


def forget(deps: Deps, caller: Caller, id_or_prefix: object, key: str | None) -> Receipt:
    """Erase the memory; the receipt counts what went, a kind of trace each, and names what may still hold it."""
    if (earlier := requests.answered(deps, caller, "forget", key, id_or_prefix)) is not None:
        return _scrubbed(deps, earlier)
    grant = everywhere(deps, caller, Action.WRITE)
    try:
        memory = find(deps, grant, id_or_prefix)
    except NotFound:
        # The same request may have erased it in another thread or process just now.
        if (earlier := requests.answered(deps, caller, "forget", key, id_or_prefix)) is not None:
            return _scrubbed(deps, earlier)
        raise
    facts = {
        "scope": memory.scope.key,
        "version": memory.version,
        "content_chars": len(memory.content),
        "remaining": deps.store.archive.backups(),
    }
    claim = requests.claim("forget", key, id_or_prefix, deps.clock.now(), facts)
    outcome = deps.store.apply(Batch(grant=grant, changes=(EraseMemory(memory.seq, memory.id, claim),))).outcomes[0]
    if not outcome.applied and not outcome.conflict:
        raise NotFound(f"no memory has the id {memory.id}: it was erased a moment ago")
    return _scrubbed(deps, requests.receipt("forget", outcome, facts))


def forget_all(deps: Deps, caller: Caller, scope: Scope, confirm: object, key: str | None) -> Receipt:
    """Erase everything in one scope, at once; ``confirm`` must repeat the scope."""
    if confirm != scope.key:
        raise InvalidInput("confirm", f"{confirm!r} is not the scope; repeat it to erase all of it: {scope.key!r}")
    if (earlier := requests.answered(deps, caller, "forget_all", key, scope.key)) is not None:
        return _scrubbed(deps, earlier)
    grant = guard.authorise(caller, Action.WRITE, [scope])
    if scope not in deps.store.known_scopes(caller.org_id):
        raise NotFound(f"nothing was ever kept in the scope {scope.key!r}; stats shows the scopes")
    facts = {"scope": scope.key, "remaining": deps.store.archive.backups()}
    claim = requests.claim("forget_all", key, scope.key, deps.clock.now(), facts)
    outcome = deps.store.apply(Batch(grant=grant, changes=(EraseScope(scope, claim),))).outcomes[0]
    return _scrubbed(deps, requests.receipt("forget_all", outcome, facts))


def _scrubbed(deps: Deps, receipt: Receipt) -> Receipt:
    """The receipt after the traces were removed, or with the places that still have them."""
    if deps.store.archive.scrub():
        return receipt
    return replace(receipt, remaining=(*receipt.remaining, *deps.store.archive.unscrubbed()))


def archive(deps: Deps, caller: Caller, id_or_prefix: object, *, undo: bool, key: str | None) -> Receipt:
    """Take a memory out of recall and keep it; ``undo`` puts it back."""
    request = (id_or_prefix, undo)
    if (earlier := requests.answered(deps, caller, "archive", key, request)) is not None:
        return earlier
    grant = everywhere(deps, caller, Action.WRITE)
    memory = find(deps, grant, id_or_prefix)
    # Time never runs backwards in a history, whatever the clock does.
    now = max(deps.clock.now(), memory.updated_at + timedelta(microseconds=1))
    status = Status.ACTIVE if undo else Status.ARCHIVED
    facts: dict[str, Any] = {"scope": memory.scope.key, "version": memory.version + (memory.status is not status)}
    if memory.status is status:
        return Receipt(verb="archive", id=memory.id, **facts)
    claim = requests.claim("archive", key, request, now, facts)
    outcome = deps.store.apply(Batch(grant=grant, changes=(SetStatus(memory.seq, status, now, claim),))).outcomes[0]
    if not outcome.applied and outcome.receipt is None and not outcome.conflict:
        if outcome.id not in ("", memory.id):
            raise InvalidInput("memory_id", f"memory {outcome.id} says the same already; forget one of the two")
        raise NotFound(f"no memory has the id {memory.id}: it was erased a moment ago")
    return requests.receipt("archive", outcome, facts)
