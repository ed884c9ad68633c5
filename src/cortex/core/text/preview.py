"""The beginning of a text, honest about what is missing."""

from __future__ import annotations

from cortex.core.text.clusters import cut_before


def _marker(count: int) -> str:
    return f"… [+{count:,} characters]"


def preview(text: str, limit: int) -> str:
    """The text if it has at most ``limit`` characters, else its beginning and how many characters are cut.

    What a reader sees as one character is never split. Where the limit is too small for the count, the
    marker is ``…`` alone; below one character nothing is left.
    """
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    room = limit - len(_marker(len(text)))
    if room < 0:
        return text[: cut_before(text, limit - 1)] + "…"
    end = cut_before(text, room)
    return text[:end] + _marker(len(text) - end)
