from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.text import fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Crêpe", unicodedata.normalize("NFD", "crêpe")),
        ("  two\n\twords ", "Two words"),
        ("\uff21\uff22", "ab"),
        ("Straße", "STRASSE"),
        ("", " \n"),
    ],
)
def test_mem_005_one_text_has_one_fingerprint(one: str, other: str) -> None:
    """Unicode form, case and white space do not make another text (MEM-005)."""
    assert fingerprint(one) == fingerprint(other)
    assert len(fingerprint(one)) == 16


@pytest.mark.parametrize(
    ("one", "other"),
    [("crêpe", "crepe"), ("a b", "ab"), ("a", "a."), ("a", "a\0"), ("\ud800", "\ud801"), ("", "a")],
)
def test_other_texts_have_other_fingerprints(one: str, other: str) -> None:
    """Accents, punctuation and spaces between letters make another text."""
    assert fingerprint(one) != fingerprint(other)


@given(st.text())
def test_fingerprint_ignores_form_and_case(text: str) -> None:
    """Composed, decomposed and padded writings of any text have the same fingerprint."""
    expected = fingerprint(text)
    assert fingerprint(unicodedata.normalize("NFD", text)) == expected
    assert fingerprint(unicodedata.normalize("NFC", text)) == expected
    assert fingerprint(f"\n {text}\t") == expected


@given(st.text(alphabet=st.characters(max_codepoint=0x24F)))
def test_fingerprint_ignores_case(text: str) -> None:
    """Upper and lower case writings of a text have the same fingerprint."""
    assert fingerprint(text.upper().lower()) == fingerprint(text.upper())
