"""What a recall costs: beside its floor, and beside what others keep in the same store."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from cortex import Cortex
from cortex_bench.floor import Floor
from cortex_bench.synthetic import Collection, GivenVectors, collection
from cortex_bench.timing import Bar, in_turn, ratio, row

QUESTIONS = 100
LIMIT = 5
POOL = 20
BARRED = (10_000, 100_000)  # below, the fixed cost of a call is larger than the search
OWN = 1_000
CHUNK = 5_000


def recalls(folder: Path, sizes: tuple[int, ...]) -> list[Bar]:
    """Recall with the query vector given, at each size, beside the arithmetic it cannot do without."""
    bars = []
    for size in sizes:
        data = collection(size, QUESTIONS)
        with Cortex(folder / f"{size}.db", embedder=GivenVectors(data)) as cortex:
            started = time.perf_counter()
            _fill(cortex, data)
            row(f"ingest of {size:,}, vectors given", f"{size / (time.perf_counter() - started):,.0f} memories/s")
            ours, least = in_turn([_recall(cortex, data), _least(data)], QUESTIONS)
        times = ratio(ours, least)
        row(f"recall at {size:,}, vector given", f"{median(ours):.2f} ms CPU; its floor {median(least):.2f} ms")
        row(f"recall / floor at {size:,}, pair by pair", f"{times:.2f}")
        if size in BARRED:
            bars.append(Bar(f"recall / floor at {size:,}", times, 1.5))
    return bars


def neighbours(folder: Path, others: int) -> list[Bar]:
    """Recall among 1,000 memories of one user, alone in a store and in the one that `recalls` left."""
    mine = collection(OWN, QUESTIONS, seed=7)
    with Cortex(folder / "alone.db", user="ada", embedder=GivenVectors(mine)) as alone:
        _fill(alone, mine)
        with Cortex(folder / f"{others}.db", user="ada", embedder=GivenVectors(mine)) as crowded:
            _fill(crowded, mine)
            single, beside = in_turn([_recall(alone, mine), _recall(crowded, mine)], QUESTIONS)
    row(f"recall among {OWN:,} alone, vector given", f"{median(single):.2f} ms CPU")
    row(f"the same in a store with {others:,} of another user", f"{median(beside):.2f} ms CPU")
    return [Bar(f"recall among {OWN:,} beside {others:,} of others / alone", ratio(beside, single), 1.2)]


def _fill(cortex: Cortex, data: Collection) -> None:
    for start in range(0, len(data.texts), CHUNK):
        cortex.memorize_many(data.texts[start : start + CHUNK])


def _recall(cortex: Cortex, data: Collection) -> Callable[[int], object]:
    cortex.recall(data.questions[0])
    return lambda i: cortex.recall(data.questions[i], limit=LIMIT)


def _least(data: Collection) -> Callable[[int], object]:
    floor = Floor(data)
    return lambda i: (floor.dense(data.question_vectors[i], POOL), floor.lexical(data.questions[i], POOL))
