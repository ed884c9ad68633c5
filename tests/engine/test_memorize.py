from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cortex import Clearance, Cortex, Draft, Kind, Role, Scope, Status, Tier
from cortex.errors import IdempotencyConflict, InvalidInput
from cortex.testing import Failure, FakeEmbedder
from tests.engine.support import Bench, found, kept


class TestMemorize:
    def test_defaults(self, cortex: Cortex) -> None:
        """A text alone becomes an active long-term fact of importance 5 in the user's own scope, ready at once."""
        receipt = cortex.memorize("Ada prefers tea")
        memory = cortex.get(kept(receipt.id))
        assert memory is not None
        assert (receipt.verb, receipt.scope, receipt.version) == ("memorize", "user:ada", 1)
        assert (receipt.deduplicated, receipt.pending, receipt.error) == (False, False, None)
        assert receipt.content_chars == receipt.embedded_chars == len("Ada prefers tea")
        assert (memory.kind, memory.tier, memory.status) == (Kind.FACT, Tier.LONG_TERM, Status.ACTIVE)
        assert (memory.importance, memory.emotion, memory.confidence) == (5, None, 1.0)
        assert (memory.author, memory.scope, memory.version) == ("ada", Scope("user:ada"), 1)
        assert (memory.speaker, memory.session, memory.position, memory.event_time) == (None,) * 4
        assert memory.clearance_min is Clearance.INTERNAL
        assert len(memory.id) == 32
        assert memory.created_at == memory.updated_at
        assert memory.created_at.tzinfo is UTC

    def test_everything_that_is_said_is_kept(self, cortex: Cortex) -> None:
        """Each field comes back as it was given, texts as they were written."""
        given: dict[str, Any] = {
            "kind": "DECISION",
            "tags": ["Alpha", "b_c", "Alpha"],
            "scope": "project:Apollo.11-a",
            "speaker": "Grace",
            "role": "assistant",
            "session": "s-1",
            "position": 7,
            "event_time": "2023-05-08T13:56:00+02:00",
            "metadata": {"a": [1, 2.5, None, {"b": True}]},
            "importance": 9,
            "confidence": 0.25,
            "tier": "working",
            "agent": "coder",
            "source": {"url": "https://example.com"},
            "clearance_min": "restricted",
            "valid_from": "2020-01-01",
            "valid_to": "2199-01-01",
            "expires_at": "2199-01-01T00:00:00.000001Z",
        }
        memory = cortex.get(kept(cortex.memorize("  Straße \u00e9 e\u0301\r\n", **given).id))
        assert memory is not None
        assert memory.content == "  Straße \u00e9 e\u0301\r\n"
        assert (memory.kind, memory.tags, memory.scope.key) == (Kind.DECISION, ("Alpha", "b_c"), "project:Apollo.11-a")
        assert (memory.speaker, memory.role, memory.session) == ("Grace", Role.ASSISTANT, "s-1")
        assert (memory.position, memory.importance, memory.confidence) == (7, 9, 0.25)
        assert (memory.tier, memory.agent, memory.clearance_min) == (Tier.WORKING, "coder", Clearance.RESTRICTED)
        assert memory.event_time == datetime(2023, 5, 8, 11, 56, tzinfo=UTC)
        assert memory.metadata == given["metadata"]
        assert memory.source == given["source"]
        assert memory.valid_from == datetime(2020, 1, 1, tzinfo=UTC)
        assert memory.expires_at == datetime(2199, 1, 1, microsecond=1, tzinfo=UTC)

    def test_a_long_text_says_how_much_is_embedded(self, cortex: Cortex) -> None:
        """Of a text beyond 20,000 characters the rest is found by its words."""
        receipt = cortex.memorize("filler words here. " * 2000 + "xylophone")
        assert receipt.content_chars == 38_009
        assert receipt.embedded_chars == 20_000
        assert "lexical" in cortex.recall("xylophone").hits[0].parts


BASE: dict[str, Any] = {
    "kind": "fact",
    "session": "s",
    "speaker": "Ada",
    "position": 1,
    "event_time": "2023-05-08",
}


class TestDuplicates:
    @pytest.mark.parametrize("text", ["Ada prefers tea", "ada  PREFERS\n tea ", "Ａｄａ prefers tea"])
    def test_an_equal_text_is_kept_once(self, cortex: Cortex, text: str) -> None:
        """Case, white space and Unicode form make no new memory; the answer has the surviving id."""
        first = cortex.memorize("Ada prefers tea")
        again = cortex.memorize(text)
        assert again.deduplicated
        assert again.id == first.id
        assert again.pending is False
        assert cortex.count() == 1

    @pytest.mark.parametrize(
        "other",
        [
            {"kind": "event"},
            {"session": "t"},
            {"speaker": "Bob"},
            {"position": 2},
            {"event_time": "2023-05-09"},
            {"session": None},
            {"speaker": None},
            {"position": None},
            {"event_time": None},
        ],
        ids=str,
    )
    def test_another_circumstance_is_another_memory(self, cortex: Cortex, other: dict[str, Any]) -> None:
        """The same words in another kind, session, place, mouth or time are a memory of their own."""
        first = cortex.memorize("yes", **BASE)
        second = cortex.memorize("yes", **(BASE | other))
        assert not second.deduplicated
        assert second.id != first.id
        assert cortex.memorize("yes", **BASE).deduplicated

    @pytest.mark.parametrize("other", [{"tags": ["x"]}, {"importance": 9}, {"metadata": {"a": 1}}, {"role": "user"}])
    def test_a_detail_makes_no_new_memory(self, cortex: Cortex, other: dict[str, Any]) -> None:
        """Tags, importance, metadata and role do not tell two equal memories apart; the first ones stay."""
        first = cortex.memorize("yes", **BASE)
        second = cortex.memorize("yes", **(BASE | other))
        assert second.deduplicated
        memory = cortex.get(kept(second.id))
        assert memory is not None
        assert memory.id == first.id
        assert (memory.tags, memory.importance, memory.metadata) == ((), 5, {})

    def test_scopes_do_not_share(self, cortex: Cortex) -> None:
        """The same text in another scope is another memory."""
        assert cortex.memorize("yes").id != cortex.memorize("yes", scope="project:x").id

    def test_a_forgotten_text_can_be_told_again(self, cortex: Cortex) -> None:
        """What was erased is no duplicate."""
        first = cortex.memorize("yes")
        cortex.forget(kept(first.id))
        assert not cortex.memorize("yes").deduplicated

    @pytest.mark.parametrize("field", ["expires_at", "valid_to"])
    def test_a_memory_that_ran_out_gives_way(self, field: str) -> None:
        """Once it can no longer be recalled, an equal text is a new memory that can; the old one is archived."""
        bench = Bench()
        cortex = bench.engine()
        end = bench.clock.now() + timedelta(hours=1)
        first = cortex.memorize("the code is 4711", **{field: end})  # type: ignore[arg-type] # one of two times
        assert cortex.memorize("the code is 4711").deduplicated
        bench.clock.tick(timedelta(hours=1))
        assert cortex.recall("code").hits == ()
        second = cortex.memorize("the code is 4711")
        assert not second.deduplicated
        assert [hit.memory.id for hit in cortex.recall("code").hits] == [second.id]
        old = cortex.get(kept(first.id))
        assert old is not None
        assert old.status is Status.ARCHIVED
        assert cortex.memorize("the code is 4711").id == second.id

    def test_a_duplicate_of_a_pending_memory_is_pending(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """The receipt tells the state of the survivor."""
        embedder.fail = Failure.RAISE
        cortex.memorize("yes")
        embedder.fail = None
        again = cortex.memorize("yes")
        assert (again.deduplicated, again.pending, again.embedded_chars) == (True, True, 0)

    def test_an_embedding_is_not_paid_twice(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """A duplicate is not sent to the model."""
        cortex.memorize("yes")
        calls = len(embedder.calls)
        cortex.memorize("yes")
        assert len(embedder.calls) == calls


class TestMany:
    def test_receipts_stand_in_order(self, cortex: Cortex) -> None:
        """1,200 items of a generator are all kept, each answered in its place, with rising seqs."""
        receipts = cortex.memorize_many(f"number {i}" for i in range(1200))
        assert len(receipts) == 1200
        assert all(receipt.error is None and not receipt.deduplicated for receipt in receipts)
        memories = [cortex.get(kept(receipts[i].id)) for i in (0, 499, 500, 999, 1000, 1199)]
        assert [m.content for m in memories if m] == [f"number {i}" for i in (0, 499, 500, 999, 1000, 1199)]
        seqs = [m.seq for m in memories if m]
        assert seqs == sorted(seqs)
        assert cortex.count() == 1200

    def test_items_of_every_form(self, cortex: Cortex) -> None:
        """Texts, mappings and drafts may be mixed."""
        draft = Draft(content="three", scope=Scope("project:x"), kind=Kind.EVENT)
        receipts = cortex.memorize_many(["one", {"content": "two", "tags": ["t"]}, draft])
        memories = [cortex.get(kept(receipt.id)) for receipt in receipts]
        assert [(m.content, m.kind, m.tags, m.scope.key) for m in memories if m] == [
            ("one", "fact", (), "user:ada"),
            ("two", "fact", ("t",), "user:ada"),
            ("three", "event", (), "project:x"),
        ]

    def test_a_refused_item_harms_no_other(self, cortex: Cortex) -> None:
        """Blank, misspelt, mistyped and impossible items have their error in their place."""
        items: list[Any] = [
            "first", "  ", {"content": "x", "tagz": ["a"]}, {"kind": "fact"}, 42, None, {"content": "x", "kind": "?"},
            {"content": "x", "importance": 11}, "nul \0", "half \ud800", {"content": None}, "last",
        ]  # fmt: skip
        receipts = cortex.memorize_many(items)
        assert [receipt.error is None for receipt in receipts] == [True, *[False] * 10, True]
        assert all(r.id is None and r.error_code == "invalid_input" for r in receipts[1:-1])
        assert "did you mean 'tags'" in str(receipts[2].error)
        assert cortex.count() == 2

    def test_equal_items_are_kept_once(self, cortex: Cortex) -> None:
        """A repetition within the list names the first one, also across commits."""
        receipts = cortex.memorize_many(["same", *(f"number {i}" for i in range(600)), "same", "SAME"])
        assert [receipt.deduplicated for receipt in (receipts[0], *receipts[-2:])] == [False, True, True]
        assert len({receipts[0].id, receipts[-1].id, receipts[-2].id}) == 1

    def test_nothing_is_nothing(self, cortex: Cortex) -> None:
        """An empty list has no receipts."""
        assert cortex.memorize_many([]) == []

    def test_equal_texts_are_embedded_once(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """A list is one call of the embedder a commit, and each text is in it once."""
        cortex.memorize_many({"content": "yes", "position": i} for i in range(10))
        assert embedder.calls == [("yes",)]

    def test_a_single_text_is_no_list(self, cortex: Cortex) -> None:
        """A text in the place of a list is refused."""
        with pytest.raises(InvalidInput):
            cortex.memorize_many("remember me")
        assert cortex.count() == 0

    @pytest.mark.parametrize(
        "wrong",
        [
            {"content": " "},
            {"content": "half \ud800"},
            {"content": "nul \0"},
            {"content": "x" * 1_000_001},
            {"importance": 11},
            {"confidence": 2.0},
            {"tags": tuple("abcdefghijklm")},
            {"metadata": {"a": float("nan")}},
        ],
        ids=lambda wrong: next(iter(wrong)) + str(wrong)[-12:],
    )
    def test_a_draft_is_read_like_everything_else(self, cortex: Cortex, wrong: dict[str, Any]) -> None:
        """A draft that cannot be kept is refused with its error, and the item beside it is kept."""
        given: dict[str, Any] = {"content": "fine", "scope": Scope("user:ada")}
        draft = Draft(**(given | wrong))
        receipts = cortex.memorize_many([draft, "beside"])
        assert [receipt.error is None for receipt in receipts] == [False, True]


class TestIdempotency:
    def test_the_same_request_gets_the_same_receipt(self, cortex: Cortex) -> None:
        """A key repeats its receipt, however often, and writes once."""
        first = cortex.memorize("tea", idempotency_key="k1", tags=["a"])
        assert cortex.memorize("tea", idempotency_key="k1", tags=["a"]) == first
        assert cortex.memorize("tea", idempotency_key="k1", tags=["a"]) == first
        assert cortex.count() == 1

    def test_it_stays_the_same_when_time_goes_on(self, cortex: Cortex, embedder: FakeEmbedder) -> None:
        """The receipt is that of the first time, though the owed vectors came meanwhile."""
        embedder.fail = Failure.RAISE
        first = cortex.memorize("tea", idempotency_key="k1")
        assert first.pending
        embedder.fail = None
        cortex.update(kept(first.id), importance=9)
        assert cortex.memorize("tea", idempotency_key="k1") == first

    def test_a_duplicate_s_receipt_is_repeated(self, cortex: Cortex) -> None:
        """A key whose first answer named a survivor names it again."""
        cortex.memorize("tea")
        first = cortex.memorize("tea", idempotency_key="k1")
        assert first.deduplicated
        assert cortex.memorize("tea", idempotency_key="k1") == first

    @pytest.mark.parametrize("other", [{"content": "coffee"}, {"tags": ["b"]}, {"importance": 1}, {"scope": "global"}])
    def test_another_request_is_a_conflict(self, cortex: Cortex, other: dict[str, Any]) -> None:
        """One key for two different requests is an error, and nothing is written."""
        cortex.memorize("tea", idempotency_key="k1", tags=["a"])
        request: dict[str, Any] = {"content": "tea", "tags": ["a"]} | other
        with pytest.raises(IdempotencyConflict):
            cortex.memorize(**request, idempotency_key="k1")
        assert cortex.count(scope=["user:ada", "global"]) == 1

    def test_a_forgotten_memory_does_not_come_back(self, cortex: Cortex) -> None:
        """A key whose memory was erased is refused for every text: nothing comes back, and nothing is swallowed."""
        first = cortex.memorize("tea", idempotency_key="k1")
        cortex.forget(kept(first.id))
        for text in ("tea", "a completely different text"):
            with pytest.raises(IdempotencyConflict, match="forgotten"):
                cortex.memorize(text, idempotency_key="k1")
        assert cortex.count() == 0

    def test_in_a_list_the_conflict_is_the_item_s(self, cortex: Cortex) -> None:
        """A conflict stands in its receipt, the other items are kept."""
        items = [{"content": text, "idempotency_key": key} for text, key in (("a", "1"), ("b", "1"), ("c", "2"))]
        receipts = cortex.memorize_many(items)
        assert [receipt.error_code for receipt in receipts] == [None, "idempotency_conflict", None]
        assert cortex.count() == 2

    def test_a_list_can_be_sent_again(self, cortex: Cortex) -> None:
        """The repetition of a whole list gives the same receipts."""
        items = [{"content": f"number {i}", "idempotency_key": f"k{i}"} for i in range(20)]
        assert cortex.memorize_many(items) == cortex.memorize_many(items)
        assert cortex.count() == 20

    def test_a_key_belongs_to_its_user(self) -> None:
        """Two users of one store may use the same key."""
        bench = Bench()
        one = bench.engine("ada").memorize("tea", idempotency_key="k1")
        two = bench.engine("bob").memorize("coffee", idempotency_key="k1")
        assert one.id != two.id
        assert found(bench.engine("bob").recall("coffee")) == ["coffee"]
