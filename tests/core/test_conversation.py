"""The parts of the ranking `conversation`, each against the plain way to work it out."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, cast

import numpy as np
import pytest

from cortex.core.lexical import Corpus, Postings, bm25, bm25_in_context
from cortex.core.scoring import conversation
from cortex.core.scoring.conversation import Priors, lent_cosines, scaled, session_share, with_priors
from cortex.core.scoring.late import MOST_TOKENS, Tokens, asked, best_cosines, compact
from cortex.core.scoring.similarity import Pieces, distinct, encode
from cortex.core.scoring.turns import in_order, named
from cortex.core.text import telling, words_of
from cortex.errors import InvalidInput
from cortex.model.ranking import SIGNALS, USUAL, ConversationWeights

RANDOM = np.random.default_rng(7)


def postings(documents: list[list[str]], term: str) -> Postings:
    """Where a term occurs."""
    counts = [(row, Counter(document)[term]) for row, document in enumerate(documents) if term in document]
    rows, times = zip(*counts, strict=True) if counts else ((), ())
    return Postings(np.array(rows, dtype=np.int32), np.array(times, dtype=np.float32), len(rows))


class TestContext:
    DOCUMENTS = ("a b", "b c c", "d", "a a e f", "b")

    def scores(self, documents: list[list[str]], places: list[list[int]], share: float) -> np.ndarray:
        """BM25 of rows in the context of others."""
        lengths = np.array([len(document) for document in documents], dtype=np.float32)
        terms = [(postings(documents, term), weight) for term, weight in (("a", 1.5), ("c", 0.7), ("nowhere", 2.0))]
        rows = [np.array(place, dtype=np.intp) for place in places]
        return bm25_in_context(terms, rows, lengths, Corpus(len(documents), float(lengths.sum())), share)

    def test_without_a_share_it_is_bm25(self) -> None:
        """Neighbours that lend nothing change nothing."""
        documents = [text.split() for text in self.DOCUMENTS]
        lengths = np.array([len(document) for document in documents], dtype=np.float32)
        terms = [(postings(documents, term), weight) for term, weight in (("a", 1.5), ("c", 0.7))]
        plain = bm25(terms, lengths, Corpus(len(documents), float(lengths.sum())))
        assert self.scores(documents, [[0, 1, 2, 3, 4], [-1, 0, 1, 2, 3], [1, 2, 3, 4, -1]], 0.0) == pytest.approx(
            plain
        )

    def test_the_words_of_a_neighbour_count_at_the_share(self) -> None:
        """A turn beside the word scores, one further away does not, and its own word counts more."""
        documents = [["a", "x"], ["x", "y"], ["y", "z"], ["z", "x"]]
        own, beside, away = self.scores(documents, [[0, 1, 2], [-1, 0, 1], [1, 2, 3]], 0.5)
        assert own > beside > away == 0


class TestLate:
    def test_the_best_cosine_of_each_row(self) -> None:
        """As comparing every token with every token; rows without tokens and row -1 are 0."""
        vectors = [RANDOM.normal(size=(size, 16)).astype(np.float32) for size in (3, 0, 5, 1)]
        codes = [compact(each) for each in vectors]
        starts = np.cumsum([0, *(len(each) for each in codes)])
        tokens = Tokens(np.concatenate(codes), starts)
        query = RANDOM.normal(size=(4, 16)).astype(np.float32)
        question = asked("one two three four", query, [(0, 3), (4, 7), (8, 13), (14, 18)], lambda _: 1.0)
        assert question is not None
        rows = np.array([2, -1, 0, 1, 3])
        unit = query / np.linalg.norm(query, axis=1, keepdims=True)
        for row, best in zip(rows, best_cosines(question, tokens, rows), strict=True):
            if row < 0 or len(vectors[row]) == 0:
                assert best.tolist() == [0] * 4
                continue
            own = vectors[row] / np.linalg.norm(vectors[row], axis=1, keepdims=True)
            assert best == pytest.approx((own @ unit.T).max(axis=0), abs=0.03)

    def test_words_have_weights_and_their_pieces_share_them(self) -> None:
        """Words without weight and signs are left out; the weights sum to 1."""
        weights = {"who": 0.0, "embedding": 3.0, "tea": 1.0}
        spans = [(0, 3), (4, 9), (9, 13), (14, 17), (17, 18)]
        question = asked("who embedding tea?", np.eye(5, 8, dtype=np.float32), spans, lambda word: weights[word])
        assert question is not None
        assert question.weights.tolist() == pytest.approx([3 / 8, 3 / 8, 1 / 4])
        assert question.values.argmax(axis=1).tolist() == [1, 2, 3]
        assert asked("who", np.eye(1, 8, dtype=np.float32), [(0, 3)], lambda word: weights[word]) is None

    def test_tokens_are_kept_as_small_numbers(self) -> None:
        """Length 127, the first of them only, and a zero vector does no harm."""
        vectors = RANDOM.normal(size=(MOST_TOKENS + 9, 64)).astype(np.float32)
        vectors[3] = 0
        codes = compact(vectors)
        assert codes.dtype == np.int8
        assert len(codes) == MOST_TOKENS
        assert np.linalg.norm(np.delete(codes, 3, axis=0).astype(float), axis=1) == pytest.approx(127, abs=4)
        assert not codes[3].any()


class TestTokens:
    def test_signs_tell_nothing(self) -> None:
        """What stands in them is left out."""
        text = "Ada did not see the harbour, but Grace's boat."
        spans = [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]
        told = [text[slice(*span)] for span, tells in zip(spans, telling(text, spans), strict=True) if tells]
        assert told == ["Ada", "did", "not", "see", "the", "harbour", "but", "Grace", "s", "boat"]

    @pytest.mark.parametrize("text", ["?!", "...", ""])
    def test_a_text_with_nothing_else_keeps_all(self, text: str) -> None:
        """Otherwise it could never be found by its tokens."""
        spans = [(place, place + 1) for place in range(len(text))]
        assert telling(text, spans).tolist() == [True] * len(text)

    @pytest.mark.parametrize("text", ["東京は雨です", "Привет, мир", "naïve café"])
    def test_other_scripts_are_kept(self, text: str) -> None:
        """Every letter stands in a word that tells something."""
        spans = [(place, place + 1) for place in range(len(text))]
        assert telling(text, spans).tolist() == [letter.isalnum() for letter in text]

    def test_a_word_has_the_tokens_that_begin_in_it(self) -> None:
        """Be it one, several pieces, or none where the model read no further."""
        found = dict(words_of("embedding tea later", [(0, 5), (5, 9), (10, 13)]))
        assert found == {"embedding": slice(0, 2), "tea": slice(2, 3), "later": slice(3, 3)}


class TestTurns:
    def test_neighbours_are_those_of_the_session(self) -> None:
        """By position where there is one, then in the order of writing; the dead and the lonely have none."""
        never = np.iinfo(np.int64).max
        session = np.array([0, 1, 0, -1, 0, 1, 0], dtype=np.int32)
        position = np.array([2, never, 1, 0, 3, never, 2], dtype=np.int64)
        seq = np.array([10, 11, 12, 13, 14, 15, 9], dtype=np.int64)
        alive = np.array([True, True, True, True, True, True, False])
        turns = in_order(session, position, seq, alive)
        assert turns.before.tolist() == [2, -1, -1, -1, 0, 1, -1]
        assert turns.after.tolist() == [4, 5, 0, -1, -1, -1, -1]
        assert turns.any
        assert not in_order(np.full(3, -1, np.int32), np.zeros(3, np.int64), np.arange(3), np.ones(3, bool)).any

    @pytest.mark.parametrize(
        ("speaker", "question"),
        [
            ("Ada Lovelace", "What did ADA say?"),
            ("grace", "What did Grace's sister say?"),
            ("李雷", "李雷 在哪里"),
            ("小林 太郎", "小林は何を飲みますか"),
            ("O'Brien", "what did O'Brien drink"),
            ("Jean-Luc Picard", "Where is Jean-Luc?"),
            ("Dr. Who", "Where is Who from?"),
            ("Zoe\u0308", "Where is Zo\u00eb?"),
            ("Will", "Where does Will live?"),
        ],
    )
    def test_a_question_names_a_speaker(self, speaker: str, question: str) -> None:
        """By the first word of the name that is no title, in any case, in any script and form."""
        assert named([speaker], question).tolist() == [True]

    @pytest.mark.parametrize(
        ("speaker", "question"),
        [
            ("Ann", "What did Anna say?"),
            ("Jean-Luc", "Where is Luc?"),
            ("Will", "Will it rain?"),
            ("Will", "When will it rain?"),
            ("Me", "What did you tell me?"),
            ("Dr.", "Who is a Dr. here?"),
            (" ", "Who?"),
            ("\N{SNOWMAN}", "What does \N{SNOWMAN} say?"),
        ],
    )
    def test_and_does_not_name_everybody(self, speaker: str, question: str) -> None:
        """No part of a word, no ordinary word, no sign."""
        assert named([speaker], question).tolist() == [False]


class TestScores:
    def test_scaling_keeps_the_order_and_bears_anything(self) -> None:
        """From 0 to 1; what is missing is lowest, equals are 1, nothing is an error."""
        values = np.array([3, -np.inf, 1, 2], dtype=np.float32)
        assert scaled(values).tolist() == [1, 0, 0, 0.5]
        assert scaled(np.full(2, 5, dtype=np.float32)).tolist() == [1, 1]
        assert scaled(np.full(2, -np.inf, dtype=np.float32)).tolist() == [0, 0]
        assert scaled(np.zeros(0, dtype=np.float32)).tolist() == []

    def test_priors_move_and_never_filter(self) -> None:
        """Each moves by its own amount."""
        marks = np.eye(3, dtype=np.bool_)
        moved = with_priors(USUAL, np.full(3, 0.5, dtype=np.float32), Priors(*marks))
        assert moved == pytest.approx([0.65, 0.75, 0.3])

    def test_a_session_lends_the_mean_of_its_best_three(self) -> None:
        """Fewer count as nothing in the other places; a memory of no session keeps its own."""
        scores = np.array([0.9, 0.6, 0.3, 0.1, 0.6, 0.5], dtype=np.float32)
        session = np.array([4, 4, 4, 4, 9, -1], dtype=np.int64)
        shares = session_share(scores, session)
        assert shares == pytest.approx([0.6, 0.6, 0.6, 0.6, 0.2, 0.5])

    def test_neighbours_lend_and_answers_get_more(self) -> None:
        """The larger of the own cosine and a share of a neighbour's, token by token."""
        own = np.array([[0.9, 0.1], [0.9, 0.1]], dtype=np.float32)
        before = np.array([[0.0, 1.0], [0.0, 1.0]], dtype=np.float32)
        after = np.zeros((2, 2), dtype=np.float32)
        lent = lent_cosines(USUAL, own, before, after, np.array([False, True]))
        assert lent == pytest.approx(np.array([[0.9, 0.7], [0.9, 0.85]]))

    @pytest.mark.parametrize(
        "weights", [USUAL, ConversationWeights(late_context=0, session=3, asking=2), ConversationWeights(dense=0)]
    )
    def test_scores_lie_between_0_and_1(self, weights: ConversationWeights) -> None:
        """Whatever the signals, priors and weights."""
        signals = {name: RANDOM.normal(size=50).astype(np.float32) for name in SIGNALS}
        priors = Priors(*(RANDOM.random((3, 50)) < 0.5))
        scores = conversation.scored(weights, signals, priors=priors, session=RANDOM.integers(-1, 5, 50))
        assert 0 <= scores.min() <= scores.max() <= 1

    @pytest.mark.parametrize("name", ["dense", "session", "asking", "neighbours"])
    @pytest.mark.parametrize("value", [-1, 1001, 1e39, 10**400, float("nan"), float("inf"), "1", None, True])
    def test_weights_are_numbers_from_0(self, name: str, value: Any) -> None:
        """What is none is refused by its name."""
        with pytest.raises(InvalidInput, match=name):
            ConversationWeights(**{name: value})

    def test_some_signal_counts(self) -> None:
        """Without any there is nothing to rank by; half a neighbour is none."""
        with pytest.raises(InvalidInput, match="no signal"):
            ConversationWeights(dense=0, lexical_context=0, late_context=0)
        with pytest.raises(InvalidInput, match="whole number"):
            ConversationWeights(neighbours=cast("int", 1.5))


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 0, 1, 3), (0, 0)])
def test_similarities_of_chosen_rows(sizes: tuple[int, ...]) -> None:
    """The best piece of each, and nothing for a row without pieces."""
    owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    vectors = RANDOM.normal(size=(len(owners), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    one_each = all(size == 1 for size in sizes)
    pieces = Pieces(vectors, encode(vectors), None if one_each else owners, len(sizes))
    query = vectors[0] if len(vectors) else np.ones(8, dtype=np.float32)
    every, everything = pieces.nearest(query, 10, None)
    assert every.tolist() == list(range(len(sizes)))
    rows = np.arange(len(sizes))[::-1].copy()
    assert pieces.of_rows(query, rows).tolist() == everything[rows].tolist()


def test_near_is_enough_to_choose_candidates() -> None:
    """Among many rows the cosines by codes are off by less than a hundredth; hidden rows are not there."""
    vectors = RANDOM.normal(size=(5000, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    pieces, mask = Pieces(vectors, encode(vectors), None, len(vectors)), RANDOM.random(5000) < 0.5
    near = pieces.near(vectors[7], mask)
    assert near[mask] == pytest.approx((vectors @ vectors[7])[mask], abs=0.01)
    assert np.isneginf(near[~mask]).all()


@pytest.mark.parametrize("rows", [[], [3], [5, 1, 5, -1, 1, 0]])
def test_distinct_rows(rows: list[int]) -> None:
    """Each once, in rising order."""
    assert distinct(np.array(rows, dtype=np.intp)).tolist() == sorted(set(rows))
