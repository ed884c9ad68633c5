"""What a word or a name is indexed as: identifiers, paths, versions, dates whole and in parts."""

from __future__ import annotations

import re
from typing import Final

from cortex.core.text.normal import fold
from cortex.core.text.shapes import shape_of
from cortex.core.text.stems import stems

WORD = "[lU0_]"
_TAIL = r"(?:[+#%]{1,2}(?![lU0_+#%]))?"  # C#, D++, 65%
ATOM = rf"[$#@]?{WORD}+{_TAIL}(?:(?:://|::|[-./:'@&=~\\+#%]|(?<=0),(?=0)){WORD}+{_TAIL})*"

MAX_TERM = 64
_MAX_PARTS = 64

_PLAIN = re.compile("U?l+|U+")
_SEGMENT = re.compile(rf"[lU0]+{_TAIL}")
_PIECE = re.compile("0+|U+(?=Ul)|U?l+|U+")
_LETTERS = re.compile("[lU]+")
_INITIALS = re.compile(r"[lU](?:\.[lU])+")
_GROUPED = re.compile(r"\$?0{1,3}(?:,000)+(?:\.0+)?")
_PLURAL_INITIALS = re.compile("U{2,}l")
_CLITICS: Final = ("'s", "'ll", "'ve", "'re", "'d", "'m")
_CONTRACTIONS = frozenset({"let's", "y'all", "ma'am", "o'er", "e'er", "ne'er"})


def _number(digits: str) -> list[str]:
    whole = digits[:MAX_TERM]
    bare = whole.lstrip("0") or "0"
    return [whole] if bare == whole else [whole, bare]


def _word(word: str, language: str | None, stops: frozenset[str]) -> list[str]:
    folded, found = stems(word[:MAX_TERM], language)
    return [] if folded in stops else [term for term in found if term]


def _piece(piece: str, shape: str, language: str | None, stops: frozenset[str]) -> list[str]:
    return _number(piece) if shape[0] == "0" else _word(piece, language, stops)


def _pieces(segment: str, shape: str) -> list[tuple[str, str]]:
    if _PLURAL_INITIALS.fullmatch(shape) and segment.endswith("s"):
        return [(segment[:-1], shape[:-1])]
    spans = (found.span() for found in _PIECE.finditer(shape))
    return [(segment[start:end], shape[start:end]) for start, end in spans]


def _segment(segment: str, shape: str, language: str | None, stops: frozenset[str]) -> list[str]:
    if _PLAIN.fullmatch(shape) or set(shape) == {"0"}:
        return _piece(segment, shape, language, stops)
    out: list[str] = []
    whole = fold(segment[:MAX_TERM])[:MAX_TERM]
    if whole in stops:
        return out
    out.append(whole)
    if _LETTERS.fullmatch(shape):  # iPhone and iphone are one word
        out += (term for term in _word(segment, language, stops) if term != whole)
    for piece, piece_shape in _pieces(segment, shape)[:_MAX_PARTS]:
        out += _piece(piece, piece_shape, language, stops)
    return out


def _compound(atom: str, shape: str, language: str | None, stops: frozenset[str]) -> list[str]:
    whole = fold(atom[:MAX_TERM])[:MAX_TERM]
    if _INITIALS.fullmatch(shape):
        return [whole, fold(atom.replace(".", ""))[:MAX_TERM]]
    if _GROUPED.fullmatch(shape):
        return [whole, atom.lstrip("$").replace(",", "")[:MAX_TERM]]
    parts: list[str] = []
    for found in _SEGMENT.finditer(shape):
        start, end = found.span()
        if start == 0 and end == len(atom):
            return _segment(atom, shape, language, stops)[: _MAX_PARTS + 1]
        parts += _segment(atom[start:end], shape[start:end], language, stops)
        if len(parts) >= _MAX_PARTS:
            break
    return [whole, *parts[:_MAX_PARTS]]


def atom_terms(atom: str, shape: str, language: str | None, stops: frozenset[str]) -> list[str]:
    """The terms of one atom: a word by its stems, a compound whole and then in parts.

    ``stops`` are folded words to leave out; an empty set leaves nothing out, contractions neither.
    """
    if _PLAIN.fullmatch(shape):
        return _word(atom, language, stops)
    if "'" in atom:
        folded = fold(atom)
        if folded.endswith("n't") or folded in _CONTRACTIONS:
            return [] if stops else [folded[:MAX_TERM]]
        clitic = next((tail for tail in _CLITICS if folded.endswith(tail)), "")
        atom = atom[: len(atom) - len(clitic)]
    atom = atom.strip("_")
    shape = shape_of(atom)
    if not shape.strip("$#@_"):
        return []
    if _PLAIN.fullmatch(shape):
        return _word(atom, language, stops)
    return _number(atom) if set(shape) == {"0"} else _compound(atom, shape, language, stops)
