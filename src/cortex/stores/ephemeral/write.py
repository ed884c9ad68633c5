"""How each change is written into the tables."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import assert_never

from cortex.errors import StoreError
from cortex.model.change import (
    AddConflict,
    AddLink,
    AddMemory,
    AddVectors,
    Change,
    Decide,
    EraseMemory,
    EraseScope,
    Idempotency,
    KeepReceipt,
    Known,
    Outcome,
    PutRecord,
    RemoveLinks,
    ReplaceMemory,
    Request,
    RewriteMemory,
    SetEmbedding,
    SetReading,
    SetStatus,
    Supersede,
    Touch,
)
from cortex.model.embedding import Embedding
from cortex.model.job import EMBED, NewJob, Retry
from cortex.model.memory import EmbeddingState, Memory, Status
from cortex.model.policy import Caller
from cortex.model.record import Form
from cortex.stores.ephemeral.readings import drop_open_conflicts, release, unlink, write_layered
from cortex.stores.ephemeral.tables import Row, Tables, copied, holder, next_change, queue, seq_of, set_aside

_TRACES = (
    "vectors token_vectors text_index links links_to_it jobs version_vectors versions events mentions relations "
    "conflicts memories"
).split()


def write(tables: Tables, change: Change, caller: Caller) -> Outcome:
    """Write one change and tell what came of it."""
    match change:
        case SetEmbedding():
            return _set_embedding(tables, change)
        case PutRecord():
            return _put_record(tables, change)
        case RewriteMemory():
            return _rewrite(tables, change)
        case AddVectors():
            return _add_vectors(tables, change)
        case Touch():
            return _touch(tables, change)
        case SetReading() | Supersede() | AddLink() | RemoveLinks() | AddConflict() | Decide():
            return write_layered(tables, change)
        case AddMemory() | ReplaceMemory() | SetStatus() | KeepReceipt() | EraseMemory() | EraseScope():
            return _once(tables, change, caller)
        case _:
            assert_never(change)


def retry_later(tables: Tables, retry: Retry) -> None:
    """Free a job for its next time, if it is still there."""
    job = tables.jobs.get(retry.job_id)
    if job is not None:
        tables.jobs[retry.job_id] = replace(job, run_at=retry.run_at, holder=None, held_until=None, error=retry.error)


# --- idempotency --------------------------------------------------------------------------------------


def _once(tables: Tables, change: Request, caller: Caller) -> Outcome:
    """Write what was not asked for before; a refused change leaves its key free, a duplicate addition does not."""
    request = change.idempotency
    if request is None:
        return _write(tables, change)
    known = tables.keys.get((caller.org_id, caller.user, request.key))
    if known is not None:
        return _again(known, request)
    outcome = _write(tables, change)
    if outcome.applied or isinstance(change, AddMemory):
        receipt = copy.deepcopy({**outcome.told(request.receipt), "counts": dict(outcome.counts)})
        kept = Outcome(outcome.id, 0, outcome.applied, receipt=receipt)
        tables.keys[caller.org_id, caller.user, request.key] = Known(request.request, kept)
    return outcome


def _again(known: Known, request: Idempotency) -> Outcome:
    if known.request != request.request:
        return Outcome(known.outcome.id, 0, applied=False, conflict=True)
    return copy.deepcopy(known.outcome)


def _write(tables: Tables, change: Request) -> Outcome:
    match change:
        case AddMemory():
            return _add(tables, change)
        case ReplaceMemory():
            return _replace(tables, change)
        case SetStatus():
            return _set_status(tables, change)
        case KeepReceipt():
            return _keep_receipt(tables, change)
        case EraseMemory():
            return _erase(tables, change)
        case EraseScope():
            return _erase_scope(tables, change)
        case _:
            assert_never(change)


# --- one function a change ----------------------------------------------------------------------------


def _add(tables: Tables, change: AddMemory) -> Outcome:
    tables.scopes[change.memory.scope] = None
    if seq_of(tables, change.memory.id) is not None:
        raise StoreError(f"the id {change.memory.id} is taken")
    survivor = holder(tables, change.memory.scope, change.identity)
    if survivor is not None and change.memory.status is Status.ACTIVE:
        return Outcome(survivor.id, survivor.seq, applied=False)
    seq = _insert(tables, Form(change.memory, change.identity, change.terms, change.embedding))
    queue(tables, seq, change.follow_up)
    if change.reading is not None:
        tables.readings[seq] = change.reading
    return Outcome(change.memory.id, seq, applied=True, pending=_lies_aside(tables, change.embedding))


def _replace(tables: Tables, change: ReplaceMemory) -> Outcome:
    memory = change.memory
    there = holder(tables, memory.scope, change.identity)
    if there is not None and there.seq != memory.seq and memory.status is Status.ACTIVE:
        return Outcome(there.id, there.seq, applied=False)
    old = tables.rows.get(memory.seq)
    if old is None or old.memory.version != memory.version - 1:
        return Outcome(memory.id, memory.seq, applied=False)
    set_aside(tables, old, memory.updated_at)
    if old.memory.scope != memory.scope:
        tables.scopes[memory.scope] = None
        _bury(tables, old)
    _drop_jobs(tables, memory.seq)
    _put(tables, Form(_counted(old.memory, memory), change.identity, change.terms, change.embedding))
    queue(tables, memory.seq, change.follow_up)
    tables.readings.pop(memory.seq, None)
    drop_open_conflicts(tables, memory.id)
    if change.reading is not None:
        tables.readings[memory.seq] = change.reading
    return Outcome(memory.id, memory.seq, applied=True, pending=_lies_aside(tables, change.embedding))


def _set_embedding(tables: Tables, change: SetEmbedding) -> Outcome:
    row = tables.rows.get(change.seq)
    other = tables.signature not in {None, change.embedding.signature}
    if row is None or row.memory.version != change.version or other:
        return Outcome("", change.seq, applied=False)
    tables.spare.pop((change.seq, change.version), None)
    memory = replace(row.memory, embedded_chars=change.embedded_chars)
    _put(tables, replace(row.form, memory=memory, embedding=change.embedding))
    return Outcome(memory.id, change.seq, applied=True)


def _add_vectors(tables: Tables, change: AddVectors) -> Outcome:
    row = tables.rows.get(change.seq)
    if row is None or row.memory.version != change.version:
        return Outcome("", change.seq, applied=False)
    signature = change.embedding.signature
    if row.memory.signature == signature:
        tables.rows[change.seq] = replace(row, form=replace(row.form, embedding=change.embedding))
    else:
        tables.spare.setdefault((change.seq, change.version), {})[signature] = change.embedding
    return Outcome(row.memory.id, change.seq, applied=True)


def _counted(old: Memory, memory: Memory) -> Memory:
    """The memory with the accesses that were counted since it was read."""
    at = max((each.last_accessed_at for each in (old, memory) if each.last_accessed_at is not None), default=None)
    return replace(copied(memory), access_count=max(old.access_count, memory.access_count), last_accessed_at=at)


def _touch(tables: Tables, change: Touch) -> Outcome:
    touched = [row for seq in change.seqs if (row := tables.rows.get(seq)) is not None]
    for seq in change.seqs:
        if (row := tables.rows.get(seq)) is not None:
            memory = row.memory
            at = max(memory.last_accessed_at or change.at, change.at)
            memory = replace(memory, access_count=memory.access_count + 1, last_accessed_at=at)
            tables.rows[seq] = replace(row, form=replace(row.form, memory=memory))  # with the change number it had
    return Outcome("", 0, applied=bool(touched), counts={"accesses": len(touched)})


def _set_status(tables: Tables, change: SetStatus) -> Outcome:
    row = tables.rows.get(change.seq)
    if row is None:
        return Outcome("", change.seq, applied=False)
    there = holder(tables, *row.place)
    if change.status is Status.ACTIVE and there is not None and there.seq != change.seq:
        return Outcome(there.id, there.seq, applied=False)
    set_aside(tables, row, change.at)
    active = change.status is Status.ACTIVE
    by = None if active else row.memory.superseded_by
    memory = replace(
        row.memory, status=change.status, superseded_by=by, updated_at=change.at, version=row.memory.version + 1
    )
    tables.spare[change.seq, memory.version] = dict(tables.spare.get((change.seq, row.memory.version), {}))
    _put(tables, replace(row.form, memory=memory))
    if active:
        unlink(tables, {memory.id}, "supersedes")
    return Outcome(memory.id, change.seq, applied=True)


def _keep_receipt(tables: Tables, change: KeepReceipt) -> Outcome:
    row = tables.rows.get(change.seq)
    return Outcome("" if row is None else row.memory.id, change.seq, applied=row is not None)


def _erase(tables: Tables, change: EraseMemory) -> Outcome:
    row = tables.rows.get(change.seq)
    if row is None:
        return Outcome(change.id, change.seq, applied=False, counts={"memories": 0})
    _bury(tables, row)
    return Outcome(change.id, change.seq, applied=True, counts=_erase_rows(tables, [row], change.at))


def _erase_scope(tables: Tables, change: EraseScope) -> Outcome:
    tables.scopes[change.scope] = None
    chosen = tables.rows.keys() if change.only is None else set(change.only)
    rows = [row for seq, row in tables.rows.items() if row.memory.scope == change.scope and seq in chosen]
    for row in rows:
        _bury(tables, row)
    counts = Counter(_erase_rows(tables, rows, change.at))
    # A memory that moved away leaves what it said here, when all of it goes.
    for seq, forms in tables.versions.items() if change.only is None else ():
        left = [form for form in forms if form.memory.scope == change.scope]
        _blank(tables, {form.memory.id for form in left})
        counts += _old_traces(tables, left)
        tables.versions[seq] = tuple(form for form in forms if form.memory.scope != change.scope)
    gone = tuple(row.memory.id for row in rows)
    return Outcome("", 0, applied=True, counts={trace: counts[trace] for trace in _TRACES}, erased=gone)


def _put_record(tables: Tables, change: PutRecord) -> Outcome:
    current = change.record.current
    memory = current.memory
    there = seq_of(tables, memory.id)
    if there is not None and not change.overwrite:
        return Outcome(memory.id, there, applied=False)
    tables.scopes[memory.scope] = None
    clash = holder(tables, memory.scope, current.identity)
    if clash is not None and clash.id != memory.id and memory.status is Status.ACTIVE:
        return Outcome(clash.id, clash.seq, applied=False)
    if there is not None:
        _bury(tables, tables.rows[there])
        _drop_jobs(tables, there)
        tables.readings.pop(there, None)
        _forget_conflicts(tables, {memory.id})
        _old_traces(tables, [tables.rows.pop(there).form, *tables.versions.pop(there, ())])
    seq = _insert(tables, current)
    queue(tables, seq, change.follow_up)
    if change.record.reading is not None:
        tables.readings[seq] = change.record.reading
    earlier = [replace(form, memory=replace(copied(form.memory), seq=seq)) for form in change.record.earlier]
    for form in earlier:
        tables.scopes[form.memory.scope] = None
    if earlier:
        tables.versions[seq] = tuple(sorted(map(signed, earlier), key=lambda form: form.memory.version))
    return Outcome(memory.id, seq, applied=True, counts={"memories": int(there is not None)})


def _rewrite(tables: Tables, change: RewriteMemory) -> Outcome:
    form = change.record.current
    memory, row = form.memory, tables.rows.get(form.memory.seq)
    if row is None or (row.memory.id, row.memory.version) != (memory.id, memory.version):
        return Outcome(memory.id, memory.seq, applied=False)
    clash = holder(tables, memory.scope, form.identity)
    if clash is not None and clash.seq != memory.seq and memory.status is Status.ACTIVE:
        return Outcome(clash.id, clash.seq, applied=False)
    _drop_jobs(tables, memory.seq)
    _old_traces(tables, [row.form, *tables.versions.pop(memory.seq, ())])
    tables.readings.pop(memory.seq, None)
    _forget_conflicts(tables, {memory.id})
    _blank(tables, {memory.id})
    _put(tables, Form(_counted(row.memory, memory), form.identity, form.terms, None))
    if change.record.earlier:
        tables.versions[memory.seq] = tuple(
            signed(replace(each, memory=copied(each.memory))) for each in change.record.earlier
        )
    _empty_reasons(tables, memory.seq, memory.id)
    queue(tables, memory.seq, change.follow_up)
    return Outcome(memory.id, memory.seq, applied=True)


def _empty_reasons(tables: Tables, seq: int, id_: str) -> None:
    """Reasons of the links from and to a memory."""
    for key, row in tables.rows.items():
        links = tuple(
            replace(link, reason="") if key == seq or link.target == id_ else link for link in row.memory.links
        )
        if links != row.memory.links:
            memory = replace(row.memory, links=links)
            tables.rows[key] = replace(row, form=replace(row.form, memory=memory))


# --- rows ---------------------------------------------------------------------------------------------


def _insert(tables: Tables, form: Form) -> int:
    tables.scopes[form.memory.scope] = None
    tables.last_seq += 1
    _put(tables, replace(form, memory=replace(copied(form.memory), seq=tables.last_seq)))
    return tables.last_seq


def _put(tables: Tables, form: Form) -> None:
    memory = form.memory
    if form.embedding is not None:
        # The first signature ever written becomes the store's; vectors of another are kept aside and do not count.
        tables.signature = tables.signature or form.embedding.signature
        if form.embedding.signature != tables.signature:
            tables.spare.setdefault((memory.seq, memory.version), {})[form.embedding.signature] = form.embedding
            form = replace(form, embedding=None)
            queue(tables, memory.seq, NewJob(EMBED, memory.updated_at, {}))
    tables.rows[memory.seq] = Row(signed(form), next_change(tables))


def _lies_aside(tables: Tables, embedding: Embedding | None) -> bool:
    return embedding is not None and embedding.signature != tables.signature


def signed(form: Form) -> Form:
    """The form whose memory says of its vectors what is true of them."""
    state = EmbeddingState.PENDING if form.embedding is None else EmbeddingState.READY
    signature = None if form.embedding is None else form.embedding.signature
    return replace(form, memory=replace(form.memory, embedding=state, signature=signature))


def _erase_rows(tables: Tables, rows: Sequence[Row], at: datetime | None) -> dict[str, int]:
    """Remove memories with every trace and count those."""
    release(tables, rows, at)
    counts: Counter[str] = Counter()
    ids = set()
    for row in rows:
        seq = row.memory.seq
        ids.add(row.memory.id)
        embedding = tables.rows.pop(seq).form.embedding
        counts["vectors"] += _old_traces(tables, [row.form])["version_vectors"]
        counts += _old_traces(tables, tables.versions.pop(seq, ()))
        counts["memories"] += 1
        counts["text_index"] += 1
        counts["token_vectors"] += embedding is not None and embedding.token_vectors is not None
        counts["links"] += len(row.memory.links)
        counts["jobs"] += _drop_jobs(tables, seq)
        if (reading := tables.readings.pop(seq, None)) is not None:
            counts += Counter(
                events=int(reading.event is not None), mentions=len(reading.mentions), relations=len(reading.edges)
            )
    counts["conflicts"] = _forget_conflicts(tables, ids)
    counts["links_to_it"] = unlink(tables, ids)
    _blank(tables, ids)
    return {trace: counts[trace] for trace in _TRACES}


def _blank(tables: Tables, ids: set[str]) -> None:
    """The digest of an erased text is a trace of it; the key itself goes on answering."""
    tables.keys |= {name: replace(key, request=b"") for name, key in tables.keys.items() if key.outcome.id in ids}


def _old_traces(tables: Tables, forms: Iterable[Form]) -> Counter[str]:
    """Count forms and their vectors, and drop those of other models."""
    counts: Counter[str] = Counter()
    for form in forms:
        counts += Counter(versions=1, version_vectors=len(tables.vectors(form)))
        tables.spare.pop((form.memory.seq, form.memory.version), None)
    return counts


def _forget_conflicts(tables: Tables, ids: set[str]) -> int:
    before = len(tables.conflicts)
    tables.conflicts = {
        key: conflict for key, conflict in tables.conflicts.items() if ids.isdisjoint((conflict.older, conflict.newer))
    }
    return before - len(tables.conflicts)


def _drop_jobs(tables: Tables, seq: int) -> int:
    jobs = [job_id for job_id, job in tables.jobs.items() if job.seq == seq]
    for job_id in jobs:
        del tables.jobs[job_id]
    return len(jobs)


def _bury(tables: Tables, row: Row) -> None:
    """Note that the scope no longer has the memory, so that searchers drop it."""
    tables.gone.setdefault(row.memory.scope, []).append((next_change(tables), row.memory.seq))
