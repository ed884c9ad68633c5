"""Whether a text can be stored."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from cortex.core.text.normal import INVISIBLE

MAX_CHARACTERS: Final = 1_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_BRAILLE_BLANK = "\u2800"


def _is_blank(char: str) -> bool:
    return (
        unicodedata.category(char) in _BLANK_CATEGORIES or char == _BRAILLE_BLANK or INVISIBLE.match(char) is not None
    )


def clean_problem(text: str) -> str | None:
    """Why the text cannot be stored, in words for the caller; None when it can."""
    if len(text) > MAX_CHARACTERS:
        return f"has {len(text):,} characters, the limit is {MAX_CHARACTERS:,}; store it in parts"
    if not (text[:1].isascii() and text[:1].isalnum()) and all(map(_is_blank, text)):
        return "is empty: expected at least one visible character"
    nul = text.find("\0")
    if nul >= 0:
        return f"has a NUL character at position {nul:,} (from 0); remove it"
    half = None if text.isascii() else _SURROGATE.search(text)
    if half:
        code = f"U+{ord(half.group()):04X}"
        return f"has a lone surrogate {code} at position {half.start():,} (from 0); it is not valid Unicode text"
    return None
