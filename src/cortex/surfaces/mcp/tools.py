"""The tools: arguments in, one verb, a reply out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cortex.engine.facade import Engine
from cortex.errors import NotFound
from cortex.surfaces.mcp import replies, schemas
from cortex.surfaces.mcp.replies import Reply
from cortex.surfaces.mcp.schemas import ToolSpec

Arguments = dict[str, Any]
Handler = Callable[[Engine, Arguments, int], Reply]

TOOLS: dict[str, Handler] = {}


def tool(spec: ToolSpec) -> Callable[[Handler], Handler]:
    """Register the function that answers a tool; it takes the engine, the arguments and the size budget."""

    def register(handler: Handler) -> Handler:
        TOOLS[spec.name] = handler
        return handler

    return register


def answer(name: str, engine: Engine, arguments: Mapping[str, Any], budget: int) -> Reply:
    """The reply of a tool to arguments that fit its schema."""
    return TOOLS[name](engine, dict(arguments), budget)


@tool(schemas.MEMORIZE)
def memorize(engine: Engine, arguments: Arguments, _: int) -> Reply:
    """Keep one statement."""
    receipt = engine.memorize(**arguments)
    if receipt.deduplicated:
        said = f"Already remembered as {receipt.id} in {receipt.scope}; its tags and metadata stay as they are."
    else:
        said = f"Remembered as {receipt.id} in {receipt.scope}."
    return replies.done(receipt, said)


@tool(schemas.RECALL)
def recall(engine: Engine, arguments: Arguments, budget: int) -> Reply:
    """Answer a question with memories."""
    return replies.recalled(engine.recall(**arguments), budget, arguments.get("limit"))


@tool(schemas.ABOUT)
def recall_about(engine: Engine, arguments: Arguments, budget: int) -> Reply:
    """Everything about one entity."""
    return replies.told_about(engine.graph.recall_about(**arguments), budget)


@tool(schemas.TIMELINE)
def recall_timeline(engine: Engine, arguments: Arguments, budget: int) -> Reply:
    """What happened when."""
    return replies.listed(lambda **fewer: engine.timeline(**arguments | fewer), budget, arguments.get("limit"))


@tool(schemas.LIST)
def list_memories(engine: Engine, arguments: Arguments, budget: int) -> Reply:
    """The newest memories."""
    return replies.listed(lambda **fewer: engine.list_memories(**arguments | fewer), budget, arguments.get("limit"))


@tool(schemas.GET)
def get_memory(engine: Engine, arguments: Arguments, budget: int) -> Reply:
    """One memory in full."""
    memory = engine.get(arguments["memory_id"])
    if memory is None:
        raise NotFound(f"no memory has the id {arguments['memory_id']!r}; list_memories shows the ids")
    return replies.one(memory, arguments.get("start", 0), budget)


@tool(schemas.UPDATE)
def update_memory(engine: Engine, arguments: Arguments, _: int) -> Reply:
    """Correct a memory."""
    receipt = engine.update(**arguments)
    return replies.done(receipt, f"Updated {receipt.id} to version {receipt.version}.")


@tool(schemas.FORGET)
def forget(engine: Engine, arguments: Arguments, _: int) -> Reply:
    """Erase a memory."""
    receipt = engine.forget(**arguments)
    gone = ", ".join(f"{count} {name}" for name, count in receipt.counts.items() if count)
    return replies.done(receipt, f"Erased {receipt.id} ({gone}).")
