"""Making again what a damaged store has lost, as far as what is left says how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from cortex.errors import StoreError
from cortex.model.memory import Memory
from cortex.stores._sql import rows
from cortex.stores.sqlite.checks import counter, sound_facts, unusable
from cortex.stores.sqlite.connect import Connections
from cortex.stores.sqlite.counter import restart_caches
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.schema import differences, migrations

if TYPE_CHECKING:
    from sqlite3 import Connection

# A counter that is set anew goes far beyond any number that a searcher may have seen.
_BEYOND = 10**9
_WORDLESS = (
    f"{rows.select(rows.NOW)} WHERE m.seq > ? AND NOT EXISTS (SELECT 1 FROM lexical l WHERE l.seq = m.seq) "
    "ORDER BY m.seq LIMIT ?"
)
_OWED = (
    "UPDATE memories SET signature_id = NULL, embedded_chars = 0 WHERE signature_id IS NOT NULL AND (NOT EXISTS "
    "(SELECT 1 FROM vectors v WHERE v.seq = memories.seq AND v.signature_id = memories.signature_id) "
    "OR signature_id <> (SELECT CAST(value AS INTEGER) FROM store WHERE key = 'signature'))"
)


class SQLiteMending:
    """A `Mending`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def mend(self) -> list[str]:
        """Put right what needs no text to be read; what was done, nothing for a sound store."""
        with self._connections.write() as connection:
            done = [line for step in (_schema, _facts, _jobs, _vectors) for line in step(connection)]
            if done:
                restart_caches(connection, 0)
            return done

    def wordless(self, after: int, limit: int) -> list[Memory]:
        """Memories that have lost their words and whose seq is greater than ``after``, by seq."""
        with self._connections.read() as connection:
            found = []
            for row in connection.execute(_WORDLESS, [after, limit]):
                with suppress(StoreError):  # health names those that cannot be read
                    found.append(rows.to_memory(row))
            return found

    def put_words(self, words: Mapping[int, Sequence[str]]) -> None:
        """Give memories without words these; others, and those that are gone, stay as they are."""
        with self._connections.write() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO lexical (seq, terms) SELECT seq, ? FROM memories WHERE seq = ?",
                [(" ".join(terms), seq) for seq, terms in words.items()],
            )
            restart_caches(connection, 0)


def _schema(connection: Connection) -> Iterator[str]:
    found = differences(connection, migrations()[-1][0])
    for kind, name in found.strange:
        if kind in ("trigger", "view"):
            quoted = name.replace('"', '""')
            connection.execute(f'DROP {kind} "{quoted}"')
            yield f"the {kind} {name}, which is not of Cortex, was removed"
    for name, sql in found.indexes.items():
        with suppress(sqlite3.IntegrityError):  # health goes on naming it
            connection.execute(f"DROP INDEX IF EXISTS {name}")
            connection.execute(sql)
            yield f"the index {name} was made again"


def _facts(connection: Connection) -> Iterator[str]:
    if not sound_facts(connection):
        change, newest = counter(connection)
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'memories'")
        number = max(change or 0, newest) + _BEYOND
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', ?)", [number])
        yield "the change counter was set anew"


def _jobs(connection: Connection) -> Iterator[str]:
    broken = connection.execute("DELETE FROM jobs WHERE NOT json_valid(payload)").rowcount
    if broken:
        yield f"{broken:,} jobs that could not be read were removed"


def _vectors(connection: Connection) -> Iterator[str]:
    for table, where in (("vectors", "seq = ?"), ("version_vectors", "seq = ? AND version = ?")):
        keys = list(unusable(connection, table))
        connection.executemany(f"DELETE FROM {table} WHERE {where} AND signature_id = ?", keys)
        if keys:
            yield f"{len(keys):,} {table.replace('_', ' ')} that could not be compared were removed"
    owed = connection.execute(_OWED).rowcount
    if owed:
        yield f"{owed:,} memories that had lost their vectors are owed new ones"
