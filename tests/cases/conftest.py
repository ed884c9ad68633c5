"""The doors of the cases: an engine on each store with and without vectors, real MCP servers, the command line."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.sqlite.store import SQLiteStore
from cortex.testing import Failure, FakeEmbedder
from tests.cli.conftest import Cli, child, cli
from tests.e2e.wire import Wire, environment
from tests.engine.support import Bench

__all__ = ["Cli", "Server", "ada", "bench", "child", "cli", "meaning", "server", "wire"]


@pytest.fixture(params=["file", "file, no vectors", "ephemeral", "ephemeral, no vectors"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """The plugs of an engine: each store, with an embedder that works and with one that never does."""
    embedder = FakeEmbedder(fail=Failure.RAISE if "no vectors" in request.param else None)
    store = SQLiteStore(tmp_path / "memory.db") if "file" in request.param else EphemeralStore()
    yield Bench(store=store, embedder=embedder, ids=iter(lambda: secrets.token_hex(16), ""))
    store.close()


@pytest.fixture
def ada(bench: Bench) -> Engine:
    """The engine of the user ada on `bench`."""
    return bench.engine("ada")


@dataclass(frozen=True, slots=True)
class Server:
    """A real MCP server, and the file that it serves."""

    wire: Wire
    store: Path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server process that the cases talk to, each in a scope of its own.

    It goes by words: the vectors of its store are of the fake, so that other processes can write to it cheaply.
    """
    home = tmp_path_factory.mktemp("cases")
    store = home / "memory.db"
    with Cortex(store, embedder=FakeEmbedder()) as cortex:
        cortex.memorize("whose vectors these are", scope="project:first")
    with Wire(environment(home, CORTEX_STORE=store, CORTEX_BUSY_SECONDS="30")) as wire:
        wire.call("list_memories")
        yield Server(wire, store)


@pytest.fixture
def wire(server: Server) -> Wire:
    """The wire to `server`."""
    return server.wire


@pytest.fixture(scope="session")
def meaning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A server process with the real model, which every call waits for."""
    home = tmp_path_factory.mktemp("meaning")
    with Wire(environment(home, CORTEX_STORE=home / "memory.db", CORTEX_EMBED_WAIT="true")) as wire:
        wire.call("list_memories")
        yield wire
