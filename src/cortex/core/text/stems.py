"""Word stems by the Snowball algorithms (https://snowballstem.org)."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Protocol, cast

import Stemmer

from cortex.core.text.normal import fold

_ALGORITHMS = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
}


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the name is the library's


@cache
def _stemmer(language: str) -> _Stemmer:
    # No cache inside: a call is then one C call under the interpreter's lock, safe from several threads.
    return cast("_Stemmer", Stemmer.Stemmer(_ALGORITHMS[language], 0))


def _is_cyrillic(word: str) -> bool:
    return any("\u0400" <= char <= "\u052f" for char in word)


@lru_cache(maxsize=32_768)
def stems(word: str, language: str | None) -> tuple[str, tuple[str, ...]]:
    """The folded word and the one or two stems to index for it.

    Latin words always have their English stem, and that of the language when it differs: so a word matches
    itself whatever language either side was taken for. The language's stemmer reads the accents.
    """
    folded = fold(word)
    if folded.isascii():
        english = _stemmer("en").stemWord(folded)
        if language is None or language == "en":
            return folded, (english,)
        own = fold(_stemmer(language).stemWord(word.casefold()))
        return folded, ((own, english) if own and own != english else (english,))
    if _is_cyrillic(folded):
        return folded, (fold(_stemmer("ru").stemWord(word.casefold())) or folded,)
    return folded, (folded,)
