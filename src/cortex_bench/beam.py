"""BEAM: long chats of a user and an assistant, and questions whose evidence is known message by message.

Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs" (2025). The data set is
not part of this project: give the folder of its chats, a JSON file each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex import Cortex
from cortex_bench.metrics import mean, score

FACTS = frozenset({
    "information_extraction", "knowledge_update", "multi_session_reasoning", "temporal_reasoning",
    "contradiction_resolution",
})  # fmt: skip
LIMIT = 50


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ability it asks for, and the ids of the messages that answer it."""

    text: str
    ability: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Chat:
    """The messages in order, as memories with their ids, and the questions; each chat is a scope of its own."""

    scope: str
    items: tuple[Mapping[str, Any], ...]
    ids: tuple[str, ...]
    questions: tuple[Question, ...]


def read(folder: Path) -> list[Chat]:
    """The chats of a folder; `ValueError` says what is missing in other files."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise ValueError(f"{folder} has no .json files; expected the chats of BEAM")
    try:
        return [_chat(json.loads(path.read_text("utf-8"))) for path in paths]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder} holds no BEAM chats ({type(error).__name__}: {error})") from error


def ingest(cortex: Cortex, chat: Chat) -> dict[str, str]:
    """Keep every message as one memory; the message id of each memory id."""
    receipts = cortex.memorize_many(chat.items)
    failed = [receipt.error for receipt in receipts if receipt.error]
    if failed:
        raise RuntimeError(f"{len(failed)} messages of {chat.scope} were not kept: {failed[0]}")
    return {str(receipt.id): id_ for receipt, id_ in zip(receipts, chat.ids, strict=True)}


def ask(
    cortex: Cortex, chat: Chat, message_of: Mapping[str, str], options: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Ability and metrics of each question that has evidence."""
    for question in chat.questions:
        if question.gold:
            answer = cortex.recall(
                question.text,
                scope=chat.scope,
                limit=LIMIT,
                ranking=options.get("ranking"),
                fusion=options.get("fusion"),
            )
            yield question.ability, score([message_of[hit.memory.id] for hit in answer.hits], question.gold)


def report(rows: list[tuple[str, dict[str, float]]]) -> dict[str, Any]:
    """Over all questions, over those of the five abilities that ask for facts, and by ability."""
    groups = {
        "facts": [values for ability, values in rows if ability in FACTS],
        **{
            name: [values for ability, values in rows if ability == name]
            for name in sorted({ability for ability, _ in rows})
        },
    }
    return {
        "n": len(rows),
        "overall": mean(values for _, values in rows),
        "categories": {name: {"n": len(values), **mean(values)} for name, values in groups.items()},
    }


def _chat(chat: Mapping[str, Any]) -> Chat:
    scope = f"project:beam-{chat['id']}"
    messages = chat["messages"]
    items = tuple(
        {
            "content": message["content"],
            "scope": scope,
            "role": message["role"],
            "session": f"batch_{message['batch']}",
            "position": place,
        }
        for place, message in enumerate(messages)
    )
    ids = tuple(str(message["id"]) for message in messages)
    questions = tuple(
        Question(str(asked["q"]), str(asked["cat"]), frozenset(map(str, asked["ev"])) & set(ids))
        for asked in chat["questions"]
    )
    return Chat(scope, items, ids, questions)
