"""The rankings `assistant` and `engineering`: what is new, used, felt or important stands before what only matches."""

from __future__ import annotations

from datetime import timedelta
from math import log
from typing import Any

import pytest

from cortex import Cortex, Ranking
from cortex.model.ranking import AssistantWeights
from cortex.testing import Failure, FakeEmbedder
from tests.engine.support import Bench, found

RANKINGS = ("assistant", "engineering")


@pytest.fixture
def bench() -> Bench:
    """An engine whose clock moves when it is told to."""
    return Bench()


def later(bench: Bench, **units: float) -> None:
    """Let time pass."""
    bench.clock.tick(timedelta(**units))


class TestAssistant:
    def test_of_two_that_match_alike_the_newer_comes_first(self, bench: Bench) -> None:
        """By relevance the first one written would."""
        cortex = bench.engine()
        cortex.memorize("tea in the morning", position=1)
        later(bench, days=30)
        cortex.memorize("tea in the morning", position=2)
        assert [hit.memory.position for hit in cortex.recall("tea", ranking="relevance").hits] == [1, 2]
        assert [hit.memory.position for hit in cortex.recall("tea", ranking="assistant").hits] == [2, 1]

    def test_what_is_felt_comes_before_what_is_not(self, bench: Bench) -> None:
        """Of two that match alike, and unknown is in the middle."""
        cortex = bench.engine()
        for emotion in (0.1, None, 0.9):
            cortex.memorize("tea in the morning", emotion=emotion, position=int((emotion or 0.5) * 10))
        assert [hit.memory.position for hit in cortex.recall("tea", ranking="assistant").hits] == [9, 5, 1]

    def test_every_part_is_told_with_its_weight(self, bench: Bench) -> None:
        """The score is the sum of the parts times their weights; the legs are told beside."""
        cortex = bench.engine()
        cortex.memorize("tea in the morning", emotion=0.8)
        cortex.memorize("coffee at noon")
        later(bench, hours=24)
        answer = cortex.recall("tea in the morning", ranking="assistant")
        assert (answer.ranking, answer.legs) == ("assistant", ("dense", "lexical"))
        hit = answer.hits[0]
        assert hit.weights == {"semantic": 0.4, "recency": 0.25, "emotion": 0.2, "reinforcement": 0.15, "churn": 1.0}
        assert hit.parts.keys() == hit.weights.keys() | {"dense", "lexical"}
        assert hit.parts["recency"].score == pytest.approx(1 / (1 + log(25)))
        assert hit.parts["dense"].score == pytest.approx(1.0)
        assert (hit.parts["semantic"].rank, hit.parts["emotion"].rank) == (1, 1)
        for each in answer.hits:
            assert each.score == pytest.approx(
                sum(each.weights[name] * each.parts[name].score for name in each.weights)
            )
        assert "lexical" not in answer.hits[1].parts

    def test_other_weights_give_another_order(self) -> None:
        """Whoever wants only what is felt gets that."""
        only = AssistantWeights(similarity=0, recency=0, emotion=1, reinforcement=0)
        cortex = Bench(assistant=only).engine()
        cortex.memorize_many([{"content": "tea", "emotion": 0.2}, {"content": "milk", "emotion": 0.9}])
        assert found(cortex.recall("tea", ranking="assistant")) == ["milk", "tea"]


class TestEngineering:
    def test_what_matters_comes_before_what_does_not(self, bench: Bench) -> None:
        """Of two that match alike the important decision comes first, months later too."""
        cortex = bench.engine()
        cortex.memorize("the store is SQLite", kind="decision", importance=2)
        cortex.memorize("the store is SQLite", kind="decision", importance=9, position=1)
        later(bench, days=60)
        first, second = cortex.recall("which store?", ranking="engineering").hits
        assert (first.memory.importance, second.memory.importance) == (9, 2)
        assert first.parts["priority"].score > 0.85
        assert second.parts["priority"].score < first.parts["priority"].score
        assert first.weights == pytest.approx({"semantic": 0.55, "priority": 0.45})
        assert first.score == pytest.approx(0.55 * first.parts["semantic"].score + 0.45 * first.parts["priority"].score)

    def test_context_fades_and_decisions_stay(self, bench: Bench) -> None:
        """What was going on half a year ago comes after what was decided then."""
        cortex = bench.engine()
        cortex.memorize("we look at the parser", kind="context")
        cortex.memorize("we keep the parser", kind="decision")
        later(bench, days=180)
        kinds = {
            str(hit.memory.kind): hit.parts["priority"].score
            for hit in cortex.recall("parser", ranking="engineering").hits
        }
        assert kinds["context"] < 0.01
        assert kinds["decision"] > 0.3


@pytest.mark.parametrize("ranking", RANKINGS)
class TestBoth:
    def test_rows_are_read_once(self, bench: Bench, ranking: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """The signals and the hits are of the same rows."""
        cortex = bench.engine()
        cortex.memorize_many(f"tea number {number}" for number in range(40))
        calls = _spied(bench, "read", monkeypatch)
        assert len(cortex.recall("tea", ranking=ranking, limit=10).hits) == 10
        assert len(calls) == 1

    def test_a_filter_and_the_state_of_a_memory_decide_who_leaves(self, bench: Bench, ranking: str) -> None:
        """What is archived, expired or of another kind is no hit; explain says so."""
        cortex = bench.engine()
        wanted = cortex.memorize("tea one", kind="decision")
        cortex.memorize("tea two")
        cortex.archive(str(cortex.memorize("tea three", kind="decision").id))
        cortex.memorize("tea four", kind="decision", expires_at=bench.clock.now() + timedelta(hours=1))
        later(bench, hours=2)
        answer = cortex.recall("tea", ranking=ranking, kinds="decision", explain=True)
        assert [hit.memory.id for hit in answer.hits] == [wanted.id]
        assert sorted(item.reason for item in answer.left_out) == ["archived", "expired", "filter"]
        assert all("semantic" in item.parts for item in answer.left_out)

    def test_several_scopes_are_on_one_scale(self, bench: Bench, ranking: str) -> None:
        """A memory's score does not depend on which other scopes are asked, but for the statistics of words."""
        cortex = bench.engine()
        cortex.memorize("green tea", scope="project:a")
        cortex.memorize("black coffee", scope="project:b")
        answer = cortex.recall("green tea", ranking=ranking, scope=["project:b", "project:a"])
        assert found(answer) == ["green tea", "black coffee"]
        assert answer.hits[0].parts["dense"].score == pytest.approx(1.0)

    def test_without_vectors_words_stand_in(self, ranking: str) -> None:
        """A question without a vector, and a memory without one, still have their place, and it is said."""
        embedder = FakeEmbedder()
        cortex = Bench(embedder=embedder).engine()
        cortex.memorize("green tea")
        embedder.fail = Failure.RAISE
        cortex.memorize("green tea with milk")
        blind = cortex.recall("green tea", ranking=ranking)
        assert blind.degraded == ("dense",)
        assert len(blind.hits) == 2
        embedder.fail = None
        answer = cortex.recall("green tea", ranking=ranking)
        assert found(answer) == ["green tea", "green tea with milk"]
        assert answer.pending == 1
        assert "dense" not in answer.hits[1].parts
        assert 0 < answer.hits[1].parts["semantic"].score < answer.hits[0].parts["semantic"].score <= 1

    def test_nothing_to_find_is_an_empty_answer(self, bench: Bench, ranking: str) -> None:
        """An empty scope is no error."""
        answer = bench.engine().recall("tea", ranking=ranking, explain=True, diversity=0.5)
        assert (answer.hits, answer.left_out) == ((), ())

    def test_the_past_is_judged_as_it_was(self, bench: Bench, ranking: str) -> None:
        """A recall that looks back counts age from then, and no use."""
        cortex = bench.engine()
        cortex.memorize("tea", kind="preference")
        then = bench.clock.now() + timedelta(hours=1)
        later(bench, days=300)
        (now,) = cortex.recall("tea", ranking=ranking).hits
        (past,) = cortex.recall("tea", ranking=ranking, as_of=then).hits
        assert past.score > now.score


class TestAccesses:
    def counts(self, bench: Bench) -> dict[str, tuple[int, bool]]:
        """How often each memory was counted, and whether it says when."""
        memories = bench.engine().list_memories().memories
        return {m.content: (m.access_count, m.last_accessed_at == bench.clock.now()) for m in memories}

    @pytest.mark.parametrize("ranking", RANKINGS)
    def test_each_hit_is_counted(self, bench: Bench, ranking: str) -> None:
        """Hits and nothing else, once an answer, at the time of the question; the answer itself has the old count."""
        cortex = bench.engine()
        cortex.memorize_many(["green tea", "black tea", "milk"])
        later(bench, hours=1)
        first = cortex.recall("green tea", limit=1, ranking=ranking)
        assert first.hits[0].memory.access_count == 0
        assert self.counts(bench) == {"green tea": (1, True), "black tea": (0, False), "milk": (0, False)}
        cortex.recall("tea", limit=2, ranking=ranking)
        assert self.counts(bench)["green tea"] == (2, True)
        assert cortex.recall("tea", limit=2, ranking=ranking).hits[0].memory.version == 1

    def test_use_moves_a_memory_up(self, bench: Bench) -> None:
        """What is asked for again and again comes first where all else is equal."""
        cortex = bench.engine()
        cortex.memorize_many([{"content": "tea", "position": 1}, {"content": "tea", "position": 2, "tags": ["used"]}])
        assert [hit.memory.position for hit in cortex.recall("tea", ranking="relevance").hits] == [1, 2]
        for _ in range(10):
            cortex.recall("tea", ranking="assistant", tags=["used"])
        first, _ = cortex.recall("tea", ranking="assistant").hits
        assert (first.memory.position, first.memory.access_count) == (2, 10)
        assert first.parts["churn"].score == pytest.approx(0.2 * log(2))

    @pytest.mark.parametrize("ranking", ["relevance", "conversation"])
    def test_others_write_nothing(self, bench: Bench, ranking: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """A recall that does not look at use leaves the store as it is."""
        cortex = bench.engine()
        cortex.memorize("tea", session="s")
        applied = _spied(bench, "apply", monkeypatch)
        cortex.recall("tea", ranking=ranking, explain=True, diversity=0.5)
        assert applied == []

    def test_looking_back_and_finding_nothing_count_nothing(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only what is found now is used now; and who switched it off is not counted."""
        cortex = bench.engine()
        cortex.memorize("tea")
        applied = _spied(bench, "apply", monkeypatch)
        cortex.recall("tea", ranking="assistant", as_of=bench.clock.now())
        cortex.recall("tea", ranking="assistant", scope="project:empty")
        bench.counts = False
        bench.engine().recall("tea", ranking="assistant")
        assert applied == []

    def test_a_count_wakes_no_cache(self, bench: Bench) -> None:
        """Nothing is read anew after a recall that only counted, and the count is seen all the same."""
        cortex = bench.engine()
        cortex.memorize("tea")
        before = cortex.recall("tea", ranking="engineering")
        (view,) = cortex._deps.index.views([before.hits[0].memory.scope])
        after = cortex.recall("tea", ranking="engineering")
        assert cortex._deps.index.views([before.hits[0].memory.scope])[0] is view
        assert after.hits[0].memory.access_count == 1


def _spied(bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the store is asked from now on by this method."""
    method = getattr(bench.store, name)
    calls: list[Any] = []

    def spied(*given: Any) -> Any:
        calls.append(given)
        return method(*given)

    monkeypatch.setattr(bench.store, name, spied)
    return calls


class TestDiversity:
    def test_repeats_come_later(self, cortex: Cortex) -> None:
        """With diversity the second hit says something else; without, the order is by score."""
        cortex.memorize_many(["green tea", "green tea!", "green cups"])
        plain = cortex.recall("green tea", ranking="relevance", limit=2)
        mixed = cortex.recall("green tea", ranking="relevance", limit=2, diversity=0.8)
        assert found(plain) == ["green tea", "green tea!"]
        assert found(mixed) == ["green tea", "green cups"]
        assert mixed.hits[0].parts["diversity"] == (1, 1.0)
        assert mixed.hits[1].parts["diversity"].score == pytest.approx(0.5)
        assert mixed.hits[1].score < plain.hits[1].score

    @pytest.mark.parametrize("ranking", list(Ranking))
    def test_none_is_the_usual_answer(self, ranking: Ranking) -> None:
        """0 and None are as if it were not said, to the last digit."""
        cortex = Bench(counts=False).engine()
        cortex.memorize_many(f"tea {number % 7} {number}" for number in range(30))
        answers = [cortex.recall("tea 3", ranking=ranking, diversity=value) for value in (None, 0, 0.0)]
        assert answers == [cortex.recall("tea 3", ranking=ranking)] * 3

    @pytest.mark.parametrize("value", [-0.1, 1.5, True, False, "0.5", float("nan")])
    def test_a_wrong_one_is_refused(self, cortex: Cortex, value: Any) -> None:
        """It is a number from 0 to 1."""
        with pytest.raises(ValueError, match="diversity"):
            cortex.recall("tea", diversity=value)
