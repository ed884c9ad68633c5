"""Changing a memory: what is not given stays, and search follows at once."""

from __future__ import annotations

from collections.abc import Callable

from cortex.core import keep
from cortex.engine import guard, vectors
from cortex.engine.deps import Deps
from cortex.engine.find import everywhere, find
from cortex.errors import InvalidInput, StoreBusy
from cortex.model.change import Batch, Receipt, ReplaceMemory
from cortex.model.memory import Draft, EmbeddingState, Memory
from cortex.model.policy import Action, Caller

_ATTEMPTS = 5


def update(deps: Deps, caller: Caller, id_or_prefix: object, edit: Callable[[Draft], Draft]) -> Receipt:
    """Put the edited memory in the place of the old one, as its next version with new vectors."""
    grant = everywhere(deps, caller, Action.WRITE)
    memory = find(deps, grant, id_or_prefix)
    for _ in range(_ATTEMPTS):
        draft = edit(keep.as_draft(memory))
        guard.authorise(caller, Action.WRITE, [draft.scope])
        change = _revision(deps, memory, draft)
        outcome = deps.store.apply(Batch(grant=grant, changes=(change,))).outcomes[0]
        if outcome.applied:
            return _receipt(change.memory)
        if outcome.seq != memory.seq:
            raise InvalidInput("content", f"memory {outcome.id} says the same already; forget one of the two")
        # Somebody else changed it in between: edit what they left.
        memory = find(deps, grant, memory.id)
    raise StoreBusy(f"memory {memory.id} is being changed by others all the time; try again")


def _revision(deps: Deps, memory: Memory, draft: Draft) -> ReplaceMemory:
    now = deps.clock.now()
    revised = keep.revise(memory, draft, now=now)
    embedding = vectors.embed_memories(deps, [revised]).vectors[0]
    revised, owed = keep.with_embedding(revised, embedding, now)
    return ReplaceMemory(revised, keep.identity(revised), keep.terms(revised), embedding, owed)


def _receipt(memory: Memory) -> Receipt:
    return Receipt(
        verb="update",
        id=memory.id,
        scope=memory.scope.key,
        pending=memory.embedding is EmbeddingState.PENDING,
        version=memory.version,
        content_chars=len(memory.content),
        embedded_chars=memory.embedded_chars,
    )
