"""Instants and days: one meaning in every zone and in every verb."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.errors import InvalidInput
from cortex.testing import FakeEmbedder, FrozenClock
from tests.cases.conftest import Cli
from tests.e2e.wire import Wire, environment
from tests.engine.support import Bench, found

# --- MEM-016: the zone of the process -----------------------------------------------------------------

ZONES = ["UTC", "America/Los_Angeles", "Asia/Tokyo", "Asia/Kolkata", "Pacific/Kiritimati"]
TWO_IN_THE_MORNING = datetime(2026, 3, 9, 2, tzinfo=UTC)


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The zone of this process."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


RANGES = [
    ("2026-03-09T00:00Z", "2026-03-09T23:59:59.999999Z"),
    ("2026-03-09T09:00+09:00", "2026-03-10T08:59:59.999999+09:00"),
    ("2026-03-08T16:00-08:00", "2026-03-09T15:59:59.999999-08:00"),
    ("2026-03-09T05:30:00+05:30", "2026-03-10T05:29:59.999999+05:30"),
    ("2026-03-09", "2026-03-09"),
    ("2026-03-09T00:00", "2026-03-09T23:59:59.999999"),
]


def test_mem_016_one_instant_is_one_value(zone: str, bench: Bench) -> None:
    """What is kept at 02:00 UTC is of that UTC day wherever the process runs, however the range is written."""
    bench.clock = FrozenClock(TWO_IN_THE_MORNING)
    ada = bench.engine("ada")
    kept = ada.memorize("the ferry left", event_time="2026-03-09T02:00")
    memory = ada.get(str(kept.id))
    assert memory is not None
    assert memory.created_at == memory.event_time == TWO_IN_THE_MORNING
    assert memory.created_at.utcoffset() == timedelta(0)
    ends = set()
    for since, until in RANGES:
        assert ada.count(created_since=since, created_until=until) == 1
        assert found(ada.recall("ferry", event_since=since, event_until=until)) == ["the ferry left"]
        ends.add(tuple(ada.timeline(since=since, until=until).times.values()))
    assert len(ends) == 1
    assert ada.count(created_until="2026-03-08") == ada.count(created_since="2026-03-10") == 0


def test_mem_016_on_the_command_line(zone: str, cli: Cli) -> None:
    """A naive time means the zone of the settings, not that of the machine; JSON is in UTC."""
    one = cli("memorize", "the ferry left", "--event-time", "2026-03-09T02:00", "--json").json["id"]
    memory = cli("get", one, "--json").json
    assert datetime.fromisoformat(memory["event_time"]) == TWO_IN_THE_MORNING
    assert datetime.fromisoformat(memory["created_at"]).utcoffset() == timedelta(0)
    assert cli("count", "--since", "2026-03-09T02:00Z", "--until", "2026-03-08T18:00-08:00").out == "1\n"
    assert "2026-03-09 02:00:00+00:00" in cli("get", one).out


# --- MEM-017: what a day is ---------------------------------------------------------------------------

DAYS = [
    ("Asia/Tokyo", date(2026, 5, 31)),
    ("America/New_York", date(2026, 3, 8)),  # 23 hours
    ("Europe/Berlin", date(2026, 10, 25)),  # 25 hours
    ("America/Santiago", date(2026, 9, 6)),  # begins at 01:00
    ("Asia/Kathmandu", date(2024, 2, 29)),
]


def around(zone: ZoneInfo, day: date) -> list[tuple[datetime, bool]]:
    """Instants near both midnights of a local day, and whether they are of the day."""
    first = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    after = day + timedelta(days=1)
    end = datetime(after.year, after.month, after.day, tzinfo=zone).astimezone(UTC)
    tick, half = timedelta(microseconds=1), timedelta(minutes=30)
    inside = [first, first + half, end - half, end - tick]
    outside = [first - half, first - tick, end, end + half]
    return [(at, True) for at in inside] + [(at, False) for at in outside]


def fill(bench: Bench, zone: str, day: date) -> Engine:
    """Memories around a day, kept and happened at each instant, tagged by whether they are of it."""
    bench.zone = ZoneInfo(zone)
    ada = bench.engine("ada")
    for number, (at, of_the_day) in enumerate(around(ZoneInfo(zone), day)):
        bench.clock.set(at)
        tag = "the day" if of_the_day else "another"
        ada.memorize(f"note {number}", tags=[tag], event_time=at)
    bench.clock.set(datetime(2027, 1, 1, tzinfo=UTC))
    return ada


@pytest.mark.parametrize(("zone", "day"), DAYS, ids=str)
@pytest.mark.parametrize("by", ["created", "event"])
def test_mem_017_every_verb_has_the_same_day(bench: Bench, zone: str, day: date, by: str) -> None:
    """Recall, list, count, timeline, the dry run and the erasure mean the same instants and say which."""
    ada = fill(bench, zone, day)
    within = {f"{by}_since": str(day), f"{by}_until": str(day)}
    expected = {memory.id for memory in ada.list_memories(tags=["the day"]).memories}
    assert len(expected) == 4
    recalled = ada.recall("note", limit=20, **within)  # type: ignore[arg-type] # the keywords are made
    listed = ada.list_memories(**within)  # type: ignore[arg-type]
    told = ada.forget_all("user:ada", dry_run=True, **within)  # type: ignore[arg-type]
    assert {hit.memory.id for hit in recalled.hits} == expected
    assert {memory.id for memory in listed.memories} == expected
    assert ada.count(**within) == 4  # type: ignore[arg-type]
    assert set(told.ids or ()) == expected
    assert recalled.times == listed.times == told.times
    start = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
    assert told.times[f"{by}_since"] == start.astimezone(UTC)
    if by == "event":
        timeline = ada.timeline(since=str(day), until=day)
        assert ({memory.id for memory in timeline.memories}, timeline.times) == (expected, told.times)
    assert ada.count() == 8
    done = ada.forget_all("user:ada", confirm="user:ada", **within)  # type: ignore[arg-type]
    assert (done.ids, done.times, done.counts["memories"]) == (told.ids, told.times, 4)
    assert {tag for memory in ada.list_memories().memories for tag in memory.tags} == {"another"}


@settings(max_examples=40)
@given(st.sampled_from(ZONES), st.dates(date(1990, 1, 1), date(2040, 1, 1)), st.integers(-90_000, 90_000))
def test_mem_017_every_instant_is_of_exactly_one_day(zone: str, day: date, seconds: int) -> None:
    """The days of a zone neither overlap nor leave a gap: each instant is counted on one of three days."""
    bench = Bench(zone=ZoneInfo(zone))
    ada = bench.engine("ada")
    at = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).astimezone(UTC) + timedelta(seconds=seconds)
    ada.memorize("note", event_time=at)
    local = at.astimezone(ZoneInfo(zone)).date()
    days = [local + timedelta(days=step) for step in (-1, 0, 1)]
    assert [ada.count(event_since=one, event_until=one) for one in days] == [0, 1, 0]
    assert [ada.timeline(since=one, until=one).total for one in days] == [0, 1, 0]


@pytest.mark.slow
def test_mem_017_over_mcp(tmp_path: Path) -> None:
    """A server whose zone is Tokyo: recall and timeline show the same memories and state the instants."""
    store = tmp_path / "memory.db"
    env = environment(tmp_path, CORTEX_STORE=store, CORTEX_TIMEZONE="Asia/Tokyo")
    with Wire(env) as wire:
        for at in ("2026-05-30T23:30", "2026-05-31T00:30", "2026-05-31T23:30", "2026-06-01T00:30"):
            wire.call("memorize", content=f"note of {at}", event_time=at)
        day = {"event_since": "2026-05-31", "event_until": "2026-05-31"}
        recalled = wire.call("recall", query="note", **day)
        told = wire.call("recall_timeline", since="2026-05-31", until="2026-05-31")
        assert [m["content"][8:] for m in told["memories"]] == ["2026-05-31T00:30", "2026-05-31T23:30"]
        assert {m["id"] for m in recalled["memories"]} == {m["id"] for m in told["memories"]}
        ends = (told["since"], told["until"])
        assert (recalled["event_since"], recalled["event_until"]) == ends
        assert ends == ("2026-05-30T15:00:00+00:00", "2026-05-31T15:00:00+00:00")
        assert wire.end() == 0


def test_mem_017_on_the_command_line(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The dry run names what the listing shows; the erasure takes that and nothing else."""
    monkeypatch.setenv("CORTEX_TIMEZONE", "Asia/Tokyo")
    for at in ("2026-05-30T23:30", "2026-05-31T00:30", "2026-05-31T23:30", "2026-06-01T00:30"):
        cli("memorize", f"note of {at}", "--event-time", at)
    within = ("--since", "2026-05-31", "--until", "2026-05-31")
    listed = [memory["id"] for memory in cli("list", *within, "--order", "oldest", "--json").json["memories"]]
    told = cli("forget-all", "user:local", *within, "--dry-run", "--json").json
    assert (told["ids"], len(listed)) == (listed, 2)
    assert told["times"]["event_since"].startswith("2026-05-30T15:00:00")
    assert "2026-05-31 00:00:00+09:00" in cli("forget-all", "user:local", *within, "--dry-run").out
    done = cli("forget-all", "user:local", *within, "--confirm", "user:local", "--json").json
    assert done["ids"] == listed
    with Cortex(tmp_path / ".cortex" / "memory.db", embedder=FakeEmbedder()) as cortex:
        assert sorted(memory.content[8:18] for memory in cortex.list_memories().memories) == [
            "2026-05-30",
            "2026-06-01",
        ]


@pytest.mark.parametrize("word", ["yesterday", "today", "2026-13-01", "31.05.2026", "1748649600", "2026-05-31T25:00"])
def test_mem_017_a_day_is_never_guessed(ada: Engine, word: str) -> None:
    """What is no ISO 8601 is refused by every verb that takes a time, erasure included."""
    ada.memorize("note")
    with pytest.raises(InvalidInput, match="ISO 8601"):
        ada.recall("note", created_since=word)
    with pytest.raises(InvalidInput, match="ISO 8601"):
        ada.timeline(until=word)
    with pytest.raises(InvalidInput, match="ISO 8601"):
        ada.forget_all("user:ada", confirm="user:ada", created_since=word)
    assert ada.count() == 1
