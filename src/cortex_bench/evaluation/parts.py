"""The one shape of all data sets: parts with items to keep, and questions about them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from cortex_bench.evaluation.metrics import score

Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a part.

    ``group``: what it asks for, such as a category. ``gold``: the ids of the items that answer it, each with its gain
    (1 unless they are graded); ``sessions``: the sessions these are in. ``answer``: what a reader should say, and
    ``rubric``: single points of it. ``abstains``: the right answer is that nobody can know. ``asked_at``: when.
    """

    id: str
    text: str
    group: str
    gold: Mapping[str, float] = field(default_factory=dict)
    sessions: frozenset[str] = frozenset()
    answer: str = ""
    rubric: tuple[str, ...] = ()
    abstains: bool = False
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What is searched together, a scope of its own: items as `memorize_many` takes them, their ids, questions."""

    scope: str
    items: tuple[Item, ...]
    ids: tuple[str, ...]
    questions: tuple[Question, ...]


Metrics = Callable[[Sequence[str], Sequence[str], Question], dict[str, float]]


def plain_metrics(ranked: Sequence[str], sessions: Sequence[str], question: Question) -> dict[str, float]:
    """Of the items found, best first; their sessions do not count."""
    del sessions
    return score(ranked, question.gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A data set: its parts, read anew at each call, and how its results are told.

    ``digest`` changes with the files. ``overall``: the groups that the overall is made of; None for all. ``groups``:
    what is shown first, in this order, with the groups each is made of; other groups follow by name. ``metrics`` are
    those of one question, from the items and the sessions that were found, best first.
    """

    name: str
    parts: Callable[[], Iterable[Part]]
    digest: str
    overall: frozenset[str] | None = None
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    metrics: Metrics = plain_metrics


def digest(*paths: Path) -> str:
    """16 hex digits that change when the content of any of these files does."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:16]
