"""What happened, and how strongly felt a text is: the layers episodic and emotion."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from cortex.engine.facade import Engine
from tests.engine.support import kept
from tests.engine.test_layers import engine, named, store

__all__ = ["engine", "store"]


class TestEpisodic:
    """What happened, when, who and where."""

    def test_the_timeline_has_what_was_read(self, engine: Callable[..., Engine]) -> None:
        """By the date that is given or read, undated last; page by page the same."""
        cortex = engine(named("episodic"))
        cortex.memorize("We met on 2024-05-01 in Paris")
        cortex.memorize("The launch party", event_time="2024-03-01")
        cortex.memorize("Ada moved to Milan")
        cortex.memorize("Tea is a drink")
        page = cortex.timeline()
        texts = [memory.content for memory in page.memories]
        assert texts == ["The launch party", "We met on 2024-05-01 in Paris", "Ada moved to Milan"]
        assert (page.total, page.note) == (3, "")
        events = [page.events.get(memory.id) for memory in page.memories]
        assert events[1] is not None
        assert (str(events[1].event_time)[:10], events[1].location) == ("2024-05-01", "Paris")
        assert events[2] is not None
        assert (events[2].actor, events[2].event_time) == ("Ada", None)
        walked: list[str] = []
        cursor: str | None = None
        for _ in range(9):
            one = cortex.timeline(limit=1, cursor=cursor)
            walked += [memory.content for memory in one.memories]
            if (cursor := one.next_cursor) is None:
                break
        assert walked == texts
        may = cortex.timeline(since="2024-05-01", until="2024-05-31")
        assert [memory.content for memory in may.memories] == texts[1:2]

    def test_relative_dates_are_counted_from_when_it_was_said(self, engine: Callable[..., Engine]) -> None:
        """In the zone of the settings; reading it later changes nothing."""
        tokyo = ZoneInfo("Asia/Tokyo")
        plain = engine(zone=tokyo)
        plain.memorize("Yesterday we met in Paris", event_time="2024-05-02T01:00+09:00")
        cortex = engine(named("episodic"), zone=tokyo)
        cortex.admin.reprocess()
        (memory,) = cortex.timeline().memories
        event = cortex.timeline().events[memory.id]
        assert event.event_time is not None
        assert event.event_time.astimezone(tokyo).isoformat() == "2024-05-01T00:00:00+09:00"

    def test_off_it_says_so(self, engine: Callable[..., Engine]) -> None:
        """Given times are shown all the same."""
        cortex = engine()
        cortex.memorize("We met on 2024-05-01 in Paris")
        cortex.memorize("tea", event_time="2024-01-01")
        page = cortex.timeline()
        assert ([memory.content for memory in page.memories], "CORTEX_EPISODIC" in page.note) == (["tea"], True)


class TestEmotion:
    """How strongly felt a text is."""

    def test_it_is_noted(self, engine: Callable[..., Engine]) -> None:
        """More for what is felt more; what the caller says counts before it."""
        cortex = engine(named("emotion"))
        texts = ["The deploy is on Monday", "I am absolutely furious and terrified!!!"]
        values = [cortex.get(kept(cortex.memorize(text).id)) for text in texts]
        calm, wild = (memory.emotion for memory in values if memory is not None)
        assert calm is not None
        assert wild is not None
        assert calm < wild <= 1
        said = cortex.get(kept(cortex.memorize("I am so happy!!!", emotion=0.1).id))
        assert said is not None
        assert said.emotion == 0.1
