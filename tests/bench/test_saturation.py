from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from cortex.testing import FakeEmbedder
from cortex_bench.cli import evaluate
from cortex_bench.evaluation import saturation


def test_the_stream_is_the_same_for_a_seed() -> None:
    """Its figures can be measured again; another seed is another stream."""
    first = [write.text for write in saturation.stream(1, 200)]
    assert first == [write.text for write in saturation.stream(1, 200)]
    assert first != [write.text for write in saturation.stream(2, 200)]


def test_the_stream_says_what_repeats() -> None:
    """A repetition has the key and the value that stand; what does not repeat has a new key or another value."""
    now: dict[object, str] = {}
    for write in saturation.stream(3, 500):
        assert write.repeats == (now.get(write.key) == write.value)
        assert write.value in write.text
        now[write.key] = write.value
    assert len(now) > 50


@pytest.mark.slow
def test_what_is_measured() -> None:
    """Shares of the writes and of the keys; with a seed nothing distinct is merged, and the newest value is found."""
    found = saturation.measure(FakeEmbedder(dim=384), seed=5, writes=150)
    assert found["writes"] == 150
    assert 0.2 < found["deduplicated"] <= found["repeats"]
    assert found["wrongly_merged"] == 0
    assert found["newest_first"] > 0.8


@pytest.mark.slow
def test_the_command() -> None:
    """Lines for a person, JSON for a program."""
    shown = CliRunner().invoke(evaluate, ["saturation", "--writes", "20", "--embeddings", "none"])
    assert "newest value first" in shown.output
    as_json = CliRunner().invoke(evaluate, ["saturation", "--writes", "20", "--embeddings", "none", "--json"])
    assert json.loads(as_json.output)["writes"] == 20
