"""Long alternatives of regular expressions, put so that they are tried faster."""

from __future__ import annotations

from collections.abc import Iterator

_QUANTIFIERS = tuple("?*+{")


def by_first_letter(pattern: str) -> str:
    """The same alternatives, those with one first letter behind it: where it does not fit, none of them is tried."""
    groups: dict[str, list[str]] = {}
    for each in _alternatives(pattern):
        literal = each[:1].isalpha() and not each[1:].startswith(_QUANTIFIERS)
        groups.setdefault(each[0] if literal else "", []).append(each)
    anything = groups.pop("", [])
    return "|".join(
        [f"{first}(?:{'|'.join(each[1:] for each in group)})" for first, group in groups.items()] + anything
    )


def _alternatives(pattern: str) -> Iterator[str]:
    """What stands between the bars that are in no group; brackets are none of its letters."""
    depth = start = 0
    for at, sign in enumerate(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            yield pattern[start:at]
            start = at + 1
    yield pattern[start:]
