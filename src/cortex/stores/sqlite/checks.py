"""Whether a store is whole: the file, its tables, and that every memory has what it is found by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cortex.stores.sqlite.migrate import migrations

if TYPE_CHECKING:
    from sqlite3 import Connection

_RESTORE = "restore the store from a backup"
_COUNTS = {
    "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM lexical l WHERE l.seq = m.seq)":
        "memories have lost their words and are not found by them; update each with its own text, or " + _RESTORE,
    "SELECT count(*) FROM memories m WHERE m.signature_id IS NOT NULL AND NOT EXISTS "
    "(SELECT 1 FROM vectors v WHERE v.seq = m.seq AND v.signature_id = m.signature_id)":
        "memories have lost their vectors and are found by their words only; update each with its own text, or "
        + _RESTORE,
    "SELECT count(*) FROM vectors v JOIN signatures g USING (signature_id) "
    "WHERE length(v.pieces) = 0 OR length(v.pieces) % (4 * g.dim) <> 0":
        "vectors have an impossible length; update their memories with their own text, or " + _RESTORE,
}  # fmt: skip


def integrity(connection: Connection) -> list[str]:
    """What is wrong, each with its remedy; nothing for a sound store."""
    problems = [f"{row[0]}: {_RESTORE}" for row in connection.execute("PRAGMA quick_check(20)") if row[0] != "ok"]
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    lost = sorted(_tables() - there)
    if lost:
        return [*problems, f"tables are gone ({', '.join(lost)}): {_RESTORE}"]
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        problems.append(f"{len(broken)} rows point to nothing: {_RESTORE}")
    for sql, problem in _COUNTS.items():
        number = connection.execute(sql).fetchone()[0]
        if number:
            problems.append(f"{number} {problem}")
    return problems


def _tables() -> set[str]:
    return {name for _, script in migrations() for name in re.findall(r"^CREATE TABLE (\w+)", script, re.MULTILINE)}
