"""What a write costs: one memory a commit beside its bare rows, and with the model that ships."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import psutil

from cortex import Cortex
from cortex_bench.floor import BareWriter
from cortex_bench.synthetic import GivenVectors, collection
from cortex_bench.timing import Bar, in_turn, ratio, row

WRITES = 700
SCOPE = "user:writes"


def single(folder: Path, size: int) -> list[Bar]:
    """One memory a commit, beside bare commits of the rows of other memories into a copy of the same store."""
    data = collection(size, 2 * WRITES)
    path = folder / "writes.db"
    with Cortex(path, embedder=GivenVectors(data)) as cortex:
        cortex.memorize_many(data.texts)
        cortex.memorize(data.texts[0], scope=SCOPE)
        cortex.admin.backup(folder / "copy.db")
        for text in data.questions[:WRITES]:
            cortex.memorize(text, scope=SCOPE)
        bare = BareWriter(folder / "copy.db")
        rows = bare.take(path, WRITES)
        ours, least = in_turn(
            [lambda i: cortex.memorize(data.questions[WRITES + i], scope=SCOPE), lambda i: bare.insert(rows[i])],
            WRITES,
            rounds=1,
            clock=time.perf_counter,
        )
        bare.close()
    row(f"single memorize at {size:,}, vector given", f"{median(ours):.2f} ms; its bare rows {median(least):.2f} ms")
    return [Bar("single memorize / insert and commit of its rows", ratio(ours, least), 2.0)]


def with_the_model() -> None:
    """What the local model adds, for a sense of proportion; it has no bar."""
    texts = collection(1_000, 1, seed=1).texts
    with Cortex(":memory:") as cortex:
        cortex.memorize("The first one loads the model.")
        started = time.process_time()
        cortex.memorize_many(texts)
        spent = time.process_time() - started
        row("memorize 1,000 texts with the local model", f"{len(texts) / spent:.0f} memories per CPU second")
        question = median(in_turn([lambda i: cortex.recall(texts[i])], 100)[0])
        row("recall with the local model among 1,000", f"{question:.1f} ms CPU")
        row("resident memory with the model", f"{psutil.Process().memory_info().rss / 2**20:.0f} MB (bench included)")
