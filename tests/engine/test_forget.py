from __future__ import annotations

from typing import Any

import pytest

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.errors import AmbiguousId, InvalidId, NotFound
from cortex.testing import Failure, FakeEmbedder
from tests.engine.support import Bench, found, kept

IDS = ["abcd" + "0" * 28, "abcd" + "1" * 28, "abce" + "0" * 28, "0" * 32]


@pytest.fixture
def shelf() -> Engine:
    """An engine with memories whose ids are known."""
    engine = Bench(ids=iter(IDS)).engine()
    engine.memorize_many(f"memory {i}" for i in range(len(IDS)))
    return engine


@pytest.mark.parametrize(
    "written",
    ["abce", "abce0", IDS[2], IDS[2].upper(), "ABCE", f" {IDS[2]}\n", "abce0000-0000-0000-0000-000000000000", "ab-ce"],
)
def test_an_id_or_its_beginning_is_enough(shelf: Engine, written: str) -> None:
    """Dashes, case and outer white space do not matter, nor how much of a unique id is given."""
    assert shelf.forget(written).id == IDS[2]
    assert shelf.get(IDS[2]) is None
    assert shelf.count() == 3


def test_an_ambiguous_beginning_is_refused(shelf: Engine) -> None:
    """A prefix of several memories erases none of them and names them."""
    with pytest.raises(AmbiguousId) as caught:
        shelf.forget("abcd")
    assert set(caught.value.candidates) == set(IDS[:2])
    assert all(candidate in str(caught.value) for candidate in IDS[:2])
    assert shelf.count() == 4
    assert shelf.forget("abcd0").id == IDS[0]


def test_many_candidates_are_cut() -> None:
    """Of many candidates some are named, and that there are more."""
    engine = Bench(ids=(f"abcd{i:028x}" for i in range(100))).engine()
    engine.memorize_many(f"memory {i}" for i in range(100))
    with pytest.raises(AmbiguousId) as caught:
        engine.forget("abcd")
    assert 2 <= len(caught.value.candidates) < 20
    assert "…" in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        "", " ", "abc", "%", "_", "*", "%%%%", "____", "abc_", "abcd%", "abcg", "0" * 33, "-", "----", "'", "ab cd",
        "４３２１", "\0", "\ud800", "memory 1",
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_id_is_refused(shelf: Engine, wrong: str) -> None:
    """Wildcards and everything else that is no beginning of an id erase nothing."""
    for verb in (shelf.forget, shelf.get, lambda given: shelf.update(given, importance=1)):
        with pytest.raises(InvalidId):
            verb(wrong)
    assert shelf.count() == 4


@pytest.mark.parametrize("wrong", [None, 5, True, ["abcd"], b"abcd"], ids=repr)
def test_what_is_no_text_is_refused(shelf: Engine, wrong: Any) -> None:
    """An id is text."""
    with pytest.raises(InvalidId):
        shelf.forget(wrong)


def test_a_second_time_there_is_nothing(shelf: Engine) -> None:
    """Forgetting twice, or what never was, is NotFound."""
    shelf.forget(IDS[3])
    for gone in (IDS[3], "0000", "f" * 32, "ffff"):
        with pytest.raises(NotFound):
            shelf.forget(gone)
        assert shelf.get(gone) is None


def test_the_receipt_counts_every_trace(cortex: Cortex, embedder: FakeEmbedder) -> None:
    """It tells what was erased and how much of each kind."""
    receipt = cortex.memorize("tea")
    erased = cortex.forget(kept(receipt.id))
    assert (erased.verb, erased.id, erased.scope, erased.content_chars) == ("forget", receipt.id, "user:ada", 3)
    assert {name: number for name, number in erased.counts.items() if number} == {
        "memories": 1,
        "vectors": 1,
        "text_index": 1,
    }
    embedder.fail = Failure.RAISE
    pending = cortex.forget(kept(cortex.memorize("milk").id))
    assert (pending.counts["vectors"], pending.counts["jobs"]) == (0, 1)


def test_it_is_gone_from_every_answer(cortex: Cortex) -> None:
    """Recall, listing, timeline, counts and statistics know it no more, and scores are as if it had never been."""
    cortex.memorize_many({"content": f"tea {i}", "event_time": "2023-05-08"} for i in range(5))
    before = [(hit.memory.id, hit.score, hit.parts) for hit in cortex.recall("tea aardvark", limit=50).hits]
    receipt = cortex.memorize("tea and the aardvark", event_time="2023-05-08")
    assert found(cortex.recall("aardvark", limit=1)) == ["tea and the aardvark"]
    cortex.forget(kept(receipt.id))
    after = [(hit.memory.id, hit.score, hit.parts) for hit in cortex.recall("tea aardvark", limit=50).hits]
    assert after == before
    assert cortex.recall("aardvark", explain=True, limit=50).left_out == ()
    assert cortex.count() == cortex.list_memories().total == cortex.timeline().total == cortex.stats().memories == 5


def test_any_status_and_scope_can_be_forgotten(cortex: Cortex) -> None:
    """An id is enough, wherever the memory lives and whether it is recalled or not."""
    away = cortex.memorize("away", scope="project:x")
    old = cortex.memorize("old", expires_at="2020-01-01")
    cortex.memorize("old")
    assert cortex.forget(kept(away.id)).scope == "project:x"
    assert cortex.forget(kept(old.id)).counts["memories"] == 1
    assert cortex.stats().memories == 1
