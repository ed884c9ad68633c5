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
LONGEST_SECONDS = 60.0
_JOIN_SECONDS = 10.0


class Worker:
    """One daemon thread; `start` and `stop` may be called more than once.

    What keeps it from working is logged once, and tried again after longer and longer pauses.
    """

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
        problem, pause = "", self._interval
        while not self._stop.is_set():
            before, problem = problem, ""
            try:
                engine = engine or self._prepare()
                engine.admin.run_jobs()
            except CortexError as error:
                problem = str(error)
            except Exception as error:
                problem = repr(error)
                log.debug("background work failed", exc_info=True)
            if problem and problem != before:
                log.warning("background work waits: %s", problem)
            pause = min(2 * pause, LONGEST_SECONDS) if problem else self._interval
            self._stop.wait(pause)
