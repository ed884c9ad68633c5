"""Listing, timeline, counting and getting."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from cortex import Cortex, Memory, Page, Status
from cortex.errors import InvalidInput
from tests.engine.support import kept


def walk(cortex: Cortex, **options: Any) -> Iterator[Page]:
    """Every page of a listing."""
    cursor = None
    while True:
        page = cortex.list_memories(cursor=cursor, **options)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return


class TestList:
    def test_newest_first_twenty_a_page(self, cortex: Cortex) -> None:
        """Without options the newest twenty of the user's own scope, and how many there are."""
        cortex.memorize_many(f"number {i}" for i in range(25))
        cortex.memorize("elsewhere", scope="global")
        page = cortex.list_memories()
        assert [m.content for m in page.memories] == [f"number {i}" for i in range(24, 4, -1)]
        assert (page.total, page.limit) == (25, 20)
        assert page.next_cursor
        rest = cortex.list_memories(cursor=page.next_cursor)
        assert [m.content for m in rest.memories] == [f"number {i}" for i in range(4, -1, -1)]
        assert (rest.total, rest.next_cursor) == (25, None)

    def test_the_last_page_knows_it_is_the_last(self, cortex: Cortex) -> None:
        """A page that ends with the last memory has no cursor, even if it is full."""
        cortex.memorize_many(f"number {i}" for i in range(10))
        assert [len(page.memories) for page in walk(cortex, limit=5)] == [5, 5]
        assert [len(page.memories) for page in walk(cortex, limit=3)] == [3, 3, 3, 1]
        assert cortex.list_memories(scope="project:none") == Page(memories=(), total=0, limit=20)

    @pytest.mark.parametrize("order", ["newest", "oldest", "event"])
    def test_a_walk_meets_each_memory_once(self, cortex: Cortex, order: str) -> None:
        """Through 1,137 memories, while others come and go, nothing is skipped and nothing is shown twice."""
        events = [f"2023-05-{1 + i % 7:02d}" for i in range(1137)]
        cortex.memorize_many({"content": f"number {i}", "event_time": at} for i, at in enumerate(events))
        shown: list[Memory] = []
        gone: set[str] = set()
        for number, page in enumerate(walk(cortex, limit=100, order=order)):
            shown += page.memories
            cortex.memorize(f"new {number}", event_time=f"2023-05-{1 + number % 7:02d}")
            before, after = shown[-1].id, None
            cortex.forget(before)
            living = cortex.list_memories(limit=1, order=order, cursor=page.next_cursor).memories
            if living and page.next_cursor:
                after = living[0].id
                cortex.forget(after)
                gone.add(after)
        ids = [memory.id for memory in shown]
        assert len(ids) == len(set(ids))
        old = {memory.content for memory in shown if memory.content.startswith("number")}
        assert len(old) == 1137 - len(gone)
        keys = [(m.event_time or 0, m.seq) if order == "event" else (0, m.seq) for m in shown]
        assert keys == sorted(keys, reverse=order == "newest")

    def test_a_walk_with_a_filter_of_details(self, cortex: Cortex) -> None:
        """Tags and metadata narrow pages, totals and cursors alike, however rare they are."""
        cortex.memorize_many(
            {"content": f"number {i}", "tags": ["rare"] if i % 97 == 0 else [], "metadata": {"n": i}}
            for i in range(1137)
        )
        pages = list(walk(cortex, limit=5, tags=["rare"], order="oldest"))
        assert [m.content for page in pages for m in page.memories] == [f"number {i}" for i in range(0, 1137, 97)]
        assert {page.total for page in pages} == {12}
        assert pages[-1].next_cursor is None
        assert cortex.list_memories(metadata={"n": {"$gte": 1130}}, limit=3).total == 7

    @pytest.mark.parametrize(
        "cursor", ["", "x", "bmV3ZXN0OjE6MQ", "!!!", "é", 5, "bmV3ZXN0OjE6MQ==x", "a" * 5000, "\ud800"]
    )
    def test_a_wrong_cursor_is_refused(self, cortex: Cortex, cursor: Any) -> None:
        """What no page of this listing gave is an error, not another page."""
        cortex.memorize("tea")
        with pytest.raises(InvalidInput, match="cursor"):
            cortex.list_memories(cursor=cursor, order="oldest")

    def test_a_cursor_is_of_its_order(self, cortex: Cortex) -> None:
        """The cursor of another order is refused."""
        cortex.memorize_many(f"number {i}" for i in range(5))
        cursor = cortex.list_memories(limit=2).next_cursor
        with pytest.raises(InvalidInput, match="next_cursor"):
            cortex.list_memories(limit=2, order="oldest", cursor=cursor)
        with pytest.raises(InvalidInput, match="expected one of"):
            cortex.list_memories(order="random")


class TestTimeline:
    @pytest.fixture(autouse=True)
    def _memories(self, cortex: Cortex) -> None:
        days = ["2023-05-09", "2023-05-07", "2023-05-08T23:59:59.999999", "2023-05-08", "2023-05-08"]
        cortex.memorize_many({"content": f"event {i}", "event_time": day} for i, day in enumerate(days))
        cortex.memorize("no event")

    def told(self, cortex: Cortex, **options: Any) -> list[str]:
        """What a timeline tells, by number."""
        return [memory.content.removeprefix("event ") for memory in cortex.timeline(**options).memories]

    def test_it_goes_by_what_happened(self, cortex: Cortex) -> None:
        """In the order of events, ties as they were written; what has no event time is not in it."""
        assert self.told(cortex) == ["1", "3", "4", "2", "0"]

    @pytest.mark.parametrize(
        ("since", "until", "expected"),
        [
            ("2023-05-08", "2023-05-08", ["3", "4", "2"]),
            ("2023-05-08", None, ["3", "4", "2", "0"]),
            (None, "2023-05-08", ["1", "3", "4", "2"]),
            ("2023-05-08T00:00Z", "2023-05-08T00:00Z", ["3", "4"]),
            ("2023-05-08T00:00:00.000001Z", "2023-05-09T00:00Z", ["2", "0"]),
            ("2023-05-10", None, []),
        ],
        ids=str,
    )
    def test_both_ends_are_inclusive(
        self, cortex: Cortex, since: str | None, until: str | None, expected: list[str]
    ) -> None:
        """A bare date is the whole day, an instant is itself."""
        assert self.told(cortex, since=since, until=until) == expected
        assert cortex.timeline(since=since, until=until).total == len(expected)

    def test_it_says_which_instants_were_meant(self, cortex: Cortex) -> None:
        """The page has the half-open range that the dates stood for."""
        page = cortex.timeline(since="2023-05-08", until="2023-05-08")
        assert page.times == {
            "event_since": datetime(2023, 5, 8, tzinfo=UTC),
            "event_until": datetime(2023, 5, 9, tzinfo=UTC),
        }

    def test_it_is_paged_and_filtered(self, cortex: Cortex) -> None:
        """Limit, cursor, kinds and tags work as in a listing."""
        page = cortex.timeline(limit=2)
        assert (len(page.memories), page.total) == (2, 5)
        rest = cortex.timeline(limit=5, cursor=page.next_cursor)
        assert [memory.content for memory in rest.memories] == ["event 4", "event 2", "event 0"]
        cortex.memorize("a meeting", kind="event", tags=["t"], event_time="2023-05-08")
        assert [m.content for m in cortex.timeline(kinds="event", tags=["t"]).memories] == ["a meeting"]
        assert cortex.timeline(scope="global").total == 0


class TestCountAndGet:
    def test_count(self, cortex: Cortex) -> None:
        """Active memories of the user's own scope, or of the scopes and filter given."""
        cortex.memorize_many({"content": f"number {i}", "kind": "event" if i % 2 else "fact"} for i in range(5))
        cortex.memorize("elsewhere", scope="project:x")
        cortex.memorize("gone", expires_at="2020-01-01")
        assert cortex.count() == 5
        assert cortex.count(kinds="event") == 2
        assert cortex.count(scope=["user:ada", "project:x"]) == 6
        assert cortex.count(statuses=["archived"]) == 0

    def test_get_finds_any_status(self, cortex: Cortex) -> None:
        """An archived or expired memory can be looked at by its id, or the beginning of it."""
        receipt = cortex.memorize("tea", expires_at="2020-01-01")
        cortex.memorize("tea")
        memory = cortex.get(kept(receipt.id)[:12])
        assert memory is not None
        assert memory.status is Status.ARCHIVED
        assert cortex.get("0123456789abcdef" * 2) is None
