"""Taking memories out of a store and into another, whole, a few hundred at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, assert_never

from cortex.core import portable
from cortex.engine import guard, traces
from cortex.engine.deps import Deps
from cortex.errors import AccessDenied, InvalidInput
from cortex.model.change import Batch, Outcome, PutRecord
from cortex.model.job import EMBED, NewJob
from cortex.model.memory import Memory
from cortex.model.policy import Action, Caller, Grant
from cortex.model.record import Record
from cortex.model.scope import Scope
from cortex.model.transfer import Conflict, Imported, Refused

CHUNK = 200


def records(deps: Deps, caller: Caller, scopes: Sequence[Scope] | None) -> Iterator[Record]:
    """Every memory of these scopes (None: of all that the caller may read), in the order they were written.

    A version that lived in another scope stays behind, as it does in the listings of these.
    """
    grant = guard.authorise(caller, Action.READ, deps.store.known_scopes(caller.org_id) if scopes is None else scopes)
    after = 0
    while batch := deps.store.archive.records(grant.scopes, after, CHUNK):
        after = batch[-1].current.memory.seq
        yield from (_covered(grant, record) for record in batch if guard.covers(grant, record.current.memory))


def past_records(deps: Deps, caller: Caller, scopes: Sequence[Scope] | None, at: datetime) -> Iterator[Record]:
    """The memories that were in these scopes at an instant and held then, wherever they are now, as they stood."""
    grant = guard.authorise(caller, Action.READ, deps.store.known_scopes(caller.org_id) if scopes is None else scopes)
    for record in records(deps, caller, None):
        form = portable.stood_at(record, at)
        if form is not None and guard.covers(grant, form.current.memory):
            yield _covered(grant, form)


def _covered(grant: Grant, record: Record) -> Record:
    """The record with those of its earlier versions that are within the grant."""
    return replace(record, earlier=tuple(form for form in record.earlier if guard.covers(grant, form.memory)))


def lines(deps: Deps, caller: Caller, scopes: Sequence[Scope] | None, as_of: datetime | None = None) -> Iterator[str]:
    """The lines of an export, without line ends; with ``as_of``, of what was known and held then."""
    yield portable.header()
    chosen = records(deps, caller, scopes) if as_of is None else past_records(deps, caller, scopes, as_of)
    for record in chosen:
        yield portable.to_line(record)


def take_over(deps: Deps, caller: Caller, source: Iterable[str], conflict: Conflict) -> Imported:
    """Take over the lines of an export, one commit per 200; reading it again changes nothing more."""
    numbered = enumerate(_texts(source), start=1)
    first = next(numbered, (1, ""))[1]
    portable.check_header(first.removeprefix("\ufeff").strip())
    counts: Counter[str] = Counter()
    refused: list[Refused] = []
    while chunk := list(islice(numbered, CHUNK)):
        found: list[Record] = []
        for number, line in chunk:
            try:
                if line.strip():
                    found.append(_allowed(caller, portable.from_line(line)))
            except (InvalidInput, AccessDenied) as error:
                refused.append(Refused(number, str(error)))
        counts += put(deps, caller, found, conflict)
    return summed(counts, refused, {})


def _texts(source: Iterable[str]) -> Iterator[str]:
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise InvalidInput("lines", f"expected the lines of an export, got {type(source).__name__}")
    for line in source:
        if not isinstance(line, str):
            raise InvalidInput("lines", f"expected lines of text, got {type(line).__name__}")
        yield line


def _allowed(caller: Caller, record: Record) -> Record:
    """The record, if the caller may write where it is and where it was."""
    guard.authorise(caller, Action.WRITE, portable.scopes(record))
    return record


def summed(counts: Counter[str], refused: Sequence[Refused], left_out: Mapping[str, int]) -> Imported:
    """The counts of `put`, added up, as one report."""
    named: dict[str, Any] = dict(counts)
    return Imported(refused=tuple(refused), left_out=left_out, **named)


def put(deps: Deps, caller: Caller, found: Sequence[Record], conflict: Conflict) -> Counter[str]:
    """Write records, in one commit unless an id comes twice; how many of them became what."""
    counts: Counter[str] = Counter()
    for distinct in _apart(found):
        counts += _put_distinct(deps, caller, distinct, conflict)
    return counts


def _apart(found: Sequence[Record]) -> Iterator[list[Record]]:
    """The records in runs in which no id comes twice: what a rule decides depends on what was written before."""
    run: dict[str, Record] = {}
    for record in found:
        id_ = record.current.memory.id
        if id_ in run:
            yield list(run.values())
            run = {}
        run[id_] = record
    if run:
        yield list(run.values())


def _put_distinct(deps: Deps, caller: Caller, found: Sequence[Record], conflict: Conflict) -> Counter[str]:
    grant = guard.authorise(caller, Action.WRITE, [scope for record in found for scope in portable.scopes(record)])
    known = deps.store.known_scopes(caller.org_id)
    asked = [(record, _asked(deps, known, _with_usable_vectors(deps, record), conflict)) for record in found]
    changes = [(record, answer) for record, answer in asked if isinstance(answer, PutRecord)]
    replaced = traces.held(deps, _replaced(deps, known, (change for _, change in changes if change.overwrite)))
    batch = Batch(grant=grant, changes=tuple(change for _, change in changes))
    traces.disown(deps, replaced)
    outcomes = deps.store.apply(batch).outcomes if changes else ()
    traces.disown(deps, replaced)
    counts = Counter(answer for _, answer in asked if isinstance(answer, str))
    for (record, change), outcome in zip(changes, outcomes, strict=True):
        counts[_became(record, change, outcome)] += 1
        counts["pending"] += outcome.applied and change.follow_up is not None
    return +counts


def _replaced(deps: Deps, known: Sequence[Scope], changes: Iterable[PutRecord]) -> Iterator[Memory]:
    """The memories that these changes overwrite."""
    for change in changes:
        there = _same_id(deps, known, change.record)
        if there is not None:
            yield there.current.memory


def _asked(deps: Deps, known: Sequence[Scope], record: Record, conflict: Conflict) -> PutRecord | str:
    """What to write for one record, or what became of it where what is there stays."""
    there = _same_id(deps, known, record)
    if there is None:
        return _put(deps, record)
    if portable.to_line(there) == portable.to_line(record):
        return "unchanged"
    match conflict:
        case Conflict.SKIP:
            return "skipped"
        case Conflict.OVERWRITE:
            return _put(deps, record, overwrite=True)
        case Conflict.NEW_ID:
            return _put(deps, portable.renamed(record, deps.new_id()))
        case _:
            assert_never(conflict)


def _became(record: Record, change: PutRecord, outcome: Outcome) -> str:
    """What came of a record that was to be written: the store alone knows, since others write meanwhile."""
    if not outcome.applied:
        return "skipped" if outcome.id == change.record.current.memory.id else "duplicates"
    if change.record.current.memory.id != record.current.memory.id:
        return "renamed"
    return "overwritten" if outcome.counts.get("memories") else "added"


def _put(deps: Deps, record: Record, *, overwrite: bool = False) -> PutRecord:
    owed = None if record.current.embedding is not None else NewJob(EMBED, deps.clock.now(), {})
    return PutRecord(record, overwrite, owed)


def _same_id(deps: Deps, scopes: Sequence[Scope], record: Record) -> Record | None:
    found = deps.store.resolve(scopes, record.current.memory.id, 1)
    if not found:
        return None
    return next(iter(deps.store.archive.records(scopes, found[0][1] - 1, 1)), None)


def _with_usable_vectors(deps: Deps, record: Record) -> Record:
    """The record as this store can search it: vectors of another model than its own are made anew."""
    own = deps.store.reindexing.current() or deps.embedder.signature
    embedding = record.current.embedding
    return record if embedding is None or embedding.signature == own else portable.without_vectors(record)
