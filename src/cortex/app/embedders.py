"""The models that the settings name, by themselves: to be wrapped, or handed to several stores."""

from __future__ import annotations

from cortex.app import build
from cortex.app.models import choose_llm
from cortex.app.settings import load
from cortex.ports import Embedder, LLMProvider


def configured_embedder() -> Embedder:
    """The embedder that a `Cortex` without one uses; it loads when it is first asked.

    Raises `ConfigurationError` when a setting is wrong.
    """
    return build.choose_embedder(load())


def configured_llm() -> LLMProvider | None:
    """The language model that a `Cortex` without one uses; None where the settings name none. Nobody is asked yet.

    Raises `ConfigurationError` when a setting is wrong.
    """
    return choose_llm(load())
