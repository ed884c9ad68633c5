"""Selecting: filters, what can be seen now, orders and cursors."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cortex.core.matching import hidden, passes
from cortex.model.change import EraseMemory, SetStatus
from cortex.model.health import Count
from cortex.model.memory import Clearance, EmbeddingState, Kind, Memory, Status, Tier
from cortex.model.page import Details
from cortex.model.query import Filter, Order, Selection
from cortex.model.scope import Scope
from cortex.ports import Store
from cortex.testing.contracts.reading import EXAMPLES, micros
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite, contents, fresh_scope, within
from cortex.testing.factories import add, commit, embedding, memory

_NAMES = [None, "a", "A", "a.b", "é", ""]
_TIMES = [NOW + timedelta(microseconds=step) for step in (-2, -1, 0, 1, 2)]
_time = st.none() | st.sampled_from(_TIMES)


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """The fields of a memory, from few values, so that filters have something to tell apart."""
    return {
        "kind": draw(st.sampled_from(list(Kind)[:3])),
        "tier": draw(st.sampled_from(list(Tier)[:3])),
        "status": draw(st.sampled_from(Status)),
        "session": draw(st.sampled_from(_NAMES)),
        "author": draw(st.sampled_from(_NAMES)) or "",
        "speaker": draw(st.sampled_from(_NAMES)),
        "importance": draw(st.integers(1, 10)),
        "clearance_min": draw(st.sampled_from(Clearance)),
        "created_at": draw(st.sampled_from(_TIMES)),
        "event_time": draw(_time),
        "valid_from": draw(_time),
        "valid_to": draw(_time),
        "expires_at": draw(_time),
        "tags": tuple(draw(st.lists(st.sampled_from(["x", "y"]), max_size=2, unique=True))),
        "metadata": draw(st.dictionaries(st.sampled_from("kl"), st.integers(0, 2), max_size=2)),
    }


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    """A filter that uses each of its fields now and then."""
    return Filter(
        kinds=draw(st.frozensets(st.sampled_from(list(Kind)[:4]), max_size=2)),
        tiers=draw(st.frozensets(st.sampled_from(list(Tier)[:4]), max_size=2)),
        statuses=draw(st.frozensets(st.sampled_from(Status), max_size=3)),
        session=_now_and_then(draw, st.sampled_from(_NAMES)),
        author=_now_and_then(draw, st.sampled_from(_NAMES)),
        speaker=_now_and_then(draw, st.sampled_from(_NAMES)),
        min_importance=_now_and_then(draw, st.integers(1, 10)),
        created_since=_now_and_then(draw, _time),
        created_until=_now_and_then(draw, _time),
        event_since=_now_and_then(draw, _time),
        event_until=_now_and_then(draw, _time),
    )


@st.composite
def selections(draw: st.DrawFn) -> Selection:
    """A selection of scopes that are still to be named."""
    return Selection(
        scopes=(),
        clearance=draw(st.sampled_from(Clearance)),
        now=NOW,
        filter=draw(filters()),
        embedding=draw(st.none() | st.sampled_from(EmbeddingState)),
        order=draw(st.sampled_from(Order)),
        limit=draw(st.none() | st.integers(1, 5)),
    )


def _now_and_then(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> Any:
    return draw(values) if draw(st.integers(0, 3)) == 0 else None


# Nothing was read of these memories: what happened is what was given.
_DATED = (Order.EVENT, Order.HAPPENED)


class FilterContract(StoreSuite):
    """A store and the core mean the same by a filter."""

    @given(given=st.lists(rows(), max_size=12), wanted=selections())
    @EXAMPLES
    def test_a_selection_is_what_the_core_would_choose(
        self, store: Store, given: Sequence[dict[str, Any]], wanted: Selection
    ) -> None:
        """`select`, `count` and `matching` agree with the filter of the core over all rows."""
        selection = replace(wanted, scopes=[fresh_scope(), fresh_scope()])
        kept = _write(store, selection.scopes, given)
        expected = [m for m in kept if _chosen(m, selection)]
        assert sorted(row.seq for row in store.matching(selection, details=False)) == [m.seq for m in expected]
        found = sorted(store.matching(selection, details=True), key=lambda row: row.seq)
        assert found == [Details(m.seq, m.tags, m.metadata) for m in expected]
        counts = Counter((m.scope.key, m.kind.value, m.tier.value, m.status.value) for m in expected)
        assert set(store.count(selection)) == {Count(*nature, number) for nature, number in counts.items()}
        assert store.select(selection) == _in_order(expected, selection.order)[: selection.limit]

    def test_no_scope_has_nothing(self, store: Store) -> None:
        """Without a scope nothing is found, and an unknown scope has nothing."""
        commit(store, add(memory("tea")))
        nowhere = replace(within(), scopes=())
        for selection in (nowhere, within(Scope("user:nobody"))):
            assert store.select(selection) == []
            assert store.count(selection) == []
            assert store.matching(selection, details=True) == []

    def test_a_name_is_compared_letter_by_letter(self, store: Store) -> None:
        """Session, speaker and author are found as they are written, wildcards included."""
        names = ["a_b", "axb", "A_B", "a%", "a"]
        commit(store, *(add(memory(name, session=name, speaker=name, author=name)) for name in names))
        for name in names:
            for wanted in (Filter(session=name), Filter(speaker=name), Filter(author=name)):
                assert contents(store, filter=wanted) == [name]

    def test_what_ran_out_is_not_selected(self, store: Store) -> None:
        """A memory is there from its first valid instant on, up to but without its last, and until it expires."""
        (one,) = commit(store, add(memory("tea", valid_from=_TIMES[1], valid_to=_TIMES[3], expires_at=_TIMES[4])))
        shown = [bool(store.select(within(now=at))) for at in _TIMES]
        assert shown == [False, True, True, False, False]
        commit(store, EraseMemory(one.seq, one.id), add(memory("coffee", expires_at=_TIMES[3])))
        assert [bool(store.count(within(now=at))) for at in _TIMES] == [True, True, True, False, False]

    def test_clearance_hides(self, store: Store) -> None:
        """Nobody is given what is above their clearance."""
        commit(store, *(add(memory(level.name, clearance_min=level)) for level in Clearance))
        for level in Clearance:
            assert len(store.select(within(clearance=level))) == level + 1
            assert sum(row.memories for row in store.count(within(clearance=level))) == level + 1


class OrderContract(StoreSuite):
    """Orders, and walking through them."""

    def test_orders(self, store: Store) -> None:
        """Newest and oldest go by seq, event by event time, then seq; what has no event time is not in it."""
        at = [_TIMES[3], None, _TIMES[0], _TIMES[3], _TIMES[0]]
        commit(store, *(add(memory(str(i), event_time=time)) for i, time in enumerate(at)))
        assert contents(store, order=Order.OLDEST) == ["0", "1", "2", "3", "4"]
        assert contents(store, order=Order.NEWEST) == ["4", "3", "2", "1", "0"]
        assert contents(store, order=Order.EVENT) == ["2", "4", "0", "3"]

    def test_a_cursor_meets_each_row_once(self, store: Store) -> None:
        """Walking in pages of any size gives every row once, ties included, in each order."""
        commit(store, *(add(memory(str(i), event_time=_TIMES[i % 3])) for i in range(23)))
        for order in Order:
            everything = store.select(within(order=order))
            assert len(everything) == 23
            for size in (1, 2, 7, 23, 50):
                assert _walk(store, within(order=order, limit=size)) == everything

    def test_a_walk_is_not_disturbed(self, store: Store) -> None:
        """Rows that come and go during a walk hide no other row and repeat none."""
        outcomes = commit(store, *(add(memory(str(i), event_time=_TIMES[i % 3])) for i in range(20)))
        for order in Order:
            before = store.select(within(order=order))
            first = store.select(within(order=order, limit=6))
            extra = commit(store, add(memory(f"early {order}", event_time=_TIMES[0] - timedelta(days=1))))
            commit(store, SetStatus(first[-1].seq, Status.ARCHIVED, NOW))
            rest = store.select(within(order=order, after=_key(first[-1], order)))
            seen = {m.seq for m in (*first, *rest)}
            assert {m.seq for m in before} <= seen
            assert len(seen) == len(first) + len(rest)
            commit(store, EraseMemory(extra[0].seq, extra[0].id))
        assert len(store.select(within())) == len(outcomes)

    def test_several_scopes_are_one_list(self, store: Store) -> None:
        """Rows of several scopes are in one order; a scope named twice counts once."""
        bob = Scope("user:bob")
        commit(store, *(add(memory(str(i), scope=(ADA, bob)[i % 2])) for i in range(6)))
        assert contents(store, bob, ADA, order=Order.OLDEST) == ["0", "1", "2", "3", "4", "5"]
        assert contents(store, ADA, ADA) == ["4", "2", "0"]
        assert sum(row.memories for row in store.count(within(ADA, ADA))) == 3


def _write(store: Store, scopes: Sequence[Scope], given: Sequence[dict[str, Any]]) -> list[Memory]:
    changes = []
    for i, fields in enumerate(given):
        vectors = embedding() if i % 3 else None
        changes.append(add(memory(f"row {i}", scope=scopes[i % 2], **fields), vectors))
    return store.read([outcome.seq for outcome in commit(store, *changes)])


def _chosen(kept: Memory, selection: Selection) -> bool:
    return (
        kept.scope in selection.scopes
        and hidden(kept, selection.clearance, selection.now) is None
        and passes(kept, selection.filter)
        and selection.embedding in (None, kept.embedding)
        and (selection.order not in _DATED or kept.event_time is not None)
    )


def _in_order(kept: Sequence[Memory], order: Order) -> list[Memory]:
    return sorted(kept, key=lambda m: _key(m, order), reverse=order is Order.NEWEST)


def _key(kept: Memory, order: Order) -> tuple[int, int]:
    return (_micros_or_zero(kept.event_time) if order in _DATED else kept.seq), kept.seq


def _micros_or_zero(at: datetime | None) -> int:
    return 0 if at is None else micros(at)


def _walk(store: Store, selection: Selection) -> list[Memory]:
    found: list[Memory] = []
    while page := store.select(selection):
        found += page
        selection = replace(selection, after=_key(page[-1], selection.order))
    return found
