"""What calls of a model cost: tokens and price, for each call and added up by verb."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from cortex.errors import InvalidInput, ProviderError
from cortex.model.generation import GenResult, Usage
from cortex.ports import LLMProvider

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """What a million tokens cost, read and written, in whatever currency. Raises `InvalidInput` for no price."""

    read: float
    written: float

    def __post_init__(self) -> None:
        for name, price in (("read", self.read), ("written", self.written)):
            if not math.isfinite(price) or price < 0:
                raise InvalidInput(name, f"expected a price of at least 0 for a million tokens, got {price!r}")

    def of(self, result: GenResult) -> float:
        """What one call cost; nothing where its tokens were not counted."""
        return (self.read * result.input_tokens + self.written * result.output_tokens) / _MILLION


class Meter:
    """Adds up what calls use; any number of threads and of providers may share one."""

    def __init__(self, prices: TokenPrices | None = None) -> None:
        self.prices = prices
        self._usage: dict[str, Usage] = {}
        self._lock = threading.Lock()

    def count(self, verb: str, result: GenResult | None) -> None:
        """One call for a verb; None for a call that failed."""
        with self._lock:
            before = self._usage.get(verb, self._nothing())
            self._usage[verb] = self._failed(before) if result is None else self._added(before, result)

    def by_verb(self) -> Mapping[str, Usage]:
        """What each verb used so far."""
        with self._lock:
            return dict(self._usage)

    def total(self) -> Usage:
        """What all verbs used so far."""
        total = self._nothing()
        for usage in self.by_verb().values():
            total = Usage(
                calls=total.calls + usage.calls,
                failed=total.failed + usage.failed,
                uncounted=total.uncounted + usage.uncounted,
                input_tokens=total.input_tokens + usage.input_tokens,
                output_tokens=total.output_tokens + usage.output_tokens,
                cost=None if total.cost is None or usage.cost is None else total.cost + usage.cost,
            )
        return total

    def _nothing(self) -> Usage:
        return Usage(cost=None if self.prices is None else 0.0)

    def _failed(self, before: Usage) -> Usage:
        return replace(before, calls=before.calls + 1, failed=before.failed + 1)

    def _added(self, before: Usage, result: GenResult) -> Usage:
        cost = None if before.cost is None or self.prices is None else before.cost + self.prices.of(result)
        return replace(
            before,
            calls=before.calls + 1,
            uncounted=before.uncounted + (not result.counted),
            input_tokens=before.input_tokens + result.input_tokens,
            output_tokens=before.output_tokens + result.output_tokens,
            cost=cost,
        )


class MeteredProvider:
    """``inner``, each of its calls counted by ``meter`` under ``verb``; ``patient``: the same that tries longer."""

    def __init__(self, inner: LLMProvider, meter: Meter, *, verb: str = "", patient: LLMProvider | None = None) -> None:
        self.inner = inner
        self.meter = meter
        self._verb = verb
        self._patient = patient

    @property
    def patient(self) -> MeteredProvider:
        """The same model for work that nobody waits for, counted by the same meter."""
        return self if self._patient is None else MeteredProvider(self._patient, self.meter, verb=self._verb)

    @property
    def name(self) -> str:
        """That of ``inner``."""
        return self.inner.name

    def __repr__(self) -> str:
        return f"MeteredProvider({self.inner!r})"

    def for_verb(self, verb: str) -> MeteredProvider:
        """The same, counted under this verb."""
        return MeteredProvider(self.inner, self.meter, verb=verb, patient=self._patient)

    def generate(self, prompt: str, *, temperature: float = 0.0, max_output_tokens: int = 512) -> GenResult:
        """What ``inner`` gives. An answer that was no good counts as failed: what it cost is not told."""
        try:
            result = self.inner.generate(prompt, temperature=temperature, max_output_tokens=max_output_tokens)
        except ProviderError:
            self.meter.count(self._verb, None)
            raise
        self.meter.count(self._verb, result)
        return result
