"""The background thread: it prepares once, works while it can, and says what keeps it from working."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from cortex.app import worker as module
from cortex.app.worker import Worker
from cortex.errors import EmbedderError

SECONDS = 5.0


@dataclass
class Engine:
    """Counts its rounds and fails as the script says."""

    script: list[Exception | None] = field(default_factory=list)
    rounds: int = 0
    enough: int = 3
    reached: threading.Event = field(default_factory=threading.Event)

    @property
    def admin(self) -> Engine:
        """Where the verbs of administration are."""
        return self

    def run_jobs(self) -> None:
        """One round of work."""
        self.rounds += 1
        if self.rounds >= self.enough:
            self.reached.set()
        if self.script and (error := self.script.pop(0)):
            raise error


def started(prepare: Callable[[], Any]) -> Worker:
    """A worker that does not wait long."""
    worker = Worker(prepare, interval_seconds=0.001)
    worker.start()
    return worker


def test_it_works_again_and_again() -> None:
    """The engine is prepared once, then has a round at each interval."""
    engine, prepared = Engine(), []

    def prepare() -> Any:
        prepared.append(1)
        return engine

    worker = started(prepare)
    worker.start()
    assert engine.reached.wait(SECONDS)
    worker.stop()
    worker.stop()
    rounds = engine.rounds
    assert prepared == [1]
    worker.start()
    assert engine.rounds == rounds


def test_stopping_before_starting_is_allowed() -> None:
    """A server that was never asked anything ends as well."""
    engine = Engine()
    worker = Worker(lambda: cast("Any", engine), interval_seconds=0.001)
    worker.stop()
    worker.start()
    assert engine.rounds == 0


@pytest.mark.parametrize("error", [EmbedderError("the model is missing"), ZeroDivisionError("the model is missing")])
def test_a_lasting_problem_is_logged_once(
    error: Exception, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried again, ever more seldom, and told once: a log is no place for the same line a thousand times."""
    monkeypatch.setattr(module, "LONGEST_SECONDS", 0.002)
    tries, reached = [], threading.Event()

    def prepare() -> Any:
        tries.append(1)
        if len(tries) >= 5:
            reached.set()
        raise error

    with caplog.at_level(logging.WARNING):
        worker = started(prepare)
        assert reached.wait(SECONDS)
        worker.stop()
    assert [record.getMessage().count("the model is missing") for record in caplog.records] == [1]


def test_it_goes_on_after_a_problem(caplog: pytest.LogCaptureFixture) -> None:
    """A failed round costs that round only, and a problem that comes back is told again."""
    engine = Engine([EmbedderError("busy"), None, EmbedderError("busy"), RuntimeError("a bug")], enough=6)
    with caplog.at_level(logging.WARNING):
        worker = started(lambda: engine)
        assert engine.reached.wait(SECONDS)
        worker.stop()
    told = [record.getMessage() for record in caplog.records]
    assert [text.rpartition(": ")[2] for text in told] == ["busy", "busy", "RuntimeError('a bug')"]
