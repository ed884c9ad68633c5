"""What an agent is told of what the layers did, and of a name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cortex import Cortex
from cortex.testing import FakeEmbedder
from tests.surfaces.mcp.conftest import Door


@pytest.fixture
def cortex() -> Iterator[Cortex]:
    """A Cortex with every layer, in memory."""
    with Cortex(":memory:", user="ada", embedder=FakeEmbedder(), layers="assistant") as cortex:
        yield cortex


def test_what_becomes_of_a_contradiction(door: Door) -> None:
    """The agent learns what was displaced, in words and as data."""
    old = door.call("memorize", content="The nightly backup takes 40 minutes").data["id"]
    answer = door.call("memorize", content="The nightly backup takes 25 minutes")
    assert answer.data["superseded"] == [old]
    assert f"takes the place of {old}" in answer.text
    assert door.call("memorize", content="the nightly backup takes 25 minutes!").data["deduplicated"] is True


def test_everything_about_a_name(door: Door) -> None:
    """Relations and memories; a part of a name is answered with what else it may have meant."""
    door.call("memorize", content="Ada works at Acme")
    door.call("memorize", content="Acme Labs is in Rome")
    answer = door.call("recall_about", entity="acme")
    assert answer.data["entity"] == "Acme"
    assert answer.data["relations"] == ["← Ada works at"]
    assert "Ada works at Acme" in answer.text
    assert door.call("recall_about", entity="acm").data["candidates"] != []
    unknown = door.call("recall_about", entity="Zanzibar")
    assert (unknown.is_error, unknown.data["memories"]) == (False, [])
    assert "recall finds" in unknown.text


@pytest.mark.parametrize("wrong", [{}, {"entity": ""}, {"entity": 7}, {"entity": "x", "limit": 0}, {"name": "x"}])
def test_wrong_arguments(door: Door, wrong: dict[str, object]) -> None:
    """A tool error that says what is expected."""
    assert door.call("recall_about", **wrong).is_error


def test_it_keeps_to_the_budget(door: Door, cortex: Cortex) -> None:
    """However many memories and relations a name has."""
    for number in range(60):
        cortex.memorize(f"Ada works at Acme{number} {'x' * 2000}")
    answer = door.call("recall_about", entity="Ada", limit=1000)
    assert len(answer.text) <= 21_000
    assert "cut" in answer.data
