"""``make bench``: how fast Cortex is, each figure beside what cannot be avoided in the same run.

Bars are ratios to such a floor, measured in turn with it, so that the machine's speed cancels out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from cortex import Cortex
from cortex_bench.floor import Floor, bare_inserts
from cortex_bench.synthetic import GivenVectors, collection

SIZES = (1_000, 10_000)
QUESTIONS = 100
ROUNDS = 7
LIMIT = 5
POOL = 20
_COUNTER = count()
_BARE_MODEL = """
from cortex_model_minilm import MODEL_DIR
import onnxruntime, tokenizers
onnxruntime.InferenceSession(MODEL_DIR / "model.onnx", providers=["CPUExecutionProvider"])
tokenizers.Tokenizer.from_file(str(MODEL_DIR / "tokenizer.json"))
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A ratio that must not be exceeded."""

    name: str
    value: float
    limit: float

    @property
    def met(self) -> bool:
        """Whether the ratio is within the limit."""
        return self.value <= self.limit


def main() -> int:
    """Measure everything, print a table, and return 1 if a bar was missed."""
    bars: list[Bar] = []
    with tempfile.TemporaryDirectory(prefix="cortex-bench-") as folder:
        for size in SIZES:
            _sized(size, Path(folder) / f"{size}.db", bars)
        _embedding()
        _starts(Path(folder) / "start.db")
    for bar in bars:
        _row(f"bar: {bar.name}", f"{bar.value:.2f} (at most {bar.limit:g}) {'met' if bar.met else 'MISSED'}")
    return 0 if all(bar.met for bar in bars) else 1


def _sized(size: int, path: Path, bars: list[Bar]) -> None:
    data = collection(size, QUESTIONS)
    with Cortex(path, embedder=GivenVectors(data)) as cortex:
        started = time.perf_counter()
        cortex.memorize_many(data.texts)
        _row(f"ingest {size}, vectors given", f"{size / (time.perf_counter() - started):.0f} memories/s")
        floor = Floor(data)
        cortex.recall(data.questions[0])
        times = _in_turn(
            [
                lambda i: cortex.recall(data.questions[i], limit=LIMIT),
                lambda i: (
                    floor.dense(data.question_vectors[i], POOL),
                    floor.lexical(data.questions[i], POOL),
                ),
            ]
        )
        recall, least = (median(spent) for spent in times)
        _row(f"recall {size}, vector given", f"{recall:.2f} ms CPU")
        _row(f"its floor: product + top-k + lexical scoring {size}", f"{least:.2f} ms CPU")
        ratio = median(ours / theirs for ours, theirs in zip(*times, strict=True))
        _row(f"recall / floor at {size}, pair by pair", f"{ratio:.2f}")
        if size == SIZES[-1]:
            bars.append(Bar(f"recall / floor at {size}", ratio, 1.5))
        _single_writes(cortex, path.with_suffix(".bare"), size)


def _single_writes(cortex: Cortex, bare: Path, size: int) -> None:
    """One memory a commit, beside bare commits of as many bytes at the same durability."""
    insert, close = bare_inserts(bare)
    known = collection(size, QUESTIONS).questions
    wall = _in_turn(
        [
            lambda i: cortex.memorize(known[i], scope="user:writes", position=next(_COUNTER)),
            lambda i: insert(known[i]),
        ],
        clock=time.perf_counter,
    )
    close()
    _row(
        f"single memorize at {size}, vector given",
        f"{median(wall[0]):.2f} ms; a bare insert and commit {median(wall[1]):.2f} ms",
    )


def _embedding() -> None:
    texts = collection(1_000, 1, seed=1).texts
    with Cortex(":memory:") as cortex:
        cortex.memorize("The first one loads the model.")
        started = time.process_time()
        cortex.memorize_many(texts)
        spent = time.process_time() - started
        _row("memorize 1,000 texts with the local model", f"{len(texts) / spent:.0f} memories per CPU second")
        question = median(_in_turn([lambda i: cortex.recall(texts[i])])[0])
        _row("recall with the local model among 1,000", f"{question:.1f} ms CPU")
        _row("resident memory with the model", f"{psutil.Process().memory_info().rss / 2**20:.0f} MB (bench included)")


def _starts(path: Path) -> None:
    """Whole processes, each beside a bare interpreter."""
    with Cortex(path) as cortex:
        cortex.memorize("Ada prefers green tea.")
    python = sys.executable
    bare = _process([python, "-c", "pass"])
    onnx = _process([python, "-c", _BARE_MODEL])
    first = _process([python, "-c", f"from cortex import Cortex; Cortex({str(path)!r}).recall('tea')"])
    _row(
        "cold start: process, open, first recall",
        f"{first:.2f} s (bare Python {bare:.2f} s, with the model {onnx:.2f} s)",
    )
    helping = _process([python, "-m", "cortex.cli.main", "--help"])
    _row("cortex --help", f"{helping:.2f} s")
    sdk = _process([python, "-c", "import mcp.server.lowlevel, mcp.server.stdio"])
    _row(
        "MCP handshake, from the start of the process",
        f"{_handshake(path):.2f} s (importing the SDK alone {sdk:.2f} s)",
    )


def _process(command: list[str]) -> float:
    """Median wall seconds of a whole process."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - our own commands
        times.append(time.perf_counter() - started)
    return median(times)


def _handshake(path: Path) -> float:
    times = []
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    }
    for _ in range(5):
        started = time.perf_counter()
        with subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "cortex.cli.main", "--db", str(path), "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            answer = _exchange(server, json.dumps(hello))
            times.append(time.perf_counter() - started)
            if "serverInfo" not in answer:
                raise RuntimeError(f"no handshake: {answer[:200]}")
    return median(times)


def _exchange(server: subprocess.Popen[str], message: str) -> str:
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("the server has no pipes")
    server.stdin.write(message + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    server.stdin.close()
    return answer


def _in_turn(calls: list[Callable[[int], Any]], clock: Callable[[], float] = time.process_time) -> list[list[float]]:
    """Milliseconds of each call (CPU time, unless another clock is given), the calls taking turns one by one."""
    spent: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for i in range(QUESTIONS):
            for call, times in zip(calls, spent, strict=True):
                started = clock()
                call(i)
                times.append((clock() - started) * 1000)
    return spent


def _row(name: str, value: str) -> None:
    sys.stdout.write(f"{name:52} {value}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
