"""A language model without a model: it says what a test tells it to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from cortex.errors import ProviderError, ProviderReplyInvalid
from cortex.model.embedding import EmbeddingSignature, EmbedResult
from cortex.model.generation import GenResult, check_request
from cortex.testing.embedder import FakeEmbedder

Write = Callable[[str], str]


class FakeProvider:
    """An `LLMProvider` and an `Embedder` that is offline, instant and deterministic; a token is a word.

    ``write``: makes an answer of a prompt, or the answers in their order, of which the last one stays; an error among
    them is raised. Without it the prompt is repeated. ``prompts``: what was asked.
    """

    def __init__(
        self, write: Write | Iterable[str | ProviderError] | None = None, *, model: str = "fake", dim: int = 16
    ) -> None:
        self._write: Write = write if callable(write) else (lambda prompt: f"You said: {prompt}")
        self._replies = None if write is None or callable(write) else list(write)
        self._model = model
        self._embedder = FakeEmbedder(dim=dim)
        self._lock = threading.Lock()
        self.prompts: list[str] = []

    @property
    def name(self) -> str:
        """Service and model."""
        return f"fake/{self._model}"

    @property
    def signature(self) -> EmbeddingSignature:
        """That of `FakeEmbedder`."""
        return self._embedder.signature

    def generate(self, prompt: str, *, temperature: float = 0.0, max_output_tokens: int = 512) -> GenResult:
        """The next answer, cut off after so many words."""
        check_request(prompt, temperature, max_output_tokens)
        with self._lock:
            self.prompts.append(prompt)
            said = self._write(prompt) if self._replies is None else self._next()
        if isinstance(said, ProviderError):
            raise said
        words = said.split(" ")
        text = " ".join(islice(words, max_output_tokens))
        if not text.strip():
            raise ProviderReplyInvalid(f"{self.name}: it wrote nothing")
        truncated = len(words) > max_output_tokens
        return GenResult(text, len(prompt.split()), min(len(words), max_output_tokens), self._model, truncated)

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """One unit vector a text, as `FakeEmbedder` makes them."""
        return self._embedder.embed(texts)

    def _next(self) -> str | ProviderError:
        if not self._replies:
            return ""
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
