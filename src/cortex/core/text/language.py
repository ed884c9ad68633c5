"""Which language a text is in, from its script and its function words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from cortex.core.text.normal import fold, key_text
from cortex.core.text.stopwords import ENGLISH, FUNCTION_WORDS, QUESTION

_SAMPLE = 4_000  # characters: more changes no verdict and costs time
_MIN_WORDS = 4
_MIN_HITS = 2
_MARGIN = 2  # distinct function words more than English: short English shares one or two with each language
# A word that stands free: the parts of a path or an identifier are no evidence.
_WORD = re.compile(r"(?<![^\s(\"'\u00bf\u00a1\u00ab])[^\W\d_]+(?=[\s.,;:!?)\"'\u00bb\u2026]|\Z)")
# One letter is a function word in too many languages.
_EVIDENCE = {code: frozenset(word for word in words if len(word) > 1) for code, words in FUNCTION_WORDS.items()}
_FOREIGN_EVIDENCE = frozenset[str]().union(*_EVIDENCE.values())
_ENGLISH_EVIDENCE = frozenset(word for word in ENGLISH | QUESTION if len(word) > 1)

_LATIN = re.compile("[0-9A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]+")
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS: Final = {
    "kana": re.compile("[\u3041-\u30ff\u31f0-\u31ff]"),
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003fffd]"),
    "ko": re.compile("[\u1100-\u11ff\uac00-\ud7ff]"),
    "ru": re.compile("[\u0400-\u052f]"),
    "th": re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e]"),
    "he": re.compile("[\u05d0-\u05ea]"),
    "ar": re.compile("[\u0621-\u064a\u066e-\u06d3]"),
}
# Letters that another language of the script has and the named one has not.
_FOREIGN: Final = {
    "ru": re.compile("[\u0404\u0406\u0407\u0454\u0456-\u045f\u0490\u0491\u0492-\u052f\u0408-\u040f]"),
    "ar": re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc\u0679\u0688\u0691\u06d2]"),
}


@lru_cache(maxsize=1024)  # texts to keep are asked about twice, a chunk of them at a time
def latin_language(key: str) -> str | None:
    """The language of a key text in Latin letters: de, es, fr, it, nl, pt, or en; None when unknown."""
    found = _WORD.findall(key[:_SAMPLE])
    caseless = str.lower if key.isascii() else fold  # the same for such words, and much faster
    words = set(map(caseless, found))
    english = len(words & _ENGLISH_EVIDENCE) + ("I" in found)
    others = words & _FOREIGN_EVIDENCE
    hits, language = max((len(others & listed), code) for code, listed in _EVIDENCE.items()) if others else (0, "")
    if len(found) >= _MIN_WORDS and hits >= max(_MIN_HITS, english + _MARGIN):
        return language
    return "en" if english and english >= hits else None


def _script_language(sample: str) -> str | None:
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS.items()}
    half = len(_LETTER.findall(sample)) / 2
    if counts["kana"] and counts["kana"] + counts["han"] > half:
        return "ja"
    if counts["han"] > half:
        return "zh"
    for language in ("ko", "ru", "th", "he", "ar"):
        foreign = _FOREIGN.get(language)
        if counts[language] > half and not (foreign and foreign.search(sample)):
            return language
    return None


def in_latin(text: str) -> bool:
    """Whether at least half of the letters and digits are Latin ones; false where there are none."""
    known = sum(map(str.isalnum, text))
    return 0 < known <= 2 * sum(map(len, _LATIN.findall(text)))


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the text's language, or None when the text does not show it.

    By script: ja, zh, ko, ru, th, he, ar. By function words: en, de, es, fr, it, nl, pt.
    """
    key = key_text(text[: 2 * _SAMPLE])
    if not key.isascii():
        language = _script_language(key[:_SAMPLE])
        if language is not None:
            return language
    return latin_language(key)
