"""BEAM: long chats of a user and an assistant, and questions whose evidence is known message by message.

Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs" (2025). The data set is
not part of this project: give the folder of its chats, a JSON file each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cortex_bench.evaluation.parts import DataSet, Part, Question, digest

FACTS = frozenset({
    "information_extraction", "knowledge_update", "multi_session_reasoning", "temporal_reasoning",
    "contradiction_resolution",
})  # fmt: skip


def read(folder: Path) -> DataSet:
    """The chats of a folder; `ValueError` says what is missing in other files."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise ValueError(f"{folder} has no .json files; expected the chats of BEAM")
    parts = [_part(path) for path in paths]
    if not any(part.questions for part in parts):
        raise ValueError(f"{folder} has no questions of BEAM")
    return DataSet(name="beam", parts=lambda: parts, digest=digest(*paths), groups={"facts": FACTS})


def _part(path: Path) -> Part:
    try:
        return _chat(json.loads(path.read_text("utf-8")))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no BEAM chat ({type(error).__name__}: {error})") from error


def _chat(chat: Mapping[str, Any]) -> Part:
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
    session_of = {str(message["id"]): f"batch_{message['batch']}" for message in messages}
    questions = []
    for place, asked in enumerate(chat["questions"]):
        gold = sorted(frozenset(map(str, asked["ev"])) & set(session_of))
        questions.append(
            Question(
                id=f"{chat['id']}-{place}",
                text=str(asked["q"]),
                group=str(asked["cat"]),
                gold=dict.fromkeys(gold, 1.0),
                sessions=frozenset(session_of[id_] for id_ in gold),
                answer=str(asked.get("answer") or ""),
                rubric=tuple(map(str, asked.get("rubric") or ())),
                abstains=asked["cat"] == "abstention",
            )
        )
    return Part(scope, items, tuple(session_of), tuple(questions))
