"""From a text to the terms that BM25 counts, for stored texts and for questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from cortex.core.text.compounds import ATOM, atom_terms
from cortex.core.text.language import latin_language
from cortex.core.text.normal import key_text
from cortex.core.text.shapes import shape_of
from cortex.core.text.stopwords import NONE, QUESTION, stop_words

_Grams = Callable[[str], list[str]]

_RUN = re.compile(rf"(?P<atom>{ATOM})|(?P<dense>d+)|(?P<symbol>s+)|(?P<flag>r+)")
_MOST_CACHED = 32_768  # chunks of one language
_CACHED_LENGTH = 64  # longer chunks are rarely seen twice


def _bigrams(run: str) -> list[str]:
    return [first + second for first, second in pairwise(run)]


def _stored_grams(run: str) -> list[str]:
    return [*run, *_bigrams(run)]


def _query_grams(run: str) -> list[str]:
    return _bigrams(run) if len(run) > 1 else [run]


def _flags(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(0, len(run), 2)]


def _chunk_terms(chunk: str, language: str | None, stops: frozenset[str], grams: _Grams) -> tuple[str, ...]:
    terms: list[str] = []
    shape = shape_of(chunk)
    for found in _RUN.finditer(shape):
        start, end = found.span()
        run = chunk[start:end]
        match found.lastgroup:
            case "atom":
                terms += atom_terms(run, shape[start:end], language, stops)
            case "dense":
                terms += grams(run)
            case "symbol":
                terms += run
            case _:
                terms += _flags(run)
    return tuple(terms)


# The terms of chunks seen before, by what they depend on. Keeping track of their use would take longer than the rest.
_KNOWN: dict[tuple[str | None, frozenset[str], _Grams], dict[str, tuple[str, ...]]] = {}


def _terms(chunks: list[str], language: str | None, stops: frozenset[str], grams: _Grams) -> list[str]:
    terms: list[str] = []
    known = _KNOWN.setdefault((language, stops, grams), {})
    for chunk in chunks:
        found = known.get(chunk)
        if found is None:
            found = _chunk_terms(chunk, language, stops, grams)
            if len(chunk) <= _CACHED_LENGTH:
                if len(known) >= _MOST_CACHED:
                    known.clear()
                known[chunk] = found
        terms += found
    return terms


def _analyse(text: str, grams: _Grams, scaffolding: frozenset[str]) -> list[str]:
    key = key_text(text)
    language = latin_language(key)
    chunks = key.split()
    stops = stop_words(language, scaffolding)
    return _terms(chunks, language, stops, grams) or _terms(chunks, language, NONE, grams)


def analyse(text: str) -> list[str]:
    """The terms of a text to store, in reading order and with repetitions; never raises.

    Words are stemmed, names and numbers also kept whole, scripts without spaces cut into single characters
    and pairs. Function words are left out unless the text has nothing else.
    """
    return _analyse(text, _stored_grams, NONE)


def analyse_query(text: str) -> list[str]:
    """The terms of a question, each once, in reading order; never raises.

    As `analyse`, but scripts without spaces give pairs only, and the words that merely ask (what, when, how
    many) are left out too unless the question has nothing else.
    """
    return list(dict.fromkeys(_analyse(text, _query_grams, QUESTION)))
