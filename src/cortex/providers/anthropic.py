"""Anthropic's Claude, by the Messages API; it makes no vectors."""

from __future__ import annotations

from typing import Final

from cortex.model.generation import GenResult, check_request
from cortex.providers.replies import Tempered, expecting, generated, rows_of, text_at, tokens
from cortex.providers.wire import Poster, Reply

ADDRESS: Final = "https://api.anthropic.com/v1"
KEY_HEADER: Final = "x-api-key"
HEADERS: Final = {"anthropic-version": "2023-06-01"}
_HOTTEST: Final = 1.0


class AnthropicProvider:
    """A Claude model by name; temperatures above 1, which the API does not know, are 1."""

    def __init__(self, wire: Poster, model: str) -> None:
        self._wire = wire
        self._tempered = Tempered(wire)
        self._model = model

    @property
    def name(self) -> str:
        """Service and model."""
        return f"{self._wire.service}/{self._model}"

    def __repr__(self) -> str:
        return f"AnthropicProvider({self.name!r})"

    def generate(self, prompt: str, *, temperature: float = 0.0, max_output_tokens: int = 512) -> GenResult:
        """What the model writes. Raises `ProviderError`, `InvalidInput`."""
        check_request(prompt, temperature, max_output_tokens)
        body = {
            "model": self._model,
            "max_tokens": max_output_tokens,
            "temperature": min(temperature, _HOTTEST),
            "messages": [{"role": "user", "content": prompt}],
        }
        answer = self._tempered.post("/messages", body)
        with expecting(self._wire.service, "no message"):
            return _generated(answer, self._model)


def _generated(answer: Reply, model: str) -> GenResult:
    blocks = [block for block in rows_of(answer, "content") if isinstance(block, dict) and block.get("type") == "text"]
    usage = answer.get("usage")
    return generated(
        "".join(text_at(block, "text") for block in blocks),
        tokens(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        tokens(usage, "output_tokens"),
        answer.get("model") or model,
        truncated=answer.get("stop_reason") == "max_tokens",
    )
