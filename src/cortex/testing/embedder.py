"""An embedder without a model: texts that share words are near, and it fails when it is told to."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import assert_never

import numpy as np

from cortex.errors import EmbedderError
from cortex.model.embedding import EmbeddingSignature, EmbedResult, FloatArray

_WORD = re.compile(r"\w+")


class Failure(StrEnum):
    """A way in which an embedder can go wrong."""

    RAISE = "raise"
    NAN = "nan"
    LENGTH = "length"
    COUNT = "count"
    EMPTY = "empty"


class FakeEmbedder:
    """An `Embedder` that is offline, instant and deterministic: each word of a text counts in one dimension.

    ``fail``: how every call goes wrong until it is set to None. ``script``: what the next calls do, one
    entry a call, before ``fail`` decides; None in it is a call that works. ``calls``: the texts of each call.
    """

    def __init__(
        self,
        *,
        dim: int = 64,
        model: str = "fake",
        revision: str = "1",
        fail: Failure | None = None,
        script: Iterable[Failure | None] = (),
    ) -> None:
        self._signature = EmbeddingSignature(model, dim, revision)
        self.fail = fail
        self.script = deque(script)
        self.calls: list[tuple[str, ...]] = []

    @property
    def signature(self) -> EmbeddingSignature:
        """Model, dimension and revision."""
        return self._signature

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """One unit vector a text, in order, unless told to fail."""
        self.calls.append(tuple(texts))
        failure = self.script.popleft() if self.script else self.fail
        dim = self._signature.dim
        vectors = np.array([_vector(text, dim) for text in texts], dtype=np.float32).reshape(-1, dim)
        tokens = sum(len(_words(text)) for text in texts)
        return EmbedResult(_spoilt(vectors, failure), tokens)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold()) or [text]


def _vector(text: str, dim: int) -> FloatArray:
    counts = np.zeros(dim, dtype=np.float32)
    for word in _words(text):
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        counts[int.from_bytes(digest, "big") % dim] += 1
    unit: FloatArray = counts / np.linalg.norm(counts)
    return unit


def _spoilt(vectors: FloatArray, failure: Failure | None) -> FloatArray:
    match failure:
        case None:
            return vectors
        case Failure.RAISE:
            raise EmbedderError("the fake embedder was told to fail")
        case Failure.NAN:
            return np.full_like(vectors, np.nan)
        case Failure.LENGTH:
            return vectors[:, :-1]
        case Failure.COUNT:
            return vectors[:-1]
        case Failure.EMPTY:
            return vectors[:0]
        case _:
            assert_never(failure)
