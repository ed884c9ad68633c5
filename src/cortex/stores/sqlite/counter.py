"""The number of the newest change, which is also the greatest seq that any memory ever had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex.errors import StoreError

if TYPE_CHECKING:
    from sqlite3 import Connection

# Where SQLite notes the greatest key of a table that never gives one twice.
COUNTER = "SELECT seq FROM sqlite_sequence WHERE name = 'memories'"

_MOST = 2**62


def as_number(found: object) -> int:
    """The counter as it was read; `StoreError` for one that is gone or that nobody can have counted to."""
    if not is_sound(found):
        raise StoreError("the store's change counter is gone or no number: cortex doctor --fix sets it anew")
    return int(found)  # type: ignore[call-overload,no-any-return]


def is_sound(found: object) -> bool:
    """Whether somebody can have counted so far."""
    return isinstance(found, int) and 0 <= found < _MOST


def set_counter(connection: Connection, number: int) -> None:
    """Go on from this number."""
    connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'memories'", [number])


def restart_caches(connection: Connection, at_least: int) -> None:
    """Within a transaction: search caches, of every process, that stand before this moment read their scopes afresh.

    Numbers go on from ``at_least``.
    """
    found = connection.execute(COUNTER).fetchone()
    number = max(as_number(None if found is None else found[0]), at_least) + 1
    set_counter(connection, number)
    connection.execute("INSERT OR REPLACE INTO store (key, value) VALUES ('restart', ?)", [str(number)])
