"""The SQLite driver: pysqlite3, whose SQLite is free of the WAL-reset bug; else the standard library's.

SQLite 3.7.0 to 3.51.2 can corrupt a WAL file that several processes write (fixed in 3.51.3), so an
older library keeps its rollback journal.
"""

from __future__ import annotations

import sqlite3 as _stdlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
else:
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        sqlite3 = _stdlib

WAL_IS_SAFE = sqlite3.sqlite_version_info >= (3, 51, 3)

__all__ = ["WAL_IS_SAFE", "sqlite3"]
