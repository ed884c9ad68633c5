"""How the bench takes time and says it: calls that take turns, whole processes, bars that are ratios."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Bar:
    """A ratio that must not be exceeded."""

    name: str
    value: float
    limit: float

    @property
    def met(self) -> bool:
        """Whether the ratio is within the limit."""
        return self.value <= self.limit

    def show(self) -> None:
        """Print it as a row."""
        row(f"bar: {self.name}", f"{self.value:.2f} (at most {self.limit:g}) {'met' if self.met else 'MISSED'}")


def row(name: str, value: str) -> None:
    """Print one line of the table."""
    sys.stdout.write(f"{name:60} {value}\n")
    sys.stdout.flush()


def in_turn(
    calls: Sequence[Callable[[int], Any]],
    number: int,
    *,
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.process_time,
) -> list[list[float]]:
    """Milliseconds of each call with 0 to ``number`` - 1 (CPU time unless another clock is given), taking turns."""
    spent: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for i in range(number):
            for call, times in zip(calls, spent, strict=True):
                started = clock()
                call(i)
                times.append((clock() - started) * 1000)
    return spent


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """How many times as long ours take, pair by pair, in the median."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def processes(commands: Sequence[Sequence[str]], times: int = 5) -> list[list[float]]:
    """Wall seconds of whole processes that take turns."""
    spent: list[list[float]] = [[] for _ in commands]
    for _ in range(times):
        for command, seconds in zip(commands, spent, strict=True):
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - our own commands
            seconds.append(time.perf_counter() - started)
    return spent
