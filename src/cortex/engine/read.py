"""Reading texts: by the language model that there is, else without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.core.redaction import reason
from cortex.core.understanding import prompt
from cortex.core.understanding.whole import OFFLINE, only, understand
from cortex.engine.deps import Deps
from cortex.model.job import UNDERSTAND, NewJob
from cortex.model.memory import Memory
from cortex.model.understanding import Understanding

_ATTEMPTS = 2
_MOST_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class Read:
    """What a text says, by whom it was read, and why not by the model that should have."""

    understanding: Understanding
    maker: str
    problem: str = ""


def read(deps: Deps, memories: Sequence[Memory], now: datetime | None) -> list[Read]:
    """What each of these texts says, as far as the layers ask. ``now``: when they are said; None: each in its time."""
    said_at = [now or memory.event_time or memory.created_at for memory in memories]
    if deps.llm is None or not deps.layers.reads:
        return [_offline(deps, memory, at) for memory, at in zip(memories, said_at, strict=True)]
    found: list[Read] = []
    for start in range(0, len(memories), prompt.MOST_AT_ONCE):
        end = start + prompt.MOST_AT_ONCE
        found += _by_model(deps, memories[start:end], said_at[start:end])
    return found


def owed(found: Read | None, embed: NewJob | None, now: datetime) -> NewJob | None:
    """The work that a memory owes: its vectors, or with them or alone a reading by the model."""
    return embed if found is None or not found.problem else NewJob(UNDERSTAND, now, {})


def _offline(deps: Deps, memory: Memory, at: datetime, problem: str = "") -> Read:
    return Read(understand(memory, deps.layers, said_at=at, zone=deps.zone), OFFLINE, problem)


def _by_model(deps: Deps, memories: Sequence[Memory], said_at: Sequence[datetime]) -> list[Read]:
    answers = _ask(deps, memories, said_at)
    if isinstance(answers, str):
        problem = f"read without the language model, which is asked again later: {answers}"
        return [_offline(deps, memory, at, problem) for memory, at in zip(memories, said_at, strict=True)]
    maker = f"{_name(deps)} {prompt.VERSION}"
    return [Read(only(answer, deps.layers), maker) for answer in answers]


def _ask(deps: Deps, memories: Sequence[Memory], said_at: Sequence[datetime]) -> list[Understanding] | str:
    """What the model says of each, or why it does not; a bad answer is asked for once more."""
    about = getattr(deps.llm, "about", None)  # what keeps answers is told whose they are
    llm = deps.llm if about is None else about(*(memory.id for memory in memories))
    question = prompt.prompt(memories, said_at)
    tokens = min(_MOST_TOKENS, prompt.TOKENS_A_TEXT * len(memories) + 200)
    problem = ""
    for attempt in range(_ATTEMPTS):
        asked = question if attempt == 0 else f"{question}\n\nYour last answer could not be used: {problem}."
        try:
            answer = llm.generate(asked, temperature=0.0, max_output_tokens=tokens)  # type: ignore[union-attr]
        except Exception as error:  # noqa: BLE001 - a provider is the user's own code; whatever it raises, the text is kept
            return reason(error)
        text = getattr(answer, "text", None)
        if not isinstance(text, str):
            return f"{_name(deps)} answered with {type(answer).__name__}, which has no text"
        try:
            return prompt.parse(text, len(memories), deps.zone)
        except prompt.BadReply as error:
            problem = f"{error}{'; it was cut off' if getattr(answer, 'truncated', False) else ''}"
    return f"{_name(deps)} answered twice with something else than what it was asked for: {problem}"


def _name(deps: Deps) -> str:
    return str(getattr(deps.llm, "name", "a model"))
