"""The reranker hook: it may put hits in a better order, and can never keep a recall from answering."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from cortex import Ranking, Recall
from cortex.engine.facade import Engine
from cortex.engine.rerank import Deadline, LLMReranker
from cortex.errors import ProviderUnavailable
from cortex.testing import FakeProvider
from tests.engine.support import Bench, found, kept

RANKINGS = [ranking.value for ranking in Ranking]


class Spy:
    """A reranker that answers as it is told, and remembers what it was shown."""

    def __init__(self, answer: Callable[[Sequence[str]], Any]) -> None:
        self._answer = answer
        self.calls: list[tuple[str, Sequence[str]]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Any:
        """What the test wants."""
        self.calls.append((query, texts))
        return self._answer(texts)


def backwards(texts: Sequence[str]) -> list[int]:
    """The worst first."""
    return list(reversed(range(len(texts))))


def with_(answer: Callable[[Sequence[str]], Any], memories: int = 6, **plugs: Any) -> tuple[Engine, Spy]:
    """An engine with a reranker and some memories, the best first by any ranking."""
    spy = Spy(answer)
    cortex = Bench(reranker=spy, counts=False, **plugs).engine()
    cortex.memorize_many(f"tea{' and milk' * number}" for number in range(memories))
    return cortex, spy


def plain(memories: int = 6, **options: Any) -> Recall:
    """What is answered without a reranker."""
    cortex = Bench(counts=False).engine()
    cortex.memorize_many(f"tea{' and milk' * number}" for number in range(memories))
    return cortex.recall("tea", **options)


@pytest.mark.parametrize("ranking", RANKINGS)
class TestOrder:
    def test_its_order_decides(self, ranking: str) -> None:
        """The hits are the first of its order, out of 60 candidates at least, and a part says so."""
        cortex, spy = with_(backwards)
        answer = cortex.recall("tea", ranking=ranking, limit=2)
        everything = plain(limit=6, ranking=ranking)
        assert [(query, set(texts)) for query, texts in spy.calls] == [("tea", set(found(everything)))]
        assert answer.degraded == ()
        assert [hit.parts["rerank"].rank for hit in answer.hits] == [1, 2]
        assert answer.hits[0].parts["rerank"].score == 1.0
        if ranking != "engineering":
            assert found(answer) == found(everything)[::-1][:2]

    def test_it_sees_sixty_or_as_many_as_are_wanted(self, ranking: str) -> None:
        """A deep pool for a few hits, and no fewer candidates than hits for many."""
        for limit, shown in ((5, 60), (70, 70)):
            cortex, spy = with_(backwards, memories=0)
            cortex.memorize_many(f"tea number {number}" for number in range(100))
            assert len(cortex.recall("tea", ranking=ranking, limit=limit).hits) == limit
            assert [len(texts) for _, texts in spy.calls] == [shown]

    def test_what_it_leaves_out_follows(self, ranking: str) -> None:
        """Repeated and unknown places are passed over; the rest keeps its order."""
        cortex, _ = with_(lambda _: [2, 2, 99, -1])
        usual = found(plain(limit=6, ranking=ranking))
        answer = cortex.recall("tea", ranking=ranking, limit=6)
        assert answer.degraded == ()
        assert len(set(found(answer))) == 6
        if ranking != "engineering":
            assert found(answer) == [usual[2], *usual[:2], *usual[3:]]

    def test_one_hit_is_not_worth_a_question(self, ranking: str) -> None:
        """With nothing to order nobody is asked."""
        cortex, spy = with_(backwards, memories=1)
        assert len(cortex.recall("tea", ranking=ranking).hits) == 1
        assert spy.calls == []

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (lambda _: 1 / 0, "ZeroDivisionError"),
            (lambda _: None, "got NoneType"),
            (lambda _: 3, "got int"),
            (lambda _: "210", "got str"),
            (lambda _: {0: 1.0}, "got dict"),
            (lambda _: [0.5, 0.2], "got float"),
            (lambda _: np.array([[0, 1]]), "got list"),
            (lambda _: [True, False], "got bool"),
            (lambda _: [], "none of the texts"),
            (lambda _: [-3, 100], "none of the texts"),
            (lambda _: iter([1, 0]), "iterator"),
        ],
    )
    def test_every_fault_gives_the_usual_answer(
        self, ranking: str, answer: Callable[[Sequence[str]], Any], reason: str
    ) -> None:
        """Hits, scores and parts are those without a reranker; what went wrong is said."""
        cortex, _ = with_(answer)
        got, usual = cortex.recall("tea", ranking=ranking, limit=3), plain(ranking=ranking, limit=3)
        assert got.degraded == ("rerank",)
        assert reason in got.notes[0]
        assert found(got) == found(usual)
        assert [hit.score for hit in got.hits] == pytest.approx([hit.score for hit in usual.hits])
        assert [hit.parts.keys() for hit in got.hits] == [hit.parts.keys() for hit in usual.hits]


def test_engineering_puts_everyone_on_one_scale() -> None:
    """.40 semantic + .40 rerank + .20 priority, for those too that the reranker was not shown."""
    cortex, spy = with_(backwards, memories=0)
    cortex.memorize_many(f"tea number {number}" for number in range(100))
    answer = cortex.recall("tea", ranking="engineering", limit=30)
    assert len(spy.calls[0][1]) == 60
    for hit in answer.hits:
        assert hit.weights == {"semantic": 0.4, "rerank": 0.4, "priority": 0.2}
        assert hit.score == pytest.approx(sum(hit.weights[name] * hit.parts[name].score for name in hit.weights))
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)


def test_it_is_shown_nothing_that_may_not_leave() -> None:
    """What is archived, out of its time or filtered away goes to no model."""
    cortex, spy = with_(backwards, memories=2)
    cortex.archive(kept(cortex.memorize("tea secret").id))
    cortex.memorize("tea old", valid_to="2020-01-01")
    cortex.memorize("tea event", kind="event")
    for ranking in RANKINGS:
        cortex.recall("tea", ranking=ranking, kinds="fact", explain=True)
    assert {text for _, texts in spy.calls for text in texts} == {"tea", "tea and milk"}


def test_diversity_comes_after_it() -> None:
    """Its order says what is relevant, and difference is weighed against that."""
    cortex, _ = with_(backwards)
    answer = cortex.recall("tea", ranking="relevance", limit=2, diversity=0.1)
    assert found(answer)[0] == "tea and milk and milk and milk and milk and milk"
    assert answer.hits[0].parts.keys() >= {"rerank", "diversity"}


class TestDeadline:
    @pytest.fixture
    def gate(self) -> Iterator[threading.Event]:
        """Opens at the end, so that no thread stays."""
        event = threading.Event()
        yield event
        event.set()

    def test_who_takes_too_long_is_not_waited_for(self, gate: threading.Event) -> None:
        """The answer comes without, and says after how long."""
        cortex, _ = with_(lambda _: gate.wait(9) and [1, 0], rerank_seconds=0.05)
        answer = cortex.recall("tea", ranking="relevance", limit=3)
        assert found(answer) == found(plain(ranking="relevance", limit=3))
        assert (answer.degraded, answer.notes) == (("rerank",), ("the reranker took longer than 0.05 s",))

    def test_hanging_calls_do_not_pile_up(self, gate: threading.Event) -> None:
        """After eight that hang none is begun, until one of them has ended."""
        spy = Spy(lambda _: gate.wait(9) and [1, 0])
        deadline = Deadline(spy, 0.01)
        problems = [deadline.rerank("tea", ["a", "b"], ["1", "2"]).problem for _ in range(10)]
        assert ["longer" in problem for problem in problems] == [True] * 8 + [False] * 2
        assert "8 earlier questions" in problems[-1]
        assert len(spy.calls) == 8

    def test_its_own_threads_end(self) -> None:
        """What has answered leaves nothing behind."""
        deadline = Deadline(Spy(backwards), 5)
        for _ in range(20):
            assert deadline.rerank("tea", ["a", "b"], ["1", "2"]).order == [1, 0]
        assert [thread.name for thread in threading.enumerate() if thread.name == "cortex-rerank"] == []


class TestLanguageModel:
    def test_it_is_asked_once_for_all_texts(self) -> None:
        """One call a recall, with the texts as data; its order is the order of the hits."""
        llm = FakeProvider(["[2, 0]"])
        cortex, _ = with_(backwards)
        cortex = Bench(reranker=LLMReranker(llm)).engine()
        cortex.memorize_many(["tea", "tea and milk", "tea and more"])
        answer = cortex.recall("tea", ranking="relevance")
        usual = found(plain_of(["tea", "tea and milk", "tea and more"]))
        assert found(answer) == [usual[2], usual[0], usual[1]]
        assert len(llm.prompts) == 1
        assert '"text": "tea and milk"' in llm.prompts[0]

    @pytest.mark.parametrize("reply", ["I cannot", "[]", '["1"]', "", "[1.5]", "[99]"])
    def test_a_bad_reply_gives_the_usual_answer(self, reply: str) -> None:
        """It is not asked again: somebody waits."""
        llm = FakeProvider([reply])
        cortex = Bench(reranker=LLMReranker(llm)).engine()
        cortex.memorize_many(["tea", "tea and milk", "tea and more"])
        answer = cortex.recall("tea", ranking="relevance")
        assert found(answer) == found(plain_of(["tea", "tea and milk", "tea and more"]))
        assert answer.degraded == ("rerank",)
        assert len(llm.prompts) == 1

    def test_a_service_that_is_down_gives_the_usual_answer(self) -> None:
        """With the reason that it gives."""
        cortex = Bench(reranker=LLMReranker(FakeProvider([ProviderUnavailable("busy")]))).engine()
        cortex.memorize_many(["tea", "tea and milk"])
        answer = cortex.recall("tea")
        assert answer.degraded == ("rerank",)
        assert answer.notes == ("the reranker failed: ProviderUnavailable: busy",)

    @pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), MemoryError("no ghp_" + "a1B2" * 9)])
    def test_whatever_it_raises_the_answer_says_so(self, raised: BaseException) -> None:
        """One that wants to end the program does not, is not taken for slow, and no secret of it is told."""

        def fail(_: Sequence[str]) -> Any:
            raise raised

        cortex, _ = with_(fail)
        answer = cortex.recall("tea")
        assert answer.hits
        (note,) = answer.notes
        assert note.startswith(f"the reranker failed: {type(raised).__name__}")
        assert "a1B2" not in note

    def test_what_a_provider_keeps_is_owned_by_the_memories(self) -> None:
        """An erasure must reach what a cache of answers keeps about a memory."""
        told: list[Sequence[str]] = []

        class Keeping(FakeProvider):
            def about(self, *ids: str) -> FakeProvider:
                told.append(ids)
                return self

        cortex = Bench(reranker=LLMReranker(Keeping(["[1, 0]"]))).engine()
        ids = {kept(cortex.memorize(text).id) for text in ("tea", "tea and milk")}
        cortex.recall("tea")
        assert [set(each) for each in told] == [ids]

    @pytest.mark.parametrize("ranking", RANKINGS)
    def test_without_a_reranker_no_recall_asks_a_model(self, ranking: str) -> None:
        """A language model that is there for writing is not asked for reading."""
        llm = FakeProvider()
        cortex = Bench(llm=llm).engine()
        cortex.memorize_many(["tea", "tea and milk"])
        cortex.recall("tea", ranking=ranking, explain=True, diversity=0.3)
        assert llm.prompts == []


def plain_of(texts: list[str]) -> Recall:
    """What is answered of these texts without a reranker."""
    cortex = Bench().engine()
    cortex.memorize_many(texts)
    return cortex.recall("tea", ranking="relevance")
