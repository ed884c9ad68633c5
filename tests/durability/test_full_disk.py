"""A disk that is full: a clear error, nothing lost, nothing half, and it goes on when there is room."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.durability.full_disk import OPERATIONS
from tests.durability.support import Start

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="limits of size are those of POSIX"),
]


@pytest.mark.parametrize("name", [*OPERATIONS, "migrate", "create"])
def test_files_that_may_not_grow(tmp_path: Path, start: Start, name: str) -> None:
    """Where the system refuses to let a file grow, each operation fails as a whole and works later."""
    assert start("full_disk", "limit", name, tmp_path).end() == []


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.within])
def test_a_database_that_may_not_grow(tmp_path: Path, start: Start, name: str) -> None:
    """Where SQLite finds no page, each operation on the store fails as a whole and works later."""
    assert start("full_disk", "pages", name, tmp_path).end() == []
