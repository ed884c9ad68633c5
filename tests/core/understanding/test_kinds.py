from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.kinds import kind_of
from cortex.model.memory import Kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to keep the monolith for another year.", Kind.DECISION),
        ("I prefer window seats on long flights.", Kind.PREFERENCE),
        ("The worker crashed with KeyError in load_profile().", Kind.ERROR),
        ("Never commit generated files.", Kind.INSTRUCTION),
        ("Whenever the cache is cold, the first page takes ten seconds.", Kind.PATTERN),
        ("I'm currently rewriting the parser.", Kind.CONTEXT),
        ("My uncle Rashid repairs clocks.", Kind.RELATIONSHIP),
        ("Yesterday we met the new tenants.", Kind.EVENT),
        ("In summary, both vendors are too expensive.", Kind.SUMMARY),
        ("Project Osprey aims to halve the hosting bill.", Kind.PROJECT),
        ("The health endpoint answers on port 9100.", Kind.FACT),
    ],
)
def test_a_statement_shows_its_kind(text: str, kind: Kind) -> None:
    """Every kind has statements that are recognised by what they say."""
    assert kind_of(text) is kind


@pytest.mark.parametrize(
    "text",
    ["", "   ", "???", "Hello there!", "Which port does it use?", "Wir haben uns für die alte Lösung entschieden.",
     "Nous avons décidé de garder le vieux serveur.", "私はコーヒーが好きです。", "Thanks a lot for the quick help!",
     "Wow, Farah, that's wonderful!"],
)  # fmt: skip
def test_nothing_tells(text: str) -> None:
    """Questions, small talk and other languages have no kind, rather than a wrong one."""
    assert kind_of(text) is None


def test_an_order_is_no_noun() -> None:
    """A word that can be a verb or a noun opens an instruction only where a noun cannot stand."""
    assert kind_of("Commit 4be81ff is on the main branch.") is not Kind.INSTRUCTION
    assert kind_of("Commit the lock file too.") is Kind.INSTRUCTION


@given(st.text(max_size=400))
def test_any_text_has_an_answer(text: str) -> None:
    """No text raises, and the same text has the same answer."""
    assert kind_of(text) == kind_of(text)
