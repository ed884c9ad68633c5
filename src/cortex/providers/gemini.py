"""Google's Gemini, by its own API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cortex.model.embedding import EmbeddingSignature, EmbedResult, FloatArray
from cortex.model.generation import GenResult, check_request
from cortex.providers.replies import (
    Missing,
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

ADDRESS: Final = "https://generativelanguage.googleapis.com/v1beta"
KEY_HEADER: Final = "x-goog-api-key"  # the API also takes the key in the URL, where it would be logged


class GeminiProvider:
    """A Gemini model by name."""

    def __init__(self, wire: Poster, model: str) -> None:
        self._wire = wire
        self._model = model

    @property
    def name(self) -> str:
        """Service and model."""
        return f"{self._wire.service}/{self._model}"

    def __repr__(self) -> str:
        return f"GeminiProvider({self.name!r})"

    def generate(self, prompt: str, *, temperature: float = 0.0, max_output_tokens: int = 512) -> GenResult:
        """What the model writes. Raises `ProviderError`, `InvalidInput`."""
        check_request(prompt, temperature, max_output_tokens)
        body = {
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "generationConfig": {"temperature": temperature, "maxOutputTokens": max_output_tokens},
        }
        answer = self._wire.post(f"/models/{self._model}:generateContent", body)
        with expecting(self._wire.service, f"no text{_blocked(answer)}"):
            return _generated(answer, self._model)


class GeminiEmbedder:
    """Vectors of a Gemini model, of the dimension asked for. The API tells no tokens: their number is an estimate."""

    def __init__(self, wire: Poster, model: str, dim: int, *, patient: Poster | None = None) -> None:
        self._wire = wire
        self._patient = patient or wire
        self.signature = EmbeddingSignature(model, dim)

    @property
    def patient(self) -> GeminiEmbedder:
        """The same, over the wire that tries longer."""
        return GeminiEmbedder(self._patient, self.signature.model, self.signature.dim)

    def __repr__(self) -> str:
        return f"GeminiEmbedder({self._wire.service!r}, {self.signature})"

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """One unit vector a text, in order. Raises `EmbedderError`."""
        parts: list[FloatArray] = [np.zeros((0, self.signature.dim), dtype=np.float32)]
        parts += [self._embed(batch) for batch in batches(texts)]
        return EmbedResult(np.concatenate(parts), words(texts))

    def _embed(self, batch: list[str]) -> FloatArray:
        model = f"models/{self.signature.model}"
        requests: list[dict[str, Any]] = [
            {"model": model, "content": {"parts": [{"text": text}]}, "outputDimensionality": self.signature.dim}
            for text in batch
        ]
        with embedding(self._wire.service):
            answer = self._wire.post(
                f"/{model}:batchEmbedContents", {"requests": requests}, most_bytes=most_bytes(batch, self.signature.dim)
            )
            rows = [at(row, "values") for row in rows_of(answer, "embeddings")]
            return unit_vectors(self._wire.service, rows, len(batch), self.signature.dim)


def _generated(answer: Reply, model: str) -> GenResult:
    candidate = object_at(answer, "candidates", 0)
    parts = rows_of(candidate["content"], "parts") if candidate.get("content") else []
    # Parts that are marked as thoughts are no answer.
    text = "".join(text_at(part, "text") for part in parts if not (isinstance(part, dict) and part.get("thought")))
    usage = answer.get("usageMetadata")
    return generated(
        text,
        tokens(usage, "promptTokenCount"),
        tokens(usage, "candidatesTokenCount", "thoughtsTokenCount"),
        answer.get("modelVersion") or model,
        truncated=candidate.get("finishReason") == "MAX_TOKENS",
    )


def _blocked(answer: Reply) -> str:
    """Why the service would not answer, where it says so."""
    for path in (("promptFeedback", "blockReason"), ("candidates", 0, "finishReason")):
        try:
            return f" ({at(answer, *path)})"
        except Missing:
            continue
    return ""
