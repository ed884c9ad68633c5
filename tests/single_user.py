"""Files of the earlier single-user program, made by SQL of our own from what is known of its schema."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cortex.stores.sqlite.driver import sqlite3

CORE = """
    CREATE TABLE memories (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL,
        content TEXT NOT NULL, metadata TEXT DEFAULT '{}', created_at TEXT NOT NULL, embedding BLOB NOT NULL);
    CREATE INDEX idx_user ON memories (user_id);
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
"""
LAYERS = """
    CREATE TABLE events (memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE, user_id TEXT,
        event_time TEXT, ingest_time TEXT, actor TEXT, location TEXT, event_type TEXT,
        episode_id TEXT, confidence REAL);
    CREATE TABLE supersessions (superseded_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
        superseded_by TEXT, at TEXT);
    CREATE TABLE entities (id TEXT PRIMARY KEY, user_id TEXT, name TEXT, norm_name TEXT, type TEXT, created_at TEXT,
        UNIQUE (user_id, norm_name));
    CREATE TABLE entity_edges (id TEXT PRIMARY KEY, user_id TEXT, src_id TEXT, label TEXT, dst_id TEXT,
        source_memory_id TEXT REFERENCES memories (id) ON DELETE CASCADE, created_at TEXT);
    CREATE TABLE memory_entities (memory_id TEXT, entity_id TEXT, role TEXT, user_id TEXT,
        PRIMARY KEY (memory_id, entity_id));
"""


@dataclass
class Row:
    """A memory as that program writes it; every column can be given another value."""

    number: int
    content: Any = "tea"
    user_id: Any = "ada"
    metadata: Any = "{}"
    created_at: Any = "2026-01-02T03:04:05+00:00"
    embedding: Any = b"\0" * 16
    id: Any = None
    event: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Any:
        """Its id: of its number, unless another one is given."""
        return an_id(self.number) if self.id is None else self.id


def an_id(number: int) -> str:
    """The id of the row with a number."""
    return f"{0xA0000 + number:032x}"


def vector(values: Sequence[float]) -> bytes:
    """A vector as it is stored: float32, little endian."""
    return np.asarray(values, dtype="<f4").tobytes()


def make(
    path: Path,
    rows: Iterable[Row],
    *,
    model: str | None = "gemini-embedding-001",
    dim: int = 768,
    layers: bool = True,
    supersessions: Iterable[tuple[Any, Any, Any]] = (),
    entities: int = 0,
) -> Path:
    """Write such a file, with everything in it and no log beside it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.executescript(CORE + (LAYERS if layers else ""))
        connection.execute("PRAGMA user_version = 1")
        if model is not None:
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [("embed_model", model), ("embed_dim", str(dim))])
        for row in rows:
            insert(connection, row)
        for supersession in supersessions:
            connection.execute("INSERT INTO supersessions VALUES (?, ?, ?)", supersession)
        for number in range(entities):
            name = f"name {number}"
            connection.execute("INSERT INTO entities VALUES (?, 'ada', ?, ?, 'person', '')", [name, name, name])
            connection.execute("INSERT INTO entity_edges VALUES (?, 'ada', ?, 'knows', 'x', NULL, '')", [name, name])
    return path


def insert(connection: sqlite3.Connection, row: Row) -> None:
    """Add one memory."""
    connection.execute(
        "INSERT INTO memories (seq, id, user_id, content, metadata, created_at, embedding) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [row.number, row.key, row.user_id, row.content, row.metadata, row.created_at, row.embedding],
    )
    if row.event:
        names = ", ".join(row.event)
        marks = ", ".join("?" * len(row.event))
        connection.execute(
            f"INSERT INTO events (memory_id, {names}) VALUES (?, {marks})", [row.key, *row.event.values()]
        )


def many(count: int) -> list[Row]:
    """Rows of different texts."""
    return [
        Row(number, f"note {number} about tea", metadata=json.dumps({"n": number})) for number in range(1, count + 1)
    ]


def with_log(path: Path, row: Row) -> None:
    """Add a memory whose commit is in the log only, as a program leaves it that was killed."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        insert(connection, row)
        connection.commit()
        for end in ("", "-wal", "-shm"):
            shutil.copy(f"{path}{end}", f"{path}{end}.kept")
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}.kept").replace(f"{path}{end}")


def ids(path: Path) -> list[str]:
    """The ids in a file of either kind, read without Cortex."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM memories ORDER BY id")]
