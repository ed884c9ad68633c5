"""Lines that somebody else wrote: each is refused by its number, or harmless from then on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.core import portable
from cortex.errors import NotFound
from cortex.ports import Store
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder, FrozenClock
from tests.engine.support import Bench, kept

Path_ = tuple[str | int, ...]

HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 5, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, 2**70, 10**30, 10**400, -(2**63),
    -(10**30),
    0.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"), float("-inf"),
    "", " ", "x", "a\0b", "\ud800", "z" * 10**6, "9" * 5000, "../../etc/passwd", "f" * 32, "F" * 32, "\u202e",
    "9999-12-31T23:59:59.999999+00:00", "9998-12-31T23:59:59.999999+00:00", "0001-01-01T00:00:00+00:00",
    "2020-01-01T00:00:00+02:00", "2020-01-01T00:00:00", "2020-01-01", "-0001-01-01T00:00:00+00:00",
    "1990-01-01T00:00:00+00:00",
    "2999-01-01T00:00:00+00:00", "active", "project:other", "user:" + "x" * 300, "other",
    [], {}, [[]], [None], [{}], ["x"], ["\ud800"], {"a": 1}, {"a": float("nan")}, {"\ud800": 1}, {"a": "\0"},
    ["t"] * 13,
    [["about", "f" * 32, "why"]] * 2, [["about", "\ud800", ""]], [["a\0", "f" * 32, ""]],
    [["about", "f" * 32, "x" * 10**5]],
    [["about", "f" * 32]], json.loads("[" * 60 + "]" * 60),
]  # fmt: skip

FIELDS: list[Path_] = [
    *((name,) for name in (
        "id org scope content kind tier status role clearance_min tags links metadata source author agent session "
        "position speaker importance emotion confidence access_count superseded_by version embedded_chars created_at "
        "updated_at event_time valid_from valid_to expires_at working_until last_accessed_at replaced_at embedding "
        "earlier unheard_of"
    ).split()),
    *(("embedding", name) for name in "model dim revision pieces".split()),
    *(("links", 0, part) for part in range(3)),
    *(("earlier", 0, name) for name in (
        "id org scope content status position access_count superseded_by version links updated_at replaced_at "
        "valid_from valid_to embedding"
    ).split()),
    *(("earlier", 0, "embedding", name) for name in "model dim revision pieces".split()),
]  # fmt: skip


@pytest.fixture(params=["ephemeral", "sqlite"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty store of each kind."""
    made: Store = EphemeralStore() if request.param == "ephemeral" else SQLiteStore(":memory:")
    yield made
    made.close()


def a_line() -> dict[str, Any]:
    """A memory that has every field an export can have."""
    engine = Bench().engine()
    one = kept(
        engine.memorize(
            "tea", role="user", tags=["a"], metadata={"k": 1}, source={"s": 1}, session="s", position=3, speaker="Ada",
            agent="x", event_time="2024-01-01", valid_from="2020-01-01", valid_to="2999-01-01", expires_at="2999-01-01",
        ).id
    )  # fmt: skip
    engine.update(one, content="green tea")
    line: dict[str, Any] = json.loads(list(engine.admin.export_lines())[1])
    more = {"superseded_by": "e" * 32, "links": [["about", "d" * 32, "why"]], "emotion": 0.5, "access_count": 2}
    at = "2024-01-01T00:00:00+00:00"
    return {**line, **more, "last_accessed_at": at, "working_until": at}


def put(value: Any, path: Path_, into: Any) -> None:
    """Set one field, however deep."""
    for step in path[:-1]:
        into = into[step]
    into[path[-1]] = value


def hostile_lines(path: Path_) -> list[str]:
    """A valid line with one field replaced by each hostile value, each line with an id and a text of its own."""
    lines = []
    for number, value in enumerate(HOSTILE):
        line = deepcopy(a_line_once())
        for form in (line, line["earlier"][0]):
            form |= {"id": f"{number + 1:032x}", "content": f"tea {number}", "embedded_chars": 5}
        put(value, path, line)
        if path == ("id",):  # both forms, so that the value itself is judged
            line["earlier"][0]["id"] = value
        lines.append(json.dumps(line))
    return lines


_LINE: list[dict[str, Any]] = []


def a_line_once() -> dict[str, Any]:
    """The line, made once."""
    if not _LINE:
        _LINE.append(a_line())
    return _LINE[0]


@pytest.mark.parametrize("path", FIELDS, ids=lambda path: ".".join(map(str, path)))
def test_a_hostile_value_is_refused_or_harmless(store: Store, path: Path_) -> None:
    """No value of any field stops an import; what is kept comes out as it went in and can be worked with."""
    bench = Bench(store=store)
    engine = bench.engine()
    header = portable.header()
    lines = hostile_lines(path)
    done = engine.admin.import_lines([header, *lines], on_conflict="overwrite")
    refused = {item.line for item in done.refused}
    assert len(refused) + done.added + done.duplicates == len(lines)
    assert all(len(item.error) < 1000 for item in done.refused)
    exported = list(engine.admin.export_lines())
    again = Bench(store=EphemeralStore()).engine()
    assert again.admin.import_lines(exported).added == done.added
    assert list(again.admin.export_lines()) == exported
    assert engine.admin.import_lines(exported).unchanged == done.added
    for line in exported[1:]:
        use(bench, json.loads(line)["id"])
    engine.admin.run_jobs()
    assert list(engine.admin.export_lines()) == [header]
    assert engine.stats().memories == 0


def use(bench: Bench, id_: str) -> None:
    """Do everything with a memory that can be done with one."""
    engine = bench.engine()
    before = engine.get(id_)
    assert before is not None
    engine.archive(id_)
    engine.update(id_, importance=7)
    engine.recall("tea", scope=before.scope.key, explain=True)
    engine.recall("tea", scope=before.scope.key, as_of="2027-01-01")
    versions = [memory.version for memory in engine.history(id_)]
    assert versions == sorted(set(versions))
    assert versions[-1] > before.version
    times = [memory.updated_at for memory in engine.history(id_)]
    assert times == sorted(times)
    list(engine.admin.export_lines())
    engine.forget(id_)
    assert engine.get(id_) is None
    with pytest.raises(NotFound):
        engine.forget(id_)


HISTORIES: dict[str, Any] = {
    "twice": lambda old: [old, old],
    "same number as now": lambda old: [{**old, "version": 2}],
    "later number than now": lambda old: [{**old, "version": 99}],
    "falling numbers": lambda old: [{**old, "version": 2}, {**old, "version": 1}],
    "replaced before it was written": lambda old: [{**old, "replaced_at": "1990-01-01T00:00:00+00:00"}],
    "replaced after the next was written": lambda old: [{**old, "replaced_at": "2998-01-01T00:00:00+00:00"}],
    "never replaced": lambda old: [{name: value for name, value in old.items() if name != "replaced_at"}],
    "of another organisation": lambda old: [{**old, "org": "other"}],
    "of another memory": lambda old: [{**old, "id": "f" * 32}],
    "an object": lambda old: old,
    "a text": lambda _: "abc",
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_that_cannot_be_is_refused(store: Store, name: str) -> None:
    """Earlier versions that do not follow one another are refused with their line, and the others come in."""
    engine = Bench(store=store).engine()
    header = portable.header()
    good = a_line_once()
    bad = {**good, "version": 3, "earlier": HISTORIES[name](good["earlier"][0])}
    if name in ("same number as now", "later number than now"):
        bad["version"] = 2
    other = {**good, "id": "c" * 32, "earlier": [], "content": "milk", "embedded_chars": 4}
    done = engine.admin.import_lines([header, json.dumps(bad), json.dumps(other)])
    assert ([item.line for item in done.refused], done.added) == ([2], 1)


def test_a_gap_in_a_history_is_none_of_these(store: Store) -> None:
    """A version that was erased with its scope leaves a gap, in numbers and in time."""
    engine = Bench(store=store).engine()
    header = portable.header()
    line = {**a_line_once(), "version": 9, "updated_at": "2998-01-01T00:00:00+00:00"}
    assert engine.admin.import_lines([header, json.dumps(line)]).added == 1


def test_another_organisation_is_named_by_its_line(store: Store) -> None:
    """What the caller may not write is refused like what nobody can read, and the rest comes in."""
    engine = Bench(store=store).engine()
    header = portable.header()
    lines = [json.dumps({**a_line_once(), "org": "other"}), json.dumps(a_line_once())]
    done = engine.admin.import_lines([header, *lines])
    assert ([item.line for item in done.refused], done.added) == ([2], 1)
    assert "of other" in done.refused[0].error


def test_the_end_of_time_is_no_end_of_changes(store: Store) -> None:
    """A memory written at the last instant, by whatever clock, can be changed, put away, put back and erased."""
    bench = Bench(store=store, clock=FrozenClock(datetime.max.replace(tzinfo=UTC)))
    engine = bench.engine()
    one = kept(engine.memorize("tea").id)
    engine.update(one, content="coffee")
    engine.archive(one)
    engine.archive(one, undo=True)
    assert [memory.version for memory in engine.history(one)] == [1, 2, 3, 4]
    assert engine.forget(one).counts["versions"] == 3


def test_a_bad_line_stops_nothing_in_a_file(tmp_path: Path) -> None:
    """One bad line among hundreds costs itself only."""
    header = portable.header()
    lines = [
        json.dumps({**a_line_once(), "id": f"{n:032x}", "content": f"tea {n}", "embedded_chars": 0, "earlier": []})
        for n in range(450)
    ]
    lines[349] = json.dumps({**json.loads(lines[349]), "position": 2**64})
    file = tmp_path / "x.jsonl"
    file.write_text("\n".join([header, *lines]), "utf-8")
    with Cortex(tmp_path / "t.db", embedder=FakeEmbedder()) as cortex:
        done = cortex.admin.import_memories(file)
        assert ([item.line for item in done.refused], done.added) == ([351], 449)
