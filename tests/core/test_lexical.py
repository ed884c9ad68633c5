"""BM25 and its postings against the plainest implementation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core import postings as postings_module
from cortex.core.lexical import Corpus, Postings, bm25, idf
from cortex.core.postings import PostingLists

WORDS = "abcdefgh"
documents = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=30)


def brute_force(texts: Sequence[Sequence[str]], query: Sequence[str]) -> list[float]:
    """Okapi BM25 of every text, by the formula."""
    mean = sum(map(len, texts)) / len(texts) or 1.0
    scores = []
    for text in texts:
        score = 0.0
        for term in query:
            frequency = sum(term in other for other in texts)
            weight = log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
            count = text.count(term)
            score += weight * count * 2.5 / (count + 1.5 * (1 - 0.75 + 0.75 * len(text) / mean))
        scores.append(score)
    return scores


@given(texts=documents.filter(bool), query=st.lists(st.sampled_from(WORDS + "z"), unique=True, max_size=5))
def test_scores_are_those_of_the_formula(texts: list[list[str]], query: list[str]) -> None:
    """Every document has its Okapi score, and 0 without a word of the question."""
    lists = PostingLists()
    lists.append(0, texts)
    corpus = Corpus(len(texts), float(sum(map(len, texts))))
    terms = []
    for term in query:
        rows, counts = lists.find(term, len(texts))
        terms.append((Postings(rows, counts, len(rows)), idf(len(texts), len(rows))))
    scores = bm25(terms, np.array(list(map(len, texts)), dtype=np.float32), corpus)
    assert scores.dtype == np.float32
    assert scores == pytest.approx(brute_force(texts, query), rel=1e-4, abs=1e-6)
    for text, score in zip(texts, scores.tolist(), strict=True):
        assert (score > 0) == bool(set(text) & set(query))


@given(total=st.integers(0, 10**6), share=st.floats(0, 1))
def test_a_weight_is_never_negative(total: int, share: float) -> None:
    """Rarer terms weigh more, and a term that is everywhere still weighs a little."""
    frequency = int(total * share)
    assert idf(total, frequency) > 0
    if frequency:
        assert idf(total, frequency - 1) > idf(total, frequency)


def test_an_empty_corpus_has_a_length() -> None:
    """Nothing is divided by zero."""
    assert Corpus(0, 0.0).mean_length == Corpus(3, 0.0).mean_length == 1.0
    assert Corpus(2, 3.0) + Corpus(1, 6.0) == Corpus(3, 9.0)
    assert (Corpus(2, 3.0) + Corpus(1, 6.0)).mean_length == 3.0
    assert bm25([], np.zeros(0, dtype=np.float32), Corpus(0, 0.0)).shape == (0,)


def check(lists: PostingLists, texts: Sequence[Sequence[str]], rows: int) -> None:
    """Compare every term with a dictionary of rows and counts, below a number of rows."""
    for term in {*WORDS, "never"}:
        expected = [(row, Counter(text)[term]) for row, text in enumerate(texts[:rows]) if term in text]
        found, counts = lists.find(term, rows)
        assert list(zip(found.tolist(), counts.tolist(), strict=True)) == expected
        assert found.dtype == np.int32
        assert counts.dtype == np.float32


@given(batches=st.lists(documents, max_size=8), merge_at=st.sampled_from([0, 5, 40, 10**6]), data=st.data())
def test_postings_are_those_of_a_dictionary(batches: list[list[list[str]]], merge_at: int, data: st.DataObject) -> None:
    """However documents come and however often base and tail are merged, each term has its rows and counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings_module, "_LEAST_MERGE", merge_at)
        lists = PostingLists()
        texts: list[list[str]] = []
        for batch in batches:
            lists.append(len(texts), batch)
            texts += batch
            check(lists, texts, len(texts))
        check(lists, texts, data.draw(st.integers(0, len(texts))))


def test_a_reader_keeps_its_moment() -> None:
    """Who knows of fewer rows sees no later ones, before and after a merge."""
    lists = PostingLists()
    texts = [["a", "b"], ["a"], ["b"]] * 50
    lists.append(0, texts)
    for start in range(150, 12_000, 150):
        lists.append(start, texts)
        check(lists, texts, 150)
    assert lists.nbytes > 0


def test_adding_does_not_slow_down() -> None:
    """The work of all merges together grows with the number of tokens, not with its square."""
    merged = 0

    class Counting(PostingLists):
        """Counts how many postings merges move."""

        def _merge(self, first_row: int, documents: Sequence[Sequence[str]]) -> None:
            nonlocal merged
            super()._merge(first_row, documents)
            merged += len(self._state.rows)

    lists = Counting()
    number = 20_000
    for row in range(number):
        lists.append(row, [["a", f"w{row % 500}", "b", f"v{row % 7}"]])
    assert merged < 8 * number * 4
