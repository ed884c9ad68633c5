"""From options to a result: plugs chosen, settings written down, the run made, files left behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import platformdirs

from cortex import CachedEmbedder, EmbeddingSignature, EmbedResult, configured_embedder
from cortex.errors import InvalidInput
from cortex.ports import Embedder
from cortex_bench.evaluation import report, show
from cortex_bench.evaluation.ablation import Ablation, ablation
from cortex_bench.evaluation.chat import Chat
from cortex_bench.evaluation.judge import Judge, ModelJudge, OfflineJudge
from cortex_bench.evaluation.measure import LIMIT, Comparison, EndToEnd, Method, Retrieval, measure, select
from cortex_bench.evaluation.parts import DataSet
from cortex_bench.evaluation.profile import TIERS, Profile
from cortex_bench.evaluation.reader import Reader
from cortex_bench.evaluation.report import NO_PRICES, Prices
from cortex_bench.evaluation.runs import Row, Run

NO_CACHE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What every evaluation is told. ``embeddings``: a file, or `NO_CACHE`; None for the usual file."""

    ranking: str = "conversation"
    fusion: str = "calibrated"
    seed: int = 0
    limit: int | None = None
    out: Path | None = None
    resume: bool = False
    embeddings: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model behind an API; the key is in no text of it."""

    url: str
    model: str
    key: str | None = None
    timeout_seconds: float = 120.0

    def chat(self, option: str) -> Chat:
        """The client; `InvalidInput` for a URL that is none."""
        try:
            return Chat(self.url, self.model, key=self.key, timeout_seconds=self.timeout_seconds)
        except ValueError as error:
            raise InvalidInput(option, str(error)) from error

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r}, {self.model!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """How evidence is read and answers are judged; no reader: only the evidence is told, no judge: the offline one."""

    tier: str = "cheap"
    knobs: Profile = TIERS["cheap"]
    reader: Endpoint | None = None
    judge: Endpoint | None = None
    votes: int = 1
    prices: Prices = NO_PRICES


@dataclass(frozen=True, slots=True, kw_only=True)
class Conducted:
    """The result as JSON has it, the rows it was made of, and how many questions failed."""

    result: dict[str, Any]
    rows: Sequence[Row]
    failed: int


def retrieval(data: DataSet, options: Options, tell: Callable[[str], None], top_k: int | None = None) -> Conducted:
    """Measure what recall finds."""
    method = Retrieval(ranking=options.ranking, fusion=options.fusion, top_k=top_k or LIMIT)
    return _conduct(data, options, method, {"mode": "retrieval", "top_k": method.top_k}, tell=tell)


def comparison(data: DataSet, options: Options, tell: Callable[[str], None]) -> Conducted:
    """Compare both rankings, and one of them with its legs."""
    return _conduct(data, options, Comparison(fusion=options.fusion), {"mode": "comparison", "top_k": LIMIT}, tell=tell)


def ablated(data: DataSet, options: Options, tell: Callable[[str], None]) -> Conducted:
    """Measure what each part of the ranking `conversation` is worth."""
    return _conduct(data, options, Ablation(), {"mode": "ablation", "top_k": LIMIT}, tell=tell)


def end_to_end(data: DataSet, options: Options, answering: Answering, tell: Callable[[str], None]) -> Conducted:
    """Measure what recall finds, and what a reader answers from it."""
    knobs, read = answering.knobs, answering.reader
    judge: Judge = OfflineJudge()
    if answering.judge is not None:
        judge = ModelJudge(answering.judge.chat("judge-url"), answering.votes)
    method = EndToEnd(
        ranking=options.ranking,
        fusion=options.fusion,
        top_k=knobs.top_k,
        reader=None if read is None else Reader(read.chat("reader-url"), knobs),
        judge=judge,
    )
    settings: dict[str, Any] = {"mode": "evidence", "tier": answering.tier, "top_k": knobs.top_k}
    if read is not None:
        settings |= {
            "mode": "answers",
            "reader_url": read.url,
            "reader_model": read.model,
            "preference_mode": knobs.preference_mode,
            "answer_first": knobs.answer_first,
            "max_output_tokens": knobs.max_output_tokens,
            "judge": "offline" if answering.judge is None else "model",
            "judge_url": None if answering.judge is None else answering.judge.url,
            "judge_model": None if answering.judge is None else answering.judge.model,
            "judge_votes": None if answering.judge is None else answering.votes,
            "price_in": answering.prices.tokens_in,
            "price_out": answering.prices.tokens_out,
        }
    return _conduct(data, options, method, settings, tell=tell, prices=answering.prices)


def _conduct(
    data: DataSet,
    options: Options,
    method: Method,
    own: dict[str, Any],
    *,
    tell: Callable[[str], None],
    prices: Prices = NO_PRICES,
) -> Conducted:
    selection = select(data, needs_gold=method.needs_gold, seed=options.seed, limit=options.limit)
    with embedder(options.embeddings) as chosen:
        settings = {
            "data": data.name,
            "digest": data.digest,
            **own,
            "ranking": options.ranking,
            "fusion": options.fusion,
            "seed": options.seed,
            "limit": options.limit,
            "embedder": str(chosen.signature),
            "token_vectors": bool(getattr(chosen, "gives_tokens", True)),
            "cortex": version("cortex-agent-memory"),
        }
        with Run(options.out, settings, resume=options.resume) as run:
            rows = measure(data, selection, method, run, embedder=chosen, tell=tell)
    if own["mode"] == "comparison":
        result = report.comparison(rows, selection.left_out, options.seed)
    elif own["mode"] == "ablation":
        result = ablation(_of_the_overall(data, rows), selection.left_out, options.seed)
    else:
        result = report.summary(data, rows, selection.left_out, prices)
    run.write("report.md", show.as_markdown(result, settings))
    run.write("report.svg", show.as_svg(result))
    run.write("report.json", json.dumps({**result, "settings": settings}, indent=2) + "\n")
    told = {**result, "ranking": options.ranking, "fusion": options.fusion, "settings": settings}
    told["latency_ms"] = report.latency(run.timings)
    return Conducted(result=told, rows=rows, failed=sum("failed" in row for row in rows))


def _of_the_overall(data: DataSet, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if data.overall is None or row["group"] in data.overall]


@contextmanager
def embedder(place: str | None) -> Iterator[Embedder]:
    """The embedder of the settings, behind the cache in a file unless that is `NO_CACHE`."""
    inner = configured_embedder()
    if place == NO_CACHE:
        yield inner
        return
    usual = Path(platformdirs.user_cache_dir("cortex", appauthor=False), "embeddings.db")
    with CachedEmbedder(inner, usual if place is None else place) as cached:
        yield Unowned(cached)


class Unowned:
    """An embedder that only embeds: the memories of an evaluation last as long as its run, so the cache is not told
    of them, and what it has stays.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def signature(self) -> EmbeddingSignature:
        """That of the embedder behind."""
        return self._inner.signature

    @property
    def gives_tokens(self) -> bool:
        """Whether the embedder behind was told to give vectors of tokens."""
        return bool(getattr(self._inner, "gives_tokens", True))

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """The embedder's answer."""
        return self._inner.embed(texts)
