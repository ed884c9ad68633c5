"""One run of the command line: what its options say, the store it opens, what it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from datetime import tzinfo

    from cortex.app.cortex import Cortex

_WIDTH = 100  # where there is no terminal to ask


@dataclass(frozen=True, slots=True)
class Look:
    """How to show memories.

    Columns of the terminal, the zone of times (None: the machine's), the scope that goes without saying.
    """

    width: int = _WIDTH
    zone: tzinfo | None = None
    home: str = ""


@dataclass(slots=True)
class Run:
    """What holds for one run, whichever command it is."""

    db: str | None = None
    user: str | None = None
    as_json: bool = False
    verbose: int = 0
    look: Look = Look()

    @contextmanager
    def other(self, store: str) -> Iterator[Cortex]:
        """Another store, with the same settings otherwise."""
        from cortex.app.cortex import from_settings
        from cortex.app.settings import load

        with from_settings(load({**self.overrides(), "store": store})) as cortex:
            yield cortex

    @contextmanager
    def cortex(self, more: Mapping[str, str] | None = None) -> Iterator[Cortex]:
        """The memory that the options and settings name; closed, with what it owes done, when the block ends."""
        import shutil

        from cortex.app.cortex import from_settings
        from cortex.app.logs import log_to_stderr
        from cortex.app.settings import load

        settings = load({**self.overrides(), **(more or {})})
        log_to_stderr(settings.log_level)
        self.look = Look(shutil.get_terminal_size((_WIDTH, 24)).columns, settings.timezone, f"user:{settings.user}")
        with from_settings(settings) as cortex:
            yield cortex

    def show(self, value: object, lines: Callable[[Look], Iterable[str]]) -> None:
        """Print the value: as JSON if that was asked for, else as lines for a person."""
        if self.as_json:
            from cortex.cli.document import document

            click.echo(document(value))
            return
        for line in lines(self.look):
            click.echo(line)

    def note(self, text: str) -> None:
        """Say something beside the answer on stderr; JSON says it in its own fields."""
        if not self.as_json:
            click.echo(click.style(text, dim=True), err=True)

    def warn(self, problems: Iterable[str]) -> None:
        """Say on stderr what makes the answer less than it should be; JSON says it in its own fields."""
        if not self.as_json:
            for problem in problems:
                click.echo(f"{click.style('warning:', fg='yellow')} {problem}", err=True)

    def overrides(self) -> dict[str, str]:
        """The settings that the options name."""
        level = ("", "info", "debug")[min(self.verbose, 2)]
        given = {"store": self.db, "user": self.user, "log_level": level or None}
        return {name: value for name, value in given.items() if value is not None}
