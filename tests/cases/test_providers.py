"""Services that run models: asked too much."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cortex import Cortex, Receipt
from cortex.errors import EmbedderError
from tests.engine.test_remote_embedder import remote
from tests.providers.server import PAUSE, Fault, Service, serving
from tests.providers.test_retrying import Time

# --- MEM-044: a rate limit during a bulk write --------------------------------------------------------

TEXTS = [f"note {i} on the harbour" for i in range(200)]
WORKERS = 8


def add_all(cortex: Cortex) -> list[Receipt]:
    """200 memories by eight workers at once."""
    groups = [TEXTS[i::WORKERS] for i in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        return [receipt for receipts in pool.map(cortex.memorize_many, groups) for receipt in receipts]


@pytest.mark.parametrize("fault", [Fault.BUSY_SECONDS, Fault.BUSY_DATE], ids=str)
def test_mem_044_a_limit_that_passes_costs_only_time(fault: Fault, tmp_path: Path) -> None:
    """All 200 are stored with their vectors; the pause that is asked for is kept, once for all workers."""
    time = Time()
    with serving(Service()) as service, Cortex(tmp_path / "memory.db", embedder=remote(service, time)) as cortex:
        service.script.append(fault)
        receipts = add_all(cortex)
        assert len({receipt.id for receipt in receipts}) == 200
        assert [receipt for receipt in receipts if receipt.pending or receipt.error] == []
        assert cortex.recall("note 7", limit=1).degraded == ()
    assert max(time.slept) <= PAUSE
    assert time.now() <= 100 + 2 * PAUSE
    assert len(service.requests) == WORKERS + 1 + 1  # one was refused, and there was a question


def test_mem_044_a_limit_that_stays_loses_nothing(tmp_path: Path) -> None:
    """Each item says that its vector is owed, soon and not after a long wait; later the jobs make all of them."""
    time = Time()
    with serving(Service()) as service, Cortex(tmp_path / "memory.db", embedder=remote(service, time)) as cortex:
        service.fault = Fault.BUSY_SECONDS
        receipts = add_all(cortex)
        assert len({receipt.id for receipt in receipts}) == 200
        assert all(receipt.pending and receipt.error is None for receipt in receipts)
        assert EmbedderError.retryable
        assert max(time.slept) <= PAUSE
        assert cortex.recall("note 7", limit=1).degraded == ("dense",)
        service.fault = None
        report = cortex.admin.run_jobs()
        assert (report.done, report.failed, report.waiting) == (200, 0, 0)
        assert cortex.recall("note 7", limit=1).degraded == ()
