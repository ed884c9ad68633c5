"""Asking a reranker, and going on without it when it fails; and one that asks a language model."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cortex.core.prompts import rerank as prompts
from cortex.core.redaction import reason
from cortex.core.scoring.reranked import complete
from cortex.ports import LLMProvider, Reranker

LEAST = 60  # candidates that a reranker is shown: as many as that, or as many as there shall be hits
_MOST_WAITING = 8  # calls that nobody waits for any more and that have not ended either


@dataclass(frozen=True, slots=True)
class Reranked:
    """Every place of the texts in the new order; or none, and why."""

    order: list[int]
    problem: str = ""


class Deadline:
    """Asks a reranker and waits no longer than ``seconds``.

    A call that takes longer goes on in its thread, where nobody hears its answer; while many do, none is begun.
    """

    def __init__(self, reranker: Reranker, seconds: float) -> None:
        self._reranker = reranker
        self._seconds = seconds
        self._free = threading.BoundedSemaphore(_MOST_WAITING)

    def rerank(self, query: str, texts: Sequence[str], ids: Sequence[str]) -> Reranked:
        """The places of the texts, best first, all of them; ``ids``: of the memories that the texts are of."""
        if not self._free.acquire(blocking=False):
            return Reranked([], f"the reranker has not answered {_MOST_WAITING} earlier questions yet")
        answers: list[Any] = []
        thread = threading.Thread(
            target=self._ask, args=[query, tuple(texts), tuple(ids), answers], name="cortex-rerank", daemon=True
        )
        thread.start()
        thread.join(self._seconds)
        if not answers:
            return Reranked([], f"the reranker took longer than {self._seconds:g} s")
        if isinstance(answers[0], _Failed):
            return Reranked([], f"the reranker failed: {answers[0].reason}")
        order = complete(answers[0], len(texts))
        return Reranked([], f"the reranker's answer is none: {order}") if isinstance(order, str) else Reranked(order)

    def _ask(self, query: str, texts: Sequence[str], ids: Sequence[str], answers: list[Any]) -> None:
        about = getattr(self._reranker, "about", None)  # what keeps answers is told whose they are
        try:
            reranker = self._reranker if about is None else about(*ids)
            answers.append(reranker.rerank(query, texts))
        except BaseException as error:  # noqa: BLE001 - the user's own code; even if it wants to exit, recall answers
            answers.append(_Failed(reason(error)))
        finally:
            self._free.release()


@dataclass(frozen=True, slots=True)
class _Failed:
    reason: str


class LLMReranker:
    """A `Reranker` that asks a language model once for all texts, of each its first 400 characters."""

    def __init__(self, llm: LLMProvider) -> None:
        self._llm = llm

    def about(self, *memory_ids: str) -> LLMReranker:
        """The same for texts of these memories: what a provider keeps of its answers goes with them."""
        about = getattr(self._llm, "about", None)
        return self if about is None else LLMReranker(about(*memory_ids))

    def rerank(self, query: str, texts: Sequence[str]) -> list[int]:
        """The places of the texts that have to do with the question, best first. Raises `ProviderError`, `BadOrder`."""
        asked = prompts.prompt(query, texts)
        answer = self._llm.generate(asked, temperature=0.0, max_output_tokens=prompts.most_tokens(len(texts)))
        return prompts.parse(answer.text)
