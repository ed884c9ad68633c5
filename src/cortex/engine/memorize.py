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
from cortex.engine.read import Read, read
from cortex.engine.read import owed as jobs_owed
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
_LISTS = frozenset(("superseded", "conflicts", "linked", "notes"))


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
    identities = [keep.identity(draft, found[i].fingerprint) for i, draft in enumerate(drafts)]
    there, retired = _there(deps, drafts, identities, now)
    embeddings = _embed(deps, drafts, there)
    bare = [
        keep.remember(draft, found[i], embeddings[i], id=deps.new_id(), caller=caller, now=now)
        for i, draft in enumerate(drafts)
    ]
    apart = [each.quarantined and there[i] is None for i, each in enumerate(cleared)]
    said_by = _said(deps, bare, there, apart, now) if deps.layers.on else {}
    adds: list[tuple[AddMemory, dict[str, Any]]] = []
    more: list[Layered] = []
    outlooks: list[layered.Outlook] = []
    for i, each in enumerate(cleared):
        memory, said, noted, facts = bare[i], said_by.get(i), None, _facts(bare[i], there[i])
        if said is not None:
            outlook = layered.look(deps, grant, memory, embeddings[i], said)
            if (twin := outlook.settled.repeats) is not None:
                repeated = _repeated(deps, grant, each, twin, now)
                return _keep(deps, caller, cleared) if repeated is None else [repeated]
            memory, noted = layered.as_settled(outlook), outlook.reading
            outlooks.append(outlook)
            more += layered.consequences(deps, outlook, now)
            facts |= layered.told(outlook, said)
        elif apart[i]:
            memory = replace(memory, status=Status.QUARANTINED)
        facts = _told(facts, each)
        owed, request = jobs_owed(said, keep.owed(embeddings[i], now), now), _idempotency(each.draft, now, facts)
        add = AddMemory(memory, identities[i], keep.terms(each.draft), embeddings[i], owed, request, noted)
        adds.append((add, facts))
    applied = deps.store.apply(Batch(grant=grant, changes=(*retired, *[add for add, _ in adds], *more)))
    outcomes = applied.outcomes[len(retired) :][: len(adds)]
    if deps.traces is not None:
        done = zip(outcomes, adds, strict=True)
        traces.own(deps, [(outcome, add.memory) for outcome, (add, _) in done if add.embedding is not None])
    for outlook, outcome in zip(outlooks, outcomes, strict=False):
        if outcome.applied and deps.layers.compares:
            layered.catch_up(deps, grant, outlook, outcome.seq)
    return [
        _receipt(outcome, facts if outcome.applied else _told(_facts(add.memory, there[i]), cleared[i], kept=False))
        for i, (outcome, (add, facts)) in enumerate(zip(outcomes, adds, strict=True))
    ]


def _said(
    deps: Deps, memories: Sequence[Memory], there: Sequence[Prior | None], apart: Sequence[bool], now: datetime
) -> dict[int, Read]:
    """What the texts say that are new and will be recalled, by their place."""
    fresh = [i for i in range(len(memories)) if there[i] is None and not apart[i]]
    return dict(zip(fresh, read(deps, [memories[i] for i in fresh], now), strict=True))


def _told(facts: dict[str, Any], cleared: Cleared, *, kept: bool = True) -> dict[str, Any]:
    """The facts with what was masked, and with the notes of both; of a text that is there already only its own."""
    if not (cleared.masked or cleared.notes or "notes" in facts):
        return facts
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


def _there(
    deps: Deps, drafts: Sequence[Draft], identities: Sequence[bytes], now: datetime
) -> tuple[list[Prior | None], list[SetStatus]]:
    """For each draft the memory that says the same and survives, and what is to give way to one, having run out."""
    wanted: dict[Scope, list[bytes]] = {}
    for i, draft in enumerate(drafts):
        wanted.setdefault(draft.scope, []).append(identities[i])
    priors = {scope: deps.store.prior(scope, group) for scope, group in wanted.items()}
    if not any(priors.values()):
        return [None] * len(drafts), []
    found = [priors[draft.scope].get(identities[i]) for i, draft in enumerate(drafts)]
    there = [prior if prior is not None and keep.survives(prior, now) else None for prior in found]
    gone = {prior.seq for i, prior in enumerate(found) if prior is not None and there[i] is None}
    return there, [SetStatus(seq, Status.ARCHIVED, now) for seq in gone]


def _embed(deps: Deps, drafts: Sequence[Draft], there: Sequence[Prior | None]) -> list[Embedding | None]:
    """The embedding of each draft; a text that is there already needs none."""
    fresh = [draft for i, draft in enumerate(drafts) if there[i] is None]
    made = vectors.embed_memories(deps, fresh).vectors
    if len(made) == len(drafts):
        return made
    left = iter(made)
    return [next(left) if prior is None else None for prior in there]


def _facts(memory: Memory, prior: Prior | None) -> dict[str, Any]:
    """What the receipt says: of the new memory, with the vectors of the one that survives instead."""
    facts = keep.facts(memory)
    if prior is not None:
        facts |= {"pending": prior.pending, "embedded_chars": prior.embedded_chars}
    return facts


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
    for name in _LISTS & said.keys():  # lists, where a key was kept as JSON
        said[name] = tuple(said[name])
    if "redacted" in said:
        said["redacted"] = redacted(said["redacted"])
    said |= {"verb": "memorize", "id": outcome.id}
    return Receipt(**said)
