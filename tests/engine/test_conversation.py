"""Recall with the ranking `conversation`: what turns lend each other, and where it changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex, Recall
from cortex.engine.facade import Engine
from cortex.model.memory import Clearance
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.sqlite.store import SQLiteStore
from tests.engine.support import Bench, found, kept

STORES: list[Callable[[], Any]] = [EphemeralStore, lambda: SQLiteStore(":memory:")]
TALK = [
    ("Ada", "Which café did you like best in Bergen?"),
    ("Grace", "The small one near the harbour, they bake their own bread."),
    ("Ada", "I spent the evening repairing the old radio."),
    ("Grace", "My brother finally sold the boat."),
]


@pytest.fixture(params=STORES, ids=["ephemeral", "sqlite"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """An engine on either store."""
    return Bench(store=request.param()).engine()


def talk(engine: Engine | Cortex, session: str = "s1", **fields: Any) -> list[str]:
    """A conversation of two, a turn a memory; the ids."""
    receipts = engine.memorize_many(
        [
            {"content": text, "speaker": speaker, "session": session, "position": place, **fields}
            for place, (speaker, text) in enumerate(TALK)
        ]
    )
    return [kept(receipt.id) for receipt in receipts]


def said(answer: Recall) -> list[tuple[Any, ...]]:
    """All that hits say, but for the name of the ranking."""
    return [(hit.memory, hit.score, hit.parts) for hit in answer.hits]


def test_notes_are_ranked_as_ever(engine: Engine) -> None:
    """Where no memory is a turn among others, the answer is that of `relevance` to the last digit."""
    engine.memorize_many(["Ada likes green tea", "Bob likes milk?", {"content": "a lonely turn", "session": "s"}])
    for text in ("who likes tea", "milk", "nothing of the kind"):
        assert said(engine.recall(text, ranking="conversation")) == said(engine.recall(text, ranking="relevance"))


def test_an_answer_is_found_by_its_question(engine: Engine) -> None:
    """A turn without a word of the question is lifted by the turn before it, over all that share a word with it."""
    talk(engine)
    engine.memorize_many([{"content": f"Grace did like day {n}", "session": "s2"} for n in range(30)])
    hits = engine.recall("Which café in Bergen did Grace like?", ranking="conversation", limit=4)
    assert found(hits)[:2] == [TALK[0][1], TALK[1][1]]
    plain = engine.recall("Which café in Bergen did Grace like?", limit=4, ranking="relevance")
    assert TALK[1][1] not in found(plain)[:2]


def test_the_parts_say_why(engine: Engine) -> None:
    """Each signal is told, with its rank; scores fall and lie between 0 and 1."""
    talk(engine)
    answer = engine.recall("Which café in Bergen?", ranking="conversation", explain=True)
    assert answer.ranking == "conversation"
    assert answer.legs == ("dense", "lexical_context")
    assert set(answer.hits[0].parts) <= set(answer.legs)
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_what_may_not_be_seen_lends_nothing() -> None:
    """A hidden neighbour moves no score: the answer is as if it were not there."""
    bench = Bench()
    owner, guest = bench.engine(), bench.engine(clearance=Clearance.PUBLIC)
    talk(owner, clearance_min="public")
    asked = "Which secret vault in Zurich?"
    before = said(guest.recall(asked, ranking="conversation"))
    owner.memorize("The secret vault in Zurich is open", session="s1", position=4, clearance_min="restricted")
    after = guest.recall(asked, ranking="conversation")
    assert [(memory.content, parts.get("lexical_context")) for memory, _, parts in said(after)] == [
        (memory.content, parts.get("lexical_context")) for memory, _, parts in before
    ]


def test_changes_are_seen(engine: Engine) -> None:
    """A turn that was reworded stands where it stood; one that was forgotten lends nothing any more."""
    ids = talk(engine)
    engine.recall("café", ranking="conversation")
    engine.update(ids[1], content="The one by the church, they roast their own beans.")
    hits = engine.recall("Which café in Bergen did Grace like?", ranking="conversation", limit=2)
    assert found(hits)[1] == "The one by the church, they roast their own beans."
    engine.forget(ids[0])
    answer = engine.recall("Which café in Bergen?", ranking="conversation")
    assert all(hit.parts["lexical_context"].score == 0 for hit in answer.hits)


def test_filters_scopes_and_the_past(engine: Engine) -> None:
    """It narrows as `relevance` does, searches several scopes, and looks back."""
    talk(engine)
    talk(engine, scope="project:x")
    asked: dict[str, Any] = {"ranking": "conversation", "limit": 20}
    both = engine.recall("café in Bergen", scope=["user:ada", "project:x"], **asked)
    assert len(both.hits) == 2 * len(TALK)
    only = engine.recall("café in Bergen", speaker="Grace", **asked)
    assert {hit.memory.speaker for hit in only.hits} == {"Grace"}
    instant = both.hits[0].memory.created_at
    assert set(found(engine.recall("café in Bergen", as_of=instant, **asked))) == {text for _, text in TALK}
    assert engine.recall("café", scope="project:empty", **asked).hits == ()


def test_token_vectors_are_a_leg_with_the_model_that_ships() -> None:
    """The local model gives them, they are kept, and a paraphrase is found by them."""
    with Cortex(":memory:") as cortex:
        for place, (speaker, text) in enumerate(TALK):
            cortex.memorize(text, speaker=speaker, session="s1", position=place)
        answer = cortex.recall("Who sold a ship?", ranking="conversation", limit=1)
        assert "late_context" in answer.legs
        assert answer.hits[0].memory.content == TALK[3][1]
        assert answer.hits[0].parts["late_context"].rank == 1


def test_token_vectors_leave_and_enter_with_the_memory(tmp_path: Path) -> None:
    """An export has them to the bit, an import searches by them, and what is none is refused by its line."""
    with Cortex(tmp_path / "one.db") as cortex:
        talk(cortex)
        lines = list(cortex.admin.export_lines())
    with Cortex(tmp_path / "two.db") as other:
        assert other.admin.import_lines(iter(lines)).refused == ()
        assert list(other.admin.export_lines()) == lines
        assert "late_context" in other.recall("Who sold a ship?", ranking="conversation").legs
    for tokens, width in (("AAAA", 64), ("no base64", 64), (7, 64), ("AAAA", 0), ("AAAA", None), ("AAAA" * 200, 3)):
        broken = json.loads(lines[1])
        broken["embedding"] |= {"tokens": tokens, "token_width": width}
        with Cortex(":memory:") as third:
            assert len(third.admin.import_lines([lines[0], json.dumps(broken)]).refused) == 1
