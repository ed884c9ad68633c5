"""`AsyncCortex`: the same verbs, each run whole in a worker thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from os import PathLike
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from cortex.app.cortex import Cortex
from cortex.ports import Embedder

P = ParamSpec("P")
R = TypeVar("R")


def _in_thread(
    method: Callable[Concatenate[Cortex, P], R],
) -> Callable[Concatenate[AsyncCortex, P], Coroutine[Any, Any, R]]:
    async def run(self: AsyncCortex, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.blocking, *args, **kwargs)

    functools.update_wrapper(run, method)
    return run


class AsyncCortex:
    """`Cortex` for asyncio: the same methods and arguments, awaited; the event loop is never blocked."""

    def __init__(
        self,
        store: str | PathLike[str] | None = None,
        *,
        user: str = "local",
        embedder: Embedder | None = None,
    ) -> None:
        self.blocking = Cortex(store, user=user, embedder=embedder)

    memorize = _in_thread(Cortex.memorize)
    memorize_many = _in_thread(Cortex.memorize_many)
    recall = _in_thread(Cortex.recall)
    get = _in_thread(Cortex.get)
    list_memories = _in_thread(Cortex.list_memories)
    timeline = _in_thread(Cortex.timeline)
    count = _in_thread(Cortex.count)
    update = _in_thread(Cortex.update)
    forget = _in_thread(Cortex.forget)
    health = _in_thread(Cortex.health)
    stats = _in_thread(Cortex.stats)
    run_jobs = _in_thread(Cortex.run_jobs)
    close = _in_thread(Cortex.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
