"""The API that OpenAI began and many serve: OpenRouter, Ollama, LM Studio, vLLM, by their address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cortex.model.embedding import EmbeddingSignature, EmbedResult, FloatArray
from cortex.model.generation import GenResult, check_request
from cortex.providers.replies import (
    Tempered,
    at,
    batches,
    embedding,
    expecting,
    generated,
    most_bytes,
    object_at,
    rows_of,
    text_at,
    tokens,
    unit_vectors,
    words,
)
from cortex.providers.wire import Poster, Reply

ADDRESS: Final = "https://api.openai.com/v1"
_THOUGHT: Final = ("<think>", "</think>")


class OpenAIProvider:
    """A chat model by name, over `cortex.providers.wire.Wire` or one that tries again.

    ``tokens_field``: how the service calls the most tokens to write, see `tokens_field`.
    """

    def __init__(self, wire: Poster, model: str, *, tokens_field: str = "max_tokens") -> None:
        self._wire = wire
        self._tempered = Tempered(wire)
        self._model = model
        self._tokens_field = tokens_field

    @property
    def name(self) -> str:
        """Service and model."""
        return f"{self._wire.service}/{self._model}"

    def __repr__(self) -> str:
        return f"OpenAIProvider({self.name!r})"

    def generate(self, prompt: str, *, temperature: float = 0.0, max_output_tokens: int = 512) -> GenResult:
        """What the model writes. Raises `ProviderError`, `InvalidInput`."""
        check_request(prompt, temperature, max_output_tokens)
        messages = [{"role": "user", "content": prompt}]
        return self.reply(messages, temperature=temperature, max_output_tokens=max_output_tokens)

    def reply(
        self, messages: Sequence[Mapping[str, str]], *, temperature: float = 0.0, max_output_tokens: int = 512
    ) -> GenResult:
        """The next message of a conversation whose messages have ``role`` and ``content``."""
        body = {
            "model": self._model,
            "messages": [dict(message) for message in messages],
            "temperature": temperature,
            self._tokens_field: max_output_tokens,
        }
        answer = self._tempered.post("/chat/completions", body)
        with expecting(self._wire.service, "no completion"):
            return _completion(answer, self._model)


class OpenAIEmbedder:
    """Vectors of a model by name.

    ``shorten``: the service is asked for ``dim`` dimensions, of a model that has more. ``patient``: a wire that tries
    longer, for `cortex.ports.PatientEmbedder`. Where no tokens are told their number is an estimate.
    """

    def __init__(
        self, wire: Poster, model: str, dim: int, *, shorten: bool = False, patient: Poster | None = None
    ) -> None:
        self._wire = wire
        self._patient = patient or wire
        self._shorten = shorten
        self.signature = EmbeddingSignature(model, dim)

    @property
    def patient(self) -> OpenAIEmbedder:
        """The same, over the wire that tries longer."""
        signature = self.signature
        return OpenAIEmbedder(self._patient, signature.model, signature.dim, shorten=self._shorten)

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._wire.service!r}, {self.signature})"

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """One unit vector a text, in order. Raises `EmbedderError`."""
        parts: list[FloatArray] = [np.zeros((0, self.signature.dim), dtype=np.float32)]
        read = 0
        for batch in batches(texts):
            vectors, count = self._embed(batch)
            parts.append(vectors)
            read += count
        return EmbedResult(np.concatenate(parts), read)

    def _embed(self, batch: list[str]) -> tuple[FloatArray, int]:
        body: dict[str, Any] = {"model": self.signature.model, "input": batch, "encoding_format": "float"}
        if self._shorten:
            body["dimensions"] = self.signature.dim
        with embedding(self._wire.service):
            answer = self._wire.post("/embeddings", body, most_bytes=most_bytes(batch, self.signature.dim))
            rows = _ordered(rows_of(answer, "data"))
            vectors = unit_vectors(self._wire.service, rows, len(batch), self.signature.dim)
            read = tokens(answer.get("usage"), "prompt_tokens")
            return vectors, words(batch) if read is None else read


def tokens_field(address: str) -> str:
    """How a service calls the most tokens to write: OpenAI itself no longer takes the name that the others know."""
    return "max_completion_tokens" if address == ADDRESS else "max_tokens"


def _completion(answer: Reply, model: str) -> GenResult:
    text = _without_thought(text_at(answer, "choices", 0, "message", "content"))
    usage = answer.get("usage")
    return generated(
        text,
        tokens(usage, "prompt_tokens"),
        tokens(usage, "completion_tokens"),
        answer.get("model") or model,
        truncated=object_at(answer, "choices", 0).get("finish_reason") == "length",
    )


def _without_thought(text: str) -> str:
    """What a model says after thinking aloud, as some do in their answer; nothing where it was cut off before."""
    begin, end = _THOUGHT
    if not text.lstrip().startswith(begin):
        return text
    return text.partition(end)[2].lstrip()


def _ordered(data: list[Any]) -> list[Any]:
    """The vectors by the places that they name; as they come where they name none."""
    rows = [at(row, "embedding") for row in data]
    places = [row.get("index") for row in data]
    if sorted(places, key=str) != sorted(range(len(data)), key=str):
        return rows
    return [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: int(pair[0]))]
