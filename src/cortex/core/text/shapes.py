"""The shape of a text: one class letter a character, so that a plain pattern can cut any script.

``U`` capital, ``l`` other letter or mark, ``0`` digit, ``_`` itself, ``d`` character of a script written
without spaces, ``s`` symbol, ``r`` regional indicator (half a flag), the punctuation that can stand inside a
name as itself (currency signs as ``$``), and a space for whatever only separates.
"""

from __future__ import annotations

import unicodedata
from typing import Final

JOINING = "-./:'@&=~\\+#%,_"

_DENSE: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul jamo
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3021, 0x303C),
    (0x3041, 0x30FF),  # kana
    (0x3105, 0x31FF),  # Bopomofo, jamo, kana extensions
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFD),
)
_MEMO_END = 0x30000  # bounds the table; the planes above hold nothing that people write often


def is_dense(point: int) -> bool:
    """Whether the code point lies in a block whose script is written without spaces."""
    return point >= _DENSE[0][0] and any(first <= point <= last for first, last in _DENSE)


def is_regional(point: int) -> bool:
    """Whether the code point is half of a flag."""
    return 0x1F1E6 <= point <= 0x1F1FF


def _letter_class(char: str, category: str) -> str:
    if is_dense(ord(char)) and category != "Nd":
        return "d"
    if category == "Nd":
        return "0"
    return "U" if category in {"Lu", "Lt"} else "l"


def _class_of(point: int) -> str:
    char = chr(point)
    category = unicodedata.category(char)
    if char in JOINING:
        return char
    if category[0] in "LMN":
        return _letter_class(char, category)
    if category == "Sc":
        return "$"
    if category in {"So", "Co", "Cn"}:  # a code point assigned after this Unicode table is not lost
        if is_regional(point):
            return "r"
        return "d" if is_dense(point) else "s"
    return " "


class _Classes(dict[int, str]):
    def __missing__(self, point: int) -> str:
        found = _class_of(point)
        if point < _MEMO_END:
            self[point] = found
        return found


_CLASSES = _Classes()


def shape_of(text: str) -> str:
    """The class of each character, as a string of the same length."""
    return text.translate(_CLASSES)
