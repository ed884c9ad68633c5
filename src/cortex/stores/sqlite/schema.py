"""The schema that the migrations make, and how that of a file differs from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from cortex.stores.sqlite.driver import sqlite3

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Differences:
    """Tables that are gone or not as they should be, indexes that are, with their SQL, and what is there besides."""

    tables: tuple[str, ...]
    altered: tuple[str, ...]
    indexes: Mapping[str, str]
    strange: tuple[tuple[str, str], ...]

    def __iter__(self) -> Iterator[str]:
        """Each in words."""
        yield from (f"the table {name} is gone" for name in self.tables)
        yield from (f"the table {name} is not as Cortex made it" for name in self.altered)
        yield from (f"the index {name} is gone or altered" for name in self.indexes)
        yield from (f"the {kind} {name} is not of Cortex" for kind, name in self.strange)


def migrations() -> list[tuple[int, str]]:
    """Every migration as (number, SQL), in order."""
    folder = resources.files("cortex.stores.sqlite") / "migrations"
    found = [(int(f.name[:4]), f.read_text("utf-8")) for f in folder.iterdir() if f.name.endswith(".sql")]
    return sorted(found)


def differences(connection: Connection, version: int) -> Differences:
    """How the schema of a file differs from that of a version; nothing anywhere where it does not."""
    wanted, there = _made(version), _read(connection)
    wrong = [(kind, name) for (kind, name), sql in wanted.items() if there.get((kind, name)) != sql]
    return Differences(
        tables=tuple(name for kind, name in wrong if kind == "table" and (kind, name) not in there),
        altered=tuple(name for kind, name in wrong if kind == "table" and (kind, name) in there),
        indexes={name: wanted[kind, name] for kind, name in wrong if kind == "index"},
        strange=tuple(key for key in there if key not in wanted),
    )


@lru_cache(maxsize=8)
def _made(version: int) -> Mapping[tuple[str, str], str]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for number, script in migrations():
            for statement in script.split(";\n") if number <= version else ():
                connection.execute(statement)
        return _read(connection)


def _read(connection: Connection) -> dict[tuple[str, str], str]:
    """The SQL of everything by kind and name, white space aside; SQLite's own tables and indexes are left out."""
    found = connection.execute(
        "SELECT type, name, coalesce(sql, '') FROM sqlite_schema "
        "WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1, 2"
    )
    return {(kind, name): " ".join(sql.split()) for kind, name, sql in found}
