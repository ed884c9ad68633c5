"""Erasing a memory with every trace of it."""

from __future__ import annotations

from cortex.engine.deps import Deps
from cortex.engine.find import everywhere, find
from cortex.errors import NotFound
from cortex.model.change import Batch, EraseMemory, Receipt
from cortex.model.policy import Action, Caller


def forget(deps: Deps, caller: Caller, id_or_prefix: object) -> Receipt:
    """Erase the memory; the receipt counts what went, a kind of trace each."""
    grant = everywhere(deps, caller, Action.WRITE)
    memory = find(deps, grant, id_or_prefix)
    applied = deps.store.apply(Batch(grant=grant, changes=(EraseMemory(memory.seq, memory.id),)))
    outcome = applied.outcomes[0]
    if not outcome.applied:
        raise NotFound(f"no memory has the id {memory.id}: it was erased a moment ago")
    return Receipt(
        verb="forget",
        id=memory.id,
        scope=memory.scope.key,
        version=memory.version,
        content_chars=len(memory.content),
        counts=outcome.counts,
    )
