from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.text import preview

FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("short", 5, "short"),
        ("", 0, ""),
        ("x" * 2_000, 30, "x" * 9 + "… [+1,991 characters]"),
        ("x" * 50, 3, "xx…"),
        ("x" * 50, 0, ""),
        ("x" * 50, -1, ""),
        (FAMILY * 10, 20, "… [+50 characters]"),
        (FAMILY * 10, 23, FAMILY + "… [+45 characters]"),
        ("e\u0301" * 20, 21, "e\u0301" + "… [+38 characters]"),
        ("🇩🇪" * 20, 21, "🇩🇪" + "… [+38 characters]"),
    ],
)
def test_preview(text: str, limit: int, shown: str) -> None:
    """A text that fits is unchanged; a longer one says how much is missing."""
    assert preview(text, limit) == shown


@pytest.mark.parametrize(
    "unit", [FAMILY, "🇩🇪", "👍🏽", "❤\ufe0f", "e\u0301\u0316", "\r\n", "각", "\U000e0020😀\U000e007f"]
)
def test_mem_004_no_character_is_split(unit: str) -> None:
    """At every limit the head is a whole number of units and encodes to UTF-8 (MEM-004)."""
    text = unit * (3_000 // len(unit))
    for limit in range(200, 206):
        shown = preview(text, limit)
        head, _, marker = shown.partition("… [+")
        assert len(shown) <= limit
        assert len(head) % len(unit) == 0 or unit[0] == "\U000e0020"
        assert int(marker.split()[0].replace(",", "")) == len(text) - len(head)
        assert json.loads(json.dumps(shown)) == shown.encode().decode()


@given(st.text(max_size=200), st.integers(-2, 220))
def test_preview_is_a_true_beginning(text: str, limit: int) -> None:
    """A preview is never longer than the limit and starts as the text does."""
    shown = preview(text, limit)
    assert len(shown) <= max(limit, 0) or shown == text
    assert len(shown) <= max(limit, 0) or not text
    head = re.sub(r"… \[\+[\d,]+ characters\]\Z|…\Z", "", shown)
    assert text.startswith(head)
