from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from cortex.core.understanding.emotion import intensity_of
from cortex.core.understanding.entities import entities_of
from cortex.core.understanding.events import event_of
from cortex.core.understanding.importance import importance_of
from cortex.core.understanding.kinds import kind_of
from cortex.core.understanding.relations import relations_of
from cortex.core.understanding.tags import tags_of

HOSTILE = {
    "letters": "A", "camel": "Aa", "snake": "a_", "paths": "/a", "dots": "x.y ", "colons": "::", "brackets": "(((",
    "hyphens": "a-b-", "spaces": " ", "possessives": "'s ", "names": "Anna and Ben ", "verbs": "is was ",
    "kin": " my wife", "passive": "Redis is replaced by Valkey ", "conditions": "if when before ", "accents": "é",
    "capitals": "A B ", "marks": "!", "sentences": "A. ", "lines": "\n", "times": "3pm ", "days": "yesterday ",
    "dates": "3 May ", "digits": "1", "numbers": "1-", "mail": "a@b.c ", "fences": "```a", "curses": "damn ",
    "addresses": "a@", "first person": "I have w ",
}  # fmt: skip

SAID_AT = datetime(2026, 5, 6, tzinfo=UTC)


def seconds(text: str) -> float:
    """Processor time of all judgements of a text, the least of three."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        entities = entities_of(text)
        relations_of(text, entities)
        tags_of(text, entities)
        importance_of(text, kind_of(text))
        intensity_of(text)
        event_of(text, said_at=SAID_AT, zone=UTC)
        least = min(least, time.process_time() - start)
    return least


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_cost_grows_with_length_only(unit: str) -> None:
    """Four times the length of an odd text costs at most about four times as much; a square would be sixteen."""
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (5_000, 20_000))
    assert seconds(long) <= 9 * seconds(short) + 0.005


def test_what_is_beyond_is_not_read() -> None:
    """A text of any length costs what its first twenty thousand characters cost."""
    text = "word " * 4_000
    assert entities_of(text + "Redis") == ()
    assert kind_of("We decided to move. " + text * 20) is kind_of("We decided to move. " + text)
