"""The stdio transport."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, TextIO

import anyio
import mcp_types as types
from anyio import AsyncFile, to_thread
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from cortex.errors import MESSAGES
from cortex.surfaces.mcp.server import build_server

if TYPE_CHECKING:
    from cortex.engine.facade import Engine

# More than any call of a tool can need: a million characters, all of them escaped as pairs.
LONGEST_LINE = 16 * 2**20
_PARSE_ERROR = -32700
_HALF = re.compile("[\ud800-\udfff]")
_ID = re.compile(r'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,200}")')


async def run(
    open_engine: Callable[[], Engine], *, version: str, budget: int, after_first: Callable[[], None], wire: int
) -> None:
    """Serve on stdin and on the descriptor ``wire`` until stdin ends."""
    server = build_server(open_engine, version=version, budget=budget, after_first=after_first)
    output = anyio.wrap_file(os.fdopen(wire, "w", encoding="utf-8", newline="\n"))
    lines = _Lines(os.fdopen(os.dup(0), encoding="utf-8", errors="replace"), output)
    async with stdio_server(stdin=lines, stdout=output) as (incoming, outgoing):  # type: ignore[arg-type] # it is only iterated
        await server.run(incoming, outgoing, server.create_initialization_options())


class _Lines:
    """The lines of stdin that are messages; a line that is none is answered here, since the SDK passes over it.

    A client that sent half of a surrogate pair or a number of thousands of digits would wait for ever, and one
    that sent a line without end would fill the memory.
    """

    def __init__(self, source: TextIO, answers: AsyncFile[str]) -> None:
        self._source = source
        self._answers = answers

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await to_thread.run_sync(self._source.readline, LONGEST_LINE):
            problem = _problem(line) if len(line) < LONGEST_LINE else await self._skip(line)
            if problem is None:
                yield line
            elif line.strip():
                await self._refuse(line, problem)

    async def _skip(self, line: str) -> str:
        """Read on to the end of a line that is too long, and forget it."""
        while len(line) == LONGEST_LINE and not line.endswith("\n"):
            line = await to_thread.run_sync(self._source.readline, LONGEST_LINE)
        return f"it is longer than {LONGEST_LINE:,} characters; send less at once"

    async def _refuse(self, line: str, problem: str) -> None:
        found = _ID.search(line)
        error = {"code": _PARSE_ERROR, "message": f"the message cannot be read: {problem}"}
        answer = {"jsonrpc": "2.0", "id": json.loads(found[1]) if found else None, "error": error}
        await self._answers.write(json.dumps(answer) + "\n")
        await self._answers.flush()
        sys.stderr.write(f"cortex: a message could not be read: {problem}\n")


def _problem(line: str) -> str | None:
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return _half(line) or str(first["msg"])[:200]
    return None


def _half(line: str) -> str:
    """The field that holds half of a surrogate pair, which no UTF-8 can say; empty where there is none."""
    try:
        found = next(_halves(json.loads(line), ()), None)
    except (ValueError, RecursionError):
        return ""
    if found is None:
        return ""
    # Without what every call has in front.
    field = ".".join(found).removeprefix("params.").removeprefix("arguments.")
    return f"{MESSAGES.conceal(field.encode('ascii', 'backslashreplace').decode())[:80]}: has half of a surrogate pair"


def _halves(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    match value:
        case str() if _HALF.search(value):
            yield path
        case dict():
            for key, inner in value.items():
                yield from [(*path, key)] if _HALF.search(key) else _halves(inner, (*path, key))
        case list():
            for inner in value:
                yield from _halves(inner, path)
        case _:
            return
