"""What a recall costs: beside its floor, and beside what others keep in the same store."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from cortex import Cortex
from cortex_bench.floor import Floor
from cortex_bench.synthetic import Collection, GivenTokens, GivenVectors, collection
from cortex_bench.timing import Bar, in_turn, ratio, row

QUESTIONS = 100
LIMIT = 5
POOL = 20
BARRED = (10_000, 100_000)  # below, the fixed cost of a call is larger than the search
OWN = 1_000
CHUNK = 5_000
TURNS = 30  # of a session


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


def conversations(folder: Path, sizes: tuple[int, ...]) -> list[Bar]:
    """Recall by the ranking `conversation` beside `relevance` of the same turns, query vectors given."""
    bars = []
    for size in sizes:
        data = collection(size, QUESTIONS)
        with Cortex(folder / f"turns-{size}.db", embedder=GivenTokens(data)) as cortex:
            for start in range(0, size, CHUNK):
                turns = enumerate(data.texts[start : start + CHUNK], start=start)
                cortex.memorize_many([_turn(place, text) for place, text in turns])
            ours, plain = in_turn([_recall(cortex, data, "conversation"), _recall(cortex, data)], QUESTIONS)
        row(f"recall by conversation at {size:,}, vectors given", f"{median(ours):.2f} ms CPU")
        bars.append(Bar(f"recall by conversation / relevance at {size:,}", ratio(ours, plain), 2.0))
    return bars


def _turn(place: int, text: str) -> dict[str, object]:
    return {"content": text, "session": f"s{place // TURNS}", "position": place % TURNS}


def _fill(cortex: Cortex, data: Collection) -> None:
    for start in range(0, len(data.texts), CHUNK):
        cortex.memorize_many(data.texts[start : start + CHUNK])


def _recall(cortex: Cortex, data: Collection, ranking: str = "relevance") -> Callable[[int], object]:
    cortex.recall(data.questions[0], ranking=ranking)
    return lambda i: cortex.recall(data.questions[i], limit=LIMIT, ranking=ranking)


def _least(data: Collection) -> Callable[[int], object]:
    floor = Floor(data)
    return lambda i: (floor.dense(data.question_vectors[i], POOL), floor.lexical(data.questions[i], POOL))
