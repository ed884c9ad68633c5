"""A selection as SQL: every value is a bound parameter, every name is one of ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol

from cortex.model.memory import EmbeddingState
from cortex.model.query import Filter, Order, Selection
from cortex.model.scope import Scope
from cortex.stores._sql import rows
from cortex.stores._sql.rows import micros

_SCOPE_ID = "SELECT scope_id FROM scopes WHERE org_id = ? AND scope_key = ?"
# When it happened: as was said, else as was read from the text.
_HAPPENED = "coalesce(m.event_time, (SELECT v.event_time FROM events v WHERE v.seq = m.seq))"
ORDER_KEYS = {
    Order.NEWEST: "m.seq",
    Order.OLDEST: "m.seq",
    Order.EVENT: "m.event_time",
    Order.HAPPENED: f"coalesce({_HAPPENED}, {2**63 - 1})",
}


class Asked(Protocol):
    """A connection of whichever driver, as far as is asked of it."""

    def execute(self, sql: str, parameters: list[str], /) -> Any:
        """Run one statement."""
        ...


def scope_ids(connection: Asked, scopes: Sequence[Scope]) -> list[int]:
    """The numbers of these scopes; one that was never written to has none."""
    found = (connection.execute(_SCOPE_ID, [scope.org_id, scope.key]).fetchone() for scope in scopes)
    return [row[0] for row in found if row is not None]


def conditions(selection: Selection, scope_ids: list[int]) -> tuple[list[str], list[Any]]:
    """The clauses and parameters for everything but order, cursor and limit."""
    clauses = [_one_of("m.scope_id", scope_ids), "m.clearance_min <= ?"]
    bound: list[Any] = [*scope_ids, int(selection.clearance)]
    now = micros(selection.now)
    for clause in (
        "(m.expires_at IS NULL OR m.expires_at > ?)",
        "(m.valid_from IS NULL OR m.valid_from <= ?)",
        "(m.valid_to IS NULL OR m.valid_to > ?)",
    ):
        clauses.append(clause)
        bound.append(now)
    if selection.embedding is not None:
        pending = selection.embedding is EmbeddingState.PENDING
        clauses.append(f"m.signature_id IS {'' if pending else 'NOT '}NULL")
    if selection.order is Order.EVENT:
        clauses.append("m.event_time IS NOT NULL")
    if selection.order is Order.HAPPENED:
        clauses.append("(m.event_time IS NOT NULL OR EXISTS (SELECT 1 FROM events v WHERE v.seq = m.seq))")
    happened = _HAPPENED if selection.order is Order.HAPPENED else "m.event_time"
    for clause, params in _filter(selection.filter, happened):
        clauses.append(clause)
        bound.extend(params)
    return clauses, bound


def source(selection: Selection) -> tuple[str, list[int]]:
    """What to select from, and what is bound for it."""
    return (rows.PAST, rows.instants(selection.now)) if selection.past else (rows.NOW, [])


def page(selection: Selection) -> tuple[str, list[Any], str]:
    """The clause and parameters of the cursor, and the ORDER BY with the limit."""
    key = ORDER_KEYS[selection.order]
    down = selection.order is Order.NEWEST
    clause, bound = "1", []
    if selection.after is not None:
        clause, bound = f"({key}, m.seq) {'<' if down else '>'} (?, ?)", list(selection.after)
    way = "DESC" if down else "ASC"
    tail = f" ORDER BY {key} {way}, m.seq {way}"
    return clause, bound, tail if selection.limit is None else f"{tail} LIMIT {int(selection.limit)}"


def _filter(wanted: Filter, happened: str) -> Iterable[tuple[str, list[Any]]]:
    for column, chosen in (("kind", wanted.kinds), ("tier", wanted.tiers), ("status", wanted.statuses)):
        if chosen:
            names = sorted(item.value for item in chosen)
            yield _one_of(f"m.{column}", names), list(names)
    for column, value in (
        ("session", wanted.session),
        ("author", wanted.author),
        ("speaker", wanted.speaker),
    ):
        if value is not None:
            yield f"m.{column} = ?", [value]
    if wanted.min_importance is not None:
        yield "m.importance >= ?", [wanted.min_importance]
    yield from _between("m.created_at", wanted.created_since, wanted.created_until)
    yield from _between(happened, wanted.event_since, wanted.event_until)


def _between(column: str, since: datetime | None, until: datetime | None) -> Iterable[tuple[str, list[Any]]]:
    if since is not None:
        yield f"{column} >= ?", [micros(since)]
    if until is not None:
        yield f"{column} < ?", [micros(until)]


def _one_of(column: str, items: list[Any] | list[str] | list[int]) -> str:
    return f"{column} IN ({', '.join('?' * len(items))})"
