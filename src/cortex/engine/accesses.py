"""Counting what rankings returned that look at that: after the answer, in batches, never in anybody's way."""

from __future__ import annotations

import logging
import threading

from cortex.engine import guard
from cortex.engine.deps import Deps
from cortex.errors import CortexError
from cortex.model.change import Batch, Touch
from cortex.model.policy import Action, Caller
from cortex.model.query import COUNTING, Question
from cortex.model.scope import Scope
from cortex.model.score import Recall

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.2  # what is returned meanwhile is one commit
MOST_WAITING = 1_000

_Access = tuple[Touch, tuple[Scope, ...]]


class Accesses:
    """Notes the hits of answers and writes them to the store in a thread of its own, which ends when all is written.

    Statistics are worth no trouble: while more than 1,000 answers wait, and where the store is busy, full or cannot be
    written, what was to be counted is dropped with a log line.
    """

    def __init__(self, deps: Deps, caller: Caller) -> None:
        self._deps = deps
        self._caller = caller
        self._waiting: list[_Access] = []
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def count(self, question: Question, answer: Recall) -> None:
        """Note the hits, unless the ranking does not count them or the question looks back."""
        if not self._deps.counts or question.ranking not in COUNTING or question.as_of or not answer.hits:
            return
        touch = Touch(tuple(hit.memory.seq for hit in answer.hits), self._deps.clock.now())
        access = (touch, tuple(dict.fromkeys(hit.memory.scope for hit in answer.hits)))
        if self._deps.background:
            self._put(access)
        else:
            self._write([access])

    def close(self) -> None:
        """Write what waits."""
        self._closing.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _put(self, access: _Access) -> None:
        with self._lock:
            if len(self._waiting) >= MOST_WAITING:
                log.info("accesses of %d memories are not counted: too many wait", len(access[0].seqs))
                return
            self._waiting.append(access)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="cortex-accesses", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._closing.wait(GATHER_SECONDS)
            with self._lock:
                accesses, self._waiting = self._waiting, []
                if not accesses:
                    self._thread = None
                    return
            self._write(accesses)

    def _write(self, accesses: list[_Access]) -> None:
        scopes = [scope for _, own in accesses for scope in own]
        grant = guard.authorise(self._caller, Action.READ, scopes)  # whoever may read is counted
        try:
            self._deps.store.apply(Batch(grant=grant, changes=tuple(touch for touch, _ in accesses)))
        except CortexError as error:
            log.info("accesses of %d answers are not counted: %s", len(accesses), error)
