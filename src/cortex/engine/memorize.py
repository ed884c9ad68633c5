"""Keeping memories: guard, gather, decide, commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from cortex.core import keep
from cortex.engine import guard, layered, redact, traces, vectors
from cortex.engine.deps import Deps
from cortex.engine.read import owed as jobs_owed
from cortex.engine.read import read
from cortex.engine.redact import Cleared
from cortex.engine.requests import redacted
from cortex.errors import CortexError, IdempotencyConflict, InvalidInput
from cortex.model.change import (
    AddMemory,
    Batch,
    Idempotency,
    KeepReceipt,
    Layered,
    Outcome,
    Prior,
    Receipt,
    SetStatus,
)
from cortex.model.embedding import Embedding
from cortex.model.memory import Draft, Memory, Status
from cortex.model.policy import Action, Caller, Grant
from cortex.model.scope import Scope

CHUNK = 500


def memorize(deps: Deps, caller: Caller, drafts: Sequence[Draft]) -> list[Receipt]:
    """Keep up to 500 drafts in one commit; an equal memory that is there already survives instead.

    Where layers hold each text against its neighbours it is a commit each: the next one may repeat the one before.
    """
    return _keep(deps, caller, [redact.clear(deps, draft) for draft in drafts])


def _keep(deps: Deps, caller: Caller, cleared: Sequence[Cleared]) -> list[Receipt]:
    if deps.layers.compares and len(cleared) > 1:
        return [receipt for each in cleared for receipt in _keep(deps, caller, [each])]
    if not cleared:
        return []
    drafts = [each.draft for each in cleared]
    grant = guard.authorise(caller, Action.WRITE, [draft.scope for draft in drafts])
    now = deps.clock.now()
    found = [keep.found(draft.content) for draft in drafts]
    keys = [(draft.scope, keep.identity(draft, text.fingerprint)) for draft, text in zip(drafts, found, strict=True)]
    priors = _priors(deps, keys)
    living = {key for key, prior in priors.items() if keep.survives(prior, now)}
    embeddings = _embed(deps, drafts, [key in living for key in keys])
    retired = [SetStatus(prior.seq, Status.ARCHIVED, now) for key, prior in priors.items() if key not in living]
    memories = [
        keep.remember(draft, text, embedding, id=deps.new_id(), caller=caller, now=now)
        for draft, text, embedding in zip(drafts, found, embeddings, strict=True)
    ]
    memories = [
        _apart(memory) if each.quarantined and key not in living else memory
        for memory, each, key in zip(memories, cleared, keys, strict=True)
    ]
    read_now = [
        key not in living and memory.status is Status.ACTIVE for memory, key in zip(memories, keys, strict=True)
    ]
    fresh = [memory for memory, wanted in zip(memories, read_now, strict=True) if wanted]
    said_by = dict(zip(map(id, fresh), read(deps, fresh, now), strict=True)) if any(deps.layers) else {}
    adds: list[tuple[AddMemory, dict[str, Any]]] = []
    more: list[Layered] = []
    outlooks: list[layered.Outlook] = []
    for each, bare, key, embedding in zip(cleared, memories, keys, embeddings, strict=True):
        draft = each.draft
        memory, said, noted = bare, said_by.get(id(bare)), None
        facts = _facts(bare, priors[key] if key in living else None)
        if said is not None:
            outlook = layered.look(deps, grant, bare, embedding, said)
            if (twin := outlook.settled.repeats) is not None:
                repeated = _repeated(deps, grant, each, twin, now)
                return _keep(deps, caller, cleared) if repeated is None else [repeated]
            memory, noted = layered.as_settled(outlook), outlook.reading
            outlooks.append(outlook)
            more += layered.consequences(deps, outlook, now)
            facts |= layered.told(outlook, said)
        facts = _told(facts, each)
        owed, request = jobs_owed(said, keep.owed(embedding, now), now), _idempotency(draft, now, facts)
        adds.append((AddMemory(memory, key[1], keep.terms(draft), embedding, owed, request, noted), facts))
    applied = deps.store.apply(Batch(grant=grant, changes=(*retired, *(add for add, _ in adds), *more)))
    outcomes = applied.outcomes[len(retired) :][: len(adds)]
    if deps.traces is not None:
        done = zip(outcomes, adds, strict=True)
        traces.own(deps, [(outcome, add.memory) for outcome, (add, _) in done if add.embedding is not None])
    for outlook, outcome in zip(outlooks, outcomes, strict=False):
        if outcome.applied and deps.layers.compares:
            layered.catch_up(deps, grant, outlook, outcome.seq)
    return [
        _receipt(outcome, facts if outcome.applied else _told(_facts(add.memory, priors.get(key)), each, kept=False))
        for (add, facts), outcome, key, each in zip(adds, outcomes, keys, cleared, strict=True)
    ]


def _apart(memory: Memory) -> Memory:
    return replace(memory, status=Status.QUARANTINED)


def _told(facts: dict[str, Any], cleared: Cleared, *, kept: bool = True) -> dict[str, Any]:
    """The facts with what was masked, and with the notes of both; of a text that is there already only its own."""
    notes = [*facts.get("notes", ()), *(cleared.notes if kept else ())]
    told = {**facts, **cleared.told, "notes": notes}
    return told if notes else {name: value for name, value in told.items() if name != "notes"}


def _repeated(deps: Deps, grant: Grant, cleared: Cleared, twin: Memory, now: datetime) -> Receipt | None:
    """The receipt of a text that a memory says already; None where that was taken away a moment ago."""
    draft, facts = cleared.draft, _told({**keep.facts(twin), "deduplicated": True}, cleared, kept=False)
    request = _idempotency(draft, now, facts)
    if request is not None:
        kept = deps.store.apply(Batch(grant=grant, changes=(KeepReceipt(twin.seq, request),))).outcomes[0]
    else:
        kept = Outcome(twin.id, twin.seq, applied=True)
    if not kept.applied and kept.receipt is None and not kept.conflict:
        return None
    if [memory.status for memory in deps.store.read([twin.seq])] != [Status.ACTIVE] and kept.receipt is None:
        return None
    traces.own(deps, [(kept, twin), (kept, draft)])
    return _receipt(kept, facts)


def memorize_items(
    deps: Deps, caller: Caller, read: Callable[[object], Draft], items: Iterable[object]
) -> list[Receipt]:
    """Keep every item that can be read; the receipts stand in the order of the items."""
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        raise InvalidInput("items", f"expected a list of items, got one {type(items).__name__}; use memorize for one")
    receipts: list[Receipt] = []
    for chunk in _chunks(items):
        read_items = [_read(deps, read, item) for item in chunk]
        cleared = [item for item in read_items if isinstance(item, Cleared)]
        kept = iter(_keep(deps, caller, cleared))
        receipts.extend(item if isinstance(item, Receipt) else next(kept) for item in read_items)
    return receipts


def _read(deps: Deps, read: Callable[[object], Draft], item: object) -> Cleared | Receipt:
    try:
        return redact.clear(deps, read(item))
    except CortexError as error:
        return Receipt(verb="memorize", error=str(error), error_code=error.code)


def _chunks(items: Iterable[object]) -> Iterator[list[object]]:
    source = iter(items)
    while chunk := list(islice(source, CHUNK)):
        yield chunk


def _priors(deps: Deps, keys: Sequence[tuple[Scope, bytes]]) -> Mapping[tuple[Scope, bytes], Prior]:
    wanted: dict[Scope, list[bytes]] = {}
    for scope, identity in keys:
        wanted.setdefault(scope, []).append(identity)
    return {
        (scope, identity): prior
        for scope, group in wanted.items()
        for identity, prior in deps.store.prior(scope, group).items()
    }


def _embed(deps: Deps, drafts: Sequence[Draft], known: Sequence[bool]) -> list[Embedding | None]:
    """The embedding of each draft; a text that is there already needs none."""
    fresh = [draft for draft, there in zip(drafts, known, strict=True) if not there]
    made = iter(vectors.embed_memories(deps, fresh).vectors)
    return [None if there else next(made) for there in known]


def _facts(memory: Memory, prior: Prior | None) -> dict[str, Any]:
    """What the receipt says: of the new memory, with the vectors of the one that survives instead."""
    there = {} if prior is None else {"pending": prior.pending, "embedded_chars": prior.embedded_chars}
    return {**keep.facts(memory), **there}


def _idempotency(draft: Draft, now: datetime, facts: Mapping[str, Any]) -> Idempotency | None:
    if draft.idempotency_key is None:
        return None
    digest = keep.request_digest("memorize", draft)
    return Idempotency(draft.idempotency_key, digest, now, facts)


def _receipt(outcome: Outcome, facts: Mapping[str, Any]) -> Receipt:
    known = outcome.receipt or {}
    if outcome.conflict or known.get("verb", "memorize") != "memorize":
        problem = "the idempotency_key was used before, for another call or a memory that was forgotten; use a new key"
        return Receipt(verb="memorize", error=problem, error_code=IdempotencyConflict.code)
    said: dict[str, Any] = {"deduplicated": not outcome.applied, **outcome.told(known or facts)}
    said.pop("counts", None)
    for name in ("superseded", "conflicts", "linked", "notes"):  # lists, where a key was kept as JSON
        said[name] = tuple(said.get(name, ()))
    said["redacted"] = redacted(said.get("redacted", ()))
    said |= {"verb": "memorize", "id": outcome.id}
    return Receipt(**said)
