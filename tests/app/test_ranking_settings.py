"""Which ranking is usual, by which weights, and whether a model reranks: what settings and arguments make of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from cortex import AssistantWeights, Cortex
from cortex.app import build
from cortex.app.settings import load
from cortex.engine.deps import Deps
from cortex.errors import ConfigurationError, InvalidInput
from cortex.model.ranking import PriorityDays
from cortex.testing import FakeEmbedder, FakeProvider


class Backwards:
    """A reranker that finds the last best."""

    def rerank(self, query: str, texts: Sequence[str]) -> list[int]:
        """From the last to the first."""
        return list(range(len(texts)))[::-1]


def made(**arguments: Any) -> Cortex:
    """A Cortex in memory with the settings of the environment."""
    return Cortex(":memory:", embedder=FakeEmbedder(), **arguments)


def deps_of(cortex: Cortex) -> Deps:
    """What it was put together from."""
    return cortex._deps


class TestRanking:
    @pytest.mark.parametrize(
        ("given", "ranking"),
        [
            ({}, "conversation"),
            ({"preset": "engineering"}, "engineering"),
            ({"preset": "assistant"}, "assistant"),
            ({"preset": "none"}, "conversation"),
            ({"preset": "engineering", "ranking": "relevance"}, "relevance"),
            ({"preset": "assistant", "ranking": "conversation"}, "conversation"),
            ({"ranking": "Engineering"}, "engineering"),
        ],
    )
    def test_a_preset_brings_its_own_unless_one_is_named(self, given: dict[str, str], ranking: str) -> None:
        """Naming the default is naming one, too."""
        assert build.choose_ranking(load(given)) == ranking

    def test_it_is_what_a_recall_uses(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without a ranking in the call; one in the call wins, and a fusion means relevance."""
        monkeypatch.setenv("CORTEX_PRESET", "engineering")
        with made() as cortex:
            assert cortex.recall("tea").ranking == "engineering"
            assert cortex.recall("tea", ranking="assistant").ranking == "assistant"
            assert cortex.recall("tea", fusion="rrf").ranking == "relevance"


class TestWeights:
    def test_they_are_the_settings(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each by its variable."""
        given = {"SIMILARITY": ".7", "RECENCY": ".1", "EMOTION": "0.1", "REINFORCEMENT": "0.1"}
        for name, value in given.items():
            monkeypatch.setenv(f"CORTEX_RETRIEVAL_{name}_WEIGHT", value)
        monkeypatch.setenv("CORTEX_PRIORITY_DAYS", "1")
        monkeypatch.setenv("CORTEX_PRIORITY_FADING_DAYS", "2.5")
        with made() as cortex:
            expected = AssistantWeights(similarity=0.7, recency=0.1, emotion=0.1, reinforcement=0.1)
            assert deps_of(cortex).assistant == expected
            assert deps_of(cortex).priority_days == PriorityDays(holding=1, fading=2.5)

    def test_the_sum_is_checked_at_the_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Before the first recall, with the variables and the sum."""
        monkeypatch.setenv("CORTEX_RETRIEVAL_RECENCY_WEIGHT", "0.5")
        with pytest.raises(ConfigurationError, match=r"CORTEX_RETRIEVAL_RECENCY_WEIGHT.*sum to 1\.25; expected 1"):
            made()

    @pytest.mark.parametrize("name", ["retrieval_emotion_weight", "priority_days", "reranker_seconds"])
    @pytest.mark.parametrize("value", ["-1", "many", "nan", "inf"])
    def test_a_number_that_is_none_is_refused(self, name: str, value: str) -> None:
        """With its place and what is expected."""
        with pytest.raises(ConfigurationError, match="expected a number"):
            load({name: value})

    def test_arguments_win(self) -> None:
        """Weights, counting and a reranker can be given by whoever makes a Cortex."""
        weights = AssistantWeights(similarity=1, recency=0, emotion=0, reinforcement=0)
        with made(assistant=weights, count_accesses=False, reranker=Backwards()) as cortex:
            assert deps_of(cortex).assistant is weights
            cortex.memorize_many(["tea", "tea and milk"])
            hits = cortex.recall("tea", ranking="relevance").hits
            assert [hit.memory.content for hit in hits] == ["tea and milk", "tea"]
            cortex.recall("tea", ranking="assistant")
            assert deps_of(cortex).counts is False

    @pytest.mark.parametrize(
        ("name", "value"), [("assistant", {"similarity": 1}), ("reranker", object()), ("count_accesses", "no")]
    )
    def test_a_strange_argument_is_refused(self, name: str, value: Any) -> None:
        """By its name, before a store is opened."""
        with pytest.raises(InvalidInput, match=name):
            made(**{name: value})


class TestReranker:
    @pytest.fixture
    def recalled(self) -> Callable[[FakeProvider], Any]:
        """A recall with this language model."""

        def recall(llm: FakeProvider) -> Any:
            with made(llm=llm) as cortex:
                cortex.memorize_many(["tea", "tea and milk"])
                return cortex.recall("tea", ranking="relevance")

        return recall

    def test_off_no_recall_asks_the_model(self, recalled: Callable[[FakeProvider], Any]) -> None:
        """A language model for writing is none for reading, unless somebody says so."""
        llm = FakeProvider(["[1]"])
        assert [hit.memory.content for hit in recalled(llm).hits] == ["tea", "tea and milk"]
        assert llm.prompts == []

    def test_on_one_call_a_recall(
        self, recalled: Callable[[FakeProvider], Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The model that is configured gives the order."""
        monkeypatch.setenv("CORTEX_RERANKER_ENABLED", "true")
        llm = FakeProvider(["[1]"])
        assert [hit.memory.content for hit in recalled(llm).hits] == ["tea and milk", "tea"]
        assert len(llm.prompts) == 1

    def test_on_without_a_model_is_told_and_does_no_harm(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Recall works as ever."""
        monkeypatch.setenv("CORTEX_RERANKER_ENABLED", "1")
        with caplog.at_level(logging.WARNING), made() as cortex:
            cortex.memorize("tea")
            assert cortex.recall("tea").degraded == ()
        assert "no language model is configured" in caplog.text
