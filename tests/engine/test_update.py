from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cortex import Clearance, Cortex, Kind, Memory, Tier
from cortex.errors import InvalidInput, NotFound
from tests.engine.support import Bench, by_words, found, kept

FULL: dict[str, Any] = {
    "kind": "decision",
    "tags": ["a", "b"],
    "speaker": "Grace",
    "role": "user",
    "session": "s",
    "position": 3,
    "event_time": "2023-05-08",
    "metadata": {"k": 1},
    "importance": 8,
    "confidence": 0.5,
    "tier": "working",
    "agent": "coder",
    "source": {"file": "x"},
    "clearance_min": "confidential",
    "valid_from": "2020-01-01",
    "valid_to": "2199-01-01",
    "expires_at": "2199-01-01",
}
# What a field is after it was cleared.
CLEARED: dict[str, Any] = {
    "kind": Kind.FACT,
    "tags": (),
    "speaker": None,
    "role": None,
    "session": None,
    "position": None,
    "event_time": None,
    "metadata": {},
    "importance": 5,
    "confidence": 1.0,
    "tier": Tier.LONG_TERM,
    "source": {},
    "clearance_min": Clearance.INTERNAL,
    "valid_from": None,
    "valid_to": None,
    "expires_at": None,
}


def stored(cortex: Any, memory_id: str | None) -> Memory:
    """The memory as it is now."""
    memory = cortex.get(memory_id)
    assert isinstance(memory, Memory)
    return memory


def fields(memory: Memory) -> dict[str, Any]:
    """Every field by name."""
    return {name: getattr(memory, name) for name in memory.__dataclass_fields__}


@pytest.mark.parametrize("name", CLEARED)
def test_none_clears_one_field_and_keeps_the_rest(cortex: Cortex, name: str) -> None:
    """A field that is given as None goes back to its default, and no other field changes."""
    receipt = cortex.memorize("Ada prefers tea", **FULL)
    before = stored(cortex, receipt.id)
    given: dict[str, Any] = {name: None}
    assert cortex.update(kept(receipt.id), **given).version == 2
    after = stored(cortex, receipt.id)
    changed = {key for key, value in fields(after).items() if fields(before)[key] != value}
    assert changed == {name, "version", "updated_at"}
    assert getattr(after, name) == CLEARED[name]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("content", "Ada prefers coffee", "Ada prefers coffee"),
        ("kind", "event", Kind.EVENT),
        ("tags", ["c"], ("c",)),
        ("speaker", "Bob", "Bob"),
        ("session", "t", "t"),
        ("position", 0, 0),
        ("event_time", "2024-01-01T01:00+01:00", datetime(2024, 1, 1, tzinfo=UTC)),
        ("metadata", {"other": None}, {"other": None}),
        ("importance", 1, 1),
        ("tier", "session", Tier.SESSION),
        ("clearance_min", 0, Clearance.PUBLIC),
        ("agent", "writer", "writer"),
    ],
)
def test_what_is_given_is_changed(cortex: Cortex, name: str, value: Any, expected: Any) -> None:
    """A given field has its new value, and the memory keeps its id, seq, author and time of writing."""
    receipt = cortex.memorize("Ada prefers tea", **FULL)
    before = stored(cortex, receipt.id)
    given: dict[str, Any] = {name: value}
    cortex.update(kept(receipt.id), **given)
    after = stored(cortex, receipt.id)
    assert getattr(after, name) == expected
    assert (after.id, after.seq, after.author) == (before.id, before.seq, before.author)
    assert after.created_at == before.created_at
    assert after.updated_at >= before.updated_at


def test_a_scope_is_changed_or_refused(cortex: Cortex) -> None:
    """A memory moves to the scope that is given, or the change is refused: it is not passed over."""
    receipt = cortex.memorize("Ada prefers tea")
    try:
        cortex.update(kept(receipt.id), scope="project:x")
    except InvalidInput:
        return
    assert stored(cortex, receipt.id).scope.key == "project:x"
    assert found(cortex.recall("tea", scope="project:x")) == ["Ada prefers tea"]
    assert cortex.recall("tea").hits == ()
    assert len(cortex.recall("tea", scope=["user:ada", "project:x"]).hits) == 1


def test_search_follows_at_once(cortex: Cortex) -> None:
    """The new words and the new meaning hit, the old ones do not."""
    receipt = cortex.memorize("the aardvark sleeps", speaker="Grace")
    cortex.memorize("something else entirely")
    cortex.recall("aardvark")
    cortex.update(kept(receipt.id), content="a zebra runs", speaker="Heidi")
    assert by_words(cortex.recall("aardvark Grace")) == set()
    assert by_words(cortex.recall("zebra")) == by_words(cortex.recall("Heidi")) == {"a zebra runs"}
    assert cortex.recall("Heidi: a zebra runs").hits[0].parts["dense"].score == pytest.approx(1.0)
    assert cortex.recall("Grace: the aardvark sleeps").hits[0].parts["dense"].score < 0.9


def test_a_memory_that_ran_out_can_be_prolonged() -> None:
    """Validity and expiry can be changed after the fact, and recall follows."""
    bench = Bench()
    cortex = bench.engine()
    receipt = cortex.memorize("tea", expires_at=bench.clock.now() + timedelta(hours=1))
    bench.clock.tick(timedelta(hours=2))
    assert cortex.recall("tea").hits == ()
    cortex.update(kept(receipt.id), expires_at=None)
    assert found(cortex.recall("tea")) == ["tea"]
    cortex.update(kept(receipt.id), valid_to=bench.clock.now())
    assert cortex.recall("tea").hits == ()


def test_a_prefix_will_do_and_the_receipt_tells(cortex: Cortex) -> None:
    """The receipt has the whole id, the new version and the size."""
    receipt = cortex.memorize("tea")
    updated = cortex.update(kept(receipt.id)[:8], content="green tea")
    assert (updated.verb, updated.id, updated.version) == ("update", receipt.id, 2)
    assert (updated.content_chars, updated.pending, updated.scope) == (9, False, "user:ada")
    assert cortex.update(kept(receipt.id), importance=9).version == 3


def test_it_may_not_repeat_another_memory(cortex: Cortex) -> None:
    """A text that another memory has already is refused with that one's id, and nothing changes."""
    one, two = cortex.memorize("tea"), cortex.memorize("milk")
    with pytest.raises(InvalidInput, match=kept(one.id)):
        cortex.update(kept(two.id), content="TEA")
    assert stored(cortex, two.id).content == "milk"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"content": None},
        {"content": " "},
        {"content": "nul \0"},
        {"content": 5},
        {"kind": "opinion"},
        {"importance": 0},
        {"importance": True},
        {"confidence": 1.5},
        {"tags": ["t"] * 3 + [" "]},
        {"position": -1},
        {"metadata": {"a": {1, 2}}},
        {"valid_from": "2030-01-01", "valid_to": "2029-01-01"},
        {"author": "bob"},
        {"id": "x"},
        {"version": 3},
    ],
    ids=str,
)
def test_a_wrong_change_is_refused(cortex: Cortex, wrong: dict[str, Any]) -> None:
    """Nothing to do, a wrong value or an unknown field is an error, and the memory stays as it is."""
    receipt = cortex.memorize("tea")
    before = stored(cortex, receipt.id)
    with pytest.raises(InvalidInput):
        cortex.update(kept(receipt.id), **wrong)
    assert stored(cortex, receipt.id) == before


def test_what_is_not_there_cannot_be_changed(cortex: Cortex) -> None:
    """An unknown id is NotFound."""
    with pytest.raises(NotFound):
        cortex.update("abcd" * 8, content="tea")


def test_changes_at_once_are_all_kept() -> None:
    """A change that was overtaken by another is made on top of it."""
    bench = Bench()
    cortex = bench.engine()
    receipt = cortex.memorize("tea", tags=["a"])
    other = bench.engine()
    deps = cortex._deps
    real = deps.embedder.embed
    overtaken = False

    def embed(texts: Any) -> Any:
        nonlocal overtaken
        if not overtaken:
            overtaken = True
            other.update(kept(receipt.id), importance=9)
        return real(texts)

    deps.embedder.embed = embed  # type: ignore[method-assign] # the moment between reading and writing
    cortex.update(kept(receipt.id), tags=["b"])
    memory = stored(cortex, receipt.id)
    assert (memory.tags, memory.importance, memory.version) == (("b",), 9, 3)
