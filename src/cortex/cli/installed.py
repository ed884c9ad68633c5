"""What is installed: our version, and the commands that packages add (entry point group ``cortex.commands``).

Both are read by hand where that will do: `importlib.metadata` takes longer to import than all the rest of
``cortex --help``.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator
from pathlib import Path

import click

from cortex.cli.exits import CannotLoad

GROUP = "cortex.commands"

# Commands of our own distribution that live outside of this package.
_PROMISES = {"eval": "Measure recall on public data sets."}


def version() -> str:
    """The version of our distribution: its folder bears it in its name."""
    for folder in sys.path:
        for path in Path(folder).glob("cortex_agent_memory-*.dist-info"):
            return path.name.removesuffix(".dist-info").partition("-")[2]
    from importlib import metadata

    return metadata.version("cortex-agent-memory")


def names(*, beside: Container[str]) -> dict[str, str]:
    """The names that packages add, each with a few words about it; imports none of them."""
    found = dict(sorted(_declared()))
    return {name: _PROMISES.get(name, f"From the package {package}.") for name, package in found.items()
            if name not in beside}  # fmt: skip


def load(name: str) -> click.Command | None:
    """The command that a package adds under this name, or None."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP, name=name):
        try:
            command = entry.load()
        except (ImportError, AttributeError) as error:
            raise CannotLoad(f"the command {name} ({entry.value}) cannot be loaded: {error}") from error
        if not isinstance(command, click.Command):
            raise CannotLoad(f"the command {name} ({entry.value}) is no Click command")
        return command
    return None


def _declared() -> Iterator[tuple[str, str]]:
    """Name and package of every entry point of the group."""
    for folder in dict.fromkeys(sys.path):
        for path in Path(folder).glob("*.dist-info/entry_points.txt"):
            text = path.read_text("utf-8", "replace")
            if f"[{GROUP}]" in text:
                package = path.parent.name.partition("-")[0].replace("_", "-")
                yield from ((name, package) for name in _section(text))


def _section(text: str) -> Iterator[str]:
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            yield line.partition("=")[0].strip()
