from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.cursor import decode, encode, key_of
from cortex.core.moments import microseconds
from cortex.errors import InvalidInput
from cortex.model.query import Order
from cortex.testing import memory


@given(
    seq=st.integers(1, 2**62),
    at=st.none() | st.datetimes(timezones=st.just(UTC)),
    order=st.sampled_from(Order),
)
def test_a_cursor_comes_back(seq: int, at: Any, order: Order) -> None:
    """Reading a cursor gives the key of the memory it was made of, and it is plain text for any door."""
    last = memory("tea", seq=seq, event_time=at)
    cursor = encode(last, order)
    assert cursor.isascii()
    assert cursor.replace("-", "").replace("_", "").isalnum()
    assert decode(cursor, order) == key_of(last, order)


def test_keys() -> None:
    """Listings go by seq, timelines by event time and then seq."""
    at = memory().created_at
    last = memory("tea", seq=7, event_time=at)
    assert key_of(last, Order.NEWEST) == key_of(last, Order.OLDEST) == (7, 7)
    assert key_of(last, Order.EVENT) == (microseconds(at), 7)


def made(text: str) -> str:
    """A cursor with this text in it."""
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "wrong",
    [
        "", "x", "!!!!", "é", "\ud800", None, 5, b"x", made("oldest:1:1"), made("newest:1"), made("newest:1:1:1"),
        made("newest:a:1"), made("newest:1:1.5"), made(f"newest:{2**63}:1"), made(f"newest:1:-{2**63}"), made("1:1"),
        made("newest:" + "9" * 5000 + ":1"), "A" * 10_000,
    ],
    ids=range(18),
)  # fmt: skip
def test_what_is_no_cursor_of_this_listing_is_refused(wrong: Any) -> None:
    """Anything that this order did not make is an error that says what to give."""
    with pytest.raises(InvalidInput, match="next_cursor"):
        decode(wrong, Order.NEWEST)


@given(st.text(max_size=30))
def test_no_text_is_a_crash(text: str) -> None:
    """Whatever text is given, it is a cursor or an error of ours."""
    try:
        decode(text, Order.NEWEST)
    except InvalidInput:
        return
