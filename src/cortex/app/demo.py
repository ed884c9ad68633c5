"""``cortex demo``: a store of its own, a real MCP client and server, and what they say to each other."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex.app.paths import mcp_command
from cortex.app.settings import child_environment

if TYPE_CHECKING:
    from cortex.surfaces.mcp.client import Client

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("project:harbour", "What prevents double bookings of a berth?"),
    ("user:mira", "What should I avoid when I order lunch for her?"),
    ("team:platform", "Can I release on a Saturday?"),
    ("project:harbour", "next_invoice_number"),
)
DENTIST = "When is the dentist?"
USER = "mira"
_DAYS = ("2026-03-03", "2026-03-03")


def run() -> int:
    """Show in a minute what Cortex does; everything is made in a temporary folder and removed."""
    import anyio

    with tempfile.TemporaryDirectory(prefix="cortex-demo-") as folder:
        anyio.run(_demonstrate, Path(folder) / "memory.db")
    _say("Paste this into your MCP client's configuration:", heading=True)
    _say(json.dumps({"mcpServers": {"cortex": mcp_command()}}, indent=2))
    return 0


async def _demonstrate(store: Path) -> None:
    from cortex.surfaces.mcp.client import spawned

    command = mcp_command()
    environment = child_environment(CORTEX_DB_PATH=str(store), CORTEX_USER_ID=USER, CORTEX_EMBED_WAIT="true")
    _say("Starting a server and talking to it over MCP", heading=True)
    async with spawned([command["command"], *command["args"]], environment) as client:
        _say(f"tools: {', '.join(await client.tools())}")
        await _remember(client)
        for scope, question in QUESTIONS:
            await _ask(client, scope, question)
        _say("What happened in the harbour project on 3 March?", heading=True)
        text, _ = await client.call("recall_timeline", scope="project:harbour", since=_DAYS[0], until=_DAYS[1])
        _say(text)
        await _forget(client)


async def _remember(client: Client) -> None:
    lines = (files("cortex.app") / "demo_memories.jsonl").read_text("utf-8").splitlines()
    items: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for item in items:
        await client.call("memorize", **item)
    days = {item["event_time"][:10] for item in items}
    scopes = sorted({item["scope"] for item in items})
    _say(f"remembered {len(items)} sentences of {len(days)} days in {', '.join(scopes)}")
    again, _ = await client.call("memorize", **items[0])
    _say(f"the first one once more: {again}")


async def _ask(client: Client, scope: str, question: str) -> None:
    _say(f"{scope}: {question}", heading=True)
    text, _ = await client.call("recall", query=question, scope=scope, limit=3)
    _say(text)


async def _forget(client: Client) -> None:
    _say(f"{DENTIST} Then forget it", heading=True)
    text, found = await client.call("recall", query=DENTIST, limit=1)
    _say(text)
    forgotten = found["memories"][0]["id"]
    text, _ = await client.call("forget", memory_id=forgotten)
    _say(text)
    _, after = await client.call("recall", query=DENTIST, limit=1000)
    if any(memory["id"] == forgotten for memory in after["memories"]):
        raise RuntimeError(f"memory {forgotten} is still there after it was forgotten")
    _say(f"Asked again: it is gone; the other {len(after['memories'])} memories of this scope are still there.")


def _say(text: str, *, heading: bool = False) -> None:
    sys.stdout.write(f"\n== {text}\n" if heading else f"{text}\n")
    sys.stdout.flush()
