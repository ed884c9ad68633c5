"""Asking the embedder, and what to do when it fails: nothing is lost, nothing bad is kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from cortex.core import keep
from cortex.core.redaction import reason
from cortex.core.scoring.late import compact
from cortex.core.scoring.similarity import unit
from cortex.core.text import telling
from cortex.engine.deps import Deps
from cortex.model.embedding import Embedding, EmbedResult, FloatArray
from cortex.model.memory import Draft, Memory
from cortex.model.quick import quickly_made
from cortex.ports import Embedder

Span = tuple[int, int]

LOADING = "the embedding model is still loading"


@quickly_made
@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors for each text asked for, None where there are none, and why."""

    vectors: list[Embedding | None]
    problem: str = ""


@quickly_made
@dataclass(frozen=True, slots=True)
class _Answer:
    """What an embedder really gave: one row a text, of whatever quality."""

    vectors: npt.NDArray[Any]
    token_vectors: list[FloatArray] | None
    token_spans: list[list[Span]] | None


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """The unit vector of a question, and the vectors and characters of its tokens; None for what there is not."""

    vector: FloatArray | None = None
    tokens: FloatArray | None = None
    spans: Sequence[Span] = ()
    problem: str = ""


def embed_memories(deps: Deps, memories: Sequence[Draft | Memory]) -> Embedded:
    """The embedding of each memory, equal pieces asked for once, in one call.

    Of the embedder as it is: the transaction that writes them decides whether the store searches by them.
    """
    return _embed(deps, deps.embedder, memories)


def embed_patiently(deps: Deps, memories: Sequence[Memory]) -> Embedded:
    """As `embed_memories`, where nobody waits: an embedder that can try longer does."""
    return _embed(deps, deps.patient or deps.embedder, memories)


def _embed(deps: Deps, embedder: Embedder, memories: Sequence[Draft | Memory]) -> Embedded:
    if not memories:
        return Embedded([])
    if not deps.wait and not deps.ready():
        return Embedded([None] * len(memories), LOADING)
    pieces = [keep.pieces(memory) for memory in memories]
    position: dict[str, int] = {}
    for group in pieces:
        for text in group:
            position.setdefault(text, len(position))
    answer = _ask(embedder, list(position))
    if isinstance(answer, str):
        return Embedded([None] * len(memories), answer)
    vectors = [_embedding(deps, answer, group, [position[text] for text in group]) for group in pieces]
    broken = sum([vector is None for vector in vectors])
    return Embedded(vectors, f"the embedder gave unusable vectors for {broken} texts" if broken else "")


def embed_owed(deps: Deps, memories: Sequence[Memory]) -> Embedded:
    """As `embed_patiently`, where the embedder is the one that the store searches by."""
    problem = _other_model(deps) if memories else ""
    return Embedded([None] * len(memories), problem) if problem else embed_patiently(deps, memories)


def prepare(deps: Deps) -> None:
    """Have the embedder ready soon, while the caller does what it can without: reading the store takes as long."""
    if deps.wait and not deps.ready():
        deps.prepare()


def embed_query(deps: Deps, text: str) -> EmbeddedQuery:
    """The vectors of a question, or the reason why there are none."""
    problem = LOADING if not deps.wait and not deps.ready() else _other_model(deps)
    if problem:
        return EmbeddedQuery(problem=problem)
    answer = _ask(deps.embedder, [text])
    if isinstance(answer, str):
        return EmbeddedQuery(problem=answer)
    vectors = unit(answer.vectors, deps.embedder.signature.dim)
    if vectors is None:
        return EmbeddedQuery(problem="the embedder gave an unusable vector for the query")
    if answer.token_vectors is None or answer.token_spans is None:
        return EmbeddedQuery(vectors[0])
    return EmbeddedQuery(vectors[0], answer.token_vectors[0], answer.token_spans[0])


def _other_model(deps: Deps) -> str:
    stored = deps.index.stored_signature()
    if stored is not None and stored != deps.embedder.signature:
        return (
            f"the vectors of this store are of {stored}, the embedder is {deps.embedder.signature}: "
            "use the embedder that made them, or make new ones: cortex reindex"
        )
    return ""


def _ask(embedder: Embedder, texts: list[str]) -> _Answer | str:
    try:
        answer = embedder.embed(texts)
        vectors = np.asarray(answer.vectors)
    except Exception as error:  # noqa: BLE001 - an embedder is the user's own code; whatever it raises, the text is kept
        return f"the embedder failed: {reason(error)}"
    if vectors.ndim != 2 or len(vectors) != len(texts):
        return f"the embedder answered with shape {vectors.shape} for {len(texts)} texts"
    tokens = _token_vectors(answer, len(texts))
    return _Answer(vectors, tokens, None if tokens is None else _token_spans(answer, tokens))


def _token_vectors(answer: EmbedResult, texts: int) -> list[FloatArray] | None:
    """One array a text, all of one width; None where there are none that can be used: a text does without."""
    given = getattr(answer, "token_vectors", None)
    if given is None:
        return None
    with suppress(TypeError, ValueError), np.errstate(over="ignore", invalid="ignore"):
        if len(given) != texts:
            return None
        arrays = [np.asarray(each, dtype=np.float32) for each in given]
        sound = all(each.ndim == 2 and each.shape[1] > 0 and np.isfinite(each).all() for each in arrays)
        return arrays if sound and len({each.shape[1] for each in arrays}) == 1 else None
    return None


def _token_spans(answer: EmbedResult, tokens: Sequence[FloatArray]) -> list[list[Span]] | None:
    """The characters of each token of each text; None where they do not fit the tokens."""
    with suppress(TypeError, ValueError):
        given = getattr(answer, "token_spans", None) or ()
        spans = [[(index(start), index(end)) for start, end in each] for each in given]
        return spans if [len(each) for each in spans] == [len(each) for each in tokens] else None
    return None


def _embedding(deps: Deps, answer: _Answer, texts: Sequence[str], rows: Sequence[int]) -> Embedding | None:
    signature = deps.embedder.signature
    of_one = len(answer.vectors) == len(rows) == 1  # the usual write
    pieces = unit(answer.vectors if of_one else answer.vectors.take(rows, axis=0), signature.dim)
    if pieces is None:
        return None
    if answer.token_vectors is None:
        return Embedding(signature, pieces)
    tokens = [_telling_tokens(answer, text, row) for text, row in zip(texts, rows, strict=True)]
    known = [each for each in tokens if each is not None]
    return Embedding(signature, pieces, compact(np.concatenate(known)) if known else None)


def _telling_tokens(answer: _Answer, text: str, row: int) -> FloatArray | None:
    """The vectors of the tokens of a text, without those of signs, which tell nothing: they are a fifth."""
    if answer.token_vectors is None:
        return None
    vectors = answer.token_vectors[row]
    return vectors if answer.token_spans is None else vectors[telling(text, answer.token_spans[row])]
