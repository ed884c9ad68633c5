"""`make live` itself: without a key it says what to set; with a service, here our own, it asks it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.live.__main__ import TARGETS
from tests.providers.server import Fault, Service, serving

ROOT = Path(__file__).parents[2]


@pytest.fixture
def service() -> Iterator[Service]:
    """A service that knows the capital of France."""
    numbers = " ".join(map(str, range(200)))
    with serving(Service(write=lambda prompt: numbers if "Count" in prompt else "Paris", native=768)) as found:
        yield found


def live(folder: Path, **variables: str) -> tuple[int, str]:
    """Exit code and output."""
    environment: Mapping[str, str] = {
        "PYTHONPATH": ":".join([str(ROOT), *filter(None, sys.path)]), "HOME": str(folder), **variables,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "tests.live"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_without_a_key_it_says_what_to_set(tmp_path: Path) -> None:
    """And that is no failure."""
    code, said = live(tmp_path)
    assert code == 0
    assert [variable for target in TARGETS for variable in target.any_of if variable not in said] == []


def test_it_asks_what_is_set(tmp_path: Path, service: Service) -> None:
    """Text and vectors, with a store on them; a failure is told and ends with 1."""
    code, said = live(tmp_path, OLLAMA_URL=service.url)
    assert code == 0, said
    assert "ollama: generation: ollama/qwen3" in said
    assert "ollama: embedding: nomic-embed-text (768 dimensions)" in said
    service.fault = Fault.UNAUTHORISED
    code, said = live(tmp_path, OLLAMA_URL=service.url)
    assert code == 1
    assert "FAILED: ProviderRefused" in said
