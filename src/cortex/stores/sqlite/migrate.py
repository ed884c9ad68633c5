"""Numbered migrations: a backup first, then everything to the newest schema in one transaction."""

from __future__ import annotations

import glob
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from cortex import files
from cortex.errors import ForeignStore, StoreBusy, StoreError, StoreReadOnly
from cortex.stores.sqlite.checks import integrity
from cortex.stores.sqlite.connect import MEMORY, Connections, use_wal
from cortex.stores.sqlite.driver import sqlite3
from cortex.stores.sqlite.schema import differences, migrations
from cortex.stores.sqlite.single_user import peek

if TYPE_CHECKING:
    from sqlite3 import Connection

APPLICATION_ID = 0x43525458  # "CRTX", in the file's header
_OLDER = (
    "{0} has schema {1}, this Cortex reads {2}, and the file cannot be written: check the permissions of the file and "
    "its folder, or copy it to where it can be written and open that"
)
_NOT_ITS_SCHEMA = (
    "{0} says that it has schema {1}, but what is in it does not fit ({2}): the file is damaged, nothing was changed; "
    "restore it from a backup"
)
_ATTEMPTS = 100
_PAUSE_SECONDS = 0.05


def prepare(connections: Connections) -> int:
    """Bring the file to the newest schema and return its number; refuse a file that is not ours."""
    steps = migrations()
    head = steps[-1][0]
    with connections.raw() as connection:
        version = _recognise(connection, connections.path, head)
        if connections.read_only and version < head:
            raise StoreReadOnly(_OLDER.format(connections.path, version or "none", head))
        if not connections.in_memory and not connections.read_only:
            _switch_to_wal(connection, connections.path)
    if version < head:
        with connections.write() as connection:
            _upgrade(connection, connections.path, steps, head)
    return head


def take_backup(backup: Connection, path: str, draft: Connection) -> None:
    """Copy a backup into an empty database, at the newest schema; `StoreError` for one that is not sound.

    Nobody else has the draft open, and it needs no backup.
    """
    steps = migrations()
    version = _recognise(backup, path, steps[-1][0])
    if not version:
        raise ForeignStore(f"{path} is not a store of Cortex")
    _refuse_unsound([row[0] for row in backup.execute("PRAGMA quick_check(3)") if row[0] != "ok"], path)
    if version < steps[-1][0]:
        _refuse_unsound(list(differences(backup, version)), path)
    backup.backup(draft)
    draft.execute("BEGIN IMMEDIATE")
    _upgrade(draft, MEMORY, steps, steps[-1][0])
    draft.execute("COMMIT")
    _refuse_unsound(integrity(draft), path)


def _refuse_unsound(problems: list[str], path: str) -> None:
    if problems:
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise StoreError(
            f"{path} is damaged ({problems[0]}{more}); nothing was changed: use another backup, or mend this one: "
            f"cortex --db {path} doctor --fix"
        )


def refuse_foreign(path: str) -> None:
    """Raise `ForeignStore` for another program's SQLite file, before anything is opened that could change it."""
    peek(path, lambda connection: _recognise(connection, path, migrations()[-1][0]))


def _upgrade(connection: Connection, path: str, steps: list[tuple[int, str]], head: int) -> None:
    # Another process may have migrated while this one waited for the lock.
    version = _recognise(connection, path, head)
    if 0 < version < head:
        _back_up(path, version)
    for number, script in steps:
        try:
            for statement in script.split(";\n") if number > version else ():
                connection.execute(statement)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_ERROR:
                raise
            raise StoreError(_NOT_ITS_SCHEMA.format(path, version, f"step {number}: {error}")) from error
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {head}")


def _recognise(connection: Connection, path: str, head: int) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if application == APPLICATION_ID:
        if version > head:
            raise ForeignStore(
                f"{path} has schema {version}, made by a newer Cortex; this one knows {head}. "
                "It was left untouched: upgrade Cortex, or use another file"
            )
        return version
    if tables:
        raise ForeignStore(
            f"{path} is an SQLite file of another program (tables: {', '.join(sorted(tables)[:5])}); "
            "it was left untouched: choose another path with CORTEX_STORE"
        )
    return 0


def _switch_to_wal(connection: Connection, path: str) -> None:
    # SQLite answers "locked" at once, whatever the busy timeout, when two processes switch a new file.
    for _ in range(_ATTEMPTS):
        try:
            use_wal(connection)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return
    raise StoreBusy(f"{path}: other processes hold the file; try again")


def _back_up(path: str, version: int) -> None:
    if path == MEMORY:
        return
    own = Path(path)
    try:
        # The lock is held, so nobody else migrates: these are of somebody who was killed.
        for left in own.parent.glob(f"{glob.escape(own.name)}{files.UNFINISHED}*"):
            left.unlink(missing_ok=True)
        with files.unfinished(own) as draft:
            # Nobody else writes; reading needs a connection outside of the transaction.
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(draft)) as copy:
                source.backup(copy)
            files.publish_unused(draft, f"{path}.backup-schema-{version}")
    except OSError as error:
        raise files.refused(f"{path}.backup-schema-{version}", error) from error
