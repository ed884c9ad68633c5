"""What a text is to a machine: its terms, its fingerprint, its pieces, its language, its flaws."""

from __future__ import annotations

from cortex.core.text.analyser import analyse, analyse_query
from cortex.core.text.checks import MAX_CHARACTERS, clean_problem
from cortex.core.text.fingerprint import fingerprint
from cortex.core.text.forms import embedding_text, lexical_text
from cortex.core.text.language import detect_language, in_latin
from cortex.core.text.pieces import Piece, estimate_tokens, split_pieces
from cortex.core.text.preview import preview
from cortex.core.text.words import telling, words_of

__all__ = [
    "MAX_CHARACTERS",
    "Piece",
    "analyse",
    "analyse_query",
    "clean_problem",
    "detect_language",
    "embedding_text",
    "estimate_tokens",
    "fingerprint",
    "in_latin",
    "lexical_text",
    "preview",
    "split_pieces",
    "telling",
    "words_of",
]
