from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from cortex.stores.sqlite import connect, store
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import RecordStoreContract
from cortex.testing.contracts.suite import NewStore


class TestSQLiteFile(RecordStoreContract):
    @pytest.fixture
    def new_store(self, tmp_path: Path) -> NewStore:
        """Empty stores, each in a file of its own."""
        numbers = count()
        return lambda: SQLiteStore(tmp_path / f"{next(numbers)}.db")


class TestSQLiteFileWithoutLog(RecordStoreContract):
    @pytest.fixture
    def new_store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewStore:
        """Empty stores as an SQLite has them whose write-ahead log is not safe."""
        for module in (connect, store):
            monkeypatch.setattr(module, "WAL_IS_SAFE", False)
        numbers = count()
        return lambda: SQLiteStore(tmp_path / f"{next(numbers)}.db")


class TestSQLiteInMemory(RecordStoreContract):
    @pytest.fixture
    def new_store(self) -> NewStore:
        """Empty stores that die with the test."""
        return lambda: SQLiteStore(":memory:")
