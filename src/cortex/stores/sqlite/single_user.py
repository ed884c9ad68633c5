"""Recognising and reading a file of the earlier single-user program (tables ``memories`` and ``meta``).

Nothing here writes: not to the file, not to its log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cortex.errors import StoreError
from cortex.model.single_user import SingleUserFile, SingleUserRow
from cortex.stores.sqlite.connect import MEMORY, named_errors
from cortex.stores.sqlite.driver import sqlite3

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")

_VERSION = 1
# These must be there, with these columns and no others.
_REQUIRED = {
    "memories": set("seq id user_id content metadata created_at embedding".split()),
    "meta": {"key", "value"},
}
_EVENT = "event_time ingest_time actor location event_type episode_id confidence".split()
# These may be there, with these columns at least.
_OPTIONAL = {
    "events": {"memory_id", *_EVENT},
    "supersessions": {"superseded_id", "superseded_by", "at"},
    "entities": {"id"},
    "entity_edges": {"id"},
    "memory_entities": {"memory_id", "entity_id"},
}
_LEFT_OUT = {"entities": "entities", "relations": "entity_edges", "mentions": "memory_entities"}


def is_single_user(connection: Connection) -> bool:
    """Whether a connection leads to such a file: its tables with their columns, its version, its model."""
    if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
        return False
    if connection.execute("PRAGMA application_id").fetchone()[0] != 0:
        return False
    tables = _tables(connection)
    if not tables.keys() >= _REQUIRED.keys() or not tables.keys() <= _REQUIRED.keys() | _OPTIONAL.keys():
        return False
    exact = all(tables[name] == columns for name, columns in _REQUIRED.items())
    enough = all(tables[name] >= columns for name, columns in _OPTIONAL.items() if name in tables)
    return exact and enough and _meta(connection).get("embed_model") is not None


def is_single_user_file(path: str | Path) -> bool:
    """Whether the path leads to such a file; false for anything that is none or cannot be read."""
    return peek(path, is_single_user) is True


def peek(path: str | Path, look: Callable[[Connection], T]) -> T | None:
    """What ``look`` finds in a file of any kind, read without leaving a trace; None where SQLite cannot read it."""
    if str(path) == MEMORY or not Path(path).is_file():
        return None
    try:
        with closing(connect_untouched(path)) as connection:
            return look(connection)
    except sqlite3.DatabaseError:  # whoever opens it for good tells why
        return None


def connect_untouched(path: str | Path) -> Connection:
    """A connection that changes neither the file nor its log.

    A reader makes side files where a log is wanted and leaves them; without a log nobody has the file open, and
    it is read as one that does not change.
    """
    _refuse_cut(path)
    wanted = "mode=ro" if Path(f"{path}-wal").exists() else "immutable=1"
    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?{wanted}", uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    # What is no UTF-8 becomes halves of surrogate pairs, which are refused with their place.
    connection.text_factory = _text
    return connection


def _refuse_cut(path: str | Path) -> None:
    """SQLite would delete the log of an empty file, and with it everything that is left of a store cut to nothing."""
    log = Path(f"{path}-wal")
    if Path(path).stat().st_size == 0 and log.is_file() and log.stat().st_size > 0:
        raise StoreError(
            f"{path} is empty, but its log {log} is not: the file was cut, and nothing was touched; put a backup in "
            "its place, or move the log away to begin anew"
        )


@contextmanager
def open_single_user(path: str) -> Iterator[SingleUserFile | None]:
    """The content of such a file at one moment, readable until the block ends; None for any other file."""
    if not is_single_user_file(path):
        yield None
        return
    with named_errors(path), closing(connect_untouched(path)) as connection:
        connection.execute("BEGIN")
        yield read(connection)


def read(connection: Connection) -> SingleUserFile:
    """The content of such a file."""
    there = _tables(connection).keys()
    meta = _meta(connection)
    counts = {
        name: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for name, table in _LEFT_OUT.items()
        if table in there
    }
    return SingleUserFile(
        model=str(meta["embed_model"]),
        dim=_whole(meta.get("embed_dim")),
        rows=_Rows(connection, "events" in there, "supersessions" in there),
        left_out={name: count for name, count in counts.items() if count},
    )


class _Rows:
    """Every memory, by seq; may be gone through more than once."""

    def __init__(self, connection: Connection, has_events: bool, has_supersessions: bool) -> None:  # noqa: FBT001
        columns = ", ".join(f"e.{name}" for name in _EVENT) if has_events else ", ".join(["NULL"] * len(_EVENT))
        events = " LEFT JOIN events e ON e.memory_id = m.id" if has_events else ""
        by, supersessions = "NULL, NULL, '[]'", ""
        if has_supersessions:
            by = (
                "s.superseded_by, s.at, (SELECT json_group_array(o.superseded_id) FROM supersessions o "
                "WHERE o.superseded_by = m.id)"
            )
            supersessions = " LEFT JOIN supersessions s ON s.superseded_id = m.id"
        self._connection = connection
        self._sql = (
            f"SELECT m.seq, m.id, m.user_id, m.content, m.metadata, m.created_at, m.embedding, {by}, {columns} "
            f"FROM memories m{events}{supersessions} ORDER BY m.seq"
        )

    def __iter__(self) -> Iterator[SingleUserRow]:
        for row in self._connection.execute(self._sql):
            seq, id_, user, content, metadata, created_at, embedding, by, at, olds, *event = row
            yield SingleUserRow(
                seq=seq,
                id=id_,
                user=user,
                content=content,
                metadata=metadata,
                created_at=created_at,
                embedding=embedding,
                event={name: value for name, value in zip(_EVENT, event, strict=True) if value is not None},
                superseded_by=by,
                superseded_at=at,
                supersedes=tuple(json.loads(olds)),
            )


def _tables(connection: Connection) -> dict[str, set[str]]:
    """The columns of every table but SQLite's own."""
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    names = [row[0] for row in found if not row[0].startswith("sqlite_")]
    columns = "SELECT name FROM pragma_table_xinfo(?)"
    return {name: {row[0] for row in connection.execute(columns, [name])} for name in names}


def _meta(connection: Connection) -> Mapping[str, Any]:
    return dict(connection.execute("SELECT key, value FROM meta").fetchall())


def _whole(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
