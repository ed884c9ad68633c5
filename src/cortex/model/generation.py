"""What a language model is asked for and answers: the text, and what it cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cortex.errors import InvalidInput

_MOST_TOKENS = 1_000_000
_HOTTEST = 2.0


@dataclass(frozen=True, slots=True)
class GenResult:
    """What a model wrote, and the tokens it read and wrote.

    ``model``: the one that answered, by its own word. ``truncated``: it was cut off at the most tokens it may write.
    ``counted``: false where the service did not tell its tokens; the two counts are 0 then.
    """

    text: str
    input_tokens: int
    output_tokens: int
    model: str
    truncated: bool = False
    counted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Calls of a model added up.

    ``uncounted`` of the ``calls`` came without a number of tokens. ``cost`` is in the currency of the prices, None
    where no prices are known; calls that were not counted cost nothing in it.
    """

    calls: int = 0
    failed: int = 0
    uncounted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


def check_request(prompt: object, temperature: object, max_output_tokens: object) -> None:
    """Raise `InvalidInput` for what no model can be asked."""
    if not isinstance(prompt, str) or not prompt.strip():
        raise InvalidInput("prompt", "expected a text that is not empty")
    number = temperature if type(temperature) in (int, float) else math.nan
    if not 0 <= number <= _HOTTEST:  # type: ignore[operator]
        raise InvalidInput("temperature", f"expected a number from 0 to {_HOTTEST:g}, got {temperature!r}")
    if type(max_output_tokens) is not int or not 1 <= max_output_tokens <= _MOST_TOKENS:
        raise InvalidInput(
            "max_output_tokens", f"expected a whole number from 1 to {_MOST_TOKENS:,}, got {max_output_tokens!r}"
        )
