from __future__ import annotations

import pytest

from cortex.stores.ephemeral.store import EphemeralStore
from cortex.testing import RecordStoreContract
from cortex.testing.contracts.suite import NewStore


class TestEphemeralStore(RecordStoreContract):
    @pytest.fixture
    def new_store(self) -> NewStore:
        """Empty stores of this process."""
        return EphemeralStore
