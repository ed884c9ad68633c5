"""Cursors of listings: where the last page ended, as an opaque text."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import assert_never

from cortex.core.moments import microseconds
from cortex.errors import MESSAGES, InvalidInput
from cortex.model.memory import Memory
from cortex.model.query import Order

UNDATED = 2**63 - 1  # after everything that has a date


def key_of(memory: Memory, order: Order) -> tuple[int, int]:
    """The values a listing is ordered by: the order's own key and the seq.

    For `Order.HAPPENED` the event time of the memory is the one that was given or read.
    """
    match order:
        case Order.NEWEST | Order.OLDEST:
            return memory.seq, memory.seq
        case Order.EVENT:
            return 0 if memory.event_time is None else microseconds(memory.event_time), memory.seq
        case Order.HAPPENED:
            return UNDATED if memory.event_time is None else microseconds(memory.event_time), memory.seq
        case _:
            assert_never(order)


def encode(last: Memory, order: Order) -> str:
    """The cursor after this memory."""
    key, seq = key_of(last, order)
    return urlsafe_b64encode(f"{order.value}:{key}:{seq}".encode()).decode().rstrip("=")


def decode(cursor: object, order: Order) -> tuple[int, int]:
    """The key a cursor holds; `InvalidInput` for anything that `encode` of this order did not make."""
    try:
        text = urlsafe_b64decode(str(cursor) + "=" * (-len(str(cursor)) % 4)).decode("ascii")
        name, key, seq = text.split(":")
        values = int(key), int(seq)
    except ValueError:
        values, name = (0, 0), ""
    if name != order.value or max(map(abs, values)) >= 2**63:
        raise InvalidInput(
            "cursor", f"{MESSAGES.quoted(cursor)} is none of this listing; give next_cursor of the last page"
        )
    return values
