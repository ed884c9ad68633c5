from __future__ import annotations

from collections.abc import Iterator

import pytest

from cortex import Cortex
from cortex.testing import FakeEmbedder


@pytest.fixture
def embedder() -> FakeEmbedder:
    """The embedder of `cortex`, which can be told to fail."""
    return FakeEmbedder()


@pytest.fixture
def cortex(embedder: FakeEmbedder) -> Iterator[Cortex]:
    """An empty Cortex of the user ada, in memory."""
    with Cortex(":memory:", user="ada", embedder=embedder) as cortex:
        yield cortex
