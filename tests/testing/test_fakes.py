from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import cortex.testing
from cortex.errors import EmbedderError
from cortex.ports import Embedder
from cortex.testing import EmbedderContract, Failure, FakeEmbedder, FrozenClock


class TestFakeEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        """The fake, which is an embedder like any other."""
        return FakeEmbedder()


def test_it_fails_as_it_is_told() -> None:
    """A script is followed call by call, then the switch decides."""
    embedder = FakeEmbedder(dim=8, script=[None, Failure.NAN, Failure.LENGTH, Failure.COUNT, Failure.EMPTY])
    shapes = [embedder.embed(["a", "b"]).vectors.shape for _ in range(5)]
    assert shapes == [(2, 8), (2, 8), (2, 7), (1, 8), (0, 8)]
    embedder.fail = Failure.RAISE
    with pytest.raises(EmbedderError):
        embedder.embed(["a"])
    embedder.fail = None
    assert np.isfinite(embedder.embed(["a"]).vectors).all()
    assert embedder.calls[0] == ("a", "b")


def test_a_frozen_clock_moves_when_told() -> None:
    """Time stands until it is set or ticked; it is always aware and in UTC."""
    clock = FrozenClock()
    assert clock.now() == clock.now()
    start = clock.now()
    assert clock.tick(timedelta(microseconds=1)) - start == timedelta(microseconds=1)
    clock.set(datetime.fromisoformat("2020-01-01T02:00+02:00"))
    assert clock.now() == datetime(2020, 1, 1, tzinfo=UTC)
    with pytest.raises(ValueError, match="no zone"):
        clock.set(datetime.fromisoformat("2020-01-01"))


def test_every_public_name_is_there() -> None:
    """What the test kit lists can be imported, and an unknown name is refused as usual."""
    for name in cortex.testing.__all__:
        assert getattr(cortex.testing, name)
    assert not hasattr(cortex.testing, "RecordStoreContracts")
