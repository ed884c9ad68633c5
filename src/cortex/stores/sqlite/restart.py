"""Telling every search cache, of every process, to read its scopes afresh."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection


def restart_caches(connection: Connection, at_least: int) -> None:
    """Within a transaction: caches that stand before this moment start again; numbers go on from ``at_least``."""
    change = int(connection.execute("SELECT value FROM store WHERE key = 'change'").fetchone()[0])
    number = str(max(change, at_least) + 1)
    connection.execute("UPDATE store SET value = ? WHERE key = 'change'", [number])
    connection.execute("INSERT OR REPLACE INTO store (key, value) VALUES ('restart', ?)", [number])
