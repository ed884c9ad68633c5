from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.emotion import intensity_of


def felt(text: str) -> float:
    """The intensity of a text that has one."""
    found = intensity_of(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("The port is 8080.", "I live in Rome."),
        ("I am at home.", "I am furious."),
        ("I am at home.", "I am thrilled."),
        ("It is late.", "It is late!"),
        ("It is late!", "It is late!!!"),
        ("They are unfair.", "They are SO unfair."),
        ("They arrived.", "They arrived 😡"),
        ("They arrived.", "They arrived :("),
        ("I am happy.", "I am so happy."),
        ("I am calm and relaxed.", "I am nervous and afraid."),
        ("The build failed again.", "My dad died last night and I cannot stop crying."),
        ("It is nice.", "It is niiice."),
    ],
)
def test_what_is_felt_more(less: str, more: str) -> None:
    """Stirring words of either sign, marks, capitals, emoji, intensifiers and drawn-out letters raise it."""
    assert felt(less) < felt(more)


@pytest.mark.parametrize("text", ["The port is 8080.", "Set it to 30 seconds.", "The room was calm and quiet."])
def test_plain_statements_are_at_zero(text: str) -> None:
    """Where nothing shows a feeling there is none."""
    assert intensity_of(text) == 0


def test_both_signs_are_strong() -> None:
    """Arousal is not valence: rage and delight are both above the middle."""
    assert felt("I am furious!") > 0.5
    assert felt("I am thrilled!") > 0.5


@pytest.mark.parametrize("text", ["", "  ...  ", "!!!", "Ich bin heute sehr traurig und weiß nicht mehr weiter."])
def test_where_nothing_tells(text: str) -> None:
    """No words, or another language, give no answer."""
    assert intensity_of(text) is None


def test_shouting_all_of_it_is_no_emphasis() -> None:
    """A text in capitals throughout may be a heading."""
    assert intensity_of("SECTION TWO OF THE MANUAL") == 0


@given(st.text(max_size=300))
def test_limits_are_kept(text: str) -> None:
    """Any text gives None or a number from 0 to 1, the same each time."""
    found = intensity_of(text)
    assert found is None or 0 <= found <= 1
    assert found == intensity_of(text)
