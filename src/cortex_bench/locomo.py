"""LoCoMo: ten long conversations, and questions whose evidence is known turn by turn.

Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (2024). The data set
is not part of this project: give the path of its file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cortex import Cortex
from cortex_bench.metrics import mean, score

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ANSWERABLE = frozenset({1, 2, 3, 4})
LIMIT = 50
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance: its id, and what a memory of it says."""

    turn_id: str
    item: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its category, and the ids of the turns that answer it."""

    text: str
    category: int
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns in order and the questions about them; each conversation is a scope of its own."""

    scope: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> list[Conversation]:
    """The conversations of a LoCoMo file; `ValueError` says what is missing in another file."""
    try:
        samples = json.loads(path.read_text("utf-8"))
        return [_conversation(sample) for sample in samples]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is no LoCoMo file ({type(error).__name__}: {error}); expected locomo10.json"
        ) from error


def ingest(cortex: Cortex, conversation: Conversation) -> dict[str, str]:
    """Keep every turn as one memory; the turn id of each memory id."""
    receipts = cortex.memorize_many([turn.item for turn in conversation.turns])
    failed = [receipt.error for receipt in receipts if receipt.error]
    if failed:
        raise RuntimeError(f"{len(failed)} turns of {conversation.scope} were not kept: {failed[0]}")
    return {str(r.id): turn.turn_id for r, turn in zip(receipts, conversation.turns, strict=True)}


def ask(
    cortex: Cortex, conversation: Conversation, turn_of: Mapping[str, str], options: Mapping[str, str]
) -> Iterator[tuple[int, dict[str, float]]]:
    """Category and metrics of each question that has evidence."""
    for question in conversation.questions:
        if question.gold:
            answer = cortex.recall(
                question.text,
                scope=conversation.scope,
                limit=LIMIT,
                ranking=options.get("ranking"),
                fusion=options.get("fusion"),
            )
            ranked = [turn_of[hit.memory.id] for hit in answer.hits]
            yield question.category, score(ranked, question.gold)


def report(rows: list[tuple[int, dict[str, float]]]) -> dict[str, Any]:
    """Overall (categories 1 to 4) and by category; ``n`` counts the questions of the overall."""
    overall = [values for category, values in rows if category in ANSWERABLE]
    by_category = {
        name: {"n": sum(c == number for c, _ in rows), **mean(v for c, v in rows if c == number)}
        for number, name in CATEGORIES.items()
    }
    return {"n": len(overall), "overall": mean(overall), "categories": by_category}


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    scope = f"project:locomo-{sample['sample_id']}"
    turns = tuple(_turns(sample["conversation"], scope))
    known = {turn.turn_id for turn in turns}
    questions = tuple(
        Question(str(qa["question"]), int(qa["category"]), _gold(qa.get("evidence", ())) & known) for qa in sample["qa"]
    )
    return Conversation(scope, turns, questions)


def _turns(conversation: Mapping[str, Any], scope: str) -> Iterator[Turn]:
    numbers = sorted(int(key.split("_")[1]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        when = _time(conversation[f"session_{number}_date_time"])
        for position, turn in enumerate(conversation[f"session_{number}"]):
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            item = {
                "content": f"{turn['text']}{caption}",
                "scope": scope,
                "speaker": turn["speaker"],
                "session": f"session_{number}",
                "position": position,
                "event_time": when,
            }
            yield Turn(turn["dia_id"], item)


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _gold(evidence: list[str]) -> frozenset[str]:
    """Turn ids in normal form; some entries hold several, some are misspelt."""
    found = (match for entry in evidence for match in _TURN_ID.finditer(entry))
    return frozenset(f"D{int(match[1])}:{int(match[2])}" for match in found)
