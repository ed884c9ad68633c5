"""Erasing a scope: all of it, in one call, and nobody else's; and who sees whose memories."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.errors import InvalidInput, NotFound, StoreBusy
from cortex.stores.sqlite.driver import sqlite3
from cortex.testing import FakeEmbedder
from tests.cases.conftest import Cli
from tests.e2e.wire import Wire, environment
from tests.engine.support import Bench, kept

# --- MEM-028: a delete that takes too much ------------------------------------------------------------

MISSPELT = ["user:adaa", "user:Ada", "user:ad", "user:", "user", "ada", "", " ", "*", "user:*", "user:%", "all"]


def answers(engine: Engine) -> Any:
    """What an engine's own scope holds and answers, to the last digit."""
    recall = engine.recall("note on tea", limit=50)
    return engine.list_memories(), [(hit.memory.id, hit.score) for hit in recall.hits]


def test_mem_028_only_the_named_scope_goes(bench: Bench, ada: Engine) -> None:
    """Empty, misspelt and unconfirmed scopes are refused; then one scope goes, and the answers of another stay."""
    bob = bench.engine("bob")
    for engine in (ada, bob):
        engine.memorize_many(f"note {i} on tea" for i in range(5))
    hers, his = answers(ada), answers(bob)
    for wrong in MISSPELT:
        with pytest.raises((InvalidInput, NotFound)):
            ada.forget_all(wrong, confirm=wrong)
        with pytest.raises(InvalidInput, match="confirm"):
            ada.forget_all("user:ada", confirm=wrong)
    for confirm in (None, True, "user:bob", "yes"):
        with pytest.raises(InvalidInput, match="confirm"):
            ada.forget_all("user:ada", confirm=confirm)  # type: ignore[arg-type] # not what it takes
    with pytest.raises(InvalidInput):
        ada.forget_all(None, confirm=None)  # type: ignore[arg-type] # not what it takes
    assert (answers(ada), answers(bob)) == (hers, his)
    assert ada.forget_all("user:ada", confirm="user:ada").counts["memories"] == 5
    assert (ada.count(), ada.recall("note on tea").hits) == (0, ())
    assert answers(bob) == his


def test_mem_028_on_the_command_line(cli: Cli) -> None:
    """The scope is said twice; a wrong one ends with an error code and changes nothing."""
    for user in ("ada", "bob"):
        for i in range(5):
            cli("memorize", f"note {i} on tea", "--user", user)
    for wrong in MISSPELT:
        assert cli("forget-all", wrong, "--confirm", wrong).code in (2, 3), wrong
        assert cli("forget-all", "user:ada", "--confirm", wrong).code == 2
    assert cli("forget-all", "user:ada").code == 2
    assert cli("stats", "--json").json["memories"] == 10
    assert cli("forget-all", "user:ada", "--confirm", "user:ada", "--json").json["counts"]["memories"] == 5
    assert cli("stats", "--json").json["scopes"] == {"user:bob": 5}


@pytest.mark.slow
def test_mem_028_an_agent_cannot_erase_a_scope(wire: Wire) -> None:
    """No tool takes more than one memory, whatever it is called with."""
    kept_one = wire.call("memorize", content="note on tea", scope="project:agent")
    for tool in ("forget_all", "delete_all_memories"):
        assert "unknown" in wire.refusal(tool, scope="project:agent", confirm="project:agent")
    for arguments in ({"scope": "project:agent"}, {}, {"memory_id": kept_one["id"], "all": True}, {"memory_id": ""}):
        wire.refusal("forget", **arguments)
    assert wire.call("list_memories", scope="project:agent")["total"] == 1


# --- MEM-029: a delete that stops too early -----------------------------------------------------------

MANY = 1_250


def fill(engine: Engine) -> None:
    """More than a page of any verb, in every state that a memory can be in."""
    items: list[dict[str, Any]] = [{"content": f"note {i} on tea"} for i in range(MANY - 50)]
    items += [{"content": f"expired {i}", "expires_at": "2020-01-01"} for i in range(25)]
    items += [{"content": f"no longer true {i}", "valid_to": "2020-01-01"} for i in range(25)]
    ids = [kept(receipt.id) for receipt in engine.memorize_many(items)]
    for one in ids[:30]:
        engine.archive(one)
    for one in ids[30:60]:
        engine.update(one, importance=8)
    superseded = [line.replace('"status":"active"', '"status":"superseded"') for line in engine.admin.export_lines()]
    engine.admin.import_lines([superseded[0], *superseded[-120:-60]], on_conflict="overwrite")
    engine.memorize("of somebody else", scope="user:bob")


@pytest.mark.parametrize("bench", ["file", "ephemeral, no vectors"], indirect=True)
def test_mem_029_one_call_takes_everything(bench: Bench, ada: Engine) -> None:
    """Expired, archived, superseded and changed ones too; the receipt has the true count, and nothing is left."""
    fill(ada)
    assert ada.count(statuses=["superseded"]) > 0
    told = ada.forget_all("user:ada", dry_run=True)
    receipt = ada.forget_all("user:ada", confirm="user:ada")
    assert told.counts["memories"] == receipt.counts["memories"] == receipt.counts["text_index"] == MANY
    every = ["active", "archived", "superseded", "quarantined"]
    assert ada.count(statuses=every) == ada.list_memories(statuses=every).total == 0
    assert ada.count(statuses=every, as_of="2030-01-01") == 0
    assert ada.recall("note on tea", limit=1000, explain=True).left_out == ()
    assert len(list(ada.admin.export_lines(scope="user:ada"))) == 1
    assert ada.stats().memories == bench.engine("bob").count() == 1
    assert sum(ada.forget_all("user:ada", confirm="user:ada").counts.values()) == 0


def test_mem_029_a_failure_takes_nothing_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that others hold is a typed error; all is there as before, and the same call then takes it all."""
    monkeypatch.setenv("CORTEX_BUSY_SECONDS", "0.2")
    path = tmp_path / "memory.db"
    with Cortex(path, user="ada", embedder=FakeEmbedder()) as cortex:
        cortex.memorize_many(f"note {i} on tea" for i in range(MANY))
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy) as caught:
            cortex.forget_all("user:ada", confirm="user:ada", idempotency_key="k")
        assert caught.value.retryable
        assert cortex.count() == MANY
        holder.execute("ROLLBACK")
        holder.close()
        assert cortex.forget_all("user:ada", confirm="user:ada", idempotency_key="k").counts["memories"] == MANY
        assert cortex.count() == 0


def test_mem_029_what_is_written_meanwhile_is_there_or_not(tmp_path: Path) -> None:
    """A writer beside the erasure loses none of what it was told is kept after it, and leaves no half row."""
    with Cortex(tmp_path / "memory.db", user="ada", embedder=FakeEmbedder()) as cortex:
        cortex.memorize_many(f"note {i} on tea" for i in range(200))
        done = threading.Event()

        def write() -> None:
            for i in range(200):
                cortex.memorize(f"new {i}")
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        erased = cortex.forget_all("user:ada", confirm="user:ada").counts["memories"]
        writer.join()
        assert done.is_set()
        assert cortex.count() == 400 - erased
        assert cortex.health().ok


def test_mem_029_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    """One command, and the export is empty."""
    with Cortex(tmp_path / ".cortex" / "memory.db", user="ada", embedder=FakeEmbedder()) as cortex:
        fill(cortex)
    assert cli("forget-all", "user:ada", "--confirm", "user:ada", "--json").json["counts"]["memories"] == MANY
    assert cli("export", tmp_path / "left.jsonl", "--scope", "user:ada", "--json").json["memories"] == 0
    assert cli("stats", "--json").json["memories"] == 1


# --- MEM-031: whose memories --------------------------------------------------------------------------


def test_mem_031_nobody_else_s_memories_by_default(bench: Bench, ada: Engine) -> None:
    """Each user's questions, lists, times, counts and explanations are of their own scope; no filter widens it."""
    bob = bench.engine("bob")
    for engine, number in ((ada, "41"), (bob, "77")):
        engine.memorize(f"my bicycle code is {number}", event_time="2026-05-31", metadata={"owner": number})
    for engine, mine in ((ada, "41"), (bob, "77")):
        only = [f"my bicycle code is {mine}"]
        answer = engine.recall("bicycle code 41 77", limit=1000, explain=True)
        assert [hit.memory.content for hit in answer.hits] == only
        assert answer.left_out == ()
        assert [memory.content for memory in engine.list_memories().memories] == only
        assert [memory.content for memory in engine.timeline().memories] == only
        other = "bob" if engine is ada else "ada"
        wide: list[dict[str, Any]] = [{"author": other}, {"metadata": {"owner": "77" if mine == "41" else "41"}}]
        for wider in wide:
            assert engine.recall("bicycle code", **wider).hits == ()
            assert engine.count(**wider) == 0
        for unknown in ("user", "user_id", "owner", "scopes", "org_id"):
            with pytest.raises(InvalidInput, match="unknown argument"):
                engine.recall("bicycle code", **{unknown: other})  # type: ignore[arg-type] # that is the point


@pytest.mark.slow
def test_mem_031_over_mcp(tmp_path: Path) -> None:
    """Two servers of two users on one file: neither shows the other's, whatever argument names the other."""
    store = tmp_path / "memory.db"
    with (
        Wire(environment(tmp_path, CORTEX_STORE=store, CORTEX_USER_ID="ada")) as ada,
        Wire(environment(tmp_path, CORTEX_STORE=store, CORTEX_USER_ID="bob")) as bob,
    ):
        for wire, number in ((ada, "41"), (bob, "77")):
            wire.call("memorize", content=f"my bicycle code is {number}", event_time="2026-05-31")
        for wire, mine, other in ((ada, "41", "bob"), (bob, "77", "ada")):
            for tool, more in (("recall", {"query": "bicycle code"}), ("list_memories", {}), ("recall_timeline", {})):
                (memory,) = wire.call(tool, **more)["memories"]
                assert memory["content"] == f"my bicycle code is {mine}"
                for name in ("user", "user_id", "author", "filters"):
                    assert "unknown argument" in wire.refusal(tool, **more, **{name: other})
        assert [wire.end() for wire in (ada, bob)] == [0, 0]
