"""`AsyncCortex`: the same verbs, each run whole in a worker thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from os import PathLike
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from cortex.app.cortex import Cortex
from cortex.engine.admin import Admin
from cortex.engine.groups import Conflicts, Graph
from cortex.model.layers import Layers, Thresholds
from cortex.model.ranking import AssistantWeights, ConversationWeights
from cortex.ports import Embedder, LLMProvider, Reranker

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")


class _Blocking(Protocol[T_co]):
    @property
    def blocking(self) -> T_co: ...


def _in_thread(
    method: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[_Blocking[T], P], Coroutine[Any, Any, R]]:
    async def run(self: _Blocking[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.blocking, *args, **kwargs)

    functools.update_wrapper(run, method)
    return run


class AsyncAdmin:
    """`Admin` for asyncio."""

    def __init__(self, blocking: Admin) -> None:
        self.blocking = blocking

    run_jobs = _in_thread(Admin.run_jobs)
    requeue = _in_thread(Admin.requeue)
    mend = _in_thread(Admin.mend)
    export_memories = _in_thread(Admin.export_memories)
    export_lines = _in_thread(Admin.export_lines)
    import_memories = _in_thread(Admin.import_memories)
    import_lines = _in_thread(Admin.import_lines)
    reindex = _in_thread(Admin.reindex)
    reprocess = _in_thread(Admin.reprocess)
    scan = _in_thread(Admin.scan)
    roll_back = _in_thread(Admin.roll_back)
    backup = _in_thread(Admin.backup)
    restore = _in_thread(Admin.restore)


class AsyncGraph:
    """`Graph` for asyncio."""

    def __init__(self, blocking: Graph) -> None:
        self.blocking = blocking

    recall_about = _in_thread(Graph.recall_about)
    neighbors = _in_thread(Graph.neighbors)
    path = _in_thread(Graph.path)


class AsyncConflicts:
    """`Conflicts` for asyncio."""

    def __init__(self, blocking: Conflicts) -> None:
        self.blocking = blocking

    list_conflicts = _in_thread(Conflicts.list_conflicts)
    resolve_conflict = _in_thread(Conflicts.resolve_conflict)


class AsyncCortex:
    """`Cortex` for asyncio: the same methods and arguments, awaited; the event loop is never blocked."""

    def __init__(
        self,
        store: str | PathLike[str] | None = None,
        *,
        user: str = "local",
        embedder: Embedder | None = None,
        llm: LLMProvider | None = None,
        conversation: ConversationWeights | None = None,
        layers: Layers | str | None = None,
        thresholds: Thresholds | None = None,
        assistant: AssistantWeights | None = None,
        reranker: Reranker | None = None,
        count_accesses: bool | None = None,
    ) -> None:
        self.blocking = Cortex(
            store,
            user=user,
            embedder=embedder,
            llm=llm,
            conversation=conversation,
            layers=layers,
            thresholds=thresholds,
            assistant=assistant,
            reranker=reranker,
            count_accesses=count_accesses,
        )
        self.admin = AsyncAdmin(self.blocking.admin)
        self.graph = AsyncGraph(self.blocking.graph)
        self.conflicts = AsyncConflicts(self.blocking.conflicts)

    memorize = _in_thread(Cortex.memorize)
    memorize_many = _in_thread(Cortex.memorize_many)
    recall = _in_thread(Cortex.recall)
    get = _in_thread(Cortex.get)
    history = _in_thread(Cortex.history)
    list_memories = _in_thread(Cortex.list_memories)
    timeline = _in_thread(Cortex.timeline)
    count = _in_thread(Cortex.count)
    update = _in_thread(Cortex.update)
    archive = _in_thread(Cortex.archive)
    forget = _in_thread(Cortex.forget)
    forget_all = _in_thread(Cortex.forget_all)
    health = _in_thread(Cortex.health)
    stats = _in_thread(Cortex.stats)
    close = _in_thread(Cortex.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
