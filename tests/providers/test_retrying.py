"""Asking again: how often, how long, and who waits with whom. Time stands still but for what is slept."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cortex.errors import ProviderError, ProviderRefused, ProviderReplyInvalid, ProviderUnavailable
from cortex.providers.openai import OpenAIProvider
from cortex.providers.retrying import BRIEF, Persistence, Retrying, SharedPause
from cortex.providers.wire import MOST_BYTES, Reply, Wire
from tests.providers.server import KEY, PAUSE, Fault, Service, serving


class Time:
    """A clock that only sleeping moves; who sleeps at the same time as others does not make it longer."""

    def __init__(self) -> None:
        self._seen = threading.local()
        self.seconds = 100.0
        self.slept: list[float] = []
        self.lock = threading.Lock()

    def now(self) -> float:
        """The seconds it shows."""
        with self.lock:
            self._seen.seconds = self.seconds
            return self.seconds

    def sleep(self, seconds: float) -> None:
        """Let them pass."""
        with self.lock:
            self.slept.append(seconds)
            self.seconds = max(self.seconds, self._seen.seconds + seconds)


class Scripted:
    """A wire that fails so often, and takes so long each time."""

    service = "scripted"

    def __init__(self, time: Time, *failures: ProviderError, takes: float = 0.0) -> None:
        self.time, self.failures, self.takes = time, list(failures), takes
        self.within: list[float | None] = []

    def post(
        self, path: str, body: Mapping[str, Any], *, most_bytes: int = MOST_BYTES, within: float | None = None
    ) -> Reply:
        """Fail as scripted, then answer."""
        self.within.append(within)
        self.time.seconds += self.takes
        if self.failures:
            raise self.failures.pop(0)
        return {"done": True}


def busy(seconds: float | None = None, status: int = 429) -> ProviderUnavailable:
    """A refusal that may pass."""
    return ProviderUnavailable("busy", status=status, retry_after_seconds=seconds)


@pytest.fixture
def time() -> Time:
    """A clock."""
    return Time()


def retrying(inner: Any, time: Time, persistence: Persistence | None = None, **options: Any) -> Retrying:
    """With that clock and no jitter."""
    chosen = persistence or Persistence()
    return Retrying(inner, chosen, clock=time.now, sleep=time.sleep, **({"jitter": lambda: 0.0} | options))


def test_pauses_double(time: Time) -> None:
    """Five attempts, 1, 2, 4 and 8 seconds between them; then the last failure, with how often it was asked."""
    inner = Scripted(time, *[busy(status=500)] * 5)
    with pytest.raises(ProviderUnavailable, match="busy; asked 5 times") as caught:
        retrying(inner, time).post("/x", {})
    assert time.slept == [1, 2, 4, 8]
    assert caught.value.status == 500
    assert len(inner.within) == 5


def test_it_ends_with_the_first_answer(time: Time) -> None:
    """What works is not asked again."""
    assert retrying(Scripted(time, busy(status=500)), time).post("/x", {}) == {"done": True}
    assert time.slept == [1]


@pytest.mark.parametrize("failure", [ProviderRefused("no"), ProviderReplyInvalid("nonsense")])
def test_what_cannot_pass_is_not_tried_again(failure: ProviderError, time: Time) -> None:
    """A wrong key stays wrong."""
    with pytest.raises(type(failure)):
        retrying(Scripted(time, failure), time).post("/x", {})
    assert time.slept == []


def test_jitter_spreads_callers(time: Time) -> None:
    """Up to a quarter of the pause is added, so that not all come back at once."""
    retrying(Scripted(time, busy(status=500), busy(status=500)), time, jitter=lambda: 1.0).post("/x", {})
    assert time.slept == [1.25, 2.5]


def test_a_pause_that_is_asked_for_is_kept(time: Time) -> None:
    """As long as the service says, up to a cap."""
    assert retrying(Scripted(time, busy(7)), time).post("/x", {})
    assert sum(time.slept) == 7
    time.slept.clear()
    assert retrying(Scripted(time, busy(3600)), time).post("/x", {})
    assert sum(time.slept) == Persistence().longest_pause_seconds


def test_it_gives_up_in_time(time: Time) -> None:
    """No pause ends after the time for everything, and each request knows how much is left of it."""
    inner = Scripted(time, *[busy(status=500)] * 9, takes=3)
    with pytest.raises(ProviderUnavailable, match="asked 3 times"):
        retrying(inner, time, Persistence(seconds=12)).post("/x", {})
    assert inner.within == [12, 8, 3]
    assert time.now() <= 112


def test_who_is_waited_for_gives_up_soon(time: Time) -> None:
    """A pause longer than the time left is not begun: the caller goes on without."""
    with pytest.raises(ProviderUnavailable, match=r"pause of 30 s.*later"):
        retrying(Scripted(time, busy(30)), time, BRIEF).post("/x", {})
    assert time.slept == []


def test_a_request_may_have_less_time(time: Time) -> None:
    """The caller's own limit counts where it is the shorter one."""
    inner = Scripted(time)
    retrying(inner, time).post("/x", {}, within=4)
    assert inner.within == [4]


def test_a_pause_is_for_all(time: Time) -> None:
    """Whoever shares it waits too, before asking at all; the patient and the brief alike."""
    pause = SharedPause()
    first = retrying(Scripted(time, busy(7)), time, BRIEF, pause=pause)
    other_wire = Scripted(time)
    other = retrying(other_wire, time, pause=pause)
    pause.extend(time.now() + 5)
    assert other.post("/x", {})
    assert time.slept == [5]
    time.slept.clear()
    assert first.post("/x", {})
    assert time.slept == [7]


def test_a_pause_ends_though_its_end_is_not_hit(time: Time) -> None:
    """A rest that is too short for the clock to show is none."""
    pause = SharedPause()
    pause.extend(time.now() + 7)
    time.seconds += 7 - 1e-13
    assert pause.left(time.now()) == 0
    assert retrying(Scripted(time), time, pause=pause).post("/x", {})
    assert time.slept == []


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on a loopback address."""
    with serving(Service()) as found:
        yield found


def provider(service: Service, time: Time, **options: Any) -> OpenAIProvider:
    """A model there, asked again."""
    wire = Wire("test", f"{service.url}/v1", key=KEY, seconds=5)
    return OpenAIProvider(retrying(wire, time, **options), "m")


@pytest.mark.parametrize("fault", [Fault.BUSY_SECONDS, Fault.BUSY_DATE], ids=str)
def test_the_header_is_read(fault: Fault, service: Service, time: Time) -> None:
    """In seconds, and as a date by the clock of the service, which is not ours."""
    service.script.append(fault)
    assert provider(service, time).generate("hello").text
    assert sum(time.slept) == PAUSE


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.OVERLOADED, Fault.BUSY, Fault.DROPPED, Fault.TRUNCATED], ids=str)
def test_what_may_pass_is_asked_again(fault: Fault, service: Service, time: Time) -> None:
    """Errors of the server and of the connection."""
    service.script.extend([fault, fault])
    assert provider(service, time).generate("hello").text
    assert sum(time.slept) == 3
    assert len(service.requests) == 3


def test_a_service_that_stays_busy_is_given_up(service: Service, time: Time) -> None:
    """Five requests, and an error without the key."""
    service.fault = Fault.BUSY_SECONDS
    with pytest.raises(ProviderUnavailable, match=r"HTTP 429.*asked 5 times") as caught:
        provider(service, time).generate("hello")
    assert KEY not in f"{caught.value!r}"
    assert len(service.requests) == 5
    assert sum(time.slept) == 4 * PAUSE


def test_concurrent_callers_wait_together(service: Service) -> None:
    """Eight at once that meet a pause ask each once more after it, and the pauses do not add up."""
    time = Time()
    service.script.extend([Fault.BUSY_SECONDS] * 8)
    model = provider(service, time, persistence=Persistence(seconds=600))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: model.generate(f"prompt {i}").text, range(8)))
    assert answers == [f"You said: prompt {i}" for i in range(8)]
    assert len(service.requests) == 16
    assert max(time.slept) <= PAUSE
