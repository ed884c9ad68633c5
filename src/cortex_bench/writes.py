"""What a write costs: one memory a commit beside its bare rows, and with the model that ships."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

import psutil

from cortex import Cortex
from cortex_bench.evaluation.saturation import facts
from cortex_bench.floor import BareWriter
from cortex_bench.synthetic import Collection, GivenVectors, collection
from cortex_bench.timing import Bar, in_turn, ratio, row

WRITES = 700
LAYERED = 300
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


def layers(folder: Path, size: int) -> list[Bar]:
    """A write with every layer on, vectors given, beside a plain write and a recall with the same text."""
    texts = list(facts(size + LAYERED))
    given = collection(size, LAYERED)
    data = replace(given, texts=tuple(texts[:size]), questions=tuple(texts[size:]))
    with Cortex(folder / "plain.db", embedder=GivenVectors(data)) as plain:
        plain.memorize_many(data.texts)
        plain.admin.backup(folder / "layered.db")
        with Cortex(folder / "layered.db", embedder=GivenVectors(data), layers="assistant") as layered:
            layered.recall(data.questions[0])
            plain.recall(data.questions[0])
            recalled, kept, full = in_turn(
                [
                    lambda i: layered.recall(data.questions[i], ranking="relevance", limit=20),
                    lambda i: plain.memorize(data.questions[i]),
                    lambda i: layered.memorize(data.questions[i]),
                ],
                LAYERED,
                rounds=1,
            )
            unchanged = ratio(*reversed(in_turn([_recall(plain, data), _recall(layered, data)], 100)))
    beyond = median(whole - least - search for whole, least, search in zip(full, kept, recalled, strict=True))
    row(
        f"memorize at {size:,} with every layer, vector given",
        f"{median(full):.2f} ms CPU; plain {median(kept):.2f} ms",
    )
    row("recall of 20 with the same text", f"{median(recalled):.2f} ms CPU")
    return [
        Bar("what a write with every layer takes beyond a plain one and a recall / 5 ms CPU", beyond / 5.0, 1.0),
        Bar("recall from a store with layers / without", unchanged, 1.15),
    ]


def _recall(cortex: Cortex, data: Collection) -> Callable[[int], object]:
    return lambda i: cortex.recall(data.questions[i], ranking="relevance", limit=5)


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
