"""How well contradictions are judged without a model: on captions, on pairs of our own, and on messages of chats.

SICK: Marelli et al., "A SICK cure for the evaluation of compositional distributional semantic models" (2014). Pairs of
messages that contradict or update each other come from BEAM. Neither is part of this project.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from cortex.core.understanding.contradiction import judge
from cortex_bench.evaluation.compare import RESAMPLES

Judge = Callable[[str, str], float]

_SICK = {"train": "SICK_train.txt", "test": "SICK_test_annotated.txt"}
_NEGATION = re.compile(r"\b(?:no|not|nobody|never|without|none|nothing|neither|nor|cannot)\b|n't\b", re.IGNORECASE)
_SURE = 0.5
_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.01)
_DRAWS = 5  # random pairs for each true one
HALVES = ("tune", "held")


@dataclass(frozen=True, slots=True)
class Statements:
    """Two statements, whether they contradict each other, and the half they are in."""

    older: str
    newer: str
    contradicts: bool
    half: str


@dataclass(frozen=True, slots=True)
class Messages:
    """Earlier and later messages of a chat that contradict each other, by their ids in the chat."""

    chat: str
    older: Mapping[str, str]
    newer: Mapping[str, str]

    @property
    def half(self) -> str:
        """Chats with odd numbers are those that thresholds were chosen on."""
        return HALVES[int(self.chat.rpartition("-")[2]) % 2 == 0]

    @property
    def is_one(self) -> bool:
        """Whether earlier and later are the same messages: nothing to compare."""
        return self.older.keys() == self.newer.keys()


def judged(older: str, newer: str) -> float:
    """The confidence that two texts contradict each other, 0-1."""
    return judge(older, newer).confidence


def negated(older: str, newer: str) -> float:
    """The negation rule: 1 when exactly one of the two has a negation word."""
    return float(bool(_NEGATION.search(older)) != bool(_NEGATION.search(newer)))


def read_sick(folder: Path) -> list[Statements]:
    """The training part as the half to tune on, the test part as the one held back; `ValueError` for other files."""
    found = []
    for half, name in zip(HALVES, _SICK.values(), strict=True):
        try:
            with (folder / name).open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                    contradicts = row["entailment_judgment"] == "CONTRADICTION"
                    found.append(Statements(row["sentence_A"], row["sentence_B"], contradicts, half))
        except (OSError, UnicodeDecodeError, KeyError) as error:
            raise ValueError(f"{folder} is no folder of SICK ({type(error).__name__}: {error})") from error
    return found


def read_labelled() -> list[Statements]:
    """The pairs of engineering and personal statements that were written for this project."""
    lines = files("cortex_bench.evaluation").joinpath("labelled/contradictions.jsonl").read_text("utf-8").splitlines()
    rows = map(json.loads, lines)
    return [Statements(row["older"], row["newer"], row["contradicts"], row["half"]) for row in rows]


def read_messages(path: Path, older: str, newer: str) -> list[Messages]:
    """Pairs as JSON lines with the fields ``chat``, ``older`` and ``newer``; `ValueError` for other files."""
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        found = [
            Messages(row["chat"], *({str(each["id"]): each["text"] for each in row[side]} for side in (older, newer)))
            for row in rows
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no pairs with {older} and {newer} ({type(error).__name__}: {error})") from error
    if not found:
        raise ValueError(f"{path} is empty; expected pairs with {older} and {newer}")
    return [pair for pair in found if pair.half]


def statements_result(pairs: Sequence[Statements], seed: int) -> dict[str, Any]:
    """Precision, recall and F1 of each half beside the negation rule, with intervals of resampled pairs."""
    return {half: _scores([pair for pair in pairs if pair.half == half], seed) for half in HALVES}


def _scores(pairs: Sequence[Statements], seed: int) -> dict[str, Any]:
    gold = [pair.contradicts for pair in pairs]
    ours = [judged(pair.older, pair.newer) >= _SURE for pair in pairs]
    rule = [negated(pair.older, pair.newer) > 0 for pair in pairs]
    # Resampling pairs is drawing how often each of the eight outcomes comes.
    outcomes = np.bincount([4 * g + 2 * o + r for g, o, r in zip(gold, ours, rule, strict=True)], minlength=8)
    drawn = np.random.default_rng(seed).multinomial(len(pairs), outcomes / max(1, len(pairs)), size=RESAMPLES)
    f1_ours, f1_rule = (_f1(drawn, (6, 7), (2, 3)), _f1(drawn, (5, 7), (1, 3)))
    return {
        "n": len(pairs),
        "contradictions": sum(gold),
        "judge": _measured(gold, ours) | {"f1_interval": _interval(f1_ours)},
        "negation rule": _measured(gold, rule) | {"f1_interval": _interval(f1_rule)},
        "difference_interval": _interval(f1_ours - f1_rule),
    }


def _f1(drawn: Any, right: tuple[int, int], wrong: tuple[int, int]) -> Any:
    """F1 of each resample: outcomes that are found rightly and wrongly; 4 to 7 are all that should be found."""
    found = drawn[:, right].sum(axis=1)
    return 2 * found / np.maximum(1, found + drawn[:, wrong].sum(axis=1) + drawn[:, 4:].sum(axis=1))


def _interval(values: Any) -> list[float]:
    return [round(float(each), 4) for each in np.percentile(values, [2.5, 97.5])]


def _measured(gold: Sequence[bool], told: Sequence[bool]) -> dict[str, float]:
    right = sum(g and t for g, t in zip(gold, told, strict=True))
    return {
        "precision": round(right / max(1, sum(told)), 4),
        "recall": round(right / max(1, sum(gold)), 4),
        "f1": round(2 * right / max(1, sum(told) + sum(gold)), 4),
    }


def messages_result(pairs: Sequence[Messages], judging: Judge) -> dict[str, Any]:
    """The share judged contradicting, by half; pairs of a message with itself are only counted."""
    found: dict[str, Any] = {"same message": sum(pair.is_one for pair in pairs)}
    for half in HALVES:
        sure = [_best(pair, judging) for pair in pairs if pair.half == half and not pair.is_one]
        found[half] = _share(sure)
    return found


def _best(pair: Messages, judging: Judge) -> float:
    return max(judging(older, newer) for older in pair.older.values() for newer in pair.newer.values())


def _share(sure: Sequence[float]) -> dict[str, Any]:
    return {"n": len(sure), "share": round(sum(each >= _SURE for each in sure) / max(1, len(sure)), 4)}


def false_alarms(pairs: Sequence[Messages], judging: Judge, seed: int) -> dict[str, Any]:
    """The share of random pairs that is judged contradicting: within a chat, and of two chats.

    Random statements of one chat may truly contradict each other without being listed, so that share is an upper bound.
    """
    drawn = _random_pairs(pairs, random.Random(seed))  # noqa: S311 - a choice that can be repeated, no secret
    return {
        kind: {half: _share([judging(a, b) for h, a, b in chosen if h == half]) for half in HALVES}
        for kind, chosen in drawn.items()
    }


def _random_pairs(pairs: Sequence[Messages], chance: random.Random) -> dict[str, list[tuple[str, str, str]]]:
    chats: dict[str, list[str]] = {}
    known: set[frozenset[str]] = set()
    for pair in pairs:
        texts = [*pair.older.values(), *pair.newer.values()]
        chats[pair.chat] = sorted({*chats.get(pair.chat, []), *texts})
        known |= {frozenset({one, other}) for one in texts for other in texts}
    same, other = [], []
    for pair in pairs:
        first = next(iter(pair.older.values()))
        strangers = [text for text in chats[pair.chat] if frozenset({first, text}) not in known]
        elsewhere = sorted(chat for chat in chats if chat != pair.chat and _half_of(chat) == pair.half)
        for _ in range(_DRAWS):
            if strangers:
                same.append((pair.half, first, chance.choice(strangers)))
            if elsewhere:
                other.append((pair.half, first, chance.choice(chats[chance.choice(elsewhere)])))
    return {"same chat": same, "other chats": other}


def _half_of(chat: str) -> str:
    return Messages(chat, {}, {}).half


def calibration(statements: Iterable[Statements]) -> list[dict[str, Any]]:
    """How often verdicts of each confidence are right, on what is held back."""
    bins: list[list[bool]] = [[] for _ in _BINS[1:]]
    for pair in statements:
        if pair.half == "held":
            sure = judged(pair.older, pair.newer)
            bins[int(np.searchsorted(_BINS, sure, side="right")) - 1].append(pair.contradicts)
    return [
        {"from": low, "to": min(1.0, high), "n": len(found), "contradicting": round(sum(found) / len(found), 4)}
        for low, high, found in zip(_BINS, _BINS[1:], bins, strict=False)
        if found
    ]
