"""The signals of `assistant` and `engineering`: each is its formula, in its range, and moves one way."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.scoring.assistant import assistant
from cortex.core.scoring.churn import churn
from cortex.core.scoring.diversity import diversified
from cortex.core.scoring.emotion import emotion
from cortex.core.scoring.engineering import engineering
from cortex.core.scoring.priority import BAYESIAN, SEMANTIC_WEIGHTS, bayesian, fading, priority, semantic_weights
from cortex.core.scoring.recency import recency
from cortex.core.scoring.reinforcement import reinforcement
from cortex.core.scoring.reranked import by_place, complete
from cortex.core.scoring.semantic import semantic, words_shared
from cortex.core.scoring.standing import Standing, standing
from cortex.errors import InvalidInput
from cortex.model.memory import Kind
from cortex.model.ranking import AssistantWeights, PriorityDays
from cortex.testing import memory

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ONE_DAY = PriorityDays(holding=1, fading=1)

many = st.lists(st.floats(0, 1e9), min_size=2, max_size=20).map(lambda values: np.array(sorted(values)))
shares = st.floats(0, 1)
kinds = st.sampled_from(list(Kind))


def column(*values: float) -> Any:
    """One value a candidate."""
    return np.array(values, dtype=np.float64)


def rising(values: Any) -> bool:
    """Whether no value is below the one before it."""
    return bool((np.diff(values) >= 0).all())


def one(kind: Kind = Kind.FACT, **fields: Any) -> Standing:
    """The standing of a single memory."""
    age = fields.pop("age", timedelta())
    return standing([memory(kind=kind, created_at=NOW - age, **fields)], NOW)


class TestRecency:
    @pytest.mark.parametrize(
        ("hours", "expected"), [(0, 1.0), (1, 0.59), (6, 0.34), (24, 0.24), (168, 0.16), (720, 0.13), (8760, 0.10)]
    )
    def test_it_is_the_formula(self, hours: float, expected: float) -> None:
        """1 / (1 + ln(1 + h))."""
        assert recency(column(hours))[0] == pytest.approx(1 / (1 + log(1 + hours)))
        assert recency(column(hours))[0] == pytest.approx(expected, abs=0.006)

    @given(many)
    def test_it_falls_and_stays_in_range(self, hours: Any) -> None:
        """Older is never newer, and nothing is quite forgotten."""
        found = recency(hours)
        assert rising(-found)
        assert (found > 0).all()
        assert (found <= 1).all()


class TestUse:
    @pytest.mark.parametrize(
        ("accesses", "reinforced", "bonus"),
        [(0, 0.0, 0.0), (1, 0.07, 0.0), (9, 0.23, 0.0), (10, 0.24, 0.14), (25, 0.33, 0.25), (100, 0.46, 0.48)],
    )
    def test_they_are_the_formulas(self, accesses: float, reinforced: float, bonus: float) -> None:
        """min(1, ln(1 + n) / 10), and from ten accesses on min(.2 ln(1 + n / 10), .5)."""
        assert reinforcement(column(accesses))[0] == pytest.approx(reinforced, abs=0.006)
        assert churn(column(accesses))[0] == pytest.approx(bonus, abs=0.006)

    @given(many)
    def test_they_rise_up_to_their_bounds(self, accesses: Any) -> None:
        """More use is never worth less, and no use is worth more than the whole."""
        for found, most in ((reinforcement(accesses), 1.0), (churn(accesses), 0.5)):
            assert rising(found)
            assert (found >= 0).all()
            assert (found <= most).all()


class TestPriority:
    def test_it_holds_what_the_ranking_promises(self) -> None:
        """A decision of importance 9 stays above .85 for 60 days without being wanted, and falls below soon after."""
        found = [priority(one(Kind.DECISION, importance=9, age=timedelta(days=d)), PriorityDays())[0] for d in (60, 61)]
        assert found[0] > 0.85
        assert found[1] < 0.85

    def test_the_scale_of_one_day_is_an_option(self) -> None:
        """With the constants of the system that it comes from, the numbers are those that it really gives."""
        numbers = {0: 0.98, 0.7: 0.85, 1: 0.80, 7: 0.37, 30: 0.12, 60: 0.063}
        for days, expected in numbers.items():
            decision = one(Kind.DECISION, importance=9, age=timedelta(days=days))
            assert priority(decision, ONE_DAY)[0] == pytest.approx(expected, abs=0.006)
        assert priority(one(Kind.PREFERENCE, age=timedelta(days=1)), ONE_DAY)[0] == pytest.approx(exp(-1))

    def test_bayesian_is_the_formula(self) -> None:
        """α / (α + β), and the doubt is never less than .1."""
        assert bayesian(column(10), column(9), column(60), 1.0)[0] == pytest.approx(14.5 / (14.5 + 60 * 10 / 9))
        assert bayesian(column(0), column(5), column(0), 84.0)[0] == pytest.approx(2.5 / 2.6)

    def test_fading_is_the_formula(self) -> None:
        """exp(-days / max(s, 1) / scale), s = ln(1 + accesses) · importance / 5."""
        stable = log(1 + 20) * 8 / 5
        assert fading(column(20), column(8), column(45), 30.0)[0] == pytest.approx(exp(-45 / stable / 30))
        assert fading(column(0), column(10), column(30), 30.0)[0] == pytest.approx(exp(-1))

    @given(many, st.integers(1, 10), st.integers(0, 1000), st.sampled_from([bayesian, fading]))
    def test_it_falls_with_time(self, days: Any, importance: int, accesses: int, formula: Any) -> None:
        """What nobody wants loses priority, and never more than all of it."""
        size = np.ones(len(days))
        found = formula(accesses * size, importance * size, days, 30.0)
        assert rising(-found)
        assert (found >= 0).all()
        assert (found <= 1).all()

    @given(st.floats(0, 1e5), st.integers(1, 9), st.integers(0, 1000), st.sampled_from([bayesian, fading]))
    def test_it_rises_with_importance_and_use(self, days: float, importance: int, accesses: int, formula: Any) -> None:
        """What matters more, or is wanted more often, never has less."""
        own, more, used = formula(
            column(accesses, accesses, accesses + 1),
            column(importance, importance + 1, importance),
            column(*[days] * 3),
            30,
        )
        assert more >= own
        assert used >= own

    def test_every_kind_has_a_formula_and_a_weight(self) -> None:
        """What holds falls by one formula, what fades by the other; no kind is forgotten."""
        assert SEMANTIC_WEIGHTS.keys() == set(Kind)
        assert {kind for kind in Kind if kind not in BAYESIAN} == {
            Kind.PREFERENCE, Kind.CONTEXT, Kind.EVENT, Kind.RELATIONSHIP, Kind.SUMMARY,
        }  # fmt: skip
        for kind in Kind:
            formula, scale = (bayesian, 84.0) if kind in BAYESIAN else (fading, 30.0)
            expected = formula(column(0), column(7), column(20), scale)
            assert priority(one(kind, importance=7, age=timedelta(days=20)), PriorityDays()) == pytest.approx(expected)
        weights = {kind.value: semantic_weights((kind,))[0] for kind in Kind}
        assert weights == {
            "decision": 0.55, "fact": 0.65, "error": 0.55, "pattern": 0.50, "preference": 0.75, "context": 0.75,
            "instruction": 0.65, "project": 0.65, "event": 0.75, "relationship": 0.75, "summary": 0.75,
        }  # fmt: skip

    def test_days_run_since_the_last_access(self) -> None:
        """What was wanted yesterday is not idle, however old it is."""
        old = timedelta(days=100)
        assert one(age=old).idle_days[0] == pytest.approx(100)
        assert one(age=old, last_accessed_at=NOW - timedelta(days=1)).idle_days[0] == pytest.approx(1)
        assert one(age=old, last_accessed_at=NOW - timedelta(days=1)).hours[0] == pytest.approx(2400)

    def test_a_clock_that_was_ahead_gives_no_negative_age(self) -> None:
        """What was kept in the future, by this clock, is new."""
        ahead = one(age=-timedelta(days=3))
        assert (ahead.hours[0], ahead.idle_days[0]) == (0, 0)


class TestSemantic:
    def test_a_cosine_stands_as_it_is_where_no_word_is_shared(self) -> None:
        """Below 0 it is 0; words raise it and never beyond 1."""
        found = semantic(np.array([-0.3, 0.0, 0.4, 1.0, 0.4], dtype=np.float32), column(0, 0, 0, 0, 1))
        assert found == pytest.approx([0, 0, 0.4, 1, 1 - 0.6 * 0.1])

    def test_without_vectors_it_is_an_estimate(self) -> None:
        """What has no vector, or whose question has none, is on the same scale by its words."""
        words = column(0, 0.5, 1)
        estimate = semantic(None, words)
        assert rising(estimate)
        assert estimate[0] == pytest.approx(0.31)
        assert semantic(np.full(3, -np.inf, dtype=np.float32), words) == pytest.approx(estimate)

    @given(st.lists(st.tuples(st.floats(-1, 1, width=32), shares), min_size=1, max_size=9), st.booleans())
    def test_it_is_in_range(self, pairs: list[tuple[float, float]], blind: bool) -> None:
        """From 0 to 1, and never below the cosine."""
        cosines = np.array([cosine for cosine, _ in pairs], dtype=np.float32)
        found = semantic(None if blind else cosines, column(*[words for _, words in pairs]))
        assert ((found >= 0) & (found <= 1)).all()
        assert blind or (found >= cosines - 1e-6).all()

    def test_words_are_a_share_of_what_they_could_give(self) -> None:
        """Every word once in a text of mean length is all of it; a question without words shares none."""
        assert words_shared(np.array([0, 1.5, 3, 9], dtype=np.float32), [1.0, 2.0]).tolist() == [0, 0.5, 1, 1]
        assert words_shared(np.zeros(2, dtype=np.float32), []).tolist() == [0, 0]


class TestCombined:
    def test_assistant_is_the_formula(self) -> None:
        """.40 similarity + .25 recency + .20 emotion + .15 reinforcement; a bonus from ten accesses; at most 1."""
        own = one(age=timedelta(hours=24), access_count=9, emotion=0.8)
        found = assistant(AssistantWeights(), column(0.5), own)
        parts = [0.5, 1 / (1 + log(25)), 0.8, log(10) / 10]
        assert found.scores[0] == pytest.approx(sum(w * p for w, p in zip((0.4, 0.25, 0.2, 0.15), parts, strict=True)))
        assert [signal[0] for signal in found.signals.values()] == pytest.approx([*parts, 0.0])
        more = assistant(AssistantWeights(), column(0.5), one(age=timedelta(hours=24), access_count=25, emotion=0.8))
        assert more.scores[0] - found.scores[0] == pytest.approx(0.015 * log(26 / 10) + 0.2 * log(3.5))
        most = assistant(AssistantWeights(), column(1.0), one(access_count=10**6, emotion=1.0))
        assert most.scores[0] == 1.0

    @pytest.mark.parametrize("damage", [{"access_count": -5}, {"importance": 0}, {"importance": -3}])
    def test_a_damaged_count_has_a_score(self, damage: dict[str, int]) -> None:
        """What a file cannot hold but through damage is taken for the nearest that it can."""
        for kind in Kind:
            own = one(kind, age=timedelta(days=3), **damage)
            for found in (
                assistant(AssistantWeights(), column(0.5), own),
                engineering(PriorityDays(), column(0.5), own),
            ):
                assert 0.0 <= found.scores[0] <= 1.0

    def test_an_unknown_emotion_is_in_the_middle(self) -> None:
        """Who never asks for emotions is not ranked by them."""
        assert emotion([None, 0.0, 1.0]).tolist() == [0.5, 0, 1]

    def test_engineering_is_the_formula(self) -> None:
        """The score is w · semantic + (1 - w) · priority by kind; with a reranker .40, .40 and .20 for everyone."""
        memories = [memory(kind=kind, importance=9, created_at=NOW - timedelta(days=60)) for kind in Kind]
        own = standing(memories, NOW)
        semantics = np.linspace(0, 1, len(memories))
        urgent, weights = priority(own, PriorityDays()), semantic_weights(own.kinds)
        found = engineering(PriorityDays(), semantics, own)
        assert found.scores == pytest.approx(weights * semantics + (1 - weights) * urgent)
        order = by_place(len(memories))
        found = engineering(PriorityDays(), semantics, own, order)
        assert found.scores == pytest.approx(0.4 * semantics + 0.4 * order + 0.2 * urgent)
        assert {name: set(values.tolist()) for name, values in found.weights.items()} == {
            "semantic": {0.4}, "priority": {0.2}, "rerank": {0.4},
        }  # fmt: skip

    @given(
        kinds,
        shares,
        st.fixed_dictionaries(
            {
                "importance": st.integers(1, 10),
                "access_count": st.integers(0, 10**6),
                "age": st.integers(0, 10**5).map(lambda hours: timedelta(hours=hours)),
                "emotion": st.none() | shares,
            }
        ),
    )
    def test_scores_are_from_0_to_1_and_say_what_they_are_made_of(
        self, kind: Kind, near: float, fields: dict[str, Any]
    ) -> None:
        """Every score is the weighted sum of its parts, brought down to 1."""
        own = one(kind, **fields)
        for found in (assistant(AssistantWeights(), column(near), own), engineering(PriorityDays(), column(near), own)):
            assert found.signals.keys() == found.weights.keys()
            made_of = sum(found.signals[name][0] * found.weights[name][0] for name in found.signals)
            assert found.scores[0] == pytest.approx(min(1.0, made_of))
            assert all(0 <= signal[0] <= 1 for signal in found.signals.values())

    def test_no_candidates_is_no_error(self) -> None:
        """An empty pool has no scores."""
        nothing = standing([], NOW)
        assert len(assistant(AssistantWeights(), column(), nothing).scores) == 0
        assert len(engineering(PriorityDays(), column(), nothing).scores) == 0


class TestWeights:
    def test_the_usual_ones_sum_to_one(self) -> None:
        """They are shares of one score."""
        own = AssistantWeights()
        assert (own.similarity, own.recency, own.emotion, own.reinforcement) == (0.40, 0.25, 0.20, 0.15)

    @pytest.mark.parametrize("similarity", [0.391, 0.409])
    def test_a_hundredth_is_forgiven(self, similarity: float) -> None:
        """Rounded weights are no mistake."""
        assert replace(AssistantWeights(), similarity=similarity).similarity == similarity

    @pytest.mark.parametrize(("similarity", "sum_"), [(0.5, "1.1"), (0.2, "0.8")])
    def test_another_sum_is_refused(self, similarity: float, sum_: str) -> None:
        """The error names the sum."""
        with pytest.raises(InvalidInput, match=rf"sum to {sum_}; expected 1"):
            AssistantWeights(similarity=similarity)

    @pytest.mark.parametrize("value", [-0.1, 1.1, True, "0.4", None, float("nan"), float("inf"), 10**400])
    def test_no_share_is_refused(self, value: Any) -> None:
        """What is no number from 0 to 1 is named."""
        with pytest.raises(InvalidInput, match="recency"):
            AssistantWeights(recency=value)

    @pytest.mark.parametrize("value", [0, -1, True, "84", float("nan"), float("inf")])
    def test_a_senseless_scale_is_refused(self, value: Any) -> None:
        """Days are more than none."""
        with pytest.raises(InvalidInput, match="holding"):
            PriorityDays(holding=value)


class TestReranked:
    @pytest.mark.parametrize(
        ("given_", "expected"),
        [
            ([2, 0], [2, 0, 1, 3]),
            ((3, 2, 1, 0), [3, 2, 1, 0]),
            ([1, 1, 1], [1, 0, 2, 3]),
            ([9, -1, 2], [2, 0, 1, 3]),
            (np.array([3, 0]), [3, 0, 1, 2]),
            ([np.int64(1)], [1, 0, 2, 3]),
        ],
    )
    def test_an_order_is_completed(self, given_: Any, expected: list[int]) -> None:
        """Repeated and unknown places are passed over, and what was left out follows as it stood."""
        assert complete(given_, 4) == expected

    @pytest.mark.parametrize("given_", [None, 3, "210", b"210", {"a": 1}, [0.5], [True], ["1"], [[1]], [], [7], [None]])
    def test_nonsense_is_none(self, given_: Any) -> None:
        """What is no list of places is told and never guessed at."""
        assert isinstance(complete(given_, 4), str)

    @given(st.lists(st.integers(-5, 30)), st.integers(1, 20))
    def test_every_place_comes_once(self, given_: list[int], count: int) -> None:
        """Whatever is answered, nothing is lost and nothing comes twice."""
        found = complete(given_, count)
        assert isinstance(found, str) or sorted(found) == list(range(count))

    def test_places_are_shares(self) -> None:
        """The first has 1, and each next one a step less."""
        assert by_place(4).tolist() == [1, 0.75, 0.5, 0.25]


class TestDiversity:
    SCORES = np.array([1.0, 0.99, 0.5], dtype=np.float32)
    VECTORS = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)

    @pytest.mark.parametrize(("share", "order"), [(0.0, [0, 1, 2]), (0.5, [0, 2, 1]), (1.0, [0, 2, 1])])
    def test_what_says_the_same_comes_later(self, share: float, order: list[int]) -> None:
        """The more difference is wanted, the later what repeats a hit before it."""
        found, nearness = diversified(self.SCORES, self.VECTORS, share, 3)
        assert found == order
        assert nearness[0] == 0
        assert nearness[order.index(1)] == pytest.approx(1.0)

    def test_what_has_no_vector_is_near_to_nothing(self) -> None:
        """A memory found by its words only is not punished for it."""
        vectors = np.array([[1, 0], [0, 0], [1, 0]], dtype=np.float32)
        assert diversified(np.array([1, 0.5, 0.5], dtype=np.float32), vectors, 0.5, 3)[0] == [0, 1, 2]

    @given(st.lists(shares, min_size=1, max_size=12), st.integers(1, 15), shares)
    def test_it_chooses_once_and_enough(self, scores: list[float], most: int, share: float) -> None:
        """Each candidate at most once, as many as wanted, the best first."""
        values = np.array(scores, dtype=np.float32)
        vectors = np.eye(len(scores), dtype=np.float32)
        order, nearness = diversified(values, vectors, share, most)
        assert len(order) == len(set(order)) == len(nearness) == min(most, len(scores))
        if share < 0.99:
            assert values[order[0]] == values.max()
