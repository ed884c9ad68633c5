"""One key for every way of writing a text: compatibility forms, marks, look-alikes, digits.

Only keys are normalised; what a person wrote is stored as it came.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

_SAFE_RUN = 30  # UAX #15 stream-safe text: no natural text has more marks on one letter

# Zero-width, bidi control, variation selector, tag and filler characters.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
INVISIBLE = re.compile(f"[{_INVISIBLE}]+")

# Marks that people leave out when they type: Latin, Greek and Cyrillic accents, Hebrew niqqud, Arabic
# tashkeel and tatweel, marks that enclose symbols, and emoji skin tones. All other marks spell the word.
_OPTIONAL = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08e1"
    "\u08e3-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\U0001f3fb-\U0001f3ff]+"
)
_APOSTROPHE = re.compile("[\u2018\u2019\u201b\u02bb\u02bc\u05f3]")
_HYPHEN = re.compile("[\u2010-\u2013\u2212\u05be]")
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")

# Letters that are their own code point in one spelling and plain in another.
_LETTERS = str.maketrans(
    {
        "\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u0131": "i", "\u00e6": "ae", "\u0153": "oe",
        "\u00f0": "d", "\u00fe": "th", "\u0127": "h", "\u014b": "n", "\u0167": "t", "\u0138": "k",
        "\u0180": "b", "\u0268": "i", "\u0289": "u", "\u024d": "r", "\u0237": "j",
        "\u0649": "\u064a", "\u06cc": "\u064a", "\u0671": "\u0627", "\u0629": "\u0647", "\u06a9": "\u0643",
    }
)  # fmt: skip


@cache
def _mark_run() -> re.Pattern[str]:
    points = [point for point in range(0x300, 0x1F000) if unicodedata.combining(chr(point))]
    marks = "".join(map(chr, points))  # letters of no script, so nothing needs escaping in a class
    return re.compile(f"[{marks}]{{{_SAFE_RUN},}}")


@lru_cache(maxsize=4096)
def _decomposed(char: str) -> str:
    return unicodedata.normalize("NFKD", char)


def _in_canonical_order(text: str) -> str:
    out: list[str] = []
    marks: list[str] = []
    for char in "".join(map(_decomposed, text)):
        if unicodedata.combining(char):
            marks.append(char)
            continue
        out += sorted(marks, key=unicodedata.combining)
        marks.clear()
        out.append(char)
    return "".join(out + sorted(marks, key=unicodedata.combining))


def nfkc(text: str) -> str:
    """The NFKC form of any text in linear time.

    The library sorts the marks after a letter by insertion, which a hostile run of marks makes quadratic:
    such runs are put in canonical order first, which changes nothing in the result.
    """
    if text.isascii():
        return text
    if _mark_run().search(text):
        text = _in_canonical_order(text)
    return unicodedata.normalize("NFKC", text)


def key_text(text: str) -> str:
    """The text as the analyser reads it: letters keep their case and their composed accents.

    Equal for NFC and NFD, full-width and plain Latin, with and without invisible characters.
    """
    if text.isascii():
        return text
    text = _OPTIONAL.sub("", nfkc(INVISIBLE.sub("", text)))
    text = _HYPHEN.sub("-", _APOSTROPHE.sub("'", text))
    return _FOREIGN_DIGIT.sub(lambda found: str(unicodedata.decimal(found.group())), text)


def fold(word: str) -> str:
    """The caseless form of a word of a key text, without the marks that people leave out."""
    if word.isascii():
        return word.lower()
    bare = _OPTIONAL.sub("", unicodedata.normalize("NFD", word.casefold()))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)
