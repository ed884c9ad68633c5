"""The embedder that the settings name, by itself: to be wrapped, or handed to several stores."""

from __future__ import annotations

from cortex.app import build
from cortex.app.settings import load
from cortex.ports import Embedder


def configured_embedder() -> Embedder:
    """The embedder that a `Cortex` without one uses; it loads when it is first asked.

    Raises `ConfigurationError` when a setting is wrong.
    """
    return build.choose_embedder(load())
