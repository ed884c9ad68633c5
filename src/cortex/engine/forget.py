"""Erasing memories with every trace of them, and retiring one without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from cortex.core import moments
from cortex.core.matching import details_pass
from cortex.engine import guard, requests, traces
from cortex.engine.deps import Deps
from cortex.engine.find import everywhere, find
from cortex.errors import InvalidInput, NotFound
from cortex.model.change import Batch, EraseMemory, EraseScope, KeepReceipt, Outcome, Receipt, SetStatus
from cortex.model.memory import Memory, Status
from cortex.model.policy import Action, Caller, Grant
from cortex.model.query import Erasure, Filter, Order, Selection

_STEP = 500
_NOT_ACTIVE = "it is {} again, as it was before it was archived; undo once more to have it recalled"


class _Named(NamedTuple):
    seq: int
    id: str


def forget(deps: Deps, caller: Caller, id_or_prefix: object, key: str | None) -> Receipt:
    """Erase the memory; the receipt counts what went, a kind of trace each, and names what may still hold it."""
    if (earlier := requests.answered(deps, caller, "forget", key, id_or_prefix)) is not None:
        return _repeated(deps, earlier)
    grant = everywhere(deps, caller, Action.WRITE)
    try:
        memory = find(deps, grant, id_or_prefix)
    except NotFound:
        # The same request may have erased it in another thread or process just now.
        if (earlier := requests.answered(deps, caller, "forget", key, id_or_prefix)) is not None:
            return _repeated(deps, earlier)
        raise
    facts = {
        "scope": memory.scope.key,
        "version": memory.version,
        "content_chars": len(memory.content),
        "remaining": deps.store.archive.backups(),
    }
    now = deps.clock.now()
    claim = requests.claim("forget", key, id_or_prefix, now, facts)
    outcome, left = _erase(deps, grant, EraseMemory(memory.seq, memory.id, claim, now), [memory])
    if not outcome.applied and not outcome.conflict:
        raise NotFound(f"no memory has the id {memory.id}: it was erased a moment ago")
    return _scrubbed(deps, requests.receipt("forget", outcome, facts), left)


def forget_all(deps: Deps, caller: Caller, wish: Erasure, key: str | None) -> Receipt:
    """Erase everything in one scope at once, or what passes a filter there; a dry run only tells what that is."""
    request = _request(wish)
    if not wish.dry_run and (earlier := requests.answered(deps, caller, "forget_all", key, request)) is not None:
        return _repeated(deps, earlier)
    grant = guard.authorise(caller, Action.WRITE, [wish.scope])
    if wish.scope not in deps.store.known_scopes(caller.org_id):
        raise NotFound(f"nothing was ever kept in the scope {wish.scope.key!r}; stats shows the scopes")
    chosen = _chosen(deps, grant, wish) if wish.filter or wish.dry_run else None
    facts: dict[str, Any] = {"scope": wish.scope.key, "remaining": deps.store.archive.backups()}
    if chosen is not None:
        facts["ids"] = [memory.id for memory in chosen]
    if wish.filter:
        facts["times"] = {name: at.isoformat() for name, at in wish.filter.times.items()}
    if wish.dry_run:
        outcome = Outcome("", 0, applied=False, counts={"memories": len(chosen or ())})
        return requests.receipt("forget_all", outcome, facts)
    now = deps.clock.now()
    claim = requests.claim("forget_all", key, request, now, facts)
    only = None if chosen is None else tuple(memory.seq for memory in chosen)
    named = _everything(deps, grant) if chosen is None else chosen
    outcome, left = _erase(deps, grant, EraseScope(wish.scope, claim, only, now), named)
    return _scrubbed(deps, requests.receipt("forget_all", outcome, facts), left)


def _erase(
    deps: Deps, grant: Grant, change: EraseMemory | EraseScope, named: Iterable[traces.Named]
) -> tuple[Outcome, Sequence[str]]:
    """The outcome of one erasure, and the files beside the store that may still hold something of these memories."""
    texts = traces.held(deps, named)
    traces.disown(deps, texts)
    outcome = deps.store.apply(Batch(grant=grant, changes=(change,))).outcomes[0]
    late = {id_: () for id_ in outcome.erased if id_ not in texts}  # kept since the texts were gathered
    return outcome, traces.disown(deps, {**texts, **late})


def _repeated(deps: Deps, receipt: Receipt) -> Receipt:
    """The receipt of the first time, with the places that still have something now."""
    return _scrubbed(deps, receipt, traces.unfinished(deps))


def _scrubbed(deps: Deps, receipt: Receipt, left: Sequence[str]) -> Receipt:
    """The receipt after the traces were removed, or with the places that still have them."""
    kept = () if deps.store.archive.scrub() else deps.store.archive.unscrubbed()
    return replace(receipt, remaining=(*receipt.remaining, *kept, *left)) if kept or left else receipt


def _request(wish: Erasure) -> object:
    """What tells one erasure from another, in the same words in every process."""
    if wish.filter is None:
        return wish.scope.key
    values = {field.name: getattr(wish.filter, field.name) for field in fields(Filter)}
    return wish.scope.key, {name: sorted(v) if isinstance(v, frozenset) else v for name, v in values.items()}


def _chosen(deps: Deps, grant: Grant, wish: Erasure) -> list[_Named]:
    """What a filter chooses, as a listing would show it; without one, all that is there."""
    if wish.filter is None:
        return list(_everything(deps, grant))
    wanted = wish.filter
    selection = Selection(
        scopes=grant.scopes, clearance=grant.clearance, now=deps.clock.now(), filter=wanted, order=Order.OLDEST
    )
    rows = deps.store.matching(selection, details=bool(wanted.tags or wanted.metadata))
    seqs = sorted(row.seq for row in rows if details_pass(row.tags, row.metadata, wanted))
    chunks = (seqs[start : start + _STEP] for start in range(0, len(seqs), _STEP))
    return [_Named(memory.seq, memory.id) for chunk in chunks for memory in deps.store.read(chunk)]


def _everything(deps: Deps, grant: Grant) -> Iterator[_Named]:
    after = 0
    while batch := deps.store.archive.records(grant.scopes, after, _STEP):
        after = batch[-1].current.memory.seq
        yield from (_Named(record.current.memory.seq, record.current.memory.id) for record in batch)


def _before(deps: Deps, grant: Grant, memory: Memory) -> Status:
    """What an archived memory was: putting it back judges nothing anew. Anything else counts again.

    So does one whose successor was erased meanwhile, as it would have if it had not been archived.
    """
    if memory.status is not Status.ARCHIVED:
        return Status.ACTIVE
    earlier = [version.status for version in deps.store.archive.history(memory.seq)]
    status = next((status for status in reversed(earlier) if status is not Status.ARCHIVED), Status.ACTIVE)
    by = memory.superseded_by
    if status is Status.SUPERSEDED and (by is None or not deps.store.resolve(grant.scopes, by, 1)):
        return Status.ACTIVE
    return status


def archive(deps: Deps, caller: Caller, id_or_prefix: object, *, undo: bool, key: str | None) -> Receipt:
    """Take a memory out of recall and keep it; ``undo`` puts it back: an archived one to what it was before."""
    request = (id_or_prefix, undo)
    if (earlier := requests.answered(deps, caller, "archive", key, request)) is not None:
        return earlier
    grant = everywhere(deps, caller, Action.WRITE)
    memory = find(deps, grant, id_or_prefix)
    now = moments.after(memory.updated_at, deps.clock.now())
    status = _before(deps, grant, memory) if undo else Status.ARCHIVED
    facts: dict[str, Any] = {"scope": memory.scope.key, "version": memory.version + (memory.status is not status)}
    if undo and status is not Status.ACTIVE:
        facts["notes"] = (_NOT_ACTIVE.format(status.value),)
    claim = requests.claim("archive", key, request, now, facts)
    change: SetStatus | KeepReceipt = SetStatus(memory.seq, status, now, claim)
    if memory.status is status:
        if claim is None:
            return Receipt(verb="archive", id=memory.id, **facts)
        change = KeepReceipt(memory.seq, claim)
    outcome = deps.store.apply(Batch(grant=grant, changes=(change,))).outcomes[0]
    if not outcome.applied and outcome.receipt is None and not outcome.conflict:
        if outcome.id not in ("", memory.id):
            raise InvalidInput("memory_id", f"memory {outcome.id} says the same already; forget one of the two")
        raise NotFound(f"no memory has the id {memory.id}: it was erased a moment ago")
    return requests.receipt("archive", outcome, facts)
