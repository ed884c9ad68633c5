"""LoCoMo: ten long conversations, and questions whose evidence is known turn by turn.

Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (2024). The data set
is not part of this project: give the path of its file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cortex_bench.evaluation.parts import DataSet, Item, Part, Question, digest

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")


def read(path: Path, corrections: Path | None = None) -> DataSet:
    """The conversations of a LoCoMo file, with the evidence and answers that an audit corrects.

    ``corrections``: a JSON list of objects with question_id (``locomo_<conversation>_qa<question>``, from 0),
    correct_evidence and correct_answer. `ValueError` says what is missing in another file.
    """
    try:
        samples = json.loads(path.read_text("utf-8"))
        mended = {} if corrections is None else _corrections(corrections)
        parts = [_conversation(number, sample, mended) for number, sample in enumerate(samples)]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is no LoCoMo file ({type(error).__name__}: {error}); expected locomo10.json"
        ) from error
    if not any(part.questions for part in parts):
        raise ValueError(f"{path} has no questions of LoCoMo; expected locomo10.json")
    shown = {name: frozenset({name}) for name in CATEGORIES.values()}
    return DataSet(
        name="locomo",
        parts=lambda: parts,
        digest=digest(path, *(() if corrections is None else (corrections,))),
        overall=frozenset(CATEGORIES.values()) - {CATEGORIES[ADVERSARIAL]},
        groups=shown,
    )


def _corrections(path: Path) -> dict[str, Mapping[str, Any]]:
    try:
        return {entry["question_id"]: entry for entry in json.loads(path.read_text("utf-8"))}
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise ValueError(f"{path} has no corrections of LoCoMo ({type(error).__name__}: {error})") from error


def _conversation(number: int, sample: Mapping[str, Any], mended: Mapping[str, Mapping[str, Any]]) -> Part:
    scope = f"project:locomo-{sample['sample_id']}"
    ids, items = zip(*_turns(sample["conversation"], scope), strict=True)
    known, asked_at = frozenset(ids), items[-1]["event_time"]
    questions = []
    for place, qa in enumerate(sample["qa"]):
        id_ = f"locomo_{number}_qa{place}"
        mend = mended.get(id_, {})
        gold = _gold(mend.get("correct_evidence", qa.get("evidence", ()))) & known
        abstains = qa["category"] == ADVERSARIAL
        questions.append(
            Question(
                id=id_,
                text=str(qa["question"]),
                group=CATEGORIES[int(qa["category"])],
                gold=dict.fromkeys(sorted(gold), 1.0),
                sessions=frozenset(f"session_{turn[1:].partition(':')[0]}" for turn in gold),
                answer="" if abstains else str(mend.get("correct_answer", qa.get("answer", ""))),
                abstains=abstains,
                asked_at=asked_at,
            )
        )
    return Part(scope, items, ids, tuple(questions))


def _turns(conversation: Mapping[str, Any], scope: str) -> Iterator[tuple[str, Item]]:
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
            yield turn["dia_id"], item


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _gold(evidence: list[str]) -> frozenset[str]:
    """Turn ids in normal form; some entries hold several, some are misspelt."""
    found = (match for entry in evidence for match in _TURN_ID.finditer(entry))
    return frozenset(f"D{int(match[1])}:{int(match[2])}" for match in found)
