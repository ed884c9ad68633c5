"""Whether a store is whole: the file, its schema, and that every row is what Cortex could have written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cortex.errors import StoreError
from cortex.model.embedding import comparable
from cortex.stores._sql import rows
from cortex.stores.sqlite.counter import COUNTER, is_sound
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.schema import differences, migrations

if TYPE_CHECKING:
    from sqlite3 import Connection

_RESTORE = "restore the store from a backup"
_MEND = "cortex doctor --fix"
_SHOWN = 3
_KINDS = {"TEXT": "'text'", "INTEGER": "'integer'", "REAL": "'real', 'integer'", "BLOB": "'blob'"}
_COUNTS = {
    "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM lexical l WHERE l.seq = m.seq)":
        f"memories have lost their words and are not found by them; {_MEND} makes them again",
    "SELECT count(*) FROM memories m WHERE m.signature_id IS NOT NULL AND NOT EXISTS "
    "(SELECT 1 FROM vectors v WHERE v.seq = m.seq AND v.signature_id = m.signature_id)":
        f"memories have lost their vectors and are found by their words only; {_MEND} makes them again",
    "SELECT count(*) FROM memories WHERE signature_id <> "
    "(SELECT CAST(value AS INTEGER) FROM store WHERE key = 'signature')":
        f"memories have vectors of another model than the store searches by; {_MEND} makes them again",
    "SELECT count(*) FROM jobs WHERE NOT json_valid(payload)":
        f"jobs cannot be read; {_MEND} puts new ones in their place",
    "SELECT count(*) FROM idempotency WHERE NOT json_valid(receipt)":
        f"receipts of idempotency keys cannot be read; {_RESTORE}",
}  # fmt: skip
_NEWEST = (
    "SELECT max(coalesce((SELECT max(change) FROM memories), 0), coalesce((SELECT max(change) FROM erased), 0), "
    "coalesce((SELECT max(change) FROM versions), 0), coalesce((SELECT max(seq) FROM memories), 0))"
)
_UNUSABLE = {"vectors": "seq", "version_vectors": "seq, version"}


def integrity(connection: Connection) -> list[str]:
    """What is wrong, each with its remedy; nothing for a sound store."""
    problems: list[str] = []
    try:
        problems += [f"{row[0]}: {_RESTORE}" for row in connection.execute("PRAGMA quick_check(20)") if row[0] != "ok"]
        found = differences(connection, migrations()[-1][0])
        if found.tables:
            return [*problems, f"tables are gone ({', '.join(found.tables)}): {_RESTORE}"]
        if found.altered:
            return [*problems, f"tables are not as Cortex made them ({', '.join(found.altered)}): {_RESTORE}"]
        if found.indexes:
            problems.append(f"indexes are gone or altered ({', '.join(found.indexes)}): {_MEND} makes them again")
        problems.extend(_strange(kind, name) for kind, name in found.strange)
        for part in (_types, _rows, _facts, _counts, _vectors):
            problems.extend(part(connection))
    except sqlite3.DatabaseError as error:
        return [*problems, f"it cannot be read to the end ({error}): {_RESTORE}"]
    return problems


def counter(connection: Connection) -> tuple[int | None, int]:
    """The change counter, None where it is gone or no number, and the newest change that any row has."""
    found = connection.execute(COUNTER).fetchone()
    newest: int = connection.execute(_NEWEST).fetchone()[0]
    return found[0] if found is not None and is_sound(found[0]) else None, newest


def sound_facts(connection: Connection) -> bool:
    """Whether the change counter and the mark for searchers can be true."""
    change, newest = counter(connection)
    restart = connection.execute("SELECT value FROM store WHERE key = 'restart'").fetchone()
    marked = restart is None or (_is_number(restart[0]) and int(restart[0]) <= (change or 0))
    return change is not None and change >= newest and marked


def unusable(connection: Connection, table: str) -> Iterator[tuple[int, ...]]:
    """The keys of the rows of `vectors` or `version_vectors` that cannot be compared."""
    found = connection.execute(
        f"SELECT {_UNUSABLE[table]}, signature_id, g.dim, pieces FROM {table} JOIN signatures g USING (signature_id)"
    )
    for *key, dim, pieces in found:  # seq, version if there is one, signature
        whole = isinstance(pieces, bytes) and bool(pieces) and len(pieces) % (4 * dim) == 0
        if not whole or not comparable(np.frombuffer(pieces, dtype="<f4").reshape(-1, dim)).all():
            yield tuple(key)


def _strange(kind: str, name: str) -> str:
    if kind in ("trigger", "view"):
        return f"the {kind} {name} is not of Cortex and may change what is kept: {_MEND} removes it"
    return f"the {kind} {name} is not of Cortex: drop it with a program for SQLite"


def _types(connection: Connection) -> Iterator[str]:
    """Rows whose values are not of the type that their column is for."""
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    ).fetchall()
    for (table,) in tables:
        columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
        wrong = [
            f'typeof("{name}") NOT IN ({_KINDS[kind]}{"" if needed else ", " + repr("null")})'
            for _, name, kind, needed, _, _ in columns
            if kind in _KINDS
        ]
        count = connection.execute(f'SELECT count(*) FROM "{table}" WHERE {" OR ".join(wrong)}').fetchone()[0]
        if count:
            yield f"{count} rows of {table} have values of a wrong type: {_RESTORE}"


def _rows(connection: Connection) -> Iterator[str]:
    """Rows that point to nothing, and those that no memory can be read from."""
    astray = connection.execute("PRAGMA foreign_key_check").fetchall()
    if astray:
        yield f"{len(astray)} rows point to nothing: {_RESTORE}"
    for source in (rows.NOW, "versions"):
        broken = []
        for row in connection.execute(rows.select(source)):
            try:
                rows.to_memory(row)
            except StoreError as error:
                broken.append(str(error))
        yield from broken[:_SHOWN]
        if len(broken) > _SHOWN:
            yield f"{len(broken) - _SHOWN} more {source} cannot be read: {_RESTORE}"


def _facts(connection: Connection) -> Iterator[str]:
    """What the counter and the table `store` must say."""
    change, newest = counter(connection)
    if change is None:
        yield f"the change counter is gone or no number, so that nothing can be written: {_MEND} sets it anew"
    elif change < newest:
        yield f"the change counter is behind, so that others miss what is written: {_MEND} sets it anew"
    elif not sound_facts(connection):
        yield f"the mark for searchers is wrong: {_MEND} sets it anew"
    unknown = connection.execute(
        "SELECT value FROM store WHERE key = 'signature' "
        "AND value NOT IN (SELECT CAST(signature_id AS TEXT) FROM signatures)"
    ).fetchone()
    if unknown is not None:
        yield f"the model that the store searches by is not known any more: {_RESTORE}"


def _counts(connection: Connection) -> Iterator[str]:
    for sql, problem in _COUNTS.items():
        number = connection.execute(sql).fetchone()[0]
        if number:
            yield f"{number} {problem}"


def _vectors(connection: Connection) -> Iterator[str]:
    bad = sum(1 for table in _UNUSABLE for _ in unusable(connection, table))
    if bad:
        yield (
            f"{bad} vectors cannot be compared, having an impossible length or being zero or not finite; "
            f"{_MEND} makes them again"
        )


def _is_number(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdecimal()
