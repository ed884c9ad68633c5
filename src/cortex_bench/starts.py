"""What a start costs: whole processes, beside bare interpreters that do only what they must."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from cortex import Cortex
from cortex_bench.synthetic import GivenVectors, collection
from cortex_bench.timing import Bar, processes, ratio, row

_BARE_MODEL = """
from cortex_model_minilm import MODEL_DIR
import onnxruntime, tokenizers
onnxruntime.InferenceSession(MODEL_DIR / "model.onnx", providers=["CPUExecutionProvider"])
tokenizers.Tokenizer.from_file(str(MODEL_DIR / "tokenizer.json"))
"""
_READ = """
import numpy
from pysqlite3 import dbapi2
connection = dbapi2.connect({path!r})
vectors = b"".join(row[0] for row in connection.execute("SELECT pieces FROM vectors ORDER BY seq"))
numpy.frombuffer(vectors, dtype="<f4").reshape(-1, 384)
terms = [row[0].split(" ") for row in connection.execute("SELECT terms FROM lexical ORDER BY seq")]
"""
_RECALL = "from cortex import Cortex; assert Cortex({path!r}).recall('Where did Ada go?').degraded == ()"
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


def starts(folder: Path, size: int) -> list[Bar]:
    """From the start of the process: a first recall, the help, the MCP handshake."""
    path = folder / "start.db"
    with Cortex(":memory:") as shipped:
        signature = shipped.health().embedder
    data = collection(size, 1)
    with Cortex(path, embedder=GivenVectors(data, signature=signature)) as cortex:
        cortex.memorize_many(data.texts)
    python = sys.executable
    first, least, help_, sdk = processes([
        [python, "-c", _RECALL.format(path=str(path))],
        [python, "-c", _BARE_MODEL + _READ.format(path=str(path))],
        [python, "-m", "cortex.cli.main", "--help"],
        [python, "-c", "import mcp.server.lowlevel, mcp.server.stdio"],
    ])  # fmt: skip
    name = f"first recall of a process at {size:,}"
    row(name, f"{median(first):.2f} s; bare Python, model and arrays {median(least):.2f} s")
    row("cortex --help", f"{median(help_):.2f} s")
    hello = median(_handshake(path) for _ in range(5))
    row("MCP handshake of a process", f"{hello:.2f} s; importing the SDK alone {median(sdk):.2f} s")
    return [Bar(f"{name} / bare Python, model and arrays", ratio(first, least), 2.0)]


def _handshake(path: Path) -> float:
    started = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "cortex.cli.main", "--db", str(path), "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        answer = _exchange(server, json.dumps(_HELLO))
        spent = time.perf_counter() - started
    if "serverInfo" not in answer:
        raise RuntimeError(f"no handshake: {answer[:200]}")
    return spent


def _exchange(server: subprocess.Popen[str], message: str) -> str:
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("the server has no pipes")
    server.stdin.write(message + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    server.stdin.close()
    return answer
