"""Stored text made safe to show: it can move no cursor, hide nothing and pretend to be no other line."""

from __future__ import annotations

import unicodedata

# Format characters that scripts need (joiners, Arabic and Kaithi number signs, the soft hyphen); all others are
# invisible or turn the direction of what follows.
_HARMLESS = frozenset(
    "\u00ad\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u200c\u200d\U000110bd\U000110cd"
)
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ELLIPSIS = "…"


def unsafe(character: str) -> bool:
    """Whether a terminal might act on the character instead of showing it."""
    return unicodedata.category(character) in _UNSAFE_CATEGORIES and character not in _HARMLESS


def safe(text: str) -> str:
    """The text with line breaks and tabs kept and every other control character spelled out as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(c) if c not in "\n\t" and unsafe(c) else c for c in text)


def one_line(text: str) -> str:
    """The safe text in one line: white space of any kind becomes one blank."""
    return safe(" ".join(text.split()))


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def fit(text: str, room: int) -> str:
    """The text cut to ``room`` columns, with an ellipsis where something is missing; nothing where there is no room."""
    if len(text) * 2 <= room or columns(text) <= room:
        return text
    taken = 0
    if room < 1:
        return ""
    for index, character in enumerate(text):
        taken += _columns(character)
        if taken > room - 1:
            return text[:index].rstrip() + _ELLIPSIS
    return text


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _spelled(character: str) -> str:
    number = ord(character)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
