"""How much the tests of durability bear: little by default, much with --soak."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from cortex.stores.sqlite import connect, store
from tests.durability.support import start_children

__all__ = ["start_children"]


@dataclass(frozen=True, slots=True)
class Load:
    """How many of everything; rounds stop early when the minutes of a soak are over."""

    writers: int = 4
    memories: int = 500
    kills: int = 20
    breaks: int = 2
    until: float = float("inf")
    done: list[str] = field(default_factory=list)

    def rounds(self, what: str, number: int) -> Iterator[int]:
        """Count so many rounds, and note how many there were."""
        count = 0
        while count < number and (count == 0 or time.monotonic() < self.until):
            yield count
            count += 1
        self.done.append(f"{what}: {count}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The long version is asked for."""
    parser.addoption("--soak", type=float, metavar="MINUTES", help="bear so much more, for at most about so long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A soak has all its minutes for each test."""
    minutes = config.getoption("--soak", default=None)
    for item in items:
        if minutes and item.get_closest_marker("slow") and "durability" in item.path.parts:
            item.add_marker(pytest.mark.timeout(60 * minutes + 300))


_borne = pytest.StashKey[Load]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """A soak tells how much there was."""
    if config.getoption("--soak", default=None) and _borne in config.stash:
        for line in config.stash[_borne].done:
            terminalreporter.write_line(f"soak: {line}")


@pytest.fixture(scope="session")
def load(pytestconfig: pytest.Config) -> Load:
    """How much to bear."""
    minutes = pytestconfig.getoption("--soak", default=None)
    load = Load()
    if minutes:
        until = time.monotonic() + 60 * minutes
        load = Load(writers=8, memories=2000, kills=int(20 * minutes), breaks=int(4 * minutes) or 1, until=until)
    pytestconfig.stash[_borne] = load
    return load


@pytest.fixture(params=["log", "rollback"])
def journal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both journals: the log, and what an SQLite gets whose log is not safe. Children are told the name."""
    name: str = request.param
    if name == "rollback":
        for module in (connect, store):
            monkeypatch.setattr(module, "WAL_IS_SAFE", False)
    return name
