"""Making again what a damaged store has lost: words from the texts, vectors by jobs."""

from __future__ import annotations

from cortex.core import keep
from cortex.engine import guard
from cortex.engine.deps import Deps
from cortex.model.policy import Action, Caller

_BATCH = 500


def mend(deps: Deps, caller: Caller) -> list[str]:
    """Put right what can be, and queue what embedding can make again; what was done, nothing for a sound store."""
    guard.authorise(caller, Action.ADMIN, deps.store.known_scopes(caller.org_id))
    done = deps.store.mending.mend()
    analysed = _words(deps)
    if analysed:
        done.append(f"{analysed:,} memories that had lost their words have them again")
    queued = deps.store.jobs.requeue(deps.clock.now())
    if queued:
        done.append(f"{queued:,} memories without vectors had no job; they have one now")
    return done


def _words(deps: Deps) -> int:
    count = after = 0
    while found := deps.store.mending.wordless(after, _BATCH):
        deps.store.mending.put_words({memory.seq: keep.terms(memory) for memory in found})
        count, after = count + len(found), found[-1].seq
    return count
