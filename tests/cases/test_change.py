"""Saying it twice, correcting it, forgetting it: what every answer shows afterwards."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.errors import NotFound
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import FakeEmbedder
from tests.cases.conftest import Cli, Server
from tests.e2e.wire import Wire, environment
from tests.engine.support import Bench, by_words, found, kept

# --- MEM-020: the same text again ---------------------------------------------------------------------

TEXT = "The spare fuse is in the blue tin"
AGAIN = [TEXT, f"  {TEXT}\n", TEXT.upper(), TEXT.replace(" ", "\u3000"), "ｔｈｅ spare fuse is in the blue tin"]


def test_mem_020_the_first_one_stays(bench: Bench, ada: Engine) -> None:
    """Other case, blanks and details give the id that is there, and nothing of it is lost or changed."""
    first = ada.memorize(TEXT, tags=["fuse"], metadata={"shelf": 2})
    before = ada.get(str(first.id))
    bench.clock.tick(timedelta(days=1))
    for again in AGAIN:
        receipt = ada.memorize(again, metadata={"shelf": 3})
        assert (receipt.id, receipt.deduplicated, receipt.version) == (first.id, True, 1)
    receipts = ada.memorize_many([*AGAIN, {"content": TEXT, "tags": ["other"], "importance": 9}])
    assert {(receipt.id, receipt.deduplicated) for receipt in receipts} == {(first.id, True)}
    assert ada.list_memories().memories == (before,)
    assert found(ada.recall("fuse")) == [TEXT]


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_mem_020_twenty_at_once_are_one(tmp_path: Path, place: str) -> None:
    """Threads that keep one text at the same time get one id, and exactly one of them made it."""
    store = tmp_path / "memory.db" if place == "file" else place
    with Cortex(store, embedder=FakeEmbedder()) as cortex, ThreadPoolExecutor(20) as pool:
        receipts = list(pool.map(cortex.memorize, [TEXT] * 20))
        assert len({receipt.id for receipt in receipts}) == 1
        assert sum(not receipt.deduplicated for receipt in receipts) == 1
        assert cortex.count() == 1
        assert cortex.health().ok


@pytest.mark.slow
def test_mem_020_over_mcp_by_two_processes(server: Server) -> None:
    """Calls under way at once in one server, and the same text from another process, are one memory."""
    wire = server.wire
    numbers = [wire.begin_call("memorize", content=TEXT, scope="project:twice") for _ in range(20)]
    with Cortex(server.store, embedder=FakeEmbedder()) as cortex:
        other = cortex.memorize(TEXT, scope="project:twice")
    answers = [wire.answer(number)["result"]["structuredContent"] for number in numbers]
    assert {answer["id"] for answer in answers} == {other.id}
    assert sum(not answer["deduplicated"] for answer in answers) + (not other.deduplicated) == 1
    again = wire.ask("tools/call", name="memorize", arguments={"content": f"{TEXT} ", "scope": "project:twice"})
    assert again["content"][0]["text"].startswith("Already remembered as ")
    assert wire.call("list_memories", scope="project:twice")["total"] == 1


# --- MEM-022: a correction ----------------------------------------------------------------------------

OLD, NEW = "the ladder leans against the north barn", "the ladder hangs under the stairs"
OTHERS = ["the barn is painted red", "the stairs creak at night", "a rope hangs by the well"]
QUESTIONS = ["north barn", "leans against", "under the stairs", "where is the ladder?", "hangs"]


def told(engine: Engine) -> list[Any]:
    """All that recall says about the questions, ids aside."""
    return [
        [(hit.memory.content, hit.score, hit.parts) for hit in engine.recall(question).hits] for question in QUESTIONS
    ]


def test_mem_022_a_correction_is_as_if_it_had_always_been_so(bench: Bench, ada: Engine) -> None:
    """Hits, scores and ranks are those of a store that never knew the old text, on every leg, caches warm or not."""
    fresh = Bench(embedder=bench.embedder).engine("ada")
    for engine, text in ((ada, OLD), (fresh, NEW)):
        engine.memorize_many(OTHERS)
        engine.memorize(text, event_time="2026-05-31")
    other = bench.engine("ada")
    one = ada.timeline().memories[0].id
    for engine in (ada, other):
        assert OLD in by_words(engine.recall("north barn"))
    bench.clock.tick()
    ada.update(one, content=NEW)
    for _ in range(2):
        for engine in (ada, other, bench.engine("ada")):
            assert told(engine) == told(fresh)
            assert by_words(engine.recall("leans against")) == set()
            assert [memory.content for memory in engine.timeline().memories] == [NEW]
    assert [version.content for version in ada.history(one)] == [OLD, NEW]
    assert ada.list_memories().total == len(OTHERS) + 1


@pytest.mark.slow
def test_mem_022_over_mcp_by_meaning(meaning: Wire) -> None:
    """With the real model: the new place is found by its sense and its words, the old one by neither."""
    for text in OTHERS:
        meaning.call("memorize", content=text, scope="project:ladder")
    one = meaning.call("memorize", content=OLD, scope="project:ladder", event_time="2026-05-31")["id"]

    def dense(question: str) -> dict[str, float]:
        memories = meaning.call("recall", query=question, scope="project:ladder")["memories"]
        return {m["content"]: m["parts"]["dense"]["score"] for m in memories if "dense" in m["parts"]}

    before = dense("up north outdoors")[OLD]
    meaning.call("update_memory", memory_id=one, content=NEW)
    for _ in range(2):
        assert max(dense("below the steps").items(), key=lambda item: item[1])[0] == NEW
        assert OLD not in dense("up north outdoors")
        assert dense("up north outdoors")[NEW] < before
        memories = meaning.call("recall", query="north leans against", scope="project:ladder")["memories"]
        assert all("lexical" not in memory["parts"] for memory in memories if memory["id"] == one)
        assert meaning.call("recall_timeline", scope="project:ladder")["memories"][0]["content"] == NEW


def test_mem_022_on_the_command_line(cli: Cli) -> None:
    """The history shows both, recall the new one."""
    one = cli("memorize", OLD, "--json").json["id"]
    cli("update", one, "--content", NEW)
    assert [version["content"] for version in cli("history", one, "--json").json] == [OLD, NEW]
    (hit,) = cli("recall", "where is the ladder?", "--json").json["hits"]
    assert hit["memory"]["content"] == NEW
    assert "north barn" not in cli("recall", "north barn").out


# --- MEM-025: ghosts ----------------------------------------------------------------------------------

THREE = ["the boat is moored at berth nine", "the anchor is rusty", "the boat needs paint"]


def assert_gone(engine: Engine, one: str) -> None:
    """The first of the three is in no answer, whatever is asked and however."""
    for question in (THREE[0], "berth nine", "boat"):
        for fusion in ("rrf", "minmax"):
            answer = engine.recall(question, limit=50, fusion=fusion, explain=True)
            assert one not in {hit.memory.id for hit in answer.hits} | {item.id for item in answer.left_out}
    assert engine.get(one) is None
    statuses = ["active", "archived", "superseded"]
    assert sorted(memory.content for memory in engine.list_memories(statuses=statuses).memories) == THREE[1:]
    assert engine.timeline().total == engine.count(statuses=statuses) == 2
    assert all(one not in line for line in engine.admin.export_lines())
    with pytest.raises(NotFound):
        engine.forget(one)


def test_mem_025_what_is_forgotten_is_in_no_answer(bench: Bench, ada: Engine, tmp_path: Path) -> None:
    """No leg, no warm cache, no other client, no restart brings it back; forgetting it again finds nothing."""
    items = [{"content": text, "event_time": "2026-05-31"} for text in THREE]
    one = kept(ada.memorize_many(items)[0].id)
    other = bench.engine("ada")
    for engine in (ada, other):
        assert THREE[0] in found(engine.recall("berth nine"))
    ada.forget(one)
    for engine in (ada, other, bench.engine("ada")):
        assert_gone(engine, one)
    if isinstance(bench.store, SQLiteStore):
        bench.store.close()
        bench.store = SQLiteStore(tmp_path / "memory.db")
        assert_gone(bench.engine("ada"), one)


@pytest.mark.slow
def test_mem_025_over_mcp_and_after_a_restart(server: Server, tmp_path: Path) -> None:
    """One server forgets; it, and a server that starts afterwards, show nothing of it."""
    ids = [server.wire.call("memorize", content=text, scope="project:ghosts")["id"] for text in THREE]
    server.wire.call("recall", query=THREE[0], scope="project:ghosts")
    assert server.wire.call("forget", memory_id=ids[0])["counts"]["memories"] == 1
    with Wire(environment(tmp_path, CORTEX_STORE=server.store)) as restarted:
        for wire in (server.wire, restarted):
            for question in (THREE[0], "berth nine"):
                memories = wire.call("recall", query=question, scope="project:ghosts")["memories"]
                assert ids[0] not in [memory["id"] for memory in memories]
            assert wire.call("list_memories", scope="project:ghosts")["total"] == 2
            for tool in ("get_memory", "forget"):
                assert "no memory has the id" in wire.refusal(tool, memory_id=ids[0])
        assert restarted.end() == 0
