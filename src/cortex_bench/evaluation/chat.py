"""A model behind an API of the OpenAI kind: one request, one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from cortex import chat_model
from cortex.errors import ProviderError

_LONGEST = 400


class ModelFailed(Exception):
    """The model could not be asked, or did not answer as it should; the message holds no key."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, how many tokens it read and wrote (None: it did not say), whether it was cut off."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    truncated: bool


class Chat:
    """A model by URL and name, as `cortex.chat_model` makes it. Raises ValueError for what is no URL and no key."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        timeout_seconds: float = 120.0,
        attempts: int = 3,
        pause_seconds: float = 1.0,
    ) -> None:
        self.model = model
        self._provider = chat_model(
            url, model, key=key, seconds=timeout_seconds, attempts=attempts, first_pause_seconds=pause_seconds
        )

    def complete(self, messages: Sequence[Message], max_output_tokens: int) -> Completion:
        """The model's answer at temperature 0; `ModelFailed` says why there is none."""
        try:
            result = self._provider.reply([asdict(each) for each in messages], max_output_tokens=max_output_tokens)
        except ProviderError as error:
            raise ModelFailed(str(error)[:_LONGEST]) from error
        if not result.counted:
            return Completion(result.text, None, None, result.truncated)
        return Completion(result.text, result.input_tokens, result.output_tokens, result.truncated)
