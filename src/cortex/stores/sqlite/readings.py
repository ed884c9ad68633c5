"""Writing what the layers make of memories: readings, supersession, links, conflicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, assert_never

from cortex.model.change import (
    AddConflict,
    AddLink,
    Decide,
    Layered,
    Outcome,
    RemoveLinks,
    SetReading,
    Supersede,
    Touch,
)
from cortex.model.job import NewJob
from cortex.model.understanding import Reading
from cortex.stores._sql import rows

if TYPE_CHECKING:
    from sqlite3 import Connection

_TOUCH = (
    "UPDATE memories SET access_count = access_count + 1, last_accessed_at = max(coalesce(last_accessed_at, ?1), ?1) "
    "WHERE seq = ?2"
)
TABLES = ("understood", "events", "mentions", "relations")
_SUPERSEDED = (
    "UPDATE memories SET status = 'superseded', superseded_by = ?, updated_at = ?, version = version + 1, change = ? "
    "WHERE seq = ?"
)
_CONFLICT = (
    "INSERT OR IGNORE INTO conflicts (id, older, newer, similarity, detector, confidence, reason, state, resolution, "
    "decided_by, found_at, decided_at) SELECT ?, o.seq, n.seq, ?, ?, ?, ?, ?, ?, ?, ?, ? "
    "FROM memories o, memories n WHERE o.id = ? AND n.id = ? RETURNING id"
)
# Those that an erased memory had superseded, though not those that go with it, nor those that say the same: what is
# forgotten does not come back as its own duplicate.
_ORPHANS = (
    "SELECT o.seq, o.superseded_by FROM memories o JOIN memories b ON b.id = o.superseded_by "
    "WHERE o.superseded_by IN ({ids}) AND o.seq NOT IN ({seqs}) AND o.identity <> b.identity "
    "AND o.status = 'superseded'"
)


class Open(Protocol):
    """The transaction of a batch, as far as is needed here."""

    def next_change(self) -> int:
        """The number of the next change of the store."""
        ...

    def set_aside(self, seq: int, version: int | None, at: int) -> int | None:
        """Keep a row as it stands as an old version."""
        ...

    def queue(self, seq: int, job: NewJob | None) -> None:
        """Note what a memory owes, if it does."""
        ...


def write(writer: Open, db: Connection, change: Layered) -> Outcome:
    """Write one change inside the transaction of its batch."""
    match change:
        case SetReading():
            return _set_reading(writer, db, change)
        case Supersede():
            return _supersede(writer, db, change)
        case AddLink():
            return _add_link(db, change)
        case RemoveLinks():
            return _remove_links(db, change)
        case AddConflict():
            return _add_conflict(db, change)
        case Decide():
            return _decide(db, change)
        case _:
            assert_never(change)


def touch(db: Connection, change: Touch) -> Outcome:
    """Count that these memories were returned: no new version, and no cache hears of it."""
    at = rows.micros(change.at)
    bound = [[at, seq] for seq in change.seqs]
    touched = db.executemany(_TOUCH, bound).rowcount if bound else 0
    return Outcome("", 0, applied=touched > 0, counts={"accesses": touched})


def clear(db: Connection, seq: int) -> None:
    """Drop what was read from a memory."""
    for table in TABLES:
        db.execute(f"DELETE FROM {table} WHERE seq = ?", [seq])


def drop_open_conflicts(db: Connection, seq: int) -> None:
    """What was open about a text that is no more is judged anew."""
    db.execute("DELETE FROM conflicts WHERE state = 'open' AND (older = ?1 OR newer = ?1)", [seq])


def put(db: Connection, seq: int, reading: Reading | None) -> None:
    """Keep what was read from a memory of which nothing is kept yet."""
    if reading is None:
        return
    db.execute(
        "INSERT INTO understood (seq, layers, maker) VALUES (?, ?, ?)", [seq, " ".join(reading.layers), reading.maker]
    )
    if (event := reading.event) is not None:
        db.execute(
            "INSERT INTO events (seq, event_time, actor, location, event_type) VALUES (?, ?, ?, ?, ?)",
            [seq, rows.to_micros(event.event_time), event.actor, event.location, event.event_type],
        )
    db.executemany(
        "INSERT OR IGNORE INTO mentions (seq, norm, name, type) VALUES (?, ?, ?, ?)",
        [[seq, mention.norm, mention.name, mention.type.value] for mention in reading.mentions],
    )
    db.executemany(
        "INSERT OR IGNORE INTO relations (seq, source, label, target, description) VALUES (?, ?, ?, ?, ?)",
        [[seq, edge.source, edge.label, edge.target, edge.description] for edge in reading.edges],
    )


def released(db: Connection, which: str, bound: list[int | str]) -> Iterator[tuple[int, str | None]]:
    """Before memories are erased: what they had superseded, each seq with the id that supersedes it then, if any."""
    ids, seqs = (f"SELECT {column} FROM memories WHERE {which}" for column in ("id", "seq"))
    orphans = db.execute(_ORPHANS.format(ids=ids, seqs=seqs), [*bound, *bound]).fetchall()
    if not orphans:
        return
    db.execute(f"UPDATE versions SET superseded_by = NULL WHERE superseded_by IN ({ids})", bound)
    heirs = dict(db.execute(f"SELECT id, superseded_by FROM memories WHERE {which}", bound).fetchall())
    for seq, by in orphans:
        heir, seen = by, set[str]()
        while heir in heirs and heir not in seen:
            seen.add(heir)
            heir = heirs[heir]
        yield seq, None if heir in heirs else heir


def _set_reading(writer: Open, db: Connection, change: SetReading) -> Outcome:
    memory = change.memory
    updated = db.execute(
        "UPDATE memories SET kind = ?, importance = ?, tags = ?, emotion = ?, change = ? WHERE seq = ? AND version = ?",
        [
            memory.kind.value,
            memory.importance,
            rows.to_json(memory.tags),
            memory.emotion,
            writer.next_change(),
            memory.seq,
            memory.version,
        ],
    ).rowcount
    if updated:
        clear(db, memory.seq)
        put(db, memory.seq, change.reading)
        writer.queue(memory.seq, change.follow_up)
    return Outcome(memory.id, memory.seq, applied=bool(updated))


def _supersede(writer: Open, db: Connection, change: Supersede) -> Outcome:
    found = db.execute(
        "SELECT id, (SELECT seq FROM memories b WHERE b.id = ? AND b.status = 'active') FROM memories m "
        "WHERE m.seq = ? AND m.version = ? AND m.status = 'active'",
        [change.by, change.seq, change.version],
    ).fetchone()
    if found is None or found[1] in (None, change.seq):
        return Outcome("", change.seq, applied=False)
    id_, by = found
    at = rows.micros(change.at)
    writer.set_aside(change.seq, None, at)
    db.execute(_SUPERSEDED, [change.by, at, writer.next_change(), change.seq])
    _put_link(db, by, "supersedes", id_, change.reason)
    return Outcome(id_, change.seq, applied=True)


def _add_link(db: Connection, change: AddLink) -> Outcome:
    link = change.link
    found = db.execute(
        "SELECT s.seq FROM memories s, memories t WHERE s.id = ? AND t.id = ?", [change.source, link.target]
    ).fetchone()
    added = found is not None and _put_link(db, found[0], link.relation, link.target, link.reason)
    return Outcome(change.source, 0 if found is None else found[0], applied=added)


def _remove_links(db: Connection, change: RemoveLinks) -> Outcome:
    removed = db.execute(
        "DELETE FROM links WHERE target = ? AND relation = ?", [change.target, change.relation]
    ).rowcount
    return Outcome(change.target, 0, applied=bool(removed))


def _put_link(db: Connection, seq: int, relation: str, target: str, reason: str) -> bool:
    return bool(
        db.execute(
            "INSERT OR IGNORE INTO links (seq, relation, target, reason) VALUES (?, ?, ?, ?)",
            [seq, relation, target, reason],
        ).rowcount
    )


def _add_conflict(db: Connection, change: AddConflict) -> Outcome:
    own = change.conflict
    added = db.execute(
        _CONFLICT,
        [
            own.id,
            own.similarity,
            own.detector,
            own.confidence,
            own.reason,
            own.state.value,
            None if own.resolution is None else own.resolution.value,
            own.decided_by,
            rows.micros(own.found_at),
            rows.to_micros(own.decided_at),
            own.older,
            own.newer,
        ],
    ).fetchone()
    return Outcome(own.id, 0, applied=added is not None)


def _decide(db: Connection, change: Decide) -> Outcome:
    decided = db.execute(
        "UPDATE conflicts SET state = ?, resolution = ?, decided_by = ?, decided_at = ? "
        "WHERE id = ? AND state IN ('open', 'auto_resolved')",
        [change.state.value, change.resolution.value, change.by, rows.micros(change.at), change.id],
    ).rowcount
    return Outcome(change.id, 0, applied=bool(decided))
