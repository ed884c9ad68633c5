from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.text import Piece, estimate_tokens, split_pieces
from cortex.core.text.clusters import joined
from cortex.errors import InvalidInput

FAMILY = "👨\u200d👩\u200d👧"
CLUSTERED = st.text(alphabet=st.sampled_from(list("ab \n.,。字\u0301\u200d👨🏽🇩🇪क\u093f\r1")), max_size=400)


def texts(text: str, pieces: list[Piece]) -> list[str]:
    """What each piece covers."""
    return [text[piece.start : piece.end] for piece in pieces]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("cat", 1), ("elephants", 2), ("cat, dog", 3), ("图书馆", 3), ("a\u0301", 1), ("👍🏽", 1), (" \n", 0)],
)
def test_estimate(text: str, tokens: int) -> None:
    """Words cost by length, other characters one each, marks and white space nothing."""
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize("text", ["x", "short text.", "Two.\n\nParagraphs.", "字" * 200])
def test_a_short_text_is_one_piece(text: str) -> None:
    """A text within the budget is not cut."""
    assert split_pieces(text) == [Piece(0, len(text))]


def test_an_empty_text_has_no_pieces() -> None:
    """Nothing is covered by nothing."""
    assert split_pieces("") == []
    assert split_pieces("abc", limit_chars=0) == []


@pytest.mark.parametrize(
    ("text", "budget", "first"),
    [
        ("one two. three four\n\nfive six seven", 7, "one two. three four\n\n"),
        ("one two three four. five six seven", 6, "one two three four. "),
        ("one two three four five", 3, "one two three "),
        ("今天下雨。明天不会下雨", 7, "今天下雨。"),
        ("今天下雨。 明天不会下雨", 7, "今天下雨。 "),
        ("字" * 9, 4, "字" * 4),
    ],
)
def test_cuts_are_where_a_reader_would_make_them(text: str, budget: int, first: str) -> None:
    """A paragraph end is better than a sentence end, that than white space, that than any place."""
    assert texts(text, split_pieces(text, budget))[0] == first


def test_a_long_word_is_cut() -> None:
    """Data without a space is cut to the budget."""
    pieces = split_pieces("x" * 5_000, budget=20)
    assert max(estimate_tokens(part) for part in texts("x" * 5_000, pieces)) <= 20


def test_a_large_character_goes_whole_into_the_next_piece() -> None:
    """A sequence that no longer fits is not begun; one that never fits is a piece of its own."""
    text = "字字" + FAMILY + "字"
    assert texts(text, split_pieces(text, budget=3)) == ["字字", FAMILY, "字"]
    assert texts(text, split_pieces(text, budget=2)) == ["字字", FAMILY, "字"]


def test_only_the_beginning_is_covered() -> None:
    """Pieces end at the limit, or before it when it falls inside a character."""
    assert split_pieces("word " * 100, limit_chars=50)[-1].end == 50
    assert split_pieces("ab" + FAMILY, limit_chars=4)[-1].end == 2


def test_pieces_can_overlap() -> None:
    """Each piece repeats the end of the one before, within the overlap."""
    text = " ".join(f"w{number}" for number in range(40))
    pieces = split_pieces(text, budget=10, overlap=3)
    for before, after in pairwise(pieces):
        assert after.start < before.end
        assert estimate_tokens(text[after.start : before.end]) <= 3
    assert pieces[-1].end == len(text)


@pytest.mark.parametrize(("budget", "overlap"), [(0, 0), (10, 6), (10, -1)])
def test_impossible_sizes_are_refused(budget: int, overlap: int) -> None:
    """A budget below one token or an overlap that leaves no progress is an error."""
    with pytest.raises(InvalidInput):
        split_pieces("text", budget, overlap=overlap)


@given(st.one_of(st.text(max_size=400), CLUSTERED), st.integers(1, 40), st.integers(0, 400), st.integers(0, 20))
def test_pieces_cover_in_order(text: str, budget: int, limit: int, overlap: int) -> None:
    """Pieces start at 0, go on without a gap, stop at the limit, and cut no character."""
    pieces = split_pieces(text, budget, limit, min(overlap, budget // 2))
    if not pieces:
        assert not text or not limit
        return
    assert pieces[0].start == 0
    assert pieces[-1].end <= min(limit, len(text))
    for before, after in pairwise(pieces):
        assert before.start < after.start <= before.end < after.end
        assert overlap or after.start == before.end
        assert not joined(text[after.start - 1], text[after.start])


@given(st.text(max_size=400).filter(lambda text: "\u200d" not in text), st.integers(3, 40))
def test_pieces_stay_within_the_budget(text: str, budget: int) -> None:
    """No piece is estimated above the budget."""
    assert all(estimate_tokens(part) <= budget for part in texts(text, split_pieces(text, budget)))


@given(st.text(alphabet=st.characters(exclude_categories=["M", "Cs", "Cf"]), max_size=300), st.integers(0, 300))
def test_plain_texts_are_covered_exactly(text: str, limit: int) -> None:
    """Where no character is joined to another, the pieces together are the text up to the limit."""
    plain = text.replace("\r", "").replace("\u0e33", "").replace("\u0eb3", "")
    plain = "".join(char for char in plain if not (0x1100 <= ord(char) <= 0x11FF or 0xD7B0 <= ord(char) <= 0xD7FF))
    plain = "".join(char for char in plain if not 0x1F1E6 <= ord(char) <= 0x1F3FF)
    assert "".join(texts(plain, split_pieces(plain, 10, limit))) == plain[:limit]
