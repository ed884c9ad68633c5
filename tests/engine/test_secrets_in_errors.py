"""A secret that is handed in at the wrong place is in no error: errors end in logs."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

from cortex import Cortex
from cortex.app.settings import load
from cortex.errors import ConfigurationError, CortexError
from cortex.testing import FakeEmbedder

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"

CALLS: dict[str, Callable[[Any], object]] = {
    **{
        name: lambda cortex, name=name: cortex.memorize("x", **{name: TOKEN})  # type: ignore[misc]
        for name in ("kind", "role", "tier", "scope", "event_time", "clearance_min", "importance", TOKEN)
    },
    "a name with a blank": lambda cortex: cortex.memorize("x", scope=f"user: {TOKEN}"),
    "an id": lambda cortex: cortex.get(TOKEN),
    "an order": lambda cortex: cortex.list_memories(order=TOKEN),
    "a cursor": lambda cortex: cortex.list_memories(cursor=TOKEN),
    "an operator": lambda cortex: cortex.list_memories(metadata={"a": {f"${TOKEN}": 1}}),
    "a ranking": lambda cortex: cortex.recall("x", ranking=TOKEN),
    "a time": lambda cortex: cortex.recall("x", as_of=TOKEN),
    "a limit": lambda cortex: cortex.recall("x", limit=TOKEN),
    "a confirmation": lambda cortex: cortex.forget_all("user:x", confirm=TOKEN),
    "a file": lambda cortex: cortex.admin.import_memories(TOKEN),
    "a user": lambda _: Cortex(":memory:", user=f"{TOKEN} ", embedder=FakeEmbedder()),
}


@pytest.mark.parametrize("where", CALLS)
def test_no_error_repeats_it(cortex: Cortex, where: str) -> None:
    """Neither the message nor what led to it; it still says what was wrong."""
    with pytest.raises(CortexError) as caught:
        CALLS[where](cortex)
    assert TOKEN not in "".join(traceback.format_exception(caught.value))
    assert TOKEN not in f"{vars(caught.value)}"
    assert "[redacted: github_token]" in str(caught.value)


@pytest.mark.parametrize("before", range(30, 200, 7))
@pytest.mark.parametrize("where", ["kind", "scope", "importance", "id", "name", "cursor"])
def test_no_part_of_it_is_left_where_a_message_is_cut(cortex: Cortex, where: str, before: int) -> None:
    """A value is masked before it is cut: half a token is not known as one."""
    value = f"{'z' * before} {TOKEN}"
    calls: dict[str, Callable[[], object]] = {
        "id": lambda: cortex.get(value),
        "name": lambda: cortex.memorize("x", **{value: 1}),  # type: ignore[arg-type]
        "cursor": lambda: cortex.list_memories(cursor=value),
    }
    with pytest.raises(CortexError) as caught:
        calls.get(where, lambda: cortex.memorize("x", **{where: value}))()  # type: ignore[arg-type]
    assert TOKEN[:12] not in str(caught.value)


def test_no_receipt_repeats_it(cortex: Cortex) -> None:
    """An item of a list that is refused says why without it."""
    receipts = cortex.memorize_many([{"content": "x", "kind": TOKEN}, {"content": "x", TOKEN: 1}])
    assert [receipt.error is not None for receipt in receipts] == [True, True]
    assert TOKEN not in repr(receipts)


@pytest.mark.parametrize("variable", ["CORTEX_LLM_BACKEND", "CORTEX_TOP_K"])
def test_no_setting_repeats_it(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that was put into another variable than its own."""
    monkeypatch.setenv(variable, f"{TOKEN}\t")
    with pytest.raises(ConfigurationError) as caught:
        load()
    assert TOKEN not in "".join(traceback.format_exception(caught.value))
