"""What tests/conftest.py promises every test."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import conftest
from tests.conftest import NetworkBlocked, require_service

OUTSIDE = ("192.0.2.1", 9)  # TEST-NET-1: an address that is nobody's
PLANTED = ("CORTEX_STORE", "OPENAI_API_KEY", "OLLAMA_URL", "XDG_DATA_HOME")


@pytest.fixture(scope="module", autouse=True)
def _a_developer_with_settings() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in PLANTED:
            patch.setenv(name, "planted")
        yield


@pytest.mark.parametrize("call", ["connect", "connect_ex"])
def test_a_connection_that_leaves_the_machine_is_refused(call: str) -> None:
    """A test that reaches for the network fails at once, with a message that says why."""
    with socket.socket() as plug, pytest.raises(NetworkBlocked, match="loopback only"):
        getattr(plug, call)(OUTSIDE)


def test_a_datagram_that_leaves_the_machine_is_refused() -> None:
    """Sending without connecting is no way around the guard."""
    with socket.socket(type=socket.SOCK_DGRAM) as plug, pytest.raises(NetworkBlocked):
        plug.sendto(b"x", OUTSIDE)


def test_a_name_is_not_looked_up() -> None:
    """Even the question where a host lives stays on this machine."""
    with pytest.raises(NetworkBlocked, match="look up"):
        socket.create_connection(("example.invalid", 80))


def test_loopback_is_open() -> None:
    """A test may talk to a server that it started itself."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        for host in ("127.0.0.1", "localhost"):
            with socket.create_connection((host, server.getsockname()[1])):
                pass


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no Unix sockets")
def test_unix_sockets_are_open(tmp_path: Path) -> None:
    """A server behind a Unix socket is on this machine."""
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        client.connect(path)


def test_the_environment_is_clean(tmp_path: Path) -> None:
    """No setting of the developer's reaches a test, and its home is its own."""
    assert [name for name in PLANTED if name in os.environ] == []
    assert Path.home() == tmp_path


@pytest.mark.slow
def test_a_slow_test_has_its_longer_limit(request: pytest.FixtureRequest) -> None:
    """The mark slow is all that a slow test needs."""
    limit = request.node.get_closest_marker("timeout")
    assert limit is not None
    assert limit.args == (conftest.SLOW_SECONDS,)


def test_a_missing_service_skips_on_a_laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has no such service still has a green run, and reads why."""
    monkeypatch.setattr(conftest, "REQUIRED", frozenset())
    with pytest.raises(pytest.skip.Exception, match="not started"):
        require_service("postgres", available=False, reason="not started")


def test_a_missing_service_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """What CI promises to have may not be skipped there."""
    monkeypatch.setattr(conftest, "REQUIRED", frozenset({"postgres"}))
    with pytest.raises(pytest.fail.Exception, match="postgres is required"):
        require_service("postgres", available=False, reason="not started")


def test_an_available_service_is_used() -> None:
    """A service that is there changes nothing."""
    require_service("postgres", available=True, reason="started")
