"""The one way to run a data set: choose questions, keep each part in a store of its own, ask, write rows."""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from cortex import ConversationWeights, Cortex, Hit, Recall
from cortex.errors import EmbedderError, InvalidInput
from cortex.ports import Embedder
from cortex_bench.evaluation.chat import Completion, ModelFailed
from cortex_bench.evaluation.evidence import blocks
from cortex_bench.evaluation.judge import Judge
from cortex_bench.evaluation.parts import DataSet, Part, Question
from cortex_bench.evaluation.reader import Reader
from cortex_bench.evaluation.runs import Row, Run

USUAL = ConversationWeights()
ONLY_USUAL: Mapping[str, ConversationWeights] = MappingProxyType({"usual": USUAL})
LIMIT = 50
SHOWN = 10
# So many that every memory among the first LIMIT of a leg is a hit: fused by rank, at most 320 others come before.
WHOLE_LEGS = 400
LEGS = ("dense", "lexical")
RANKINGS = ("conversation", "relevance")


class Method(Protocol):
    """What is done with a question."""

    @property
    def needs_gold(self) -> bool:
        """Whether only questions are asked of which somebody knows what answers them."""
        ...

    @property
    def weights(self) -> Mapping[str, ConversationWeights]:
        """The weights that are to be asked with, the usual ones first."""
        ...

    def answer(self, asked: Asked) -> tuple[Row, Row]:
        """What the row has beside its question, and the milliseconds of each step."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, the store with its part by each of the weights, and the ids of the items that each memory is."""

    systems: Mapping[str, Cortex]
    data: DataSet
    part: Part
    question: Question
    ids: Mapping[str, Sequence[str]]

    def recall(self, limit: int, weights: str = "usual", **options: str) -> Recall:
        """The memories of the part that answer the question."""
        found = self.systems[weights].recall(self.question.text, scope=self.part.scope, limit=limit, **options)  # type: ignore[arg-type]
        if found.degraded:
            raise EmbedderError(f"{self.question.id} would be measured without vectors: {'; '.join(found.notes)}")
        return found

    def items(self, hits: Sequence[Hit]) -> list[str]:
        """The items that were found, best first."""
        return [id_ for hit in hits for id_ in self.ids[hit.memory.id]]

    def metrics(self, hits: Sequence[Hit]) -> dict[str, float]:
        """How well these hits answer; empty where nobody knows what would."""
        if not (self.question.gold or self.question.sessions):
            return {}
        return self.data.metrics(self.items(hits), [hit.memory.session or "" for hit in hits], self.question)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which questions are asked: by part and place, and what was left out, counted by reason."""

    chosen: frozenset[str]
    left_out: Mapping[str, int] = field(default_factory=dict)


def select(data: DataSet, *, needs_gold: bool, seed: int, limit: int | None) -> Selection:
    """The first ``limit`` questions after a shuffle by ``seed``; all of them without a limit."""
    ids: list[str] = []
    left: Counter[str] = Counter()
    for part in data.parts():
        if len(set(part.ids)) < len(part.ids):
            raise ValueError(f"two items of {part.scope} have the same id")
        for question in part.questions:
            if needs_gold and not (question.gold or question.sessions):
                left["abstention" if question.abstains else "without evidence"] += 1
            else:
                ids.append(question.id)
    if len(set(ids)) < len(ids):
        raise ValueError("two questions have the same id")
    if limit is not None and limit < len(ids):
        random.Random(seed).shuffle(ids)  # noqa: S311 - a choice that can be repeated, no secret
        left["beyond the limit"] = len(ids) - limit
        ids = ids[:limit]
    return Selection(chosen=frozenset(ids), left_out=dict(left))


def measure(
    data: DataSet, selection: Selection, method: Method, run: Run, *, embedder: Embedder, tell: Callable[[str], None]
) -> list[Row]:
    """Ask every question that was chosen and has no row yet; all rows, in the order of the data set."""
    place = done = 0
    for part in data.parts():
        numbered = [
            (place + offset, question)
            for offset, question in enumerate(q for q in part.questions if q.id in selection.chosen)
        ]
        place += len(numbered)
        owed = [(number, question) for number, question in numbered if not run.done(question.id)]
        done += len(numbered)
        if owed:
            with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
                systems = {
                    name: stack.enter_context(
                        Cortex(
                            Path(folder) / "eval.db",
                            embedder=embedder,
                            conversation=conversation,
                            count_accesses=False,  # one question must not change the answer to the next
                        )
                    )
                    for name, conversation in method.weights.items()
                }
                ids = ingest(systems["usual"], part)
                for number, question in owed:
                    found, timing = method.answer(Asked(systems, data, part, question, ids))
                    run.add(_row(number, part, question) | found, timing)
            tell(f"{done}/{len(selection.chosen)} {part.scope}")
    return run.finish()


def _row(place: int, part: Part, question: Question) -> Row:
    return {
        "id": question.id, "place": place, "part": part.scope, "group": question.group, "abstains": question.abstains,
    }  # fmt: skip


def ingest(cortex: Cortex, part: Part) -> dict[str, list[str]]:
    """Keep every item as a memory; the ids of the items that each memory is, since equal ones are one memory."""
    receipts = cortex.memorize_many(part.items)
    failed = [receipt.error for receipt in receipts if receipt.error]
    if failed:
        raise InvalidInput("data", f"{len(failed)} items of {part.scope} were not kept: {failed[0]}")
    if any(receipt.pending for receipt in receipts):
        raise EmbedderError(f"items of {part.scope} have no vectors: the embedder failed; what is done is kept")
    found: dict[str, list[str]] = {}
    for receipt, id_ in zip(receipts, part.ids, strict=True):
        found.setdefault(str(receipt.id), []).append(id_)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """What recall finds, and no more."""

    ranking: str
    fusion: str
    top_k: int = LIMIT
    needs_gold: bool = True
    weights: Mapping[str, ConversationWeights] = field(default_factory=lambda: ONLY_USUAL)

    def answer(self, asked: Asked) -> tuple[Row, Row]:
        """The metrics, and the best items."""
        started = time.perf_counter()
        hits = asked.recall(self.top_k, ranking=self.ranking, fusion=self.fusion).hits
        timing = {"recall": milliseconds(started)}
        return {"metrics": asked.metrics(hits), "found": asked.items(hits)[:SHOWN]}, timing


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The metrics of both rankings, and of each leg of recall alone."""

    fusion: str
    needs_gold: bool = True
    weights: Mapping[str, ConversationWeights] = field(default_factory=lambda: ONLY_USUAL)

    def answer(self, asked: Asked) -> tuple[Row, Row]:
        """The metrics of each system, and how long the rankings took."""
        timing, systems = {}, {}
        for ranking in RANKINGS:
            started = time.perf_counter()
            hits = asked.recall(LIMIT, ranking=ranking, fusion=self.fusion).hits
            timing[ranking] = milliseconds(started)
            systems[ranking] = asked.metrics(hits)
        whole = asked.recall(WHOLE_LEGS, ranking="relevance", fusion="rrf").hits
        for leg in LEGS:
            found = sorted((hit for hit in whole if leg in hit.parts), key=lambda hit: hit.parts[leg].rank)
            systems[leg] = asked.metrics(found[:LIMIT])
        return {"systems": systems}, timing


@dataclass(frozen=True, slots=True, kw_only=True)
class EndToEnd:
    """What recall finds, what a reader answers from it, and whether that is right.

    Without a reader the rows have the evidence that one would get.
    """

    ranking: str
    fusion: str
    top_k: int
    reader: Reader | None
    judge: Judge
    needs_gold: bool = False
    weights: Mapping[str, ConversationWeights] = field(default_factory=lambda: ONLY_USUAL)

    def answer(self, asked: Asked) -> tuple[Row, Row]:
        """The metrics and the answer with its verdict; ``failed`` names the step that did not work, and why."""
        started = time.perf_counter()
        hits = asked.recall(self.top_k, ranking=self.ranking, fusion=self.fusion).hits
        timing = {"recall": milliseconds(started)}
        row: Row = {"metrics": asked.metrics(hits)}
        evidence = blocks(hits)
        if self.reader is None:
            row |= {"question": asked.question.text, "evidence": [block.row() for block in evidence]}
            return row, timing
        step = "reader"
        try:
            started = time.perf_counter()
            reading = self.reader.read(asked.question, evidence)
            timing["reader"] = milliseconds(started)
            row |= {"answer": reading.answer, "notes": reading.notes, "abstained": reading.abstained}
            row |= {"reader": _usage([reading.completion])}
            step, started = "judge", time.perf_counter()
            verdict = self.judge.judge(asked.question, reading)
            timing["judge"] = milliseconds(started)
        except ModelFailed as error:
            return row | {"failed": step, "why": str(error)}, timing
        row |= {"correct": verdict.correct, "measures": verdict.measures}
        return row | {"votes": list(verdict.votes), "judge": _usage(verdict.completions)}, timing


def _usage(completions: Sequence[Completion]) -> dict[str, Any]:
    """Tokens read and written, None where a model did not say; whether anything was cut off."""
    read, written = ([getattr(each, name) for each in completions] for name in ("tokens_in", "tokens_out"))
    return {
        "tokens_in": None if None in read else sum(read),
        "tokens_out": None if None in written else sum(written),
        "truncated": any(each.truncated for each in completions),
    }


def milliseconds(started: float) -> float:
    """Since then."""
    return round((time.perf_counter() - started) * 1000, 3)
