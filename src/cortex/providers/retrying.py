"""Asking again: a service that is busy or was not reached often answers a little later."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cortex.errors import ProviderUnavailable
from cortex.providers.wire import MOST_BYTES, Poster, Reply

_BUSY: Final = frozenset({429, 503, 529})
_MOMENT: Final = 1e-3
_LEAST_SECONDS: Final = 0.01  # for who overslept: no time at all is no time limit
_JITTER: Final = 0.25


@dataclass(frozen=True, slots=True)
class Persistence:
    """How long to try: ``attempts`` in all, pauses between them that double, ``seconds`` for everything.

    A pause that the service asks for is kept up to ``longest_pause_seconds``; who has less time left gives up at once.
    """

    attempts: int = 5
    seconds: float = 90.0
    first_pause_seconds: float = 1.0
    longest_pause_seconds: float = 60.0


# Somebody waits for the answer: one repetition, then they go on without.
BRIEF: Final = Persistence(attempts=2, seconds=10.0)


@dataclass(slots=True)
class SharedPause:
    """Until when nobody asks a service that said it is asked too much; one for all who ask it, in any thread."""

    _until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def extend(self, until: float) -> None:
        """At least until then."""
        with self._lock:
            self._until = max(self._until, until)

    def left(self, now: float) -> float:
        """How many seconds are left of it; nothing for less than a moment, which no clock need show the end of."""
        left = self._until - now
        return left if left > _MOMENT else 0.0


class Retrying:
    """``inner``, asked again when it is unavailable: busy, failing, not reached, too slow.

    Of concurrent calls all wait while the service wants a pause. ``clock`` and ``sleep`` count seconds, ``jitter``
    gives numbers from 0 to 1 that keep callers from coming back at the same moment.
    """

    def __init__(
        self,
        inner: Poster,
        persistence: Persistence = Persistence(),
        *,
        pause: SharedPause | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.inner = inner
        self.persistence = persistence
        self._pause = pause or SharedPause()
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter

    @property
    def service(self) -> str:
        """That of ``inner``."""
        return self.inner.service

    def __repr__(self) -> str:
        return f"Retrying({self.inner!r})"

    def post(
        self, path: str, body: Mapping[str, Any], *, most_bytes: int = MOST_BYTES, within: float | None = None
    ) -> Reply:
        """The answer of ``inner``. Raises what it raised last, when attempts or time are used up."""
        end = self._clock() + min(self.persistence.seconds, within or self.persistence.seconds)
        attempt, wait = 1, 0.0
        while True:
            self._wait_for_all(end)
            if wait:  # after what all wait for, so that they do not come back at the same moment
                self._sleep(wait)
                self._wait_for_all(end)
            try:
                return self.inner.post(
                    path, body, most_bytes=most_bytes, within=max(end - self._clock(), _LEAST_SECONDS)
                )
            except ProviderUnavailable as error:
                failure = error
            wait = self._wait(failure, attempt)
            if attempt == self.persistence.attempts or self._clock() + wait >= end:
                break
            attempt += 1
        raise _given_up(failure, attempt)

    def _wait(self, failure: ProviderUnavailable, attempt: int) -> float:
        """How long to wait alone; where the service is asked too much, everybody waits before that."""
        usual = float(self.persistence.first_pause_seconds * 2 ** (attempt - 1))
        spread = _JITTER * usual * self._jitter()
        if failure.status not in _BUSY and failure.retry_after_seconds is None:
            return usual + spread
        asked = usual if failure.retry_after_seconds is None else failure.retry_after_seconds
        self._pause.extend(self._clock() + min(asked, self.persistence.longest_pause_seconds))
        return spread

    def _wait_for_all(self, end: float) -> None:
        while (left := self._pause.left(now := self._clock())) > 0:
            if now + left >= end:
                raise ProviderUnavailable(
                    f"{self.service}: it wants a pause of {left:.3g} s more; try again later",
                    status=429,
                    retry_after_seconds=left,
                )
            self._sleep(left)


def _given_up(failure: ProviderUnavailable, attempts: int) -> ProviderUnavailable:
    if attempts == 1:
        return failure
    said = f"{failure}; asked {attempts} times"
    return ProviderUnavailable(said, status=failure.status, retry_after_seconds=failure.retry_after_seconds)
