"""Texts in languages whose words nobody here knows: only a number or a name that differs in equal texts tells."""

from __future__ import annotations

import re
from typing import Final

from cortex.core.understanding.contradiction.pair import Clash

_NUMBER: Final = re.compile(r"\d[\d.,:]{0,15}\d|\d", re.ASCII)
_WORD: Final = re.compile(r"[\w'-]+")
_IS: Final = frozenset("es est ist is è é era war está son sind sont sono são".split())
_ASKS: Final = ("?", "？", "؟", "¿")
_LONGEST = 400  # characters of a statement


def plain_clash(older: str, newer: str) -> Clash | None:
    """The one number, or the one name behind a form of to be, in which two short texts differ; None for any other."""
    if max(len(older), len(newer)) > _LONGEST or any(mark in older + newer for mark in _ASKS):
        return None
    mine, theirs = _NUMBER.findall(older), _NUMBER.findall(newer)
    if mine and _NUMBER.sub("0", older) == _NUMBER.sub("0", newer):
        changed = [(one, other) for one, other in zip(mine, theirs, strict=True) if one != other]
        return _became(*changed[0]) if len(changed) == 1 and not _is_title(older) else None
    return _name_clash(_WORD.findall(older), _WORD.findall(newer))


def _is_title(text: str) -> bool:
    """Whether the first number is part of the subject's name: chapter 4, version 3."""
    found = _NUMBER.search(text)
    before = text[: found.start()] if found else ""
    return before.isascii() and len(before.split()) < 2


def _name_clash(older: list[str], newer: list[str]) -> Clash | None:
    if len(older) != len(newer):
        return None
    places = [place for place, (one, other) in enumerate(zip(older, newer, strict=True)) if one != other]
    if len(places) != 1 or places[0] < 2 or older[places[0] - 1] not in _IS:
        return None
    one, other = older[places[0]], newer[places[0]]
    return _became(one, other) if one[0].isupper() and other[0].isupper() else None


def _became(one: str, other: str) -> Clash:
    return Clash(0.6, f"'{one}' became '{other}'")
