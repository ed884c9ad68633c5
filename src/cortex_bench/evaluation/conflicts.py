"""The run of `cortex eval contradiction`: what was given is measured, and told as JSON or as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cortex.core.understanding.contradiction import judge
from cortex.ports import Embedder
from cortex_bench.evaluation import contradiction as measured
from cortex_bench.evaluation.candidates import candidates
from cortex_bench.evaluation.conduct import embedder as open_embedder
from cortex_bench.evaluation.contradiction import HALVES, Judge, Messages

_READ = 1_000  # characters of a message that its cosine is made of


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What is measured: each may be missing. ``beam``: whole chats, in which candidates are looked for."""

    sick: Path | None = None
    pairs: Path | None = None
    updates: Path | None = None
    beam: Path | None = None
    seed: int = 0
    embeddings: str | None = None


def run(sources: Sources, tell: Callable[[str], None]) -> dict[str, Any]:
    """Every figure by its name; labelled pairs, which are part of the package, always."""
    labelled = measured.read_labelled()
    sick = measured.read_sick(sources.sick) if sources.sick else []
    result: dict[str, Any] = {"labelled": measured.statements_result(labelled, sources.seed)}
    if sick:
        result["sick"] = measured.statements_result(sick, sources.seed)
    result["calibration"] = measured.calibration([*sick, *labelled])
    kinds: dict[str, list[Messages]] = {}
    if sources.pairs:
        kinds["contradictions"] = measured.read_messages(sources.pairs, "first", "second")
    if sources.updates:
        kinds["updates"] = measured.read_messages(sources.updates, "original", "updated")
    if kinds:
        with open_embedder(sources.embeddings) as embedder:
            result["messages"] = {
                "negation rule": _by(kinds, measured.negated, sources.seed),
                "by words": _by(kinds, measured.judged, sources.seed),
                "with cosine": _by(kinds, _with_cosine(embedder), sources.seed),
            }
            result["candidates"] = candidates(kinds, sources.beam, embedder, tell)
    return result


def _by(kinds: Mapping[str, list[Messages]], judging: Judge, seed: int) -> dict[str, Any]:
    every = [pair for pairs in kinds.values() for pair in pairs]
    return {
        **{kind: measured.messages_result(pairs, judging) for kind, pairs in kinds.items()},
        **measured.false_alarms(every, judging, seed),
    }


def _with_cosine(embedder: Embedder) -> Judge:
    known: dict[str, Any] = {}

    def vector(text: str) -> Any:
        if text not in known:
            known[text] = embedder.embed([text[:_READ]]).vectors[0]
        return known[text]

    def judging(older: str, newer: str) -> float:
        return judge(older, newer, float(np.dot(vector(older), vector(newer)))).confidence

    return judging


def as_text(result: Mapping[str, Any]) -> str:
    """The result for a terminal."""
    return "\n".join(_lines(result))


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    for name in ("sick", "labelled"):
        for half in HALVES if name in result else ():
            scores = result[name][half]
            yield f"{name}, {half}: {scores['n']} pairs, {scores['contradictions']} contradictions"
            for system in ("judge", "negation rule"):
                row = scores[system]
                low, high = row["f1_interval"]
                figures = f"precision {row['precision']:.3f}  recall {row['recall']:.3f}  F1 {row['f1']:.3f}"
                yield f"  {system:14} {figures} [{low:.3f}, {high:.3f}]"
            low, high = scores["difference_interval"]
            yield f"  F1 of the judge less that of the rule: [{low:+.3f}, {high:+.3f}]"
    yield "confidence of what is held back, and how often it contradicts:"
    yield from (
        f"  {row['from']:.1f} to {row['to']:.1f}  {row['n']:6}  {row['contradicting']:.3f}"
        for row in result["calibration"]
    )
    for judge_name, rows in result.get("messages", {}).items():
        yield f"messages judged contradicting, {judge_name}:"
        yield from (f"  {kind:15} {_halves(row)}" for kind, row in rows.items())
    if "candidates" in result:
        yield "older statement among the first 20 that the newer one recalls:"
        for kind, row in result["candidates"].items():
            yield f"  {kind:15} {_halves(row)}"
            yield f"  {'in whole chats':15} {_halves(row, '_whole_chat')}"
            yield f"  {'in own words':15} {_halves(row, '_own_words')}"


def _halves(row: Mapping[str, Any], suffix: str = "") -> str:
    return "  ".join(f"{half} {row[half]['share' + suffix]:.3f} of {row[half]['n' + suffix]}" for half in HALVES)
