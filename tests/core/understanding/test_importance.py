from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.importance import importance_of
from cortex.core.understanding.kinds import kind_of
from cortex.model.memory import Kind


def judged(text: str) -> int:
    """The importance of a text of the kind it shows."""
    found = importance_of(text, kind_of(text))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("I am allergic to shellfish.", "I had a sandwich for lunch."),
        ("We decided to store everything in Postgres.", "It might rain this weekend."),
        ("The tax return is due on 31 July.", "The tax return was discussed."),
        ("My name is Noor and I live in Bergen.", "The lamp is green."),
        ("The login service is down.", "Maybe the login service is down, not sure."),
        ("Production outage: the payment API is critical.", "The payment API has a logo."),
        ("The lamp is green.", "Hello!"),
    ],
)
def test_what_matters_more_stands_higher(more: str, less: str) -> None:
    """Safety, decisions, deadlines, identity and weight raise; hedging, trivia and greetings lower."""
    assert judged(more) > judged(less)


def test_the_kind_is_where_it_starts() -> None:
    """The same words matter more as a decision than as context."""
    text = "The importer reads two files at once."
    assert importance_of(text, Kind.DECISION) == 7
    assert importance_of(text, Kind.CONTEXT) == 4


@pytest.mark.parametrize("text", ["", "...", "Die Katze schläft den ganzen Tag auf dem Sofa und der Hund nicht."])
def test_nothing_tells(text: str) -> None:
    """Without words, and in another language, there is no importance, rather than a guess."""
    assert importance_of(text, None) is None


@given(st.text(max_size=300), st.sampled_from([None, *Kind]))
def test_it_is_from_one_to_ten(text: str, kind: Kind | None) -> None:
    """Any text of any kind keeps to the scale."""
    found = importance_of(text, kind)
    assert found is None or 1 <= found <= 10
