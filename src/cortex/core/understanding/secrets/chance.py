"""Whether letters look drawn by chance, as those of a key, or chosen by people, as those of a name."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from math import log2
from typing import Final

_READ: Final = 200  # characters of a key that tell enough
_LEAST_BITS: Final = 3.0  # a character; hexadecimal digits drawn by chance have 3.3 and more from 16 on
_WORDS = re.compile(r"(?:[A-Z]?[a-z]{4,}|[A-Z]{4,})")
_MOST_WORDS: Final = 0.5
_LETTERS_ONLY: Final = 24  # so many letters without a digit are no key but with changing case


def random_looking(value: str) -> bool:
    """Whether a value of 12 characters and more looks drawn by chance.

    Its letters vary, most of it is no words, and it has digits; or it is long and changes case all the time.
    """
    read = value[:_READ]
    if bits(read) < _LEAST_BITS:
        return False
    if sum(len(word) for word in _WORDS.findall(read)) > _MOST_WORDS * len(read):
        return False
    if any(c.isdigit() for c in read):
        return any(c.isalpha() for c in read)
    turns = sum(a.islower() != b.islower() for a, b in itertools.pairwise(read))
    return len(read) >= _LETTERS_ONLY and turns * 4 >= len(read)


def bits(value: str) -> float:
    """Shannon's entropy of a character, in bits."""
    counts = Counter(value)
    return -sum(n / len(value) * log2(n / len(value)) for n in counts.values())
