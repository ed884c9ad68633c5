"""What every system is given: the turns and questions of LoCoMo, synthetic memories, and the vectors of all texts.

The only module here that reads a data set or knows its metrics.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from cortex_bench.evaluation import locomo
from cortex_bench.evaluation.metrics import score
from cortex_bench.synthetic import Collection, collection

DRIVERS = Path(__file__).with_name("drivers")
Item = dict[str, Any]

SIZE = 10_000
SPARE = 2_000
QUESTIONS = 110
_FIRST = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the ids of the turns that answer it."""

    text: str
    gold: Mapping[str, float]

    def marks(self, ranked: Sequence[str]) -> tuple[float, float]:
        """recall@10 and ndcg@10."""
        values = score(ranked, self.gold)
        return values["recall@10"], values["ndcg@10"]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: its user, its turns in order, its questions of the categories 1 to 4."""

    user: str
    items: tuple[Item, ...]
    questions: tuple[Asked, ...]


def talks(path: Path) -> list[Talk]:
    """The conversations of LoCoMo."""
    data = locomo.read(path)
    return [
        Talk(
            part.scope.removeprefix("project:"),
            tuple(_turn(id_, item) for id_, item in zip(part.ids, part.items, strict=True)),
            tuple(
                Asked(question.text, question.gold)
                for question in part.questions
                if question.gold and question.group in (data.overall or ())
            ),
        )
        for part in data.parts()
    ]


def _turn(id_: str, item: Mapping[str, Any]) -> Item:
    when: datetime = item["event_time"]
    return {
        "id": id_,
        "text": item["content"],
        # For systems that have no field for speaker and date.
        "plain": f"{item['speaker']} ({when.day} {when:%B %Y}): {item['content']}",
        "speaker": item["speaker"],
        "session": item["session"],
        "position": item["position"],
        "time": when.isoformat(),
    }


@dataclass(frozen=True, slots=True)
class Synthetic:
    """Memories of one user, some more for writing, and questions; all with given vectors."""

    items: tuple[Item, ...]
    spare: tuple[Item, ...]
    questions: tuple[str, ...]


def synthetic(folder: Path, forms: Iterable[str]) -> Synthetic:
    """Texts of pseudo-words in sessions of twenty turns; their vectors are put into the folder."""
    data = collection(SIZE + SPARE, QUESTIONS)
    items = tuple(
        {
            "id": f"m{number}",
            "text": text,
            "plain": text,
            "speaker": None,
            "session": f"session_{number // 20}",
            "position": number % 20,
            "time": (_FIRST + timedelta(minutes=number)).isoformat(),
        }
        for number, text in enumerate(data.texts)
    )
    if not (folder / "digests.txt").exists():
        _put(folder, data, list(dict.fromkeys(forms)))
    return Synthetic(items[:SIZE], items[SIZE:], data.questions)


def _put(folder: Path, data: Collection, shapes: Sequence[str]) -> None:
    texts = [form.format(text) for form in shapes for text in data.texts] + list(data.questions)
    vectors = np.concatenate([data.vectors] * len(shapes) + [data.question_vectors])
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "vectors.npy", vectors)
    digests = (hashlib.sha256(text.encode()).hexdigest() for text in texts)
    (folder / "digests.txt").write_text("\n".join(digests), "ascii")


def embed(folder: Path, model: Path, given: Sequence[Talk], forms: Iterable[str]) -> None:
    """Put the vectors of all turns and questions into the folder, once; a minute or two."""
    if (folder / "digests.txt").exists():
        return
    shapes = list(dict.fromkeys(forms))
    texts = [form.format(item["plain"]) for talk in given for item in talk.items for form in shapes]
    texts += [question.text for talk in given for question in talk.questions]
    subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(DRIVERS / "shim.py"), str(model), str(folder)],
        input=json.dumps(texts),
        text=True,
        check=True,
        timeout=1800,
    )
