"""A client that sees every byte: it starts a server, speaks JSON-RPC by hand and keeps all that was said."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Message = dict[str, Any]

PATIENCE_SECONDS = 40.0
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
BIN = Path(sys.executable).parent
SERVER = [str(BIN / "cortex-mcp")]


def environment(home: Path, **variables: str | Path) -> dict[str, str]:
    """All that a server gets: a path, a home of its own, the code that is tested, and these."""
    base = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "PYTHONPATH") if name in os.environ}
    return base | {"HOME": str(home)} | {name: str(value) for name, value in variables.items()}


def wait_for(happened: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until something is so; fail when it takes too long."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


class Wire:
    """One server process. ``lines``: everything on its stdout; ``stderr``: what is beside the protocol."""

    def __init__(
        self, env: Mapping[str, str], *, command: Sequence[str] = SERVER, cwd: Path | None = None, greet: bool = True
    ) -> None:
        self.process = subprocess.Popen(
            command, env=env, cwd=cwd, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.lines: list[str] = []
        self._said: list[str] = []
        self._answers: dict[int, queue.SimpleQueue[Message]] = {}
        self._ids = count(1)
        self._readers = [
            threading.Thread(target=self._read_answers, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        if greet:
            self.greet()

    @property
    def only_protocol(self) -> bool:
        """Whether every line on stdout was a JSON-RPC message."""
        return all(json.loads(line)["jsonrpc"] == "2.0" for line in self.lines)

    @property
    def stderr(self) -> str:
        """What the server has said on stderr so far."""
        return "".join(self._said)

    def greet(self) -> Message:
        """The handshake of the older era; gives what the server says of itself."""
        name = {"name": "wire", "version": "1"}
        hello = self.ask("initialize", protocolVersion=LEGACY, capabilities={}, clientInfo=name)
        self.tell("notifications/initialized")
        return hello

    def say(self, line: str) -> None:
        """One line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        """A notification."""
        self.say(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def begin(self, method: str, **params: Any) -> int:
        """Send a request; its id."""
        number = next(self._ids)
        self._answers[number] = queue.SimpleQueue()
        self.say(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return number

    def begin_raw(self, params: str, method: str = "tools/call") -> int:
        """Send a request whose parameters were written as JSON by hand; its id."""
        number = next(self._ids)
        self._answers[number] = queue.SimpleQueue()
        self.say(f'{{"jsonrpc": "2.0", "id": {number}, "method": "{method}", "params": {params}}}')
        return number

    def begin_call(self, tool: str, **arguments: Any) -> int:
        """Send a call of a tool; its id."""
        return self.begin("tools/call", name=tool, arguments=arguments)

    def answer(self, number: int, seconds: float = PATIENCE_SECONDS) -> Message:
        """The answer to a request; `queue.Empty` when there is none in time."""
        return self._answers[number].get(timeout=seconds)

    def ask(self, method: str, **params: Any) -> Message:
        """The result of a request."""
        answer = self.answer(self.begin(method, **params))
        assert "result" in answer, f"{answer}\n{self.stderr}"
        result: Message = answer["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> Message:
        """The structured content of a tool's answer."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), f"{result}\n{self.stderr}"
        content: Message = result["structuredContent"]
        return content

    def refusal(self, tool: str, **arguments: Any) -> str:
        """The text of a tool's error."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result.get("isError"), result
        text: str = result["content"][0]["text"]
        return text

    def end(self) -> int:
        """Hang up, as a client does that closes; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE_SECONDS)
        for reader in self._readers:
            reader.join(PATIENCE_SECONDS)
        return code

    def kill(self, sent: int) -> int:
        """End the process by a signal; what became of it."""
        self.process.send_signal(sent)
        return self.process.wait(PATIENCE_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        with self.process:
            for reader in self._readers:
                reader.join(PATIENCE_SECONDS)

    def _read_answers(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            try:
                message = json.loads(line)
                self._answers[message["id"]].put(message)
            except (ValueError, KeyError, TypeError):
                continue  # the line is kept, for whoever asks whether all of them are protocol

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._said.append(line)
