"""How what follows from the layers is written into the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

from cortex.model.change import AddConflict, AddLink, Decide, Layered, Outcome, RemoveLinks, SetReading, Supersede
from cortex.model.conflict import ConflictState
from cortex.model.memory import Link, Status
from cortex.stores.ephemeral.tables import Row, Tables, holder, next_change, queue, seq_of, set_aside


def write_layered(tables: Tables, change: Layered) -> Outcome:
    """Write one change and tell what came of it."""
    match change:
        case SetReading():
            return _set_reading(tables, change)
        case Supersede():
            return _supersede(tables, change)
        case AddLink():
            return _add_link(tables, change)
        case RemoveLinks():
            return Outcome(change.target, 0, applied=bool(unlink(tables, {change.target}, change.relation)))
        case AddConflict():
            return _add_conflict(tables, change)
        case Decide():
            return _decide(tables, change)
        case _:
            assert_never(change)


def unlink(tables: Tables, ids: set[str], relation: str | None = None) -> int:
    """Remove every link to these memories, or those of one sort, and tell how many there were."""
    removed = 0
    for seq, row in tables.rows.items():
        links = tuple(
            link for link in row.memory.links if link.target not in ids or relation not in (None, link.relation)
        )
        if links != row.memory.links:
            removed += len(row.memory.links) - len(links)
            supersedes = tuple(link.target for link in links if link.relation == "supersedes")
            memory = replace(row.memory, links=links, supersedes=supersedes)
            tables.rows[seq] = replace(row, form=replace(row.form, memory=memory))
    return removed


def drop_open_conflicts(tables: Tables, id_: str) -> None:
    """What was open about a text that is no more is judged anew."""
    tables.conflicts = {
        key: conflict
        for key, conflict in tables.conflicts.items()
        if conflict.state is not ConflictState.OPEN or id_ not in (conflict.older, conflict.newer)
    }


def release(tables: Tables, erased: Sequence[Row], at: datetime | None) -> None:
    """What these memories had superseded, and stays, is superseded by their own successors, or counts again.

    Not what says the same: what is forgotten does not come back as its own duplicate.
    """
    heirs = {row.memory.id: row.memory.superseded_by for row in erased}
    identities = {row.memory.id: row.form.identity for row in erased}
    for seq, row in list(tables.rows.items()):
        by = row.memory.superseded_by
        if by is None or by not in heirs or row.memory.id in heirs or identities[by] == row.form.identity:
            continue
        if row.memory.status is not Status.SUPERSEDED:
            continue
        heir: str | None = by
        seen: set[str] = set()
        while heir in heirs and heir not in seen:
            seen.add(heir)
            heir = heirs[heir]
        twin = holder(tables, *row.place)
        by = heir if heir is not None and heir not in heirs else None if twin is None else twin.id
        old = tables.versions.get(seq, ())
        tables.versions[seq] = tuple(
            replace(form, memory=replace(form.memory, superseded_by=None))
            if form.memory.superseded_by in heirs
            else form
            for form in old
        )
        now = row.memory.updated_at + timedelta(microseconds=1)
        status = Status.ACTIVE if by is None else Status.SUPERSEDED
        left = replace(row, form=replace(row.form, memory=replace(row.memory, superseded_by=None)))
        _renew(tables, left, status, by, now if at is None else max(now, at))


def _renew(tables: Tables, row: Row, status: Status, by: str | None, at: datetime) -> None:
    """The next version of a memory, which differs in its status and in what supersedes it."""
    memory = row.memory
    set_aside(tables, row, at)
    newer = replace(memory, status=status, superseded_by=by, updated_at=at, version=memory.version + 1)
    tables.spare[memory.seq, newer.version] = dict(tables.spare.get((memory.seq, memory.version), {}))
    tables.rows[memory.seq] = Row(replace(row.form, memory=newer), next_change(tables))


def _set_reading(tables: Tables, change: SetReading) -> Outcome:
    given = change.memory
    row = tables.rows.get(given.seq)
    if row is None or row.memory.version != given.version:
        return Outcome(given.id, given.seq, applied=False)
    memory = replace(row.memory, kind=given.kind, importance=given.importance, tags=given.tags, emotion=given.emotion)
    tables.rows[given.seq] = Row(replace(row.form, memory=memory), next_change(tables))
    tables.readings[given.seq] = change.reading
    queue(tables, given.seq, change.follow_up)
    return Outcome(given.id, given.seq, applied=True)


def _supersede(tables: Tables, change: Supersede) -> Outcome:
    row, by = tables.rows.get(change.seq), seq_of(tables, change.by)
    if row is None or by is None or by == change.seq or row.memory.version != change.version:
        return Outcome("", change.seq, applied=False)
    if {row.memory.status, tables.rows[by].memory.status} != {Status.ACTIVE}:
        return Outcome("", change.seq, applied=False)
    _renew(tables, row, Status.SUPERSEDED, change.by, change.at)
    _put_link(tables, by, Link("supersedes", row.memory.id, change.reason))
    return Outcome(row.memory.id, change.seq, applied=True)


def _add_link(tables: Tables, change: AddLink) -> Outcome:
    seq = seq_of(tables, change.source)
    if seq is None or seq_of(tables, change.link.target) is None:
        return Outcome(change.source, seq or 0, applied=False)
    return Outcome(change.source, seq, applied=_put_link(tables, seq, change.link))


def _put_link(tables: Tables, seq: int, link: Link) -> bool:
    row = tables.rows[seq]
    memory = row.memory
    if any((known.relation, known.target) == (link.relation, link.target) for known in memory.links):
        return False
    links = tuple(sorted((*memory.links, link), key=lambda each: (each.relation, each.target)))
    supersedes = tuple(each.target for each in links if each.relation == "supersedes")
    tables.rows[seq] = replace(row, form=replace(row.form, memory=replace(memory, links=links, supersedes=supersedes)))
    return True


def _add_conflict(tables: Tables, change: AddConflict) -> Outcome:
    own = change.conflict
    known = any((other.older, other.newer) == (own.older, own.newer) for other in tables.conflicts.values())
    if known or seq_of(tables, own.older) is None or seq_of(tables, own.newer) is None:
        return Outcome(own.id, 0, applied=False)
    tables.conflicts[own.id] = own
    return Outcome(own.id, 0, applied=True)


def _decide(tables: Tables, change: Decide) -> Outcome:
    conflict = tables.conflicts.get(change.id)
    if conflict is None or conflict.state not in (ConflictState.OPEN, ConflictState.AUTO_RESOLVED):
        return Outcome(change.id, 0, applied=False)
    tables.conflicts[change.id] = replace(
        conflict, state=change.state, resolution=change.resolution, decided_by=change.by, decided_at=change.at
    )
    return Outcome(change.id, 0, applied=True)
