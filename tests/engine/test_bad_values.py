"""Values that once came through as a crash, a wrong field or silence."""

from __future__ import annotations

import time
from typing import Any

import pytest

from cortex import Cortex
from cortex.errors import CortexError, InvalidInput
from cortex.testing import FakeEmbedder

HUGE: Any = 10**5000


@pytest.mark.parametrize("field", ["importance", "confidence", "position", "clearance_min", "kind", "tier", "role"])
def test_a_number_of_thousands_of_digits_is_refused(cortex: Cortex, field: str) -> None:
    """Python cannot even print it; the error is ours all the same, and the item beside it is kept."""
    receipts = cortex.memorize_many([{"content": "bad", field: HUGE}, "fine"])
    assert [receipt.error_code for receipt in receipts] == ["invalid_input", None]
    with pytest.raises(InvalidInput):
        cortex.recall("x", limit=-HUGE)


@pytest.mark.parametrize("items", [None, 5, "one text", {"content": "one"}])
def test_no_list_is_refused(cortex: Cortex, items: Any) -> None:
    """What is no list of items is refused whole."""
    with pytest.raises(InvalidInput, match="list"):
        cortex.memorize_many(items)


@pytest.mark.parametrize("metadata", [{"$nor": [{"a": 1}]}, {"$eq": 1}, {"a": {"$near": 1}}])
def test_an_operator_that_nobody_knows_is_refused(cortex: Cortex, metadata: dict[str, Any]) -> None:
    """A filter is never passed over: an operator in the wrong place is an error."""
    with pytest.raises(InvalidInput, match=r"\$"):
        cortex.recall("x", metadata=metadata)


@pytest.mark.parametrize("field", ["event_since", "event_until", "created_since", "created_until"])
def test_an_error_names_the_field_that_was_given(cortex: Cortex, field: str) -> None:
    """The name in the message is the caller's own."""
    options: dict[str, Any] = {field: "someday"}
    with pytest.raises(InvalidInput, match=f"^{field}:"):
        cortex.recall("x", **options)


def test_an_update_cannot_clear_the_scope(cortex: Cortex) -> None:
    """A memory is not moved by leaving its scope out."""
    receipt = cortex.memorize("x", scope="project:one")
    with pytest.raises(InvalidInput, match="scope"):
        cortex.update(str(receipt.id), scope=None)
    assert cortex.count(scope="project:one") == 1


@pytest.mark.parametrize("embedder", [5, object(), "model"])
def test_no_embedder_is_refused(embedder: Any) -> None:
    """What cannot embed is refused when the store is opened, not at the first memory."""
    with pytest.raises(InvalidInput, match="embed"):
        Cortex(":memory:", embedder=embedder)


def test_a_path_with_nul_is_refused() -> None:
    """A path that no file can have is an error of ours."""
    with pytest.raises(CortexError):
        Cortex("a\0b", embedder=FakeEmbedder())


def test_many_scopes_cost_no_more_each_than_a_few(cortex: Cortex) -> None:
    """The time of a recall grows with the number of its scopes, not with its square."""

    def spent(scopes: int, tries: int) -> float:
        """CPU time a scope, the best of a few: a busy machine makes a call slower, never faster."""
        best = float("inf")
        for attempt in range(tries):
            names = [f"user:u{scopes}-{attempt}-{i}" for i in range(scopes)]
            started = time.process_time()
            cortex.recall("x", scope=names)
            best = min(best, (time.process_time() - started) / scopes)
        return best

    spent(50, 1)
    few, many = spent(100, 5), spent(3000, 3)
    assert many < 8 * few  # were it the square: 30 times
