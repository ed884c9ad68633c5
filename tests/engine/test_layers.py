"""The layers of the write path: each on, off, and switched on later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cortex.engine.facade import Engine
from cortex.errors import InvalidInput, NotFound
from cortex.model.conflict import ConflictState
from cortex.model.layers import ALL, OFF, Layers, Thresholds
from cortex.model.memory import Kind, Status
from cortex.ports import Store
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import Failure, FakeEmbedder
from tests.engine.support import Bench, found, kept

# The fake embedder's cosine is about the share of words in common.
NEAR = Thresholds(dedup=0.3, soft_update=0.3, link=0.3, sure=0.5)


@pytest.fixture(params=[EphemeralStore, None], ids=["ephemeral", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Both stores of this process."""
    made: Store = EphemeralStore() if request.param else SQLiteStore(tmp_path / "memory.db")
    yield made
    made.close()


@pytest.fixture
def engine(store: Store) -> Callable[..., Engine]:
    """Makes an engine with these layers on the same store."""
    ids = (f"{number:032x}" for number in count(1))

    def make(layers: Layers = OFF, **fields: Any) -> Engine:
        given: dict[str, Any] = {"store": store, "ids": ids, "layers": layers, "thresholds": NEAR}
        return Bench(**(given | fields)).engine()

    return make


def named(*names: str) -> Layers:
    """Only these layers."""
    return Layers(**dict.fromkeys(names, True))


class Counting:
    """A store that counts its calls, side doors included."""

    def __init__(self, inner: Any, calls: list[str], prefix: str = "") -> None:
        self._inner, self._calls, self._prefix = inner, calls, prefix

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if not callable(value):
            return Counting(value, self._calls, f"{name}.")

        def call(*args: Any, **kwargs: Any) -> Any:
            self._calls.append(self._prefix + name)
            return value(*args, **kwargs)

        return call


class TestOff:
    """Nothing is done that was not asked for."""

    def test_a_write_is_one_embedding_and_one_commit(self) -> None:
        """And a recall asks nothing that the layers keep, whether they are on or off."""
        calls: list[str] = []
        embedder = FakeEmbedder()
        bench = Bench(store=Counting(EphemeralStore(), calls), embedder=embedder)
        cortex = bench.engine()
        cortex.memorize("Ada works at Acme in Rome")
        assert calls.count("apply") == 1
        assert not [call for call in calls if call.startswith("knowledge")]
        with_layers = replace(bench, layers=ALL).engine()
        with_layers.memorize("Bob works at Acme in Paris")
        assert [call for call in calls if call.startswith("knowledge")]
        calls.clear()
        for ranking in ("relevance", "conversation"):
            with_layers.recall("who works at Acme?", ranking=ranking)
        assert not [call for call in calls if call.startswith("knowledge")]

    def test_recall_is_the_same_bytes(self, store: Store) -> None:
        """Where nothing repeats or contradicts, the layers change no answer of `relevance`."""
        texts = ["Ada works at Acme in Rome", "The deploy script is deploy.sh", "We met on 2024-05-01 in Paris"]
        answers = []
        for layers in (OFF, ALL):
            bench = Bench(store=EphemeralStore(), layers=layers, thresholds=NEAR)
            cortex = bench.engine()
            ids = [kept(cortex.memorize(text).id) for text in texts]
            hits = [cortex.recall(query, ranking="relevance").hits for query in ("Acme", "deploy script", "Paris")]
            order = [[(ids.index(hit.memory.id), hit.score, hit.parts) for hit in found] for found in hits]
            answers.append(order)
        assert answers[0] == answers[1]

    def test_nothing_is_read(self, engine: Callable[..., Engine], store: Store) -> None:
        """The memory has its defaults, and there is nothing beside it."""
        cortex = engine()
        memory = cortex.get(kept(cortex.memorize("I prefer tea, always").id))
        assert memory is not None
        assert (memory.kind, memory.importance, memory.tags, memory.said) == (Kind.FACT, 5, (), ())
        assert store.knowledge.readings([memory.seq]) == {}
        about = cortex.graph.recall_about("tea")
        assert (about.entity, "CORTEX_GRAPH" in about.note) == (None, True)


class TestClassify:
    """Kind, importance and tags that nobody said."""

    def test_it_fills_in_what_is_not_said(self, engine: Callable[..., Engine]) -> None:
        """And leaves what is."""
        cortex = engine(named("classify"))
        read = cortex.get(kept(cortex.memorize("I prefer dark mode in every editor").id))
        said = cortex.get(kept(cortex.memorize("I prefer light mode at noon", kind="fact", importance=2).id))
        assert read is not None
        assert said is not None
        assert (read.kind, read.said) == (Kind.PREFERENCE, ())
        assert (said.kind, said.importance, said.said) == (Kind.FACT, 2, ("kind", "importance"))

    def test_the_same_text_is_one_memory(self, engine: Callable[..., Engine]) -> None:
        """Whether the layer was on or off when it came first."""
        first = kept(engine().memorize("I prefer tea").id)
        assert engine(named("classify")).memorize("I prefer tea").id == first

    def test_an_update_is_read_again(self, engine: Callable[..., Engine]) -> None:
        """What nobody said follows the new text."""
        cortex = engine(named("classify"))
        id_ = kept(cortex.memorize("I prefer dark mode in every editor").id)
        cortex.update(id_, content="We decided to use Postgres for the billing service")
        memory = cortex.get(id_)
        assert memory is not None
        assert memory.kind is Kind.DECISION


class TestDedup:
    """What says the same is not kept again."""

    @pytest.mark.parametrize("again", ["The port of the API is 8080", "please note: the API port is now 8080."])
    def test_the_same_in_other_words(self, engine: Callable[..., Engine], again: str) -> None:
        """The survivor's id is answered, and nothing is added."""
        cortex = engine(named("dedup"))
        first = cortex.memorize("The API port is 8080")
        receipt = cortex.memorize(again)
        assert (receipt.id, receipt.deduplicated) == (first.id, True)
        assert cortex.count() == 1

    @pytest.mark.parametrize(
        "other",
        ["The API port is 8081", "The API port is not 8080", "The API port was 8080", "The admin port is 8080"],
    )
    def test_something_else_is_kept(self, engine: Callable[..., Engine], other: str) -> None:
        """A number, a word of denial or time, another name."""
        cortex = engine(named("dedup"))
        cortex.memorize("The API port is 8080")
        assert cortex.memorize(other).deduplicated is False
        assert cortex.count() == 2

    def test_who_said_it_counts(self, engine: Callable[..., Engine]) -> None:
        """The same words of somebody else, or at another time, are another memory."""
        cortex = engine(named("dedup"))
        cortex.memorize("The API port is 8080", speaker="Ada")
        assert not cortex.memorize("The port of the API is 8080", speaker="Bob").deduplicated
        assert not cortex.memorize("The port of the API is 8080", event_time="2020-01-01", speaker="Ada").deduplicated
        assert not cortex.memorize("The port of the API is 8080", scope="project:x", speaker="Ada").deduplicated

    def test_within_one_list(self, engine: Callable[..., Engine]) -> None:
        """The second of a list may repeat the first."""
        cortex = engine(named("dedup"))
        receipts = cortex.memorize_many(["The API port is 8080", "The port of the API is 8080", "tea"])
        assert [receipt.deduplicated for receipt in receipts] == [False, True, False]

    def test_a_key_repeats_the_receipt(self, engine: Callable[..., Engine]) -> None:
        """Also that of a text that was there already; another text under the key is refused."""
        cortex = engine(named("dedup"))
        first = cortex.memorize("The API port is 8080")
        receipts = [cortex.memorize("The port of the API is 8080", idempotency_key="k") for _ in range(2)]
        assert receipts[0] == receipts[1]
        assert (receipts[0].id, receipts[0].deduplicated) == (first.id, True)


class TestConflict:
    """What contradicts a memory takes its place, or waits."""

    OLD, NEW = "The nightly backup takes 40 minutes", "The nightly backup takes 25 minutes"

    def test_the_newer_takes_the_place(self, engine: Callable[..., Engine]) -> None:
        """Both say so; erasing the newer one brings the older back."""
        cortex = engine(named("conflict"))
        old = kept(cortex.memorize(self.OLD).id)
        receipt = cortex.memorize(self.NEW)
        assert receipt.superseded == (old,)
        memory, other = cortex.get(old), cortex.get(kept(receipt.id))
        assert memory is not None
        assert other is not None
        assert (memory.status, memory.superseded_by, other.supersedes) == (Status.SUPERSEDED, receipt.id, (old,))
        assert "minutes" in other.links[0].reason
        assert found(cortex.recall("how long does the backup take?")) == [self.NEW]
        (conflict,) = cortex.conflicts.list_conflicts(states="auto_resolved")
        assert (conflict.older, conflict.newer) == (old, receipt.id)
        cortex.forget(kept(receipt.id))
        assert found(cortex.recall("how long does the backup take?")) == [self.OLD]
        assert cortex.conflicts.list_conflicts(states=list(ConflictState)) == []

    def test_what_is_not_sure_waits(self, engine: Callable[..., Engine]) -> None:
        """Both stay, and somebody decides; the loser can come back."""
        cortex = engine(named("conflict"), thresholds=replace(NEAR, sure=1.1))
        old = kept(cortex.memorize(self.OLD).id)
        receipt = cortex.memorize(self.NEW)
        assert (receipt.superseded, receipt.conflicts) == ((), (old,))
        (conflict,) = cortex.conflicts.list_conflicts()
        assert cortex.conflicts.resolve_conflict(conflict.id[:8], "keep_older").superseded == (receipt.id,)
        assert found(cortex.recall("how long does the backup take?")) == [self.OLD]
        assert cortex.conflicts.list_conflicts() == []
        with pytest.raises(NotFound, match="no conflict that can be decided"):
            cortex.conflicts.resolve_conflict(conflict.id, "keep_both")
        (decided,) = cortex.conflicts.list_conflicts(states="resolved")
        assert decided.decided_by == "ada"

    def test_both_may_be_kept(self, engine: Callable[..., Engine]) -> None:
        """What was settled without anybody can be taken back."""
        cortex = engine(named("conflict"))
        cortex.memorize(self.OLD)
        cortex.memorize(self.NEW)
        (conflict,) = cortex.conflicts.list_conflicts(states="auto_resolved")
        cortex.conflicts.resolve_conflict(conflict.id, "keep_both")
        assert cortex.count() == 2
        with pytest.raises(InvalidInput, match="keep_newer"):
            cortex.conflicts.resolve_conflict(conflict.id, "keep_none")

    def test_an_official_word_is_not_displaced(self, engine: Callable[..., Engine]) -> None:
        """What is said by less authority is kept out of recall from the start, and says why."""
        cortex = engine(named("conflict"))
        official = kept(cortex.memorize(self.OLD, source={"type": "official"}).id)
        receipt = cortex.memorize(self.NEW, role="assistant")
        assert (receipt.superseded, receipt.superseded_by) == ((), official)
        assert found(cortex.recall("how long does the backup take?")) == [self.OLD]
        cortex.forget(official)
        assert found(cortex.recall("how long does the backup take?")) == [self.NEW]

    def test_what_held_earlier_yields(self, engine: Callable[..., Engine]) -> None:
        """A fact of an earlier time does not displace one of a later time, whenever it is told."""
        cortex = engine(named("conflict"))
        new = kept(cortex.memorize(self.NEW, valid_from="2024-01-01").id)
        assert cortex.memorize(self.OLD, valid_from="2020-01-01").superseded_by == new

    def test_an_update_is_judged(self, engine: Callable[..., Engine]) -> None:
        """A new text of a memory may take the place of another memory."""
        cortex = engine(named("conflict"))
        old = kept(cortex.memorize(self.OLD).id)
        other = kept(cortex.memorize("tea is at four").id)
        assert cortex.update(other, content=self.NEW).superseded == (old,)

    def test_a_series_stays_a_series(self, engine: Callable[..., Engine]) -> None:
        """Statements of many things in the same words displace none of each other, and ask nobody."""
        cortex = engine(ALL)
        for number in range(12):
            cortex.memorize(f"The backup of host{number} takes {10 + number} minutes")
            cortex.memorize(f"Order #{100 + number} ships on {'Monday' if number % 2 else 'Friday'}")
        assert cortex.count() == 24
        assert cortex.conflicts.list_conflicts(states=list(ConflictState)) == []

    def test_what_does_not_hold_now_displaces_nothing(self, engine: Callable[..., Engine]) -> None:
        """Nor does what holds only for a while."""
        cortex = engine(named("conflict", "soft_update"))
        cortex.memorize(self.OLD)
        for until in ({"valid_to": "2020-01-01"}, {"valid_from": "2990-01-01"}, {"expires_at": "2990-01-01"}):
            receipt = cortex.memorize(self.NEW, **until)  # type: ignore[arg-type]
            assert (receipt.superseded, receipt.conflicts) == ((), ())
        assert self.OLD in found(cortex.recall("how long does the backup take?"))

    def test_a_new_text_gives_back_what_the_old_one_took(self, engine: Callable[..., Engine]) -> None:
        """An update that says something else lets the older memory count again; it is judged anew."""
        cortex = engine(named("conflict"))
        old = kept(cortex.memorize(self.OLD).id)
        new = kept(cortex.memorize(self.NEW).id)
        cortex.update(new, content="Ada likes tea")
        assert found(cortex.recall("how long does the backup take?"))[0] == self.OLD
        assert cortex.update(new, content=self.NEW).superseded == (old,)
        superseded = cortex.update(old, tags=["x"])
        assert (superseded.superseded, superseded.conflicts) == ((), ())

    def test_others_are_left_alone(self, engine: Callable[..., Engine]) -> None:
        """Another scope is not looked at."""
        cortex = engine(named("conflict"))
        cortex.memorize(self.OLD, scope="project:x")
        receipt = cortex.memorize(self.NEW)
        assert (receipt.superseded, receipt.conflicts) == ((), ())

    def test_a_soft_update_needs_a_near_text(self, engine: Callable[..., Engine]) -> None:
        """Without the layer conflict, only what is almost the same text is displaced, and no conflict is noted."""
        far = engine(named("soft_update"), thresholds=replace(NEAR, soft_update=0.99))
        old = kept(far.memorize(self.OLD).id)
        assert far.memorize(self.NEW).superseded == ()
        near = engine(named("soft_update"))
        assert old in near.memorize("The nightly backup takes 10 minutes").superseded
        assert near.conflicts.list_conflicts(states=list(ConflictState)) == []


class TestLink:
    """What is near is linked both ways."""

    def test_both_have_the_link(self, engine: Callable[..., Engine]) -> None:
        """With the cosine as the reason; erasing one removes it from the other."""
        cortex = engine(named("link"))
        first = kept(cortex.memorize("green tea with lemon").id)
        receipt = cortex.memorize("green tea with honey")
        assert receipt.linked == (first,)
        one, two = (cortex.get(id_) for id_ in (first, kept(receipt.id)))
        assert one is not None
        assert two is not None
        assert [link.target for link in one.links] == [receipt.id]
        assert [link.target for link in two.links] == [first]
        assert two.links[0].reason.startswith("cosine 0.")
        cortex.forget(kept(receipt.id))
        again = cortex.get(first)
        assert again is not None
        assert again.links == ()

    def test_an_update_has_the_links_of_its_new_text(self, engine: Callable[..., Engine]) -> None:
        """Those of the old text are gone on both sides."""
        cortex = engine(named("link"))
        first = kept(cortex.memorize("green tea with lemon").id)
        second = kept(cortex.memorize("green tea with honey").id)
        cortex.update(second, content="the train leaves at noon")
        for id_ in (first, second):
            memory = cortex.get(id_)
            assert memory is not None
            assert memory.links == ()


class TestGraph:
    """Entities and relations."""

    def test_everything_about_a_name(self, engine: Callable[..., Engine]) -> None:
        """Its type, relations in both directions, memories newest first; case and part of the name do."""
        cortex = engine(named("graph"))
        first = kept(cortex.memorize("Ada works at Acme").id)
        second = kept(cortex.memorize("Acme is located in Rome").id)
        about = cortex.graph.recall_about("ACME")
        assert about.entity is not None
        assert (about.entity.name, about.total) == ("Acme", 2)
        assert [memory.id for memory in about.memories] == [second, first]
        assert {(each.label, each.outgoing, each.other) for each in about.connections} == {
            ("works_at", False, "Ada"),
            ("located_in", True, "Rome"),
        }
        assert cortex.graph.recall_about("acm").entity == about.entity
        assert cortex.graph.recall_about("nobody").entity is None
        assert [each.other for each in cortex.graph.neighbors("Ada")] == ["Acme"]
        assert [each.other for each in cortex.graph.path("Ada", "Rome")] == ["Acme", "Rome"]
        assert cortex.graph.path("Ada", "Rome", max_hops=1) == []

    def test_an_edge_lives_as_long_as_a_memory_states_it(self, engine: Callable[..., Engine]) -> None:
        """It goes with the last of them, and with it the entity."""
        cortex = engine(named("graph"))
        ids = [kept(cortex.memorize(text).id) for text in ("Ada works at Acme", "Ada works at Acme, she says")]
        (edge,) = cortex.graph.neighbors("Ada")
        assert set(edge.memories) == set(ids)
        cortex.forget(ids[0])
        (edge,) = cortex.graph.neighbors("Ada")
        assert edge.memories == (ids[1],)
        cortex.forget(ids[1])
        assert cortex.graph.recall_about("Acme").entity is None

    def test_a_superseded_memory_states_nothing(self, engine: Callable[..., Engine]) -> None:
        """Nor does an archived one."""
        cortex = engine(named("graph"))
        cortex.archive(kept(cortex.memorize("Ada works at Acme").id))
        assert cortex.graph.recall_about("Ada").entity is None


class TestLater:
    """Layers that are switched on over an old store."""

    TEXTS = (
        "The nightly backup takes 40 minutes",
        "Ada works at Acme",
        "The API port is 8080",
        "The port of the API is 8080",
        "The nightly backup takes 25 minutes",
    )

    def test_reprocess_does_what_a_write_would_have_done(self, engine: Callable[..., Engine]) -> None:
        """The same memories are active, linked and known as if the layers had been on; a second run does nothing."""
        plain = engine()
        ids = [kept(plain.memorize(text).id) for text in self.TEXTS]
        cortex = engine(ALL)
        done = cortex.admin.reprocess()
        assert (done.memories, done.superseded) == (5, 2)
        states = {memory.id: memory.status.value for memory in cortex.list_memories(statuses=list(Status)).memories}
        assert [states[id_] for id_ in ids] == ["superseded", "active", "active", "superseded", "active"]
        assert cortex.graph.neighbors("Ada")[0].other == "Acme"
        assert cortex.admin.reprocess().memories == 0

    def test_it_goes_on_where_it_was_broken_off(self, engine: Callable[..., Engine]) -> None:
        """Each memory is a commit: what is read is not read again."""
        plain = engine()
        plain.memorize_many([f"note number {number}" for number in range(250)])
        cortex = engine(named("graph"))

        def stop(done: int, _: int) -> None:
            if done >= 200:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            cortex.admin.reprocess(report=stop)
        assert cortex.admin.reprocess().memories == 50

    def test_another_layer_is_another_reading(self, engine: Callable[..., Engine]) -> None:
        """A layer that is switched on later reads what others have read."""
        engine(named("graph")).memorize("Ada works at Acme")
        assert engine(named("graph")).admin.reprocess().memories == 0
        assert engine(named("graph", "classify")).admin.reprocess().memories == 1

    def test_without_layers_there_is_nothing_to_do(self, engine: Callable[..., Engine]) -> None:
        """It says what to switch on."""
        with pytest.raises(InvalidInput, match="CORTEX_PRESET"):
            engine().admin.reprocess()

    def test_what_came_without_vectors_is_compared_later(self, engine: Callable[..., Engine]) -> None:
        """By words at once, by meaning when there are vectors."""
        embedder = FakeEmbedder()
        embedder.fail = Failure.RAISE
        cortex = engine(named("link", "graph"), embedder=embedder)
        first = cortex.memorize("green tea with lemon")
        second = cortex.memorize("green tea with honey")
        assert (first.pending, second.linked) == (True, ())
        embedder.fail = None
        cortex.admin.run_jobs()
        cortex.admin.reprocess()
        memory = cortex.get(kept(second.id))
        assert memory is not None
        assert [link.target for link in memory.links] in ([first.id], [])
