"""The arguments of the process as text: UTF-8, whatever the locale."""

from __future__ import annotations

import os
from collections.abc import Iterable

import click


def decoded(arguments: Iterable[str]) -> list[str]:
    """The arguments as they were typed; where the locale knows only ASCII, Python has them as escapes."""
    return [_decoded(number, argument) for number, argument in enumerate(arguments, start=1)]


def as_given(argument: str) -> str:
    """The argument as Python had it, as the calls of the system want a path."""
    return os.fsdecode(argument.encode("utf-8", "surrogateescape"))


def _decoded(number: int, argument: str) -> str:
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"argument {number} is not UTF-8 ({error.reason} at byte {error.start}): {argument!r}"
    except UnicodeEncodeError:  # half of a surrogate pair, where arguments are not bytes
        problem = f"argument {number} is no Unicode text: {argument!r}"
    raise click.UsageError(problem)
