"""Follow-up work that a commit promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

EMBED = "embed"
UNDERSTAND = "understand"  # a reading by the model, and the vectors if they are owed too


@dataclass(frozen=True, slots=True)
class NewJob:
    """Work to queue: its kind, its data, the earliest time to run."""

    kind: str
    run_at: datetime
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """Queued work under a lease; ``seq`` is the memory it is about."""

    job_id: int
    kind: str
    seq: int
    payload: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class Retry:
    """A job to try again at ``run_at``, with the reason it failed."""

    job_id: int
    run_at: datetime
    error: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Jobs that wait for one reason: the ``error`` of their last try (empty: none yet), and when the first is due."""

    error: str
    jobs: int
    due: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What one round of the runner did, and what the jobs that are left wait for."""

    done: int = 0
    failed: int = 0
    waiting: int = 0
    errors: tuple[str, ...] = ()
    waits: tuple[Wait, ...] = ()
