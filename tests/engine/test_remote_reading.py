"""Texts read by a model over HTTP: whatever the service does, the memory is kept, and read by the model later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.model.memory import Kind
from cortex.providers.anthropic import AnthropicProvider
from cortex.providers.gemini import GeminiProvider
from cortex.providers.metered import Meter, MeteredProvider
from cortex.providers.openai import OpenAIProvider
from cortex.providers.retrying import BRIEF, Persistence, Retrying, SharedPause
from cortex.testing import FakeEmbedder
from tests.engine.support import kept
from tests.providers.server import KEY, Fault, Service, serving
from tests.providers.test_adapters import ANTHROPIC, GEMINI, OPENAI, wire
from tests.providers.test_retrying import Time

FAULTS = (
    Fault.BROKEN, Fault.OVERLOADED, Fault.BUSY, Fault.BUSY_SECONDS, Fault.BUSY_DATE, Fault.UNAUTHORISED,
    Fault.BAD_REQUEST, Fault.REDIRECT, Fault.BAD_JSON, Fault.NO_OBJECT, Fault.EMPTY_OBJECT, Fault.DEEP,
    Fault.EMPTY_BODY, Fault.TRUNCATED, Fault.DROPPED, Fault.SILENT, Fault.TRICKLE, Fault.TRICKLING_HEADERS,
    Fault.EMPTY, Fault.LONG, Fault.SAID_IN_SUCCESS,
)  # fmt: skip
HANGING = (Fault.SILENT, Fault.TRICKLE, Fault.TRICKLING_HEADERS)
ANSWER = json.dumps([{"i": 0, "kind": "decision", "importance": 9, "tags": ["billing"]}])
TEXT = "I prefer Postgres to SQLite for billing"
ADAPTERS = {
    "openai": (OpenAIProvider, OPENAI),
    "anthropic": (AnthropicProvider, ANTHROPIC),
    "gemini": (GeminiProvider, GEMINI),
}


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on a loopback address whose model reads well."""
    with serving(Service(write=lambda _: ANSWER)) as found:
        yield found


def model(service: Service, vendor: str, seconds: float) -> MeteredProvider:
    """The model that the settings would choose, but for the clock."""
    adapter, kind = ADAPTERS[vendor]
    time, pause, post = Time(), SharedPause(), wire(service, kind, seconds=seconds)
    brief, patient = (
        adapter(Retrying(post, how, pause=pause, clock=time.now, sleep=time.sleep, jitter=lambda: 0.0), "m")
        for how in (BRIEF, Persistence())
    )
    return MeteredProvider(brief, Meter(), patient=patient)


@pytest.mark.parametrize("vendor", ADAPTERS)
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_loses_nothing(fault: Fault, vendor: str, service: Service, tmp_path: Path) -> None:
    """The memory is kept and read without the model, the receipt says so and shows no key, and the job mends it."""
    service.fault = fault
    llm = model(service, vendor, 0.3 if fault in HANGING else 5.0)
    with Cortex(tmp_path / "memory.db", embedder=FakeEmbedder(), llm=llm, layers="assistant") as cortex:
        receipt = cortex.memorize(TEXT)
        memory = cortex.get(kept(receipt.id))
        assert memory is not None
        assert memory.kind is Kind.PREFERENCE
        assert [hit.memory.content for hit in cortex.recall("Postgres").hits] == [TEXT]
        (note,) = receipt.notes
        assert "asked again later" in note
        assert KEY not in note
        service.fault = None
        report = cortex.admin.run_jobs()
        assert (report.done, report.failed, report.waiting) == (1, 0, 0)
        mended = cortex.get(memory.id)
        assert mended is not None
        assert (mended.kind, mended.importance, mended.tags) == (Kind.DECISION, 9, ("billing",))


def test_a_fault_that_passes_is_not_noticed(service: Service, tmp_path: Path) -> None:
    """The second attempt of a write answers."""
    service.script.append(Fault.BROKEN)
    llm = model(service, "openai", 5.0)
    with Cortex(tmp_path / "memory.db", embedder=FakeEmbedder(), llm=llm, layers="assistant") as cortex:
        receipt = cortex.memorize(TEXT)
    assert receipt.notes == ()
    assert len(service.requests) == 2
