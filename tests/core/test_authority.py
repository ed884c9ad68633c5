from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cortex.core.authority import outweighs
from cortex.model.memory import Clearance, Memory, Role
from cortex.testing.factories import memory

NOW = datetime(2026, 5, 31, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def said(**fields: Any) -> Memory:
    """A memory of a person, written at noon, unless said otherwise."""
    given: dict[str, Any] = {"seq": 1, "updated_at": NOW}
    return memory(**(given | fields))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"source": {"type": "Official"}, "role": Role.ASSISTANT}, {"source": {"type": "human"}, "updated_at": LATER}),
        ({"role": Role.USER}, {"role": Role.ASSISTANT, "updated_at": LATER}),
        ({}, {"source": {"type": "import"}, "updated_at": LATER}),
        ({}, {"source": {"type": "derived"}, "updated_at": LATER}),
        ({"clearance_min": Clearance.CONFIDENTIAL}, {"updated_at": LATER}),
        ({"updated_at": LATER}, {}),
        ({"seq": 2}, {}),
        ({"seq": 0}, {}),
        ({"valid_from": NOW}, {"valid_from": NOW - timedelta(days=9), "updated_at": LATER}),
        ({"event_time": LATER}, {"valid_from": NOW, "updated_at": LATER}),
        ({"source": {"type": ["odd"]}, "updated_at": LATER}, {"source": {"type": 7}}),
    ],
)
def test_who_counts_more(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Source, role and clearance before time; then what holds since later, or was written later."""
    assert outweighs(said(**one), said(**other)) is True
    assert outweighs(said(**other), said(**one)) is False


def test_low_trust_counts_less_than_anything() -> None:
    """However official, confidential and new a marked memory says it is, the other one counts more."""
    source = {"type": "official", "trust": "low"}
    marked = said(source=source, clearance_min=Clearance.RESTRICTED, updated_at=LATER, valid_from=LATER)
    assert outweighs(marked, said(source={"type": "derived"}, clearance_min=Clearance.PUBLIC)) is False
    assert outweighs(said(role=Role.TOOL), marked) is True


def test_nothing_decides() -> None:
    """Two that are said to hold since the same moment."""
    assert outweighs(said(valid_from=NOW), said(valid_from=NOW, updated_at=LATER, seq=2)) is None
