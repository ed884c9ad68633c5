"""Ways to write a text so that a person does not see it and a model reads it; and the text without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Letters of other scripts that pass for Latin ones.
_LOOKALIKES: Final = str.maketrans(
    "аеорсухіјѕԁɡһкмтвнАЕОРСУХІЈЅКМТВНοαρνΟΑΡΝΙΕΤΗΚΜΒ", "aeopcyxijsdghkmtbhAEOPCYXIJSKMTBHoapvOAPNIETHKMB"
)
_MIXED = re.compile("[A-Za-z][а-яіјѕ]|[а-яіјѕ][A-Za-z]")
_SPELLED = re.compile(r"\b\w\b(?: {1,3}\w\b){6,}+")
_TWO_LETTERS = re.compile(r" \w {1,3}\w\b")  # alone beside each other, as in every text that is spelled
_BETWEEN_WORDS = re.compile(" {2,3}")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_FLAG: Final = "\U0001f3f4"  # what tag characters are for: flags of regions
_LEAST_TAGS: Final = 4
_INSIDE_WORDS = re.compile("[a-zA-Z][\u200b\u2060\ufeff\u00ad](?=[a-zA-Z])")
_MOST_INSIDE: Final = 3
_REORDERED = re.compile("[\u202d\u202e]")


def hiding(text: str) -> Iterator[float]:
    """A weight from 0 to 1 for each sign that something is not to be seen."""
    if text.isascii():
        return
    runs = _TAGS.finditer(text)
    if any(text[run.start() - 1 : run.start()] != _FLAG and len(run.group()) >= _LEAST_TAGS for run in runs):
        yield 0.9
    if len(_INSIDE_WORDS.findall(text)) >= _MOST_INSIDE:
        yield 0.3
    if _REORDERED.search(text):
        yield 0.3


def undisguised(key: str, text: str) -> str:
    """The key of a text with look-alikes as Latin letters, spelled words put together, tag characters as letters."""
    if _TWO_LETTERS.search(key):
        key = _SPELLED.sub(lambda run: " ".join(p.replace(" ", "") for p in _BETWEEN_WORDS.split(run.group())), key)
    if key.isascii() and text.isascii():
        return key
    hidden = " ".join("".join(chr(ord(c) - 0xE0000) for c in run.group()) for run in _TAGS.finditer(text))
    plain = key.translate(_LOOKALIKES) if _MIXED.search(key) else key
    return f"{plain}\n{hidden}" if hidden else plain
