"""The near end of a driver: a process in a peer's environment that answers a JSON object a line."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

OPEN_SECONDS = 120.0
CALL_SECONDS = 60.0


class PeerFailed(RuntimeError):
    """A peer answered with an error, too late or not at all."""


class Driver:
    """One process; ``command`` starts it, and ``folder`` is where it works and where its errors are logged."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._log = (folder / "stderr.log").open("a", encoding="utf-8")
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=folder,
            text=True,
            encoding="utf-8",
        )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ask(self, op: str, limit: float = CALL_SECONDS, **fields: object) -> dict[str, Any]:
        """The answer to one request; ``limit`` in seconds. Raises PeerFailed."""
        self.send(op, **fields)
        return self.receive(limit)

    def send(self, op: str, **fields: object) -> None:
        """Write a request and wait for nothing. Raises PeerFailed when the process is gone."""
        if self._process.stdin is None:
            raise PeerFailed("the driver has no standard input")
        try:
            self._process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise PeerFailed(f"the driver is gone: {error}") from error

    def receive(self, limit: float = CALL_SECONDS) -> dict[str, Any]:
        """The next answer. Raises PeerFailed."""
        try:
            line = self._answers.get(timeout=limit)
        except queue.Empty:
            raise PeerFailed(f"no answer within {limit:g} s") from None
        if not line:
            self._answers.put("")
            raise PeerFailed("the driver ended without an answer; its stderr.log says why")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise PeerFailed(str(answer["error"]))
        return answer

    def kill(self) -> None:
        """End the process with signal 9, whatever it is doing."""
        self._process.kill()
        self._end()

    def close(self) -> None:
        """Ask it to close, and end it if it does not."""
        if self._process.poll() is None:
            try:
                self.ask("close", 30.0)
                self._process.wait(10.0)
            except (PeerFailed, subprocess.TimeoutExpired):
                self._process.kill()
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._answers.put(line)
        self._answers.put("")

    def _end(self) -> None:
        self._process.wait()
        self._reader.join(10.0)
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
