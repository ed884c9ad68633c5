"""Changing a memory: what is not given stays, and search follows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cortex.core import keep, moments, trust
from cortex.engine import guard, layered, redact, requests, traces, vectors
from cortex.engine.deps import Deps
from cortex.engine.find import everywhere, find
from cortex.engine.read import Read, read
from cortex.engine.read import owed as jobs_owed
from cortex.engine.redact import Cleared
from cortex.errors import InvalidInput, StoreBusy
from cortex.model.change import Batch, Layered, Receipt, RemoveLinks, ReplaceMemory, SetStatus
from cortex.model.memory import Draft, Memory, Status
from cortex.model.policy import Action, Caller, Grant
from cortex.model.understanding import Reading

_ATTEMPTS = 5
_STAYS = "it stays quarantined, and is not recalled until somebody puts it back"


@dataclass(frozen=True, slots=True)
class Edit:
    """What to do to a memory, as a function and as it was asked for (by field), under which idempotency key."""

    apply: Callable[[Draft], Draft]
    request: Mapping[str, Any]
    key: str | None


def update(deps: Deps, caller: Caller, id_or_prefix: object, edit: Edit) -> Receipt:
    """Put the edited memory in the place of the old one, as its next version with new vectors."""
    request = (id_or_prefix, redact.request(deps, edit.request))
    if (earlier := requests.answered(deps, caller, "update", edit.key, request)) is not None:
        return earlier
    grant = everywhere(deps, caller, Action.WRITE)
    memory = find(deps, grant, id_or_prefix)
    for _ in range(_ATTEMPTS):
        edited = trust.still_low(memory, edit.apply(keep.as_draft(memory)))
        cleared = redact.clear(deps, edited, edit.request.keys())
        guard.authorise(caller, Action.WRITE, [cleared.draft.scope])
        if cleared.draft.content != memory.content:
            _give_back(deps, grant, memory)
        change, more, told = _revision(deps, grant, memory, cleared)
        stays = change.memory.status is Status.QUARANTINED and not cleared.notes
        put_away = change.memory.status is Status.ARCHIVED  # what it says of recall does not hold then
        notes = (_STAYS,) if stays else () if put_away else cleared.notes
        facts = keep.facts(change.memory) | told | cleared.told | {"notes": [*told.get("notes", ()), *notes]}
        claim = requests.claim("update", edit.key, request, change.memory.updated_at, facts)
        change = replace(change, idempotency=claim)
        outcome = deps.store.apply(Batch(grant=grant, changes=(change, *more))).outcomes[0]
        if outcome.applied and change.embedding is not None:
            traces.own(deps, [(outcome, change.memory)])
        if outcome.applied or outcome.receipt is not None or outcome.conflict:
            return requests.receipt("update", outcome, outcome.told(facts))
        if outcome.seq != memory.seq:
            raise InvalidInput("content", f"memory {outcome.id} says the same already; forget one of the two")
        # Somebody else changed it in between: edit what they left.
        memory = find(deps, grant, memory.id)
    raise StoreBusy(f"memory {memory.id} is being changed by others all the time; try again")


def _give_back(deps: Deps, grant: Grant, memory: Memory) -> None:
    """What the old text had taken the place of counts again, until the new text is judged."""
    found = [one for id_ in memory.supersedes for one in deps.store.resolve(grant.scopes, id_, 1)]
    older = [each for each in deps.store.read([seq for _, seq in found]) if each.superseded_by == memory.id]
    lost = [each for each in older if each.status is Status.SUPERSEDED]
    if lost:
        now = moments.after(max(each.updated_at for each in lost), deps.clock.now())
        deps.store.apply(Batch(grant=grant, changes=tuple(SetStatus(each.seq, Status.ACTIVE, now) for each in lost)))


def _revision(
    deps: Deps, grant: Grant, memory: Memory, cleared: Cleared
) -> tuple[ReplaceMemory, list[Layered], dict[str, Any]]:
    """The next version, what follows from it for others, and what the receipt says of that."""
    now, draft = moments.after(memory.updated_at, deps.clock.now()), cleared.draft
    # What is put away with the text that it has stays so: nobody recalls it.
    away = memory.status is Status.ARCHIVED and draft.content == memory.content
    apart = (cleared.quarantined and not away) or memory.status is Status.QUARANTINED
    embedding = vectors.embed_memories(deps, [draft]).vectors[0]
    more: list[Layered] = []
    told: dict[str, Any] = {}
    reading: Reading | None
    found: Read | None = None
    if deps.layers.on and not apart:
        found = read(deps, [keep.revise(memory, draft, embedding, now=now)], now)[0]
        revised = keep.revise(memory, draft, embedding, now=now, understanding=found.understanding)
        outlook = layered.revised(layered.look(deps, grant, revised, embedding, found))
        revised, reading, told = layered.as_revised(outlook), outlook.reading, layered.told(outlook, found)
        more = [RemoveLinks(memory.id, layered.RELATED), *layered.consequences(deps, outlook, now)]
    else:
        revised = keep.revise(memory, draft, embedding, now=now)
        same = revised.content == memory.content  # then what was read from it holds
        reading = deps.store.knowledge.readings([memory.seq]).get(memory.seq) if same else None
    revised = replace(revised, status=Status.QUARANTINED) if apart else revised
    identity, owed = keep.identity(revised, revised.fingerprint), jobs_owed(found, keep.owed(embedding, now), now)
    change = ReplaceMemory(revised, identity, keep.terms(revised), embedding, owed, reading=reading)
    return change, more, told
