"""Making the vectors anew with another model, while everybody goes on: resumable, switched in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cortex.engine import guard, traces, vectors
from cortex.engine.deps import Deps
from cortex.errors import EmbedderError, InvalidInput, StoreError
from cortex.model.change import AddVectors, Batch
from cortex.model.policy import Action, Caller
from cortex.model.scope import Scope
from cortex.model.transfer import Reindexed

BATCH = 64


def reindex(
    deps: Deps, caller: Caller, only: Sequence[Scope] | None, skip: Sequence[Scope], report: Callable[[int, int], None]
) -> Reindexed:
    """Embed what lacks vectors of the embedder in use, then search by them; broken off, it goes on where it was.

    With ``only`` or ``skip`` the switch waits until the other scopes have theirs.
    """
    signature = deps.embedder.signature
    grant = guard.authorise(caller, Action.ADMIN, chosen(deps, caller, only, skip))
    made = 0
    while True:
        while found := deps.store.reindexing.missing(grant.scopes, signature, BATCH):
            embedded = vectors.embed_patiently(deps, found)
            if embedded.problem:
                raise EmbedderError(f"{embedded.problem}; what is done is kept: run it again to go on")
            changes = tuple(
                AddVectors(memory.seq, memory.version, embedding)
                for memory, embedding in zip(found, embedded.vectors, strict=True)
                if embedding is not None
            )
            outcomes = deps.store.apply(Batch(grant=grant, changes=changes)).outcomes
            made += sum(outcome.applied for outcome in outcomes)
            by_seq = {memory.seq: memory for memory in found}
            applied = zip(outcomes, changes, strict=True)
            traces.own(deps, ((outcome, by_seq[change.seq]) for outcome, change in applied if outcome.applied))
            report(*deps.store.reindexing.progress(signature))
        done, total = deps.store.reindexing.progress(signature)
        if total == 0:
            return Reindexed(signature=signature, made=made, missing=0, switched=False)
        # Others may have written since: the switch looks again, under the lock.
        if done == total and deps.store.reindexing.switch(signature, complete=True):
            return Reindexed(signature=signature, made=made, missing=0, switched=True)
        if only is not None or skip:
            return Reindexed(signature=signature, made=made, missing=total - done, switched=False)


def plan(deps: Deps, caller: Caller, only: Sequence[Scope] | None, skip: Sequence[Scope]) -> Reindexed:
    """What `reindex` would do; nothing is changed."""
    guard.authorise(caller, Action.ADMIN, chosen(deps, caller, only, skip))
    done, total = deps.store.reindexing.progress(deps.embedder.signature)
    return Reindexed(signature=deps.embedder.signature, made=0, missing=total - done, switched=False)


def roll_back(deps: Deps, caller: Caller) -> Reindexed:
    """Search by the vectors of the embedder in use again, which an earlier reindex left in place."""
    signature = deps.embedder.signature
    guard.authorise(caller, Action.ADMIN, deps.store.known_scopes(caller.org_id))
    kept = dict(deps.store.reindexing.signatures())
    if signature not in kept:
        names = "; ".join(str(known) for known in kept) or "none"
        raise StoreError(f"there are no vectors of {signature} to go back to; there are: {names}")
    deps.store.reindexing.switch(signature, complete=False)
    done, total = deps.store.reindexing.progress(signature)
    return Reindexed(signature=signature, made=0, missing=total - done, switched=True)


def chosen(deps: Deps, caller: Caller, only: Sequence[Scope] | None, skip: Sequence[Scope]) -> list[Scope]:
    """The scopes to work on; an unknown one is an error."""
    known = deps.store.known_scopes(caller.org_id)
    for scope in (*(only or ()), *skip):
        if scope not in known:
            raise InvalidInput("scope", f"{scope.key!r} has no memories; stats shows the scopes")
    return [scope for scope in (known if only is None else only) if scope not in skip]
