"""Pages, limits and the size of an answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.errors import InvalidInput
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder
from tests.cases.conftest import Cli, Server
from tests.e2e.wire import Wire
from tests.engine.support import Bench, kept

# --- MEM-039: pages -----------------------------------------------------------------------------------

ROWS = 1_137


def fill(engine: Engine, bench: Bench, scope: str | None = None) -> list[str]:
    """More rows than a page, a good third of them of one instant and all with one event time."""
    ids: list[str] = []
    for start, stop in ((0, 300), (300, 700), (700, ROWS)):
        items = [
            {"content": f"entry {i}", "scope": scope, "event_time": "2026-05-31", "tags": [f"t{i % 3}"]}
            for i in range(start, stop)
        ]
        ids += [kept(receipt.id) for receipt in engine.memorize_many(items)]
        bench.clock.tick(timedelta(seconds=1))
    return ids


@pytest.mark.parametrize("bench", ["file, no vectors", "ephemeral"], indirect=True)
@pytest.mark.parametrize("order", ["newest", "oldest", "event"])
def test_mem_039_a_walk_meets_each_row_once(bench: Bench, ada: Engine, order: str) -> None:
    """While others insert and delete: what is there all the time comes once, in order, with true totals."""
    ids = fill(ada, bench)
    gone, seen, cursor, totals = set(), [], None, []
    for step in range(20):
        page = ada.list_memories(limit=200, order=order, cursor=cursor)
        assert page.limit == 200
        seen += [memory.id for memory in page.memories]
        totals.append((page.total, ada.count()))
        cursor = page.next_cursor
        if cursor is None:
            break
        ada.memorize(f"came meanwhile {step}", event_time="2020-01-01" if order == "event" else None)
        for one in (seen[-1], ids[step], ids[-step - 1]):
            if one not in gone:
                gone.add(one)
                ada.forget(one)
    assert all(told == real for told, real in totals)
    mine = [one for one in seen if one in set(ids)]
    assert len(mine) == len(set(mine))
    assert set(ids) - gone <= set(mine)
    expected = [one for one in (reversed(ids) if order == "newest" else ids) if one in set(mine)]
    assert mine == expected


@pytest.mark.parametrize("bench", ["file, no vectors", "ephemeral"], indirect=True)
def test_mem_039_the_total_is_of_the_filter(bench: Bench, ada: Engine) -> None:
    """A filtered walk has its own total on every page, and a limit beyond the cap says what held."""
    fill(ada, bench)
    seen, cursor = 0, None
    while True:
        page = ada.list_memories(limit=150, tags=["t1"], cursor=cursor)
        assert page.total == ROWS // 3
        seen, cursor = seen + len(page.memories), page.next_cursor
        if cursor is None:
            break
    assert seen == ROWS // 3
    capped = ada.list_memories(limit=5_000)
    assert (capped.limit, len(capped.memories), capped.total) == (1_000, 1_000, ROWS)
    assert len(ada.list_memories(limit=5_000, cursor=capped.next_cursor).memories) == ROWS - 1_000


@pytest.mark.slow
def test_mem_039_over_mcp(server: Server) -> None:
    """The same walk by a client, while another process writes and erases; the cap is said."""
    bench = Bench(store=SQLiteStore(server.store), ids=(f"{number:032x}" for number in range(9_000_000, 9_100_000)))
    engine = bench.engine("local")
    ids = fill(engine, bench, "project:pages")
    seen: list[str] = []
    arguments: dict[str, Any] = {"scope": "project:pages", "limit": 200}
    for step in range(40):
        page = server.wire.call("list_memories", **arguments)
        assert page["limit"] <= 200
        seen += [memory["id"] for memory in page["memories"]]
        if "next_cursor" not in page:
            break
        arguments["cursor"] = page["next_cursor"]
        engine.memorize(f"came meanwhile {step}", scope="project:pages")
        engine.forget(seen[-1])
    assert seen == ids[::-1]
    capped = server.wire.ask("tools/call", name="list_memories", arguments={"scope": "project:pages", "limit": 5_000})
    assert "The limit was brought down to 1,000." in capped["content"][0]["text"]
    bench.store.close()


def test_mem_039_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    """Cursor by cursor and all at once the same rows; a limit beyond the cap is told and is in the document."""
    path = tmp_path / ".cortex" / "memory.db"
    path.parent.mkdir()
    bench = Bench(store=SQLiteStore(path))
    ids = fill(bench.engine("local"), bench)
    bench.store.close()
    seen: list[str] = []
    more: list[str] = []
    while True:
        page = cli("list", "--limit", "200", "--json", *more).json
        seen += [memory["id"] for memory in page["memories"]]
        assert page["total"] == ROWS
        if page["next_cursor"] is None:
            break
        more = ["--cursor", page["next_cursor"]]
    assert seen == ids[::-1]
    assert [memory["id"] for memory in cli("list", "--all", "--json").json["memories"]] == seen
    assert cli("list", "--limit", "5000", "--json").json["limit"] == 1_000
    told = cli("list", "--limit", "5000")
    assert "the limit was brought down to 1,000" in told.err
    assert "1,000 of 1,137" in told.err


# --- MEM-040: limits ----------------------------------------------------------------------------------

WRONG: list[Any] = [0, -1, -(10**9), "5", 2.5, 1.0, True, False, [1], "ten"]
UNKNOWN = ["offset", "threshold", "min_score", "page", "top"]
VERBS: dict[str, Callable[..., Any]] = {
    "recall": lambda engine, **more: engine.recall("note", **more).hits,
    "list": lambda engine, **more: engine.list_memories(**more).memories,
    "timeline": lambda engine, **more: engine.timeline(**more).memories,
}


@pytest.mark.parametrize("verb", VERBS)
def test_mem_040_a_limit_has_one_meaning(ada: Engine, verb: str) -> None:
    """Nought, less and what is no whole number are refused; one is one, none is the default, a billion is all."""
    ada.memorize_many({"content": f"note {i}", "event_time": "2026-05-31"} for i in range(30))
    call = VERBS[verb]
    for wrong in WRONG:
        with pytest.raises(InvalidInput, match="limit"):
            call(ada, limit=wrong)
    for unknown in UNKNOWN:
        with pytest.raises(InvalidInput, match="unknown argument"):
            call(ada, **{unknown: 1})
    assert [len(call(ada, limit=limit)) for limit in (1, 7, None, 10**9, 10**30)] == [
        1, 7, 5 if verb == "recall" else 20, 30, 30,
    ]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_mem_040_so_has_every_other_number(ada: Engine, wrong: Any) -> None:
    """How many jobs to run is a limit as well."""
    with pytest.raises(InvalidInput, match="most"):
        ada.admin.run_jobs(most=wrong)


@pytest.mark.slow
def test_mem_040_over_mcp(wire: Wire) -> None:
    """The same refusals; a limit that was brought down is said in both forms."""
    for i in range(3):
        wire.call("memorize", content=f"note {i}", event_time="2026-05-31", scope="project:limits")
    for tool, more in (("recall", {"query": "note"}), ("list_memories", {}), ("recall_timeline", {})):
        arguments = {**more, "scope": "project:limits"}
        for wrong in WRONG:
            assert "limit" in wire.refusal(tool, **arguments, limit=wrong)
        for unknown in UNKNOWN:
            assert "unknown argument" in wire.refusal(tool, **arguments, **{unknown: 1})
        assert len(wire.call(tool, **arguments, limit=1)["memories"]) == 1
        assert len(wire.call(tool, **arguments, limit=None)["memories"]) == 3
        result = wire.ask("tools/call", name=tool, arguments={**arguments, "limit": 10**9})
        assert (len(result["structuredContent"]["memories"]), result["structuredContent"]["limit"]) == (3, 1_000)
        assert "The limit was brought down to 1,000." in result["content"][0]["text"]
    one = wire.call("list_memories", scope="project:limits")["memories"][0]["id"]
    for wrong in (-1, 6, 2.5, "0", True):
        assert "start" in wire.refusal("get_memory", memory_id=one, start=wrong)


def test_mem_040_on_the_command_line(cli: Cli) -> None:
    """Exit code 2 for what no limit can be, a word about what was brought down."""
    for i in range(3):
        cli("memorize", f"note {i}", "--event-time", "2026-05-31")
    for command in (["recall", "note"], ["search", "local", "note"], ["list"], ["timeline"]):
        for wrong in ("0", "-1", "2.5", "five", "true", "", "1e3"):
            assert cli(*command, "--limit", wrong).code == 2, (command, wrong)
        huge = cli(*command, "--limit", "1000000000")
        assert (huge.code, "brought down to 1,000" in huge.err) == (0, True)
        shown = cli(*command, "--limit", "1", "--json").json
        assert len(shown.get("hits", shown.get("memories"))) == 1
    assert cli("list", "--offset", "1").code == cli("recall", "note", "--threshold", "nan").code == 2


# --- MEM-060: the size of an answer -------------------------------------------------------------------


@pytest.mark.slow
def test_mem_060_large_memories_fit_into_an_answer(server: Server) -> None:
    """Both forms keep to the budget and say the same; what is cut is said, and each text can be read whole."""
    texts = [f"log {i} of the harbour: " + f"crane {i} moved. " * 1_400 for i in range(20)]
    with Cortex(server.store, embedder=FakeEmbedder()) as cortex:
        cortex.memorize_many({"content": text, "scope": "project:large"} for text in texts)
        cortex.memorize_many({"content": f"short {i}", "scope": "project:thousand"} for i in range(1_000))
    wire = server.wire
    for tool, more in (("recall", {"query": "harbour", "limit": 10}), ("list_memories", {"limit": 1_000})):
        result = wire.ask("tools/call", name=tool, arguments={**more, "scope": "project:large"})
        text, data = result["content"][0]["text"], result["structuredContent"]
        assert max(len(text), len(str(data))) < 21_000
        assert "[Cut to fit: " in text
        assert data["cut"] in text
        assert len(data["memories"]) == (10 if tool == "recall" else 20)
        for memory in data["memories"]:
            assert memory["id"][:12] in text
            assert memory["content"].rpartition("… [+")[0] in text
            assert memory["content_chars"] > 20_000
    one = wire.call("list_memories", scope="project:large", limit=1)["memories"][0]["id"]
    whole: list[str] = []
    start: int | None = 0
    while start is not None:
        stretch = wire.call("get_memory", memory_id=one, start=start)
        whole.append(stretch["content"])
        start = stretch.get("next_start")
    assert "".join(whole) == texts[-1]
    seen: list[str] = []
    arguments: dict[str, Any] = {"scope": "project:thousand", "limit": 1_000}
    while True:
        page = wire.call("list_memories", **arguments)
        seen += [memory["content"] for memory in page["memories"]]
        assert page["total"] == 1_000
        if "next_cursor" not in page:
            break
        arguments["cursor"] = page["next_cursor"]
    assert seen == [f"short {i}" for i in reversed(range(1_000))]
