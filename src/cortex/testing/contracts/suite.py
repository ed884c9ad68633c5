"""What all parts of the store suite share: the store under test, and readings of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from cortex.model.memory import Clearance, Status
from cortex.model.query import Filter, Selection
from cortex.model.scope import Scope
from cortex.ports import Store

NewStore = Callable[[], Store]

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ADA = Scope("user:ada")
ANY_STATUS = Filter(statuses=frozenset(Status))
_numbers = count(1)


class StoreSuite:
    """Tests of an empty store; a subclass gives the fixture ``new_store``."""

    @pytest.fixture
    def new_store(self) -> NewStore:
        """Makes an empty store of the kind under test."""
        raise NotImplementedError(f"{type(self).__name__} needs a fixture new_store that makes an empty store")

    @pytest.fixture
    def store(self, new_store: NewStore) -> Iterator[Store]:
        """An empty store, closed at the end."""
        store = new_store()
        yield store
        store.close()


def within(*scopes: Scope, **fields: Any) -> Selection:
    """A selection that sees all of these scopes (or Ada's), whatever the status."""
    everything = Selection(scopes=scopes or (ADA,), clearance=Clearance.RESTRICTED, now=NOW, filter=ANY_STATUS)
    return replace(everything, **fields)


def fresh_scope() -> Scope:
    """A scope that no test has used before."""
    return Scope(f"project:{next(_numbers)}")


def contents(store: Store, *scopes: Scope, **fields: Any) -> list[str]:
    """What a selection finds, in its order."""
    return [memory.content for memory in store.select(within(*scopes, **fields))]
