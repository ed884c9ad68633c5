"""Reading what the layers made of memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cortex.model.conflict import Conflict, ConflictState, Resolution
from cortex.model.knowledge import Name
from cortex.model.memory import Memory
from cortex.model.query import Selection
from cortex.model.scope import Scope
from cortex.model.understanding import Edge, EntityType, Event, Mention, Reading
from cortex.stores._sql import rows, where
from cortex.stores.sqlite.connect import Connections

if TYPE_CHECKING:
    from sqlite3 import Connection

_VARIABLES = 500
_PAIRS = "(s.org_id = ? AND s.scope_key = ?)"
# Of several ways to write a name, or several types, the one that most memories have; then the first.
_NAMES = (
    "SELECT norm, name, type, memories FROM (SELECT norm, name, type, sum(n) OVER (PARTITION BY norm) AS memories, "
    "row_number() OVER (PARTITION BY norm ORDER BY type = 'thing', n DESC, first) AS place FROM ("
    "SELECT x.norm, x.name, x.type, count(*) AS n, min(m.seq) AS first FROM {source} m "
    "JOIN mentions x ON x.seq = m.seq WHERE {clauses} GROUP BY x.norm, x.name, x.type)) WHERE place = 1 ORDER BY norm"
)
_CONFLICTS = (
    "SELECT c.id, s.org_id, s.scope_key, o.id, n.id, c.similarity, c.detector, c.confidence, c.reason, c.state, "
    "c.resolution, c.decided_by, c.found_at, c.decided_at FROM conflicts c JOIN memories o ON o.seq = c.older "
    "JOIN memories n ON n.seq = c.newer JOIN scopes s ON s.scope_id = n.scope_id "
    "WHERE ({pairs}) AND c.state IN ({states}) AND o.clearance_min <= ? AND n.clearance_min <= ? "
    "ORDER BY c.found_at DESC, c.id"
)


class SQLiteKnowledge:
    """A `Knowledge`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def readings(self, seqs: Sequence[int]) -> Mapping[int, Reading]:
        """What was read from these memories, where anything was."""
        found: dict[int, Reading] = {}
        with self._connections.read() as connection:
            for start in range(0, len(seqs), _VARIABLES):
                found |= read(connection, seqs[start : start + _VARIABLES])
        return found

    def names(self, selection: Selection, containing: str) -> list[Name]:
        """The entities that the chosen memories mention and whose norm has this in it, by norm."""
        with self._connections.read() as connection:
            source, clauses, bound = _chosen(connection, selection)
            sql = _NAMES.format(source=source, clauses=" AND ".join([*clauses, "instr(x.norm, ?) > 0"]))
            found = connection.execute(sql, [*bound, containing])
            return [Name(norm, name, EntityType(type_), memories) for norm, name, type_, memories in found]

    def named(self, selection: Selection, norms: Sequence[str]) -> list[Name]:
        """The entities with these norms that the chosen memories mention, by norm."""
        found: list[Name] = []
        with self._connections.read() as connection:
            source, clauses, bound = _chosen(connection, selection)
            for start in range(0, len(norms), _VARIABLES):
                chunk = norms[start : start + _VARIABLES]
                own = [*clauses, f"x.norm IN ({', '.join('?' * len(chunk))})"]
                rows_ = connection.execute(_NAMES.format(source=source, clauses=" AND ".join(own)), [*bound, *chunk])
                found += [Name(norm, name, EntityType(type_), memories) for norm, name, type_, memories in rows_]
        return sorted(found, key=lambda name: name.norm)

    def mentioning(self, selection: Selection, norm: str, limit: int | None = None) -> list[int]:
        """The seqs of the chosen memories that mention an entity, the newest ones first."""
        with self._connections.read() as connection:
            source, clauses, bound = _chosen(connection, selection)
            first = 3 if selection.past else 0  # what is bound for the past
            sql = (
                # The name is what chooses most: without CROSS the planner may read a whole scope for it.
                f"SELECT x.seq FROM mentions x CROSS JOIN {source} m ON m.seq = x.seq "
                f"WHERE x.norm = ? AND {' AND '.join(clauses)} ORDER BY x.seq DESC LIMIT ?"
            )
            bound = [*bound[:first], norm, *bound[first:], -1 if limit is None else limit]
            return [seq for (seq,) in connection.execute(sql, bound)]

    def edges(self, selection: Selection, norms: Sequence[str]) -> list[tuple[int, Edge]]:
        """What the chosen memories state of these entities, each with the seq of the memory, in the order written."""
        marks = ", ".join("?" * len(norms))
        with self._connections.read() as connection:
            source, clauses, bound = _chosen(connection, selection)
            clauses = [*clauses, f"(x.source IN ({marks}) OR x.target IN ({marks}))"]
            sql = (
                f"SELECT m.seq, x.source, x.label, x.target, x.description FROM {source} m "
                f"JOIN relations x ON x.seq = m.seq WHERE {' AND '.join(clauses)} ORDER BY m.seq, x.label, x.target"
            )
            return [(seq, Edge(*edge)) for seq, *edge in connection.execute(sql, [*bound, *norms, *norms])]

    def conflicts(
        self, scopes: Sequence[Scope], states: Sequence[ConflictState], clearance: int, prefix: str = ""
    ) -> list[Conflict]:
        """The conflicts of these scopes in these states whose id begins so, the newest first."""
        pairs = " OR ".join(_PAIRS for _ in scopes) or "0"
        bound: list[Any] = [part for scope in scopes for part in (scope.org_id, scope.key)]
        marks = ", ".join("?" * len(states))
        sql = _CONFLICTS.format(pairs=pairs, states=marks)
        with self._connections.read() as connection:
            found = connection.execute(sql, [*bound, *(state.value for state in states), clearance, clearance])
            return [_conflict(row) for row in found if row[0].startswith(prefix)]

    def unread(self, scopes: Sequence[Scope], layers: Sequence[str], after: int, limit: int) -> list[Memory]:
        """Active memories of these scopes, by seq, that not all of these layers have read; seqs above ``after``."""
        pairs = " OR ".join(_PAIRS for _ in scopes) or "0"
        bound: list[Any] = [part for scope in scopes for part in (scope.org_id, scope.key)]
        lacking = " OR ".join(["u.layers IS NULL", *("instr(' ' || u.layers || ' ', ?) = 0" for _ in layers)])
        sql = (
            f"{rows.select(rows.NOW)} LEFT JOIN understood u ON u.seq = m.seq "
            f"WHERE ({pairs}) AND m.status = 'active' AND m.seq > ? AND ({lacking}) ORDER BY m.seq LIMIT ?"
        )
        with self._connections.read() as connection:
            found = connection.execute(sql, [*bound, after, *(f" {layer} " for layer in layers), limit])
            return [rows.to_memory(row) for row in found]


def read(connection: Connection, seqs: Sequence[int]) -> dict[int, Reading]:
    """What was read from these memories."""
    marks = ", ".join("?" * len(seqs))
    events = {
        seq: Event(event_time=rows.from_micros(at), actor=actor, location=location, event_type=type_)
        for seq, at, actor, location, type_ in connection.execute(
            f"SELECT seq, event_time, actor, location, event_type FROM events WHERE seq IN ({marks})", seqs
        )
    }
    mentions: dict[int, list[Mention]] = {}
    for seq, norm, name, type_ in connection.execute(
        f"SELECT seq, norm, name, type FROM mentions WHERE seq IN ({marks}) ORDER BY norm", seqs
    ):
        mentions.setdefault(seq, []).append(Mention(norm, name, EntityType(type_)))
    edges: dict[int, list[Edge]] = {}
    for seq, *edge in connection.execute(
        f"SELECT seq, source, label, target, description FROM relations WHERE seq IN ({marks}) "
        "ORDER BY source, label, target",
        seqs,
    ):
        edges.setdefault(seq, []).append(Edge(*edge))
    return {
        seq: Reading(
            layers=tuple(layers.split()),
            maker=maker,
            event=events.get(seq),
            mentions=tuple(mentions.get(seq, ())),
            edges=tuple(edges.get(seq, ())),
        )
        for seq, layers, maker in connection.execute(
            f"SELECT seq, layers, maker FROM understood WHERE seq IN ({marks})", seqs
        )
    }


def _chosen(connection: Connection, selection: Selection) -> tuple[str, list[str], list[Any]]:
    scope_ids = where.scope_ids(connection, selection.scopes)
    clauses, bound = where.conditions(selection, scope_ids)
    source, first = where.source(selection)
    return source, clauses, [*first, *bound]


def _conflict(row: Sequence[Any]) -> Conflict:
    (
        id_, org_id, key, older, newer, similarity, detector, confidence, reason, state, resolution, decided_by,
        found_at, decided_at,
    ) = row  # fmt: skip
    return Conflict(
        id=id_,
        scope=Scope(key, org_id),
        older=older,
        newer=newer,
        similarity=similarity,
        detector=detector,
        confidence=confidence,
        reason=reason,
        state=ConflictState(state),
        resolution=None if resolution is None else Resolution(resolution),
        decided_by=decided_by,
        found_at=rows.instant(found_at),
        decided_at=rows.from_micros(decided_at),
    )
