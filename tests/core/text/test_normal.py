from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.text.normal import fold, nfkc

MARKS = st.sampled_from("\u0301\u0316\u0327\u05b0\u05bc\u3099\u0f71\u0f72\u0345ea\u00e9\u304b\u1ec7")


@given(st.text(alphabet=MARKS, max_size=120))
def test_long_mark_runs_normalise_as_the_library_would(text: str) -> None:
    """The ordering that keeps a run of marks linear changes nothing in the NFKC form."""
    assert nfkc(text) == unicodedata.normalize("NFKC", text)


def test_a_hostile_run_of_marks_takes_linear_time() -> None:
    """Half a million marks in falling order are normalised within the test's time."""
    text = "a" + "\u0301\u0316" * 250_000
    assert nfkc(text)[:3] == "\u00e1\u0316\u0316"


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("ŁÓDŹ", "lodz"),
        ("Þór", "thor"),
        ("İI\u0131", "iii"),
        ("\u0649\u06a9", "\u064a\u0643"),
        ("", ""),
        ("\u0301", ""),
    ],
)
def test_fold(word: str, folded: str) -> None:
    """Case, optional marks and letters without a decomposition fold to plain letters."""
    assert fold(word) == folded
