from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.core.understanding.summary import summarise
from cortex.model.understanding import Summary

TEXTS = [
    "We moved the billing service to PostgreSQL in May. Lunch was good.",
    "The billing service runs on PostgreSQL 16 now. Backups are nightly.",
    "My aunt grows roses.",
    "Since the move to PostgreSQL the reports of the billing service are faster. Who wants cake?",
]


def test_what_most_texts_share_is_told_and_cited() -> None:
    """The sentences about what several texts speak of are chosen, in the order of the texts, with their positions."""
    summary = summarise(TEXTS, sentences=3)
    assert summary.sources == (0, 1, 3)
    assert summary.text.startswith("We moved the billing service to PostgreSQL in May. The billing service runs")
    assert "roses" not in summary.text
    assert "cake" not in summary.text


def test_a_second_wording_of_the_same_is_left_out() -> None:
    """A sentence that says what is chosen already makes room for another."""
    boat, again = "The red boat sank near the harbour.", "Near the harbour the red boat sank."
    texts = [boat, again, "The harbour has a new crane."]
    assert summarise(texts, sentences=2).sources == (0, 2)


def test_equal_sentences_are_told_once() -> None:
    """The first text that has a sentence is its source."""
    assert summarise(["It rains.", "It rains.", "It rains."]) == Summary("It rains.", (0,))


def test_one_short_text_is_its_own_summary() -> None:
    """It stays as it is, whatever it is made of; texts without anything do not count."""
    assert summarise(["  short text\n"]) == Summary("short text", (0,))
    assert summarise(["", "One line\nand another."]) == Summary("One line\nand another.", (1,))
    assert summarise(["```\nx = 1\n```"]).sources == (0,)


def test_nothing_is_summarised_to_nothing() -> None:
    """No text, or texts of white space only, give an empty summary without sources."""
    assert summarise([]) == summarise(["", " \n"]) == Summary("", ())


def test_a_summary_has_a_sentence_at_least() -> None:
    """Fewer than one is refused with the value."""
    with pytest.raises(ValueError, match="sentences is 0"):
        summarise(TEXTS, sentences=0)


@given(st.lists(st.text(max_size=120) | st.sampled_from(TEXTS), max_size=8), st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_any_texts_have_a_summary(texts: list[str], sentences: int) -> None:
    """It never raises, the same texts give the same summary, and sources are rising positions of texts."""
    summary = summarise(texts, sentences=sentences)
    assert summary == summarise(texts, sentences=sentences)
    assert list(summary.sources) == sorted(set(summary.sources))
    assert all(0 <= source < len(texts) for source in summary.sources)
    assert len(summary.sources) <= sentences
    assert bool(summary.text) is bool(summary.sources)


def test_many_and_long_texts_cost_little() -> None:
    """Only so many sentences of each are read."""
    started = time.process_time()
    summarise(["The harbour has 12 berths. " * 2_000] * 50 + ["x. " * 50_000] * 10)
    summarise([f"Boat {number} is in the harbour of town {number % 7}." for number in range(3_000)])
    assert time.process_time() - started < 3
