"""The MCP server: the handshake and the list of tools need no engine, the first call opens it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import mcp_types as types
from anyio import to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server

from cortex.errors import MESSAGES, CortexError, InvalidInput
from cortex.model.closest import closest, refuse_unknown
from cortex.surfaces.mcp import schemas

if TYPE_CHECKING:
    from cortex.engine.facade import Engine

log = logging.getLogger(__name__)

_MESSAGE = 800  # characters of an error, which may repeat what the client sent

SPECS = {
    spec.name: spec
    for spec in (
        schemas.MEMORIZE,
        schemas.RECALL,
        schemas.ABOUT,
        schemas.TIMELINE,
        schemas.LIST,
        schemas.GET,
        schemas.UPDATE,
        schemas.FORGET,
    )
}


def build_server(
    open_engine: Callable[[], Engine], *, version: str, budget: int, after_first: Callable[[], None]
) -> Server[Any]:
    """A server over any transport.

    ``open_engine`` is called at each tool call, from worker threads. ``budget``: characters a result may
    have. ``after_first`` is called once, when the first request has been answered.
    """

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_published(spec) for spec in SPECS.values()])

    async def call_tool(_: ServerRequestContext[Any], call: types.CallToolRequestParams) -> types.CallToolResult:
        # A cancelled call is abandoned, not torn: its thread goes on and the write is whole.
        return await to_thread.run_sync(
            _call, open_engine, call.name, call.arguments or {}, budget, abandon_on_cancel=True
        )

    server: Server[Any] = Server(
        "cortex",
        version=version,
        title="Cortex memory",
        instructions=schemas.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(_Once(after_first))
    return server


class _Once:
    """Calls something after the first answer."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then: Callable[[], None] | None = then

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        try:
            return await call_next(ctx)
        finally:
            then, self._then = self._then, None
            if then is not None:
                then()


def _published(spec: schemas.ToolSpec) -> types.Tool:
    return types.Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=spec.takes,
        output_schema=spec.gives,
        annotations=types.ToolAnnotations(
            read_only_hint=spec.reads_only,
            destructive_hint=spec.destroys,
            idempotent_hint=spec.repeatable,
            open_world_hint=False,
        ),
    )


def _call(
    open_engine: Callable[[], Engine], name: str, arguments: Mapping[str, Any], budget: int
) -> types.CallToolResult:
    try:
        given = _checked(name, arguments)
        from cortex.surfaces.mcp import tools

        reply = tools.answer(name, open_engine(), given, budget)
    except CortexError as error:
        return _failed(str(error))
    except Exception as error:
        log.exception("tool %s failed", name)
        return _failed(f"internal error ({type(error).__name__}): {error}; nothing is known to be lost, try again")
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.text)], structured_content=dict(reply.data)
    )


def _failed(message: str) -> types.CallToolResult:
    if len(message) > _MESSAGE:
        message = f"{message[: _MESSAGE // 2]} … {message[-_MESSAGE // 2 :]}"
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)


def _checked(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that fit the tool's schema; null is as good as not given."""
    if name not in SPECS:
        raise InvalidInput(
            "tool", f"{MESSAGES.quoted(name)} is unknown{closest(name, SPECS)}; expected {', '.join(SPECS)}"
        )
    takes = SPECS[name].takes
    refuse_unknown(arguments, takes["properties"])
    given = {key: value for key, value in arguments.items() if value is not None}
    for key in takes.get("required", ()):
        if key not in given:
            raise InvalidInput(key, f"missing: {takes['properties'][key]['description']}")
    for key, value in given.items():
        _check_type(key, value, takes["properties"][key])
    return given


_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "array": (list,), "object": (dict,)}


def _check_type(key: str, value: object, schema: schemas.Schema) -> None:
    """The kind of value only; ranges and words are the engine's to judge."""
    wanted = schema["type"]
    if not isinstance(value, _TYPES[wanted]) or isinstance(value, bool):
        raise InvalidInput(key, f"expected {wanted}, got {type(value).__name__} {MESSAGES.quoted(value, 40)}")
