"""The background thread of a server: loads the model, then does follow-up work as it comes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from cortex.errors import CortexError

if TYPE_CHECKING:
    from cortex.engine.facade import Engine

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 2.0
_JOIN_SECONDS = 10.0


class Worker:
    """One daemon thread; `start` and `stop` may be called more than once."""

    def __init__(self, prepare: Callable[[], Engine], interval_seconds: float = INTERVAL_SECONDS) -> None:
        self._prepare = prepare
        self._interval = interval_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cortex-worker", daemon=True)
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin, unless it has begun or been stopped."""
        with self._lock:
            if self._thread.ident is None and not self._stop.is_set():
                self._thread.start()

    def stop(self) -> None:
        """Finish the round that is under way, then end."""
        self._stop.set()
        with self._lock:
            if self._thread.ident is not None:
                self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        engine: Engine | None = None
        while not self._stop.is_set():
            try:
                engine = engine or self._prepare()
                engine.run_jobs()
            except CortexError as error:
                log.warning("background work waits: %s", error)
            self._stop.wait(self._interval)
