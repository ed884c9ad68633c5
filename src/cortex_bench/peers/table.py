"""The tables of docs/comparison.md, made from the results of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cortex_bench.peers.roster import PEERS, Peer

BEGIN, END = "<!-- made by make peers: begin -->", "<!-- made by make peers: end -->"
OURS = "cortex"
NOTHING = "–"
FULL = 10_000
# Of numbers from 0 to 1.
SHARE = ".3f"

Results = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Measure:
    """One column: its title, its stage, where its number stands, how it is written, which way is better."""

    title: str
    stage: str
    number: Callable[[Mapping[str, Any], Mapping[str, Any]], float | None]
    shape: str
    better: Callable[[float, float], bool] | None

    def of(self, result: Results, search: str) -> float | None:
        """The number of one system asked in one way; None where the stage failed or was left out."""
        found = result.get(self.stage)
        if not found or "failed" in found:
            return None
        return self.number(found, found.get("searches", {}).get(search, {}))


def _more(one: float, other: float) -> bool:
    return one > other


def _less(one: float, other: float) -> bool:
    return one < other


QUALITY = (
    Measure("recall@10", "quality", lambda _, asked: asked.get("recall@10"), SHARE, _more),
    Measure("nDCG@10", "quality", lambda _, asked: asked.get("ndcg@10"), SHARE, _more),
    Measure("turns kept", "quality", lambda found, _: found["turns"], ",.0f", None),
)
SPEED = (
    Measure("recall p50, ms", "speed", lambda _, asked: asked.get("ms"), ".1f", _less),
    Measure("cold start, s", "speed", lambda _, asked: asked.get("start_s"), ".2f", _less),
    Measure("resident, MB", "speed", lambda _, asked: asked.get("resident_mb"), ".0f", _less),
    Measure("ingest, texts/s", "speed", lambda found, _: found["per_second"], ",.0f", _more),
    Measure("on disk, MB", "speed", lambda found, _: found["disk_mb"], ".0f", _less),
)
WRITES = (
    Measure("kept of 400", "writers", lambda found, _: found["kept"], ".0f", _more),
    Measure("calls refused", "writers", lambda found, _: found["refused"], ".0f", _less),
    Measure("acknowledged until killed", "kills", lambda found, _: found["acknowledged"], ",.0f", None),
    Measure("of these lost", "kills", lambda found, _: found["lost"], ".0f", _less),
)


def renewed(page: str, found: Mapping[str, Results]) -> str:
    """The page with the part between its marks made anew."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks a mark: expected {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{made(found)}\n\n{END}{after}"


def made(found: Mapping[str, Results]) -> str:
    """Who was measured, three tables, and where Cortex is not first."""
    parts = [
        _who(found),
        "### Quality\n\n" + _table(QUALITY, found),
        "### Speed at 10,000 memories\n\n" + _table(SPEED, found),
        "### Writing\n\n" + _table(WRITES, found),
        "### Where Cortex is not first\n\n" + "\n".join(_behind(found)),
    ]
    return "\n\n".join(parts)


def _who(found: Mapping[str, Results]) -> str:
    lines = ["| system | package and version | configured |", "|---|---|---|"]
    for peer in PEERS:
        version = found.get(peer.name, {}).get("version", NOTHING)
        lines.append(f"| {peer.title} | {peer.package} {version} | {peer.configured} |")
    return "\n".join(lines)


def _rows(found: Mapping[str, Results]) -> Iterator[tuple[Peer, str, Results]]:
    return ((peer, search, found.get(peer.name, {})) for peer in PEERS for search in peer.searches)


def _label(peer: Peer, search: str) -> str:
    return f"{peer.title}, {search}" if search else peer.title


def _table(measures: tuple[Measure, ...], found: Mapping[str, Results]) -> str:
    each = any("searches" in found.get(peer.name, {}).get(measures[0].stage, {}) for peer in PEERS)
    lines = ["| system |" + "".join(f" {measure.title} |" for measure in measures), "|---|" + "---:|" * len(measures)]
    notes = []
    for peer, search, result in _rows(found):
        if not each and search != next(iter(peer.searches)):
            continue
        cells = "".join(f" {_cell(measure, result, search)} |" for measure in measures)
        lines.append(f"| {_label(peer, search) if each else peer.title} |{cells}")
    for peer in PEERS:
        notes += [
            f"- {peer.title}, {stage}: {note}"
            for stage in dict.fromkeys(measure.stage for measure in measures)
            for note in _notes(found.get(peer.name, {}).get(stage, {}))
        ]
    return "\n".join(lines + ([""] if notes else []) + notes)


def _cell(measure: Measure, result: Results, search: str) -> str:
    number = measure.of(result, search)
    if number is None:
        return NOTHING
    text = format(number, measure.shape)
    return text.removeprefix("0") if measure.shape == SHARE else text


def _notes(stage: Mapping[str, Any]) -> Iterator[str]:
    if "failed" in stage:
        yield f"did not end: {_quoted(stage['failed'])}"
    if stage.get("first_error"):
        yield f"what the first refused call said: {_quoted(stage['first_error'])}"
    if stage.get("memories", FULL) < FULL:
        yield f"{stage['memories']:,} memories when the time was up; its figures are at that number"


def _quoted(text: str) -> str:
    """In one line, without the folders and numbers of this one run."""
    words = re.sub(r"/\S+", "…", re.sub(r"PID \d+", "PID …", text.replace("`", "'"))).split()
    return f"`{' '.join(words)[:160]}`"


def _behind(found: Mapping[str, Results]) -> Iterator[str]:
    """For each measure and each of Cortex's rankings, the systems that have a better number."""
    lines = []
    for measure in (*QUALITY, *SPEED, *WRITES):
        numbers = [
            (peer, search, number)
            for peer, search, result in _rows(found)
            if (number := measure.of(result, search)) is not None
        ]
        ours: dict[float, list[str]] = {}
        for peer, search, number in numbers:
            if peer.name == OURS:
                ours.setdefault(number, []).append(search)
        for own, searches in ours.items():
            ahead: dict[float, list[str]] = {}
            for peer, search, number in numbers:
                if peer.name != OURS and measure.better is not None and measure.better(number, own):
                    ahead.setdefault(number, []).append(_label(peer, search))
            named = "; ".join(f"{' and '.join(who)} {format(number, measure.shape)}" for number, who in ahead.items())
            whose = " and ".join(f"`{search}`" for search in searches)
            if named:
                lines.append(f"- {measure.title}: Cortex with {whose} {format(own, measure.shape)}; ahead: {named}.")
    yield from lines or ["In no measure of this run."]
