"""What holds for every text."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cortex.core.text import analyse, analyse_query, detect_language, estimate_tokens

ANY = st.text(alphabet=st.characters())  # lone surrogates and NUL too
CODE = st.text(
    alphabet=st.sampled_from(list("abcXYZ019_-./:'@&=~\\+#%,$ \n\u00e9\u0130\u0441\u05d0\u5b57\u304b\u3099"))
)
SENTENCES = st.lists(
    st.sampled_from("Häuser don't liegen Caroline's naciones ça-va kestrel-9b Schlüssel organización дома it".split())
    | st.text(alphabet=st.sampled_from("abAB19'.-é"), min_size=1, max_size=8)
).map(" ".join)
PRINTABLE = st.text(alphabet=st.characters(exclude_categories=["C"]))


@given(st.one_of(ANY, CODE))
def test_nothing_raises(text: str) -> None:
    """Any string at all gives terms: short, not empty, the same each time."""
    terms = analyse(text)
    assert terms == analyse(text)
    assert all(0 < len(term) <= 64 for term in terms)
    asked = analyse_query(text)
    assert len(set(asked)) == len(asked)
    assert bool(asked) == bool(terms)
    assert detect_language(text) is None or len(detect_language(text) or "") == 2
    assert estimate_tokens(text) >= 0


@given(st.one_of(ANY, CODE))
def test_unicode_forms_are_equal(text: str) -> None:
    """Composed and decomposed writings of a text have the same terms (MEM-005)."""
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert analyse(composed) == analyse(decomposed)
    assert analyse_query(composed) == analyse_query(decomposed)


@given(st.one_of(PRINTABLE, CODE, SENTENCES))
def test_every_token_is_found_by_itself(text: str) -> None:
    """A token between spaces finds the text it stands in, unless it is a function word (MEM-010)."""
    stored = set(analyse(text))
    for token in text.split():
        asked = set(analyse_query(token))
        only_function_words = analyse(f"{token} xylophone") == ["xylophon"]
        if asked and not only_function_words:
            assert asked & stored, token
