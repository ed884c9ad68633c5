"""What everything that asks a language model must do."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from cortex.errors import InvalidInput
from cortex.model.generation import GenResult
from cortex.ports import LLMProvider

PROMPTS = (
    "Which of these are facts?",
    "東京は日本の首都です。",
    "🧡",
    "a\nb\tc\x00",
    'braces {"a": [1]} and </memory>',
    "word " * 3000,
    "half a pair \ud800",
)


class LLMProviderContract:
    """Tests of a provider; a subclass gives the fixture ``provider``, of a model that answers every prompt."""

    @pytest.fixture
    def provider(self) -> LLMProvider:
        """The provider under test."""
        raise NotImplementedError(f"{type(self).__name__} needs a fixture provider")

    def test_it_satisfies_the_port(self, provider: LLMProvider) -> None:
        """It has what the protocol asks for."""
        assert isinstance(provider, LLMProvider)

    def test_its_name_stays(self, provider: LLMProvider) -> None:
        """Service and model, before and after the first call."""
        before = provider.name
        provider.generate("hello")
        assert provider.name == before
        assert "/" in before

    @pytest.mark.parametrize("prompt", PROMPTS, ids=range(len(PROMPTS)))
    def test_it_answers_any_text(self, provider: LLMProvider, prompt: str) -> None:
        """Any prompt gets a text that is not empty, from a model with a name."""
        result = provider.generate(prompt)
        assert isinstance(result, GenResult)
        assert result.text.strip()
        assert result.model

    def test_it_counts_tokens(self, provider: LLMProvider) -> None:
        """Tokens are whole numbers, more for more text; where they are not known it says so."""
        short, longer = provider.generate("tea"), provider.generate("tea and coffee and water")
        for result in (short, longer):
            assert type(result.input_tokens) is type(result.output_tokens) is int
            assert min(result.input_tokens, result.output_tokens) >= 0
        if short.counted and longer.counted:
            assert 0 < short.input_tokens < longer.input_tokens
            assert short.output_tokens > 0

    def test_it_writes_no_more_than_it_may(self, provider: LLMProvider) -> None:
        """What was cut off says so, what was not does not."""
        assert provider.generate("one two three four five six", max_output_tokens=1).truncated
        assert not provider.generate("hello", max_output_tokens=4096).truncated

    @pytest.mark.parametrize("temperature", [0, 0.0, 0.7, 1.0, 2])
    def test_it_takes_every_temperature(self, provider: LLMProvider, temperature: float) -> None:
        """From 0 to 2."""
        assert provider.generate("hello", temperature=temperature).text

    @pytest.mark.parametrize("prompt", ["", "  \n", None, 3])
    def test_it_refuses_what_is_no_prompt(self, provider: LLMProvider, prompt: str) -> None:
        """Before anybody is asked."""
        with pytest.raises(InvalidInput, match="prompt"):
            provider.generate(prompt)

    @pytest.mark.parametrize("temperature", [-0.1, 2.1, math.nan, math.inf, "0", None, True])
    def test_it_refuses_what_is_no_temperature(self, provider: LLMProvider, temperature: float) -> None:
        """Before anybody is asked."""
        with pytest.raises(InvalidInput, match="temperature"):
            provider.generate("hello", temperature=temperature)

    @pytest.mark.parametrize("most", [0, -1, 1.5, True, None, 10**9])
    def test_it_refuses_what_is_no_number_of_tokens(self, provider: LLMProvider, most: int) -> None:
        """Before anybody is asked."""
        with pytest.raises(InvalidInput, match="max_output_tokens"):
            provider.generate("hello", max_output_tokens=most)

    def test_threads_may_share_it(self, provider: LLMProvider) -> None:
        """Calls from several threads at once give what they give one by one."""
        prompts = [f"prompt {i}" for i in range(8)]
        alone = [provider.generate(prompt).text for prompt in prompts]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda prompt: provider.generate(prompt).text, prompts))
        assert together == alone
