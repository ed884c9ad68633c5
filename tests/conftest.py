"""What every test runs in: no network, a clean environment, limits of time, services that may be required.

`from tests.conftest import require_service` for a service that may be missing.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

SLOW_SECONDS = 60

# Read before the environment is cleaned for each test.
REQUIRED = frozenset(name.strip() for name in os.environ.get("CORTEX_TEST_REQUIRE", "").split(",") if name.strip())
EVAL_DATA = os.environ.get("CORTEX_EVAL_DATA")

# Whatever a developer has set for the product or for a vendor must not reach a test.
_FOREIGN = re.compile(r"(XDG|CORTEX|OPENROUTER|GEMINI|GOOGLE|ANTHROPIC|OPENAI|OLLAMA)_")

# A busy machine is not a fault of the code: pytest's own time limit is the only one.
hypothesis.settings.register_profile("house", deadline=None, print_blob=True)
hypothesis.settings.load_profile("house")


class NetworkBlocked(RuntimeError):
    """A test tried to leave this machine; RuntimeError, so that nothing takes it for a network failure."""


def require_service(name: str, available: bool, reason: str) -> None:
    """Go on if the service is available; else skip, or fail where CORTEX_TEST_REQUIRE names it."""
    if available:
        return
    if name in REQUIRED:
        pytest.fail(f"{name} is required by CORTEX_TEST_REQUIRE: {reason}", pytrace=False)
    pytest.skip(f"{name}: {reason}")


@pytest.fixture(scope="session")
def eval_data() -> Path:
    """The folder of public data sets that CORTEX_EVAL_DATA named when the tests began; skips without it."""
    folder = Path(EVAL_DATA) if EVAL_DATA else None
    found = folder is not None and folder.is_dir()
    require_service("data", found, f"CORTEX_EVAL_DATA is {EVAL_DATA or 'not set'}; give the folder of data sets")
    assert folder is not None
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests marked slow their longer limit, unless they name one themselves."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))


def stays_here(family: int, address: object) -> bool:
    """Whether a socket of this family that connects to this address stays on this machine."""
    if family == getattr(socket, "AF_UNIX", None):
        return True
    return isinstance(address, tuple) and bool(address) and is_loopback(address[0])


def is_loopback(host: object) -> bool:
    """Whether the name or address means this machine; an unknown name is not looked up."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Refuse every connection and look-up beyond loopback, in this process."""
    plain = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex", "sendto")}
    look_up = socket.getaddrinfo

    def guard(name: str) -> Any:
        def guarded(self: socket.socket, *args: Any) -> Any:
            if not stays_here(self.family, args[-1]):
                raise NetworkBlocked(f"a test may use loopback only, not {args[-1]!r}; use a fake or a local server")
            return plain[name](self, *args)

        return guarded

    def guarded_look_up(host: Any, *args: Any, **options: Any) -> Any:
        if not is_loopback(host) and not _is_address(host):
            raise NetworkBlocked(f"a test may not look up {host!r}; use a fake or a local server")
        return look_up(host, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name in plain:
            patch.setattr(socket.socket, name, guard(name))
        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        yield


def _is_address(host: object) -> bool:
    try:
        ipaddress.ip_address(str(host))
    except ValueError:
        return False
    return True


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a home of its own and none of the product's or the vendors' settings."""
    for name in list(os.environ):
        if _FOREIGN.match(name):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
