"""Alternatives by first letter match what the alternatives matched."""

from __future__ import annotations

import re

import pytest

from cortex.core.understanding.alternatives import by_first_letter
from cortex.core.understanding.injection import _AFTER, _BEFORE, _TOPICS, _words


@pytest.mark.parametrize(
    ("pattern", "grouped"),
    [
        ("ab|ac|b", "a(?:b|c)|b(?:)"),
        ("e?-?mail|em|(?:do not|don't) go|dog", "e(?:m)|d(?:og)|e?-?mail|(?:do not|don't) go"),
        ("x", "x(?:)"),
    ],
)
def test_what_is_grouped(pattern: str, grouped: str) -> None:
    """A letter that may be left out, and groups, stay as they are."""
    assert by_first_letter(pattern) == grouped


def test_the_same_words_match() -> None:
    """For every list of words that is looked for, whether alone or in a sentence."""
    lists = [topic for topic in _TOPICS.values() if topic.pattern.startswith(_BEFORE)]
    words = {word for topic in lists for word in re.findall(r"[a-z']+(?: [a-z']+)?", topic.pattern)}
    assert len(lists) > 15
    for topic in lists:
        grouped = _words(by_first_letter(topic.pattern.removeprefix(_BEFORE).removesuffix(_AFTER)))
        texts = [*words, *(f"please {word} now" for word in words)]
        assert [text for text in texts if grouped.search(text)] == [text for text in texts if topic.search(text)]
