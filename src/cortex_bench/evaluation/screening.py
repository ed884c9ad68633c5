"""How well secrets, and text that gives orders to a model, are told from what is neither: labelled sets, in halves."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from cortex.core.understanding.injection import SUSPICIOUS, suspicion_of
from cortex.core.understanding.secrets import secrets_in
from cortex_bench.evaluation.made_up import SECRETS, made_up

PARTS: Final = ("later", "held", "tune")
_SLOT = re.compile(r"<<([\w:]+)>>")


@dataclass(frozen=True, slots=True)
class Place:
    """A secret that a line holds: its kind, and where it stands."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Line:
    """A labelled text with the secrets in it."""

    text: str
    secrets: tuple[Place, ...]
    part: str


@dataclass(frozen=True, slots=True)
class Order:
    """A labelled text: whether it gives orders to a model."""

    text: str
    attack: bool
    part: str


def lines() -> list[Line]:
    """The labelled texts of secrets, with values made up for their slots."""
    return [_line(row["text"], row["part"], number) for number, row in enumerate(_rows("secrets"))]


def orders() -> list[Order]:
    """The labelled texts of instructions."""
    return [Order(**row) for row in _rows("injections")]


def _rows(name: str) -> list[dict[str, Any]]:
    text = (files("cortex_bench.evaluation") / "labelled" / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _line(template: str, part: str, number: int) -> Line:
    text, end, places = "", 0, []
    for slot in _SLOT.finditer(template):
        text += template[end : slot.start()]
        value = made_up(slot.group(1), number)
        if slot.group(1) in SECRETS:
            places.append(Place(slot.group(1).partition(":")[0], len(text), len(text) + len(value)))
        text, end = text + value, slot.end()
    return Line(text + template[end:], tuple(places), part)


def evaluate_secrets(labelled: Sequence[Line]) -> dict[str, Any]:
    """Precision and recall of spans: a secret is found when all of it is covered."""
    return {"evaluation": "secrets", "parts": {part: _secrets(labelled, part) for part in PARTS}}


def _secrets(labelled: Sequence[Line], part: str) -> dict[str, Any]:
    chosen = [line for line in labelled if line.part == part]
    found = [(line, secrets_in(line.text)) for line in chosen]
    right = covered = named = 0
    wrong, missed = [], []
    for line, spans in found:
        for place in line.secrets:
            cover = [s for s in spans if s.start <= place.start and place.end <= s.end]
            covered += bool(cover)
            named += any(s.kind == place.kind for s in cover)
            missed += [] if cover else [place.kind]
        true = [s for s in spans if any(s.start < place.end and place.start < s.end for place in line.secrets)]
        right += len(true)
        wrong += [s.kind.value for s in spans if s not in true]
    total = sum(len(line.secrets) for line in chosen)
    clean = [spans for line, spans in found if not line.secrets]
    return {
        "lines": len(chosen),
        "secrets": total,
        "precision": round(right / max(1, right + len(wrong)), 4),
        "recall": round(covered / max(1, total), 4),
        "kind right": round(named / max(1, covered), 4),
        "clean lines": len(clean),
        "clean lines with an alarm": sum(map(bool, clean)),
        "missed": sorted(missed),
        "false": sorted(wrong),
    }


def evaluate_injections(labelled: Sequence[Order]) -> dict[str, Any]:
    """Precision and recall at the threshold."""
    parts = {part: _injections([each for each in labelled if each.part == part]) for part in PARTS[1:]}
    return {"evaluation": "injections", "threshold": SUSPICIOUS, "parts": parts}


def _injections(chosen: Sequence[Order]) -> dict[str, Any]:
    alarms = [(each, suspicion_of(each.text) >= SUSPICIOUS) for each in chosen]
    right = sum(each.attack and alarm for each, alarm in alarms)
    attacks = sum(each.attack for each in chosen)
    return {
        "attacks": attacks,
        "innocent": len(chosen) - attacks,
        "precision": round(right / max(1, sum(alarm for _, alarm in alarms)), 4),
        "recall": round(right / max(1, attacks), 4),
        "false alarms": sum(alarm and not each.attack for each, alarm in alarms),
    }


def as_text(result: dict[str, Any]) -> str:
    """The result for a terminal."""
    rows = []
    for part, figures in result["parts"].items():
        rows += [part, *(f"  {name:28}{_shown(value)}" for name, value in figures.items()), ""]
    return "\n".join(rows).rstrip()


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
