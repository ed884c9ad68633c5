"""What is measured of each system, each in a fresh folder and within a limit of time."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

from cortex_bench.peers.driver import OPEN_SECONDS, Driver, PeerFailed
from cortex_bench.peers.material import Asked, Item, Synthetic, Talk

Found = dict[str, Any]

USER = "ada"
BATCH = 100
INGEST_SECONDS = 900.0
QUALITY_SECONDS = 2400.0
WRITE_SECONDS = 180.0
LATENCY_SECONDS = 120.0
WARM = 10
STARTS = 3
WRITERS = 4
EACH = 100
KILLS = 5
UNKNOWN = "Where did Ada go on holiday?"


@dataclass(frozen=True, slots=True)
class Bench:
    """How a system is started: its command, the model of the shim, caches of vectors, how it may be asked."""

    command: Sequence[str]
    model: Path
    talk_vectors: Path | None
    synthetic_vectors: Path
    searches: Mapping[str, Mapping[str, str]]

    def start(self, folder: Path, cache: Path | None) -> Driver:
        """A process with its store open. Raises PeerFailed."""
        driver = Driver([part.replace("{home}", str(folder)) for part in self.command], folder)
        try:
            driver.ask("open", OPEN_SECONDS, path=str(folder), model=str(self.model), cache=cache and str(cache))
        except PeerFailed:
            driver.kill()
            raise
        return driver


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="peers-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def quality(bench: Bench, talks: Sequence[Talk]) -> Found:
    """recall@10 and ndcg@10 of each way to search, all conversations in one store."""
    ends = time.monotonic() + QUALITY_SECONDS
    with folder() as place, bench.start(place, bench.talk_vectors) as driver:
        for talk in talks:
            for batch in _batches(talk.items):
                _in_time(ends)
                driver.ask("add", user=talk.user, items=batch)
        kept = sum(driver.ask("count", user=talk.user)["count"] for talk in talks)
        found: Found = {"turns": kept, "searches": {}}
        for name, options in bench.searches.items():
            marks = [
                question.marks(_search(driver, talk.user, question, options, ends))
                for talk in talks
                for question in talk.questions
            ]
            recall, ndcg = (fmean(column) for column in zip(*marks, strict=True))
            found["searches"][name] = {"questions": len(marks), "recall@10": recall, "ndcg@10": ndcg}
    return found


def _search(driver: Driver, user: str, question: Asked, options: Mapping[str, str], ends: float) -> list[str]:
    _in_time(ends)
    ids: list[str] = driver.ask("search", user=user, query=question.text, k=10, options=dict(options))["ids"]
    return ids


def _in_time(ends: float) -> None:
    if time.monotonic() > ends:
        raise PeerFailed("it took longer than it was given")


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


def speed(bench: Bench, data: Synthetic) -> Found:
    """Texts a second, milliseconds a recall, seconds and megabytes of a process until its first recall."""
    with folder() as place:
        with bench.start(place, bench.synthetic_vectors) as driver:
            found = _ingested(driver, data.items)
            found["searches"] = {name: {"ms": _recalled(driver, data, o)} for name, o in bench.searches.items()}
        for name, options in bench.searches.items():
            starts = [_started(bench, place, options) for _ in range(STARTS)]
            found["searches"][name] |= {
                "start_s": median(seconds for seconds, _ in starts),
                "resident_mb": median(size for _, size in starts),
            }
        found["disk_mb"] = sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 2**20
    return found


def _ingested(driver: Driver, items: Sequence[Item]) -> Found:
    spent, number = 0.0, 0
    for batch in _batches(items):
        answer = driver.ask("add", INGEST_SECONDS, user=USER, items=batch)
        if answer.get("made"):
            raise PeerFailed(
                "it embeds another text than its `embeds` in the roster says, so the embedding would count"
            )
        spent += answer["seconds"]
        number += len(batch)
        if spent > INGEST_SECONDS:
            break
    return {"per_second": number / spent, "memories": driver.ask("count", user=USER)["count"]}


def _recalled(driver: Driver, data: Synthetic, options: Mapping[str, str]) -> float:
    ends = time.monotonic() + LATENCY_SECONDS
    spent: list[float] = []
    for question in data.questions:
        answer = driver.ask("search", user=USER, query=question, k=10, options=dict(options))
        spent.append(answer["seconds"] * 1000)
        if time.monotonic() > ends:
            break
    return median(spent[WARM:] or spent)


def _started(bench: Bench, place: Path, options: Mapping[str, str]) -> tuple[float, float]:
    """The question is not in the cache, so the model is opened, the same one for all."""
    began = time.perf_counter()
    with bench.start(place, None) as driver:
        driver.ask("search", OPEN_SECONDS, user=USER, query=UNKNOWN, k=10, options=dict(options))
        seconds = time.perf_counter() - began
        resident = subprocess.run(  # noqa: S603 - our own command
            ["ps", "-o", "rss=", "-p", str(driver.pid)],  # noqa: S607 - wherever the system has it
            capture_output=True,
            text=True,
            check=True,
        )
    return seconds, int(resident.stdout) / 1024


def writers(bench: Bench, data: Synthetic) -> Found:
    """Four processes write a hundred memories each to one store, one by one: how many are there, what failed."""
    errors: list[str] = []
    with folder() as place:
        bench.start(place, bench.synthetic_vectors).close()
        shares = [data.spare[number * EACH : (number + 1) * EACH] for number in range(WRITERS)]
        threads = [threading.Thread(target=_write, args=(bench, place, share, errors)) for share in shares]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with bench.start(place, bench.synthetic_vectors) as driver:
            kept = driver.ask("count", user=USER)["count"]
    return {"written": WRITERS * EACH, "kept": kept, "refused": len(errors), "first_error": min(errors, default="")}


def _write(bench: Bench, place: Path, items: Sequence[Item], errors: list[str]) -> None:
    try:
        ends = time.monotonic() + WRITE_SECONDS
        with bench.start(place, bench.synthetic_vectors) as driver:
            for item in items:
                try:
                    _in_time(ends)
                    driver.ask("add", user=USER, items=[item])
                except PeerFailed as error:
                    errors.append(str(error))
    except PeerFailed as error:
        errors.extend([str(error)] * len(items))


def kills(bench: Bench, data: Synthetic) -> Found:
    """Signal 9 in the midst of writing, five times: acknowledged memories that are gone, or a store that stays shut."""
    chance, left = Random(7), list(data.spare)  # noqa: S311 - chance in a measurement is seeded, not secret
    acknowledged: list[str] = []
    with folder() as place:
        try:
            for _ in range(KILLS):
                driver = bench.start(place, bench.synthetic_vectors)
                try:
                    acknowledged += _written(driver, left, chance.uniform(0.3, 1.5))
                    time.sleep(chance.uniform(0.0, 0.005))
                finally:
                    driver.kill()
            with bench.start(place, bench.synthetic_vectors) as driver:
                missing = driver.ask("missing", user=USER, ids=acknowledged)["missing"]
        except PeerFailed as error:
            return {"acknowledged": len(acknowledged), "lost": None, "first_error": str(error)}
    return {"acknowledged": len(acknowledged), "lost": len(missing), "first_error": ""}


def _written(driver: Driver, left: list[Item], seconds: float) -> list[str]:
    """The ids that were acknowledged within these seconds; one more write is under way when this returns."""
    ends, acknowledged = time.monotonic() + seconds, []
    while time.monotonic() < ends and len(left) > KILLS:
        item = left.pop()
        driver.ask("add", user=USER, items=[item])
        acknowledged.append(item["id"])
    driver.send("add", user=USER, items=[left.pop()])
    return acknowledged
