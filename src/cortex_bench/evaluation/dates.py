"""How well the time, the actor and the place of an event are found without a model, on a labelled set in three zones.

Each figure stands beside trivial baselines, with the 95 % interval of resampled statements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from importlib.resources import files
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np

from cortex.core.understanding.events import event_of
from cortex.core.understanding.when import when_of
from cortex_bench.evaluation.intervals import RESAMPLES, Figure, cell, figure, ratio, resampled, shown

HALVES: Final = ("held", "tune")
_ISO: Final = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")


@dataclass(frozen=True, slots=True)
class Dated:
    """A labelled statement: ``event_time`` in UTC, None where it says no time. ``half`` is tune or held."""

    text: str
    said_at: datetime
    zone: str
    event_time: datetime | None
    actor: str | None
    location: str | None
    half: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found in one statement."""

    event_time: datetime | None = None
    actor: str | None = None
    location: str | None = None


Answering = Callable[[Dated], Answer]


def labelled() -> list[Dated]:
    """The statements that ship with the evaluation."""
    lines = (files("cortex_bench.evaluation") / "labelled" / "dates.jsonl").read_text("utf-8").splitlines()
    return [_dated(json.loads(line)) for line in lines]


def _dated(row: dict[str, Any]) -> Dated:
    return Dated(
        text=row["text"],
        said_at=datetime.fromisoformat(row["said_at"]),
        zone=row["zone"],
        event_time=datetime.fromisoformat(row["event_time"]) if row["event_time"] else None,
        actor=row["actor"],
        location=row["location"],
        half=row["half"],
    )


def understood(dated: Dated) -> Answer:
    """What Cortex finds without a model."""
    zone = ZoneInfo(dated.zone)
    event = event_of(dated.text, said_at=dated.said_at, zone=zone)
    moment = when_of(dated.text, said_at=dated.said_at, zone=zone)
    return Answer(moment, event.actor if event else None, event.location if event else None)


def iso_only(dated: Dated) -> Answer:
    """A baseline: the first date in ISO form, nobody, nowhere."""
    found = _ISO.search(dated.text)
    try:
        day = date.fromisoformat(found.group()) if found else None
    except ValueError:
        day = None
    moment = datetime.combine(day, time(0), tzinfo=ZoneInfo(dated.zone)).astimezone(UTC) if day else None
    return Answer(moment)


def as_said(dated: Dated) -> Answer:
    """A baseline: the day on which it was said, and the speaker."""
    day = dated.said_at.astimezone(ZoneInfo(dated.zone)).date()
    return Answer(datetime.combine(day, time(0), tzinfo=ZoneInfo(dated.zone)).astimezone(UTC), "self")


ANSWERING: Final[Mapping[str, Answering]] = {"cortex": understood, "ISO dates": iso_only, "day of saying": as_said}


def evaluate(statements: Sequence[Dated], seed: int = 0) -> dict[str, Any]:
    """Every metric of both halves, ours and the baselines', as plain values for JSON."""
    halves = {}
    for half in HALVES:
        chosen = [statement for statement in statements if statement.half == half]
        found = {
            who: measured(chosen, [answer(statement) for statement in chosen], seed)
            for who, answer in ANSWERING.items()
        }
        halves[half] = {
            "n": len(chosen),
            "dated": sum(statement.event_time is not None for statement in chosen),
            "metrics": {
                name: {who: shown(figures[name]) for who, figures in found.items()} for name in found["cortex"]
            },
        }
    return {"evaluation": "dates", "seed": seed, "resamples": RESAMPLES, "halves": halves}


def measured(statements: Sequence[Dated], answers: Sequence[Answer], seed: int) -> dict[str, Figure]:
    """Accuracies over statements that say a time, and how often one is found where none is said.

    Day: the same day in UTC. Minute: the same minute in UTC, over statements whose time is not the start of a day in
    their zone. Actor and location: the same name, or rightly none.
    """
    pairs = list(zip(statements, answers, strict=True))
    weights = resampled(len(pairs), seed)
    metrics: dict[str, list[tuple[bool, bool]]] = {
        "same day": [(_says_a_time(gold), _day(gold.event_time) == _day(found.event_time)) for gold, found in pairs],
        "same instant": [
            (_says_a_time(gold), _minute(gold.event_time) == _minute(found.event_time)) for gold, found in pairs
        ],
        "same minute, where one is said": [
            (_timed(gold), _minute(gold.event_time) == _minute(found.event_time)) for gold, found in pairs
        ],
        "false dates, of the undated": [
            (not _says_a_time(gold), found.event_time is not None) for gold, found in pairs
        ],
        "actor": [(_says_a_time(gold), gold.actor == found.actor) for gold, found in pairs],
        "location": [(_says_a_time(gold), gold.location == found.location) for gold, found in pairs],
        "location, where one is said": [
            (gold.location is not None, gold.location == found.location) for gold, found in pairs
        ],
    }
    return {
        name: figure(
            ratio(
                weights @ np.array([asked and right for asked, right in cases], dtype=np.float64),
                weights @ np.array([asked for asked, _ in cases], dtype=np.float64),
            )
        )
        for name, cases in metrics.items()
    }


def _says_a_time(gold: Dated) -> bool:
    return gold.event_time is not None


def _timed(gold: Dated) -> bool:
    return gold.event_time is not None and gold.event_time.astimezone(ZoneInfo(gold.zone)).time() != time(0)


def _day(moment: datetime | None) -> date | None:
    return moment.astimezone(UTC).date() if moment else None


def _minute(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC).replace(second=0, microsecond=0) if moment else None


def as_text(result: dict[str, Any]) -> str:
    """The result for a terminal."""
    lines = []
    for half, found in result["halves"].items():
        lines += [
            f"{half}, n = {found['n']}, {found['dated']} of them dated",
            f"  {'':32}" + "".join(f"{who:>22}" for who in ANSWERING),
        ]
        for name, row in found["metrics"].items():
            lines.append(f"  {name:32}" + "".join(f"{cell(row[who]):>22}" for who in ANSWERING))
        lines.append("")
    return "\n".join(lines).rstrip()
