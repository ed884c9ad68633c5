from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.text import MAX_CHARACTERS, clean_problem


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b", "\u200d\ufe0f\u2060", "\0", "\0 \0", "\u3164", "\ufeff"])
def test_mem_009_blank_texts_are_refused(text: str) -> None:
    """Nothing to see is nothing to store (MEM-009)."""
    assert "is empty" in (clean_problem(text) or "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("good\0", ["NUL", "position 4"]),
        ("ab\ud83d", ["surrogate", "U+D83D", "position 2"]),
        ("x" * (MAX_CHARACTERS + 1), ["1,000,001", "1,000,000"]),
    ],
)
def test_the_problem_is_named(text: str, words: list[str]) -> None:
    """The message tells what is wrong, where, and the limit."""
    problem = clean_problem(text) or ""
    assert all(word in problem for word in words)


@pytest.mark.parametrize("text", ["a", "\u200bx", "字", "👍🏽", "\u202eright\u202c", "x" * MAX_CHARACTERS, "?"])
def test_good_texts_have_no_problem(text: str) -> None:
    """Anything visible can be stored, up to the limit."""
    assert clean_problem(text) is None


@given(st.text(alphabet=st.characters()))
def test_a_text_without_a_problem_is_valid(text: str) -> None:
    """What passes encodes to UTF-8 and holds no NUL."""
    if clean_problem(text) is None:
        assert b"\0" not in text.encode()
