"""Files of every released schema: brought to today's, also by processes that are killed while they do it."""

from __future__ import annotations

import random
import time
from contextlib import closing
from pathlib import Path

import pytest

from cortex.stores.sqlite import migrate
from cortex.stores.sqlite import schema as schemas
from cortex.stores.sqlite.driver import sqlite3
from tests.durability.conftest import Load
from tests.durability.support import Start, assert_sound, names
from tests.stores.released import put

pytestmark = pytest.mark.slow

HEAD = schemas.migrations()[-1][0]
MEMORIES = 200
CHANGES = 5_000
LENGTH = 2000

Rows = dict[str, list[tuple[object, ...]]]


def released(path: Path, schema: int) -> Rows:
    """A file as a program of that schema left it, and what is in it."""
    with closing(sqlite3.connect(path)) as connection:
        for number, script in schemas.migrations():
            if number <= schema:
                connection.executescript(script)
        connection.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {schema}")
        connection.execute("INSERT INTO signatures VALUES (1, 'fake', 64, '1')")
        connection.execute("INSERT INTO store VALUES ('signature', '1')")
        connection.execute("UPDATE store SET value = ? WHERE key = 'change'", [str(CHANGES)])
        connection.executemany("INSERT INTO scopes VALUES (?, 'local', ?)", [(1, "user:ada"), (2, "project:x")])
        for seq in range(1, MEMORIES + 1):
            text = f"memory {seq} " + "x" * (seq * 7 % LENGTH)
            put(connection, seq, text, b"\0\0\x80\x3f" + bytes(252))
        connection.execute("INSERT INTO links VALUES (1, 'about', ?, 'both')", [f"{2:032x}"])
        connection.execute(
            "INSERT INTO jobs (kind, seq, payload, run_at, attempts) VALUES ('embed', 4, '{}', 9000000000000000, 2)"
        )
        connection.execute("INSERT INTO erased VALUES (1, 3, 4711)")
        if schema >= 2:
            columns = ", ".join(row[1] for row in connection.execute("PRAGMA table_info(versions)"))
            taken = columns.replace("replaced_at", "updated_at").replace("terms", "'a b'")
            connection.execute(f"INSERT INTO versions ({columns}) SELECT {taken} FROM memories WHERE seq < 50")
            connection.execute("INSERT INTO version_vectors SELECT seq, 1, 1, pieces FROM vectors WHERE seq < 50")
        if schema >= 4:
            connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'memories'", [CHANGES])
        connection.commit()
    return rows(path)


def rows(path: Path) -> Rows:
    """Every row of every table, in order; the columns of each in the first. The counter of changes, wherever it is."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found: Rows = {}
        for table in tables:
            cursor = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
            found[table] = [tuple(column[0] for column in cursor.description), *cursor.fetchall()]
        counted = [("change", str(seq)) for name, seq in found["sqlite_sequence"] if name == "memories"]
        noted = [row for row in found["store"] if row[0] == "change"]  # before schema 4
        found["store"] = [row for row in found["store"] if row not in noted]
        found["sqlite_sequence"] = [row for row in found["sqlite_sequence"] if row[0] != "memories"]
        return {**found, "counter": [("key", "value"), *(noted or counted)]}


def within(old: Rows, new: Rows) -> Rows:
    """The new rows as far as the old tables and columns go."""
    found: Rows = {}
    for table, (columns, *_) in old.items():
        places = [new[table][0].index(column) for column in columns]
        found[table] = [tuple(row[place] for place in places) for row in new[table]]
    return found


def schema_of(path: Path) -> int:
    """The number in the file."""
    with closing(sqlite3.connect(path)) as connection:
        number: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return number


@pytest.mark.parametrize("schema", range(1, HEAD + 1))
def test_every_row_is_there_afterwards(tmp_path: Path, start: Start, schema: int) -> None:
    """A file of any released schema has the same rows after another process opened it; the older ones a backup, too."""
    path = tmp_path / "memory.db"
    before = released(path, schema)
    child = start("work", "open_it", "log", path, 0)
    assert child.end() == ["opening", "open"]
    assert_sound(path)
    assert schema_of(path) == HEAD
    assert within(before, rows(path)) == before
    if schema < HEAD:
        backup = tmp_path / f"memory.db.backup-schema-{schema}"
        assert (schema_of(backup), rows(backup)) == (schema, before)
    else:
        assert names(tmp_path) == {"memory.db"}


@pytest.mark.parametrize("schema", range(1, HEAD))
def test_killed_at_any_statement(tmp_path: Path, start: Start, load: Load, schema: int) -> None:
    """Killed at each step of a migration the file is of one schema or the other, whole, and the next one does it."""
    for step in load.rounds(f"kills of a migration from {schema}", 3 * load.breaks):
        path = tmp_path / f"{step}" / "memory.db"
        path.parent.mkdir()
        before = released(path, schema)
        if step % 3 == 2:  # while the backup is written
            child = start("work", "open_it", "log", path, 0)
            child.line()
            time.sleep(random.uniform(0, 0.05))
            child.kill()
        else:
            child = start("work", "open_it", "log", path, 1 + step % 8)
            child.line()
            child.die()
        assert schema_of(path) in (schema, HEAD)
        assert within(before, rows(path)) == before
        assert start("work", "open_it", "log", path, 0).end() == ["opening", "open"]
        assert_sound(path)
        assert within(before, rows(path)) == before
        backup = path.with_name(f"memory.db.backup-schema-{schema}")
        assert rows(backup) == before
        assert all(name.startswith("memory.db.backup") or name == "memory.db" for name in names(path.parent))
