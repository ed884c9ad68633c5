from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.slots import refilled, slot

SURE, LIKELY = 0.8, 0.6


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("The API port is 8080", "The API port is now 9090", "'8080' became '9090'"),
        ("The port of the login service is 80", "The login service listens on port 81", "'80' became '81'"),
        ("Ada lives in Rome", "Ada moved to Milan", "'rome' became 'milan'"),
        ("Ada works at Acme", "Globex employs Ada", "'acme' became 'globex'"),
        ("The database of the shop is MySQL", "The shop uses Postgres", "'mysql' became 'postgres'"),
        ("The shop uses MySQL", "The shop uses Postgres now", "'mysql' became 'postgres'"),
        ("The shop is deployed on Friday", "On Monday the shop is deployed", "'friday' became 'monday'"),
        (
            "Lars's favourite drink is cold brew",
            "The favourite drink of Lars is mint tea",
            "'cold brew' became 'mint tea'",
        ),
        ("Hugo is 30 years old", "The age of Hugo is 31", "'30' became '31'"),
        ("The budget of the project is $5,000", "The project budget is $6,200", "'$5,000' became '$6,200'"),
        ("Go is the language of the gateway", "The gateway is written in Rust", "'go' became 'rust'"),
    ],
)
def test_one_slot_has_one_value(older: str, newer: str, reason: str) -> None:
    """However the two are worded; the verdict is sure and names both values."""
    verdict = refilled(older, newer)
    assert verdict is not None
    assert verdict.confidence >= SURE
    assert verdict.reason == reason


def test_what_may_have_several_is_only_likely() -> None:
    """A thing can use two databases, though it seldom does."""
    verdict = refilled("The shop uses MySQL", "The shop uses Postgres")
    assert verdict is not None
    assert LIKELY <= verdict.confidence < SURE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The API port is 8080", "The admin port is 9090"),
        ("The API port is 8080", "The API timeout is 9090"),
        ("The API port is 8080", "the port of the API is 8080"),
        ("Ada lives in Rome", "Bob lives in Milan"),
        ("Ada's friend is Bob", "Ada's friend is Carol"),
        ("Ada likes tea", "Ada likes coffee"),
        ("The shop uses MySQL", "The shop uses Python"),
        ("The shop uses MySQL", "The shop also uses Postgres"),
        ("Ada lives in Rome", "Ada may move to Milan"),
        ("Ada lives in Rome", "Ada lived in Milan until 2019"),
        ("Ada lives in Rome", "Does Ada live in Milan?"),
        ("Ada lives in Rome", "If Ada lives in Milan, call her"),
        ("A man is running on a beach", "A man is running on a road"),
        ("The limit is 50 MB", "The limit is generous"),
        ("The limit of the queue is 50 MB", "The limit of the queue is 10 seconds"),
        ("The login service is slow", "The login service is small"),
    ],
)
def test_two_slots_or_none(older: str, newer: str) -> None:
    """Another subject, attribute or sort of value; what can have several; what is asked, doubted, past or one more."""
    assert refilled(older, newer) is None


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text(one: str, other: str) -> None:
    """It never raises, and a text fills its slot in one way only."""
    assert refilled(one, one) is None
    refilled(one, other)


def test_long_texts_fill_none() -> None:
    """It is for short statements; a long text is judged sentence by sentence elsewhere."""
    assert slot("The API port is 8080 " + "and more " * 100) is None
