"""LongMemEval: questions that each come with a history of chats of their own, S, M or oracle.

Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory" (2025). The data set is not part
of this project: give the path of one of its files. The large one is read an entry at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cortex_bench.evaluation.metrics import any_all
from cortex_bench.evaluation.parts import DataSet, Part, Question, digest

ABSTENTION = "_abs"
_CHUNK = 2**20


def read(path: Path) -> DataSet:
    """The questions of a file, a part each; reading it further raises `ValueError` for another file."""
    for _ in _parts(path):
        break
    else:
        raise ValueError(f"{path} has no questions of LongMemEval")
    return DataSet(name="longmemeval", parts=lambda: _parts(path), digest=digest(path), metrics=metrics)


def metrics(ranked: Sequence[str], sessions: Sequence[str], question: Question) -> dict[str, float]:
    """Of the sessions, best turn first, and of the turns that are marked; turns only where there are any."""
    found = list(dict.fromkeys(sessions))
    values = {f"session {name}": value for name, value in any_all(found, question.sessions).items()}
    if question.gold:
        values |= {f"turn {name}": value for name, value in any_all(ranked, question.gold).items()}
    return values


def _parts(path: Path) -> Iterator[Part]:
    try:
        for entry in _elements(path):
            yield _part(entry)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is no LongMemEval file ({type(error).__name__}: {error}); expected such as longmemeval_s.json"
        ) from error


def _elements(path: Path) -> Iterator[Any]:
    """The elements of a JSON array, one by one: the whole of M is too large for the memory of most machines."""
    decoder = json.JSONDecoder()
    with path.open(encoding="utf-8") as file:
        text = file.read(_CHUNK).lstrip()
        if not text.startswith("["):
            raise TypeError("no array")
        text = text[1:]
        while not (text := text.lstrip(" \t\r\n,")).startswith("]"):
            try:
                element, end = decoder.raw_decode(text)
            except json.JSONDecodeError:
                more = file.read(max(_CHUNK, len(text)))
                if not more:
                    raise
                text += more
                continue
            text = text[end:]
            yield element


def _part(entry: Mapping[str, Any]) -> Part:
    scope = f"project:longmemeval-{entry['question_id']}"
    abstains = str(entry["question_id"]).endswith(ABSTENTION)
    items, ids, gold = [], [], []
    chats = zip(entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True)
    for session, date, turns in chats:
        when = _time(date)
        for position, turn in enumerate(turns):
            if not turn["content"].strip():
                continue
            ids.append(f"{session}/{position}")
            items.append({
                "content": turn["content"],
                "scope": scope,
                "role": turn["role"],
                "session": str(session),
                "position": position,
                "event_time": when,
            })  # fmt: skip
            if turn.get("has_answer"):
                gold.append(ids[-1])
    question = Question(
        id=str(entry["question_id"]),
        text=str(entry["question"]),
        group=str(entry["question_type"]),
        gold={} if abstains else dict.fromkeys(gold, 1.0),
        sessions=frozenset() if abstains else frozenset(map(str, entry["answer_session_ids"])),
        answer=str(entry["answer"]),
        abstains=abstains,
        asked_at=_time(entry["question_date"]),
    )
    return Part(scope, tuple(items), tuple(ids), (question,))


def _time(text: str) -> datetime:
    """Such as ``2023/05/20 (Sat) 02:21``; the day of the week follows from the date."""
    day, _, clock = text.partition(" (")
    return datetime.strptime(f"{day} {clock.partition(') ')[2]}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
