"""A store whose vectors come over HTTP: whatever the service does, the memory is kept, found, and mended later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex import CachedEmbedder, Cortex
from cortex.ports import PatientEmbedder
from cortex.providers.openai import OpenAIEmbedder
from cortex.providers.retrying import BRIEF, Persistence, Retrying, SharedPause
from cortex.providers.wire import Wire
from tests.cli.conftest import Cli, cli
from tests.e2e.wire import wait_for
from tests.providers.server import KEY, Fault, Service, serving
from tests.providers.test_retrying import Time

__all__ = ["cli"]

FAULTS = (
    Fault.BROKEN, Fault.BUSY, Fault.BUSY_SECONDS, Fault.UNAUTHORISED, Fault.REDIRECT, Fault.BAD_JSON, Fault.TRUNCATED,
    Fault.DROPPED, Fault.SILENT, Fault.TRICKLE, Fault.EMPTY, Fault.LONG, Fault.COUNT, Fault.NAN, Fault.ZERO,
    Fault.DIMENSION, Fault.TEXTS,
)  # fmt: skip
HANGING = (Fault.SILENT, Fault.TRICKLE)


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on a loopback address."""
    with serving(Service()) as found:
        yield found


def remote(service: Service, time: Time, seconds: float = 5.0) -> OpenAIEmbedder:
    """The embedder that the settings would choose, but for the clock."""
    wire, pause = Wire("openai", f"{service.url}/v1", key=KEY, seconds=seconds), SharedPause()
    brief, patient = (
        Retrying(wire, persistence, pause=pause, clock=time.now, sleep=time.sleep, jitter=lambda: 0.0)
        for persistence in (BRIEF, Persistence())
    )
    return OpenAIEmbedder(brief, "embed-test", service.native, patient=patient)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_loses_nothing(fault: Fault, service: Service, tmp_path: Path) -> None:
    """The memory is kept and found by its words, the answer says what it lacks, and the job repairs it."""
    service.fault = fault
    seconds = 0.3 if fault in HANGING else 5.0
    with Cortex(tmp_path / "memory.db", embedder=remote(service, Time(), seconds)) as cortex:
        receipt = cortex.memorize("Ada prefers tea")
        assert receipt.pending
        found = cortex.recall("tea")
        assert [hit.memory.content for hit in found.hits] == ["Ada prefers tea"]
        assert found.degraded == ("dense",)
        assert KEY not in repr(found)
        service.fault = None
        report = cortex.admin.run_jobs()
        assert (report.done, report.failed, report.waiting) == (1, 0, 0)
        assert cortex.recall("tea").degraded == ()
        assert cortex.stats().pending == 0


def test_a_job_that_fails_says_why_and_shows_no_key(service: Service, tmp_path: Path) -> None:
    """It stays owed, with the reason of the service."""
    service.fault = Fault.UNAUTHORISED
    with Cortex(tmp_path / "memory.db", embedder=remote(service, Time())) as cortex:
        cortex.memorize("Ada prefers tea")
        report = cortex.admin.run_jobs()
        assert (report.done, report.failed, report.waiting) == (0, 1, 1)
        assert "HTTP 401" in report.errors[0]
        assert KEY not in report.errors[0]


def test_who_waits_waits_briefly_and_a_job_does_not(service: Service, tmp_path: Path) -> None:
    """A write asks a second time and goes on; a job asks five times; closing does not wait as a job does."""
    service.fault = Fault.BROKEN
    time = Time()
    cortex = Cortex(tmp_path / "memory.db", embedder=remote(service, time))
    cortex.memorize("Ada prefers tea")
    assert (len(service.requests), sum(time.slept)) == (2, 1)
    cortex.admin.run_jobs()
    assert (len(service.requests), sum(time.slept)) == (2 + 5, 1 + 15)
    cortex.memorize("Ben prefers coffee")
    cortex.close()
    assert len(service.requests) == 2 + 5 + 2 + 2


def test_reindexing_is_patient(service: Service, tmp_path: Path) -> None:
    """A service that is busy now and then does not break it off."""
    texts = [f"note {i} about tea" for i in range(20)]
    with Cortex(tmp_path / "memory.db", embedder=remote(service, Time())) as cortex:
        cortex.memorize_many(texts)
    service.native = 32
    service.script.extend([Fault.BUSY, Fault.BROKEN, Fault.DROPPED, None])
    with Cortex(tmp_path / "memory.db", embedder=remote(service, Time())) as cortex:
        assert cortex.admin.reindex().switched


def test_a_cache_before_it_is_patient_too(service: Service, tmp_path: Path) -> None:
    """The cache has a patient one of its own, over the same file; before an embedder without one it is its own."""
    service.script.extend([Fault.BROKEN] * 4)
    with CachedEmbedder(remote(service, Time()), tmp_path / "cache.db") as cached:
        assert isinstance(cached, PatientEmbedder)
        assert cached.patient.embed(["tea"]).tokens == 1
        assert cached.embed(["tea"]).tokens == 0


@pytest.mark.slow
def test_on_the_command_line(cli: Cli, service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Kept while the service is down, found by words; `cortex worker --once` repairs it when it is back."""
    for variable, value in {
        "CORTEX_EMBED_PROVIDER": "openai", "CORTEX_EMBED_BASE_URL": f"{service.url}/v1",
        "CORTEX_EMBED_MODEL": "embed-test", "CORTEX_EMBED_DIM": "64", "CORTEX_EMBED_API_KEY": KEY,
    }.items():  # fmt: skip
        monkeypatch.setenv(variable, value)
    service.fault = Fault.BROKEN
    kept = cli("memorize", "Ada prefers tea")
    assert kept.code == 0
    assert "cortex worker --once" in kept.out + kept.err
    assert "answered without dense" in cli("recall", "tea").err
    service.fault = None
    wait_for(lambda: cli("worker", "--once", "--json").code == 0 and not cli("stats", "--json").json["pending"], 30)
    assert cli("recall", "tea", "--json").json["degraded"] == []
    assert KEY not in cli("doctor").out
