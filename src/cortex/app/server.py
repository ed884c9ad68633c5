"""The MCP server over stdio: one client, one process, any number of processes on one file."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING

from cortex.app.logs import log_to_stderr
from cortex.app.settings import Settings, load
from cortex.app.worker import Worker

if TYPE_CHECKING:
    from cortex.app.cortex import Cortex
    from cortex.ports import Embedder

log = logging.getLogger(__name__)

_CLOSING_SECONDS = 5.0


class Opening:
    """Opens the engine once, at the first call that needs it, in whichever thread that is."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._cortex: Cortex | None = None
        self._embedder: Embedder | None = None

    def engine(self) -> Cortex:
        """The engine; opened now if it was not."""
        with self._lock:
            if self._cortex is None:
                self._cortex = self._open()
            return self._cortex

    def warm(self) -> Cortex:
        """The engine with its model loaded."""
        engine = self.engine()
        if self._embedder is not None:
            from cortex.app.build import warm

            warm(self._embedder)
        return engine

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            if self._cortex is not None:
                self._cortex.close()

    def _open(self) -> Cortex:
        from cortex.app import build
        from cortex.app.cortex import from_settings

        self._embedder = build.choose_embedder(self._settings)
        cortex = from_settings(self._settings, self._embedder, wait=self._settings.embed_wait)
        stats = cortex.stats()
        say(f"{stats.memories} memories in {len(stats.scopes)} scopes, {stats.pending} waiting for vectors")
        return cortex


def serve(overrides: Mapping[str, str] | None = None) -> None:
    """Speak MCP on stdin and stdout until stdin ends; ``overrides`` are settings by name."""
    wire = divert_stdout()
    settings = load(overrides)
    log_to_stderr(settings.log_level)
    say(f"memories of {settings.user} in {settings.store}")

    import anyio

    opening = Opening(settings)
    worker = Worker(opening.warm)
    # The thread that reads stdin cannot be interrupted: Ctrl-C ends the process at once. Nothing that was
    # acknowledged is in memory only.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, lambda number, _: _end(worker, opening, 128 + number))
    try:
        anyio.run(_serve, opening, worker, settings, wire)
    finally:
        in_order = _close(worker, opening)
    if not in_order:
        os._exit(0)


def _end(worker: Worker, opening: Opening, code: int) -> None:
    """Close in order, so that nothing erased stays in the log, and end: the thread on stdin cannot be asked to."""
    _close(worker, opening)
    os._exit(code)


def _close(worker: Worker, opening: Opening) -> bool:
    """Whether everything is closed in time. A write that waits for others is given up: it was never acknowledged."""

    def close() -> None:
        worker.stop()
        opening.close()

    closing = threading.Thread(target=close, name="cortex-closing", daemon=True)
    closing.start()
    closing.join(_CLOSING_SECONDS)
    here = (threading.current_thread(), closing)
    return not any(thread.is_alive() and not thread.daemon for thread in threading.enumerate() if thread not in here)


async def _serve(opening: Opening, worker: Worker, settings: Settings, wire: int) -> None:
    from cortex.surfaces.mcp.stdio import run

    await run(
        opening.engine,
        version=version("cortex-agent-memory"),
        budget=settings.mcp_result_chars,
        after_first=worker.start,
        wire=wire,
    )


def divert_stdout() -> int:
    """Let everything that prints go to stderr; the descriptor returned is the real stdout."""
    wire = os.dup(1)
    os.dup2(2, 1)
    # What was printed before, by a sitecustomize for example, is still in Python's buffer.
    sys.stdout.flush()
    return wire


def say(message: str) -> None:
    """One line for whoever starts the server."""
    sys.stderr.write(f"cortex: {message}\n")
    sys.stderr.flush()
