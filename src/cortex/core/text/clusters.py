"""Where a text may be cut without breaking what a reader sees as one character.

A short form of UAX #29: combining marks, joiner sequences, variation selectors, skin tones, tags, conjoining
jamo, flags, surrogate halves and CR LF stay together.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from cortex.core.text.shapes import is_regional

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_SPACING = frozenset("\u0e33\u0eb3")  # Thai and Lao AM: letters that stand on the one before


@lru_cache(maxsize=8192)
def extends(char: str) -> bool:
    """Whether the character belongs to the one before it."""
    if char < "\u0300" or "\u3400" <= char <= "\u9fff":
        return False
    return (
        unicodedata.category(char)[0] == "M"
        or char in (_ZWNJ, _ZWJ)
        or char in _SPACING
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7ff"
    )


def joined(before: str, after: str) -> bool:
    """Whether two neighbouring characters stay together; flags, which need counting, aside."""
    if after < "\u0300":
        return before == "\r" and after == "\n"
    if before == _ZWJ or extends(after):
        return True
    return "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"


def _inside_flag(text: str, position: int) -> bool:
    if not is_regional(ord(text[position])):
        return False
    start = position
    while start and is_regional(ord(text[start - 1])):
        start -= 1
    return (position - start) % 2 == 1


def cut_before(text: str, position: int) -> int:
    """The last position, not after the given one, where the text may be cut."""
    position = min(position, len(text))
    while 0 < position < len(text):
        if not joined(text[position - 1], text[position]) and not _inside_flag(text, position):
            break
        position -= 1
    return max(position, 0)
