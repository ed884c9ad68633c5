from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cortex import Clearance, Cortex, Memory, Recall, Status
from cortex.engine.facade import Engine
from cortex.errors import NotFound
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import Failure, FakeEmbedder
from tests.engine.support import Bench, found, kept

STORES: list[Callable[[], Any]] = [EphemeralStore, lambda: SQLiteStore(":memory:")]
DAY = timedelta(days=1)
QUESTIONS = ["green tea", "coffee in the morning", "who likes milk", "nothing of the kind"]
FILTERS: list[dict[str, Any]] = [{}, {"tags": ["drink"]}, {"kinds": ["preference"]}, {"metadata": {"n": 3}}]


@pytest.fixture(params=STORES, ids=["ephemeral", "sqlite"])
def bench(request: pytest.FixtureRequest) -> Bench:
    """Plugs with either store."""
    return Bench(store=request.param())


def hits(answer: Recall) -> list[tuple[Any, ...]]:
    """Everything that a hit says: the memory of that moment, scores and parts to the last digit."""
    return [(hit.memory, hit.score, hit.parts) for hit in answer.hits]


def asked(engine: Engine, **options: Any) -> list[Any]:
    """What recall, listing, count and timeline answer."""
    recalled = [hits(engine.recall(text, limit=20, **chosen, **options)) for text in QUESTIONS for chosen in FILTERS]
    page = engine.list_memories(limit=100, **options)
    line = engine.timeline(limit=100, **options)
    return [recalled, page.memories, page.total, engine.count(**options), line.memories, line.total]


def life(bench: Bench, engine: Engine) -> list[tuple[datetime, Callable[[], object]]]:
    """Things that happen to memories, one a day: written, changed, moved, archived, put back, run out."""
    ids: dict[str, str] = {}

    def write(name: str, content: str, **fields: Any) -> Callable[[], object]:
        def work() -> None:
            ids[name] = kept(engine.memorize(content, **fields).id)

        return work

    steps: list[Callable[[], object]] = [
        write("tea", "Ada likes green tea", tags=["drink"], kind="preference"),
        write("milk", "Bob likes milk in the morning", metadata={"n": 3}, event_time="2020-05-01"),
        write("fades", "green tea is sold out", expires_at=bench.clock.now() + 6 * DAY),
        write("future", "coffee is free", valid_from=bench.clock.now() + 8 * DAY),
        lambda: engine.update(ids["tea"], content="Ada likes coffee now", metadata={"n": 3}),
        lambda: engine.archive(ids["milk"]),
        lambda: engine.update(ids["milk"], content="Bob likes oat milk", scope="project:x"),
        lambda: engine.archive(ids["milk"], undo=True),
        lambda: engine.update(ids["milk"], scope="user:ada"),
        write("again", "green tea is sold out"),
        lambda: engine.update(ids["tea"], content="Ada likes green tea", tags=[], kind="fact"),
        lambda: engine.archive(ids["tea"]),
    ]
    return [(bench.clock.now() + number * DAY, step) for number, step in enumerate(steps)]


def test_the_past_is_what_was_answered_then(bench: Bench) -> None:
    """Asking for an instant gives what every verb really gave at that instant: memories, scores, parts, totals."""
    engine = bench.engine()
    answers: list[tuple[datetime, list[Any]]] = []
    for at, step in life(bench, engine):
        bench.clock.set(at)
        step()
        answers.append((at, asked(engine)))
        bench.clock.tick(DAY / 2)
        answers.append((bench.clock.now(), asked(engine)))
    bench.clock.tick(100 * DAY)
    for at, answer in answers:
        assert asked(engine, as_of=at) == answer
    assert len({repr(answer) for _, answer in answers}) > 10


def test_an_export_of_an_instant_is_what_an_export_then_gave(bench: Bench) -> None:
    """Looking back with an export gives the lines of that day: the memories of the scope as they stood."""
    engine = bench.engine()
    chosen: list[Any] = [None, "user:ada", "project:x"]
    answers: list[tuple[datetime, list[list[str]]]] = []
    for at, step in life(bench, engine):
        bench.clock.set(at)
        step()
        answers.append((at, [list(engine.admin.export_lines(scope=scope, as_of=at)) for scope in chosen]))
        listed = engine.list_memories(limit=100, statuses=["active", "archived"], scope=["user:ada", "project:x"])
        assert sorted(memory.id for memory in listed.memories) == sorted(
            json.loads(line)["id"] for line in answers[-1][1][0][1:]
        )
    for at, answer in answers:
        assert [list(engine.admin.export_lines(scope=scope, as_of=at)) for scope in chosen] == answer
    assert len({repr(answer) for _, answer in answers}) > 8
    again = Bench().engine()
    assert again.admin.import_lines(answers[-3][1][0]).refused == ()
    assert list(again.admin.export_lines()) == answers[-3][1][0]


def test_erased_memories_are_in_no_past(bench: Bench) -> None:
    """After an erasure the past is as if the memory had never been, statistics of words included."""
    engine, plain = bench.engine(), Bench(store=EphemeralStore()).engine()
    for target in (engine, plain):
        target.memorize_many(["Ada likes green tea", "Bob likes milk"])
    gone = kept(engine.memorize("green tea is sold out").id)
    before = bench.clock.now()
    bench.clock.tick()
    engine.update(gone, content="coffee is sold out")
    engine.forget(gone)
    for text in QUESTIONS:
        then = [(hit.memory.content, hit.score) for hit in engine.recall(text, as_of=before).hits]
        assert then == [(hit.memory.content, hit.score) for hit in plain.recall(text).hits]
    assert engine.count(as_of=before) == 2


def test_before_anything_there_is_nothing(bench: Bench) -> None:
    """An instant before the first memory has no hits, no rows and no total."""
    engine = bench.engine()
    engine.memorize("tea", event_time="2020-01-01")
    at = bench.clock.now() - timedelta(microseconds=1)
    assert engine.recall("tea", as_of=at).hits == ()
    assert engine.list_memories(as_of=at).total == engine.count(as_of=at) == engine.timeline(as_of=at).total == 0


def test_a_bare_date_is_the_end_of_its_day(bench: Bench) -> None:
    """What was kept at any time of the day counts, what came at midnight does not."""
    engine = bench.engine()
    for at, text in (("2026-03-01T23:59:59.999999", "late"), ("2026-03-02T00:00:00", "next day")):
        bench.clock.set(datetime.fromisoformat(at).replace(tzinfo=UTC))
        engine.memorize(text)
    assert [m.content for m in engine.list_memories(as_of="2026-03-01").memories] == ["late"]
    assert engine.count(as_of="2026-03-02") == 2
    assert engine.count(as_of="2026-02-28") == 0


def test_the_future_is_now_with_what_will_have_run_out(bench: Bench) -> None:
    """An instant to come shows what is held now, unless it is expired or not valid any more by then."""
    engine = bench.engine()
    now = bench.clock.now()
    engine.memorize_many(
        [
            {"content": "tea"},
            {"content": "tea for a day", "expires_at": now + DAY},
            {"content": "tea from tomorrow", "valid_from": now + DAY},
        ]
    )
    assert set(found(engine.recall("tea", as_of=now))) == {"tea", "tea for a day"}
    assert set(found(engine.recall("tea", as_of=now + DAY))) == {"tea", "tea from tomorrow"}
    assert engine.count(as_of="9999-12-31") == 2


def test_validity_and_expiry_are_those_of_the_version(bench: Bench) -> None:
    """A validity that was changed later does not reach back."""
    engine = bench.engine()
    start = bench.clock.now()
    one = kept(engine.memorize("tea", expires_at=start + 9 * DAY).id)
    bench.clock.tick(2 * DAY)
    engine.update(one, expires_at=start + 3 * DAY)
    bench.clock.tick(9 * DAY)
    counts = [engine.count(as_of=start + number * DAY) for number in range(5)]
    assert counts == [1, 1, 1, 0, 0]
    assert engine.count() == 0


def test_a_cursor_walks_through_the_past(bench: Bench) -> None:
    """Pages of a past meet each memory once while the present changes."""
    engine = bench.engine()
    engine.memorize_many(f"tea {number}" for number in range(25))
    at, walked = bench.clock.now(), []
    cursor: str | None = None
    for number in count():
        page = engine.list_memories(limit=4, as_of=at, cursor=cursor)
        walked += [m.content for m in page.memories]
        assert page.total == 25
        bench.clock.tick()
        engine.update(page.memories[0].id, content=f"changed {number}")
        engine.memorize(f"new {number}")
        cursor = page.next_cursor
        if cursor is None:
            break
    assert sorted(walked) == sorted(f"tea {number}" for number in range(25))


def test_explained_recall_of_the_past(bench: Bench) -> None:
    """What was left out then is explained by the state of then."""
    engine = bench.engine()
    one = kept(engine.memorize("green tea").id)
    engine.archive(one)
    bench.clock.tick()
    at = bench.clock.now()
    bench.clock.tick()
    engine.archive(one, undo=True)
    answer = engine.recall("green tea", as_of=at, explain=True)
    assert answer.hits == ()
    assert [(left.id, "archived" in left.reason) for left in answer.left_out] == [(one, True)]


def test_history_tells_every_version(bench: Bench) -> None:
    """Updates, moves and archiving are versions, oldest first, each with what it said and when."""
    engine = bench.engine()
    start = bench.clock.now()
    one = kept(engine.memorize("tea", tags=["a"]).id)
    steps: list[Callable[[], object]] = [
        lambda: engine.update(one, content="coffee", tags=["b"]),
        lambda: engine.update(one, scope="project:x"),
        lambda: engine.archive(one),
        lambda: engine.archive(one, undo=True),
    ]
    for step in steps:
        bench.clock.tick()
        step()
    told = [(m.version, m.content, m.tags, m.scope.key, m.status) for m in engine.history(one)]
    assert told == [
        (1, "tea", ("a",), "user:ada", Status.ACTIVE),
        (2, "coffee", ("b",), "user:ada", Status.ACTIVE),
        (3, "coffee", ("b",), "project:x", Status.ACTIVE),
        (4, "coffee", ("b",), "project:x", Status.ARCHIVED),
        (5, "coffee", ("b",), "project:x", Status.ACTIVE),
    ]
    versions = engine.history(one)
    assert versions[-1] == engine.get(one)
    assert [m.updated_at for m in versions] == [start + number * timedelta(seconds=1) for number in range(5)]
    assert {m.created_at for m in versions} == {start}


def test_history_of_what_is_not_there(bench: Bench) -> None:
    """A memory that never was, or was erased, has no history."""
    engine = bench.engine()
    one = kept(engine.memorize("tea").id)
    engine.update(one, content="coffee")
    engine.forget(one)
    for gone in (one, "f" * 32):
        with pytest.raises(NotFound):
            engine.history(gone)


def test_a_version_keeps_its_clearance(bench: Bench) -> None:
    """Who may not read a version does not find it: not in a history and not by looking back."""
    engine, low = bench.engine(), bench.engine(clearance=Clearance.INTERNAL)
    one = kept(engine.memorize("the secret plan", clearance_min="restricted").id)
    secret = bench.clock.now()
    bench.clock.tick()
    engine.update(one, content="the public plan", clearance_min="public")
    public = bench.clock.now()
    assert [m.content for m in engine.history(one)] == ["the secret plan", "the public plan"]
    assert [m.content for m in low.history(one)] == ["the public plan"]
    assert (low.count(as_of=secret), low.count(as_of=public)) == (0, 1)
    answer = low.recall("secret plan", as_of=secret, explain=True)
    assert (answer.hits, answer.left_out) == ((), ())
    assert low.list_memories(as_of=secret).memories == ()
    bench.clock.tick()
    engine.update(one, clearance_min="restricted")
    with pytest.raises(NotFound):
        low.history(one)
    assert found(low.recall("plan", as_of=public)) == ["the public plan"]


@pytest.mark.parametrize("back", [timedelta(0), timedelta(hours=1)])
def test_a_clock_that_goes_back_makes_no_gap(bench: Bench, back: timedelta) -> None:
    """Whatever the clock does, versions follow each other and every instant has one of them."""
    engine = bench.engine()
    one = kept(engine.memorize("tea").id)
    steps: list[Callable[[], object]] = [
        lambda: engine.update(one, content="coffee"),
        lambda: engine.archive(one),
        lambda: engine.archive(one, undo=True),
        lambda: engine.update(one, content="milk"),
    ]
    for step in steps:
        bench.clock.tick(-back)
        step()
    versions = engine.history(one)
    times = [m.updated_at for m in versions]
    assert times == sorted(set(times))
    for version in versions:
        (then,) = bench.store.read([version.seq], version.updated_at)
        assert then == version


def test_it_is_kept_in_the_file(tmp_path: Path) -> None:
    """History and past are there after the store was closed and opened again."""
    path = tmp_path / "memory.db"
    with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
        one = kept(cortex.memorize("green tea").id)
        first = cortex.get(one)
        assert first is not None
        cortex.update(one, content="coffee")
        versions = cortex.history(one)
    with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
        assert cortex.history(one) == versions
        (hit,) = cortex.recall("green tea", as_of=first.updated_at).hits
        assert hit.memory == first
        assert found(cortex.recall("green tea")) == ["coffee"]


def test_an_owed_vector_is_given_to_what_is_there(bench: Bench) -> None:
    """A memory that waits for its vector is found in the past by its words, and archiving it loses no vector."""
    embedder = bench.embedder
    assert isinstance(embedder, FakeEmbedder)
    engine = bench.engine()
    embedder.script.extend([Failure.RAISE])
    one = kept(engine.memorize("green tea").id)
    at = bench.clock.now()
    bench.clock.tick(timedelta(hours=1))
    engine.archive(one)
    engine.archive(one, undo=True)
    assert engine.admin.run_jobs().done == 1
    memory = engine.get(one)
    assert isinstance(memory, Memory)
    assert memory.signature == embedder.signature
    (hit,) = engine.recall("green tea", as_of=at).hits
    assert hit.memory == engine.history(one)[0]
