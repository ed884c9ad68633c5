"""Seeded synthetic memories: clustered unit vectors, and texts of pseudo-words with a natural skew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from zlib import crc32

import numpy as np
import numpy.typing as npt

from cortex import EmbeddingSignature, EmbedResult

DIM = 384
_CLUSTERS = 200
_SPREAD = 0.7
_WORDS = 20_000
_OF_WORDS = np.random.default_rng(0).normal(size=(997, 64)).astype(np.float32)
_SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split()


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Texts with their vectors, float32 [n, dim]; and questions with theirs."""

    texts: tuple[str, ...]
    vectors: npt.NDArray[np.float32]
    questions: tuple[str, ...]
    question_vectors: npt.NDArray[np.float32]


class GivenVectors:
    """An embedder that looks up vectors made before, so that embedding costs nothing."""

    def __init__(self, *collections: Collection, signature: EmbeddingSignature | None = None) -> None:
        self.signature = signature or EmbeddingSignature("synthetic", DIM)
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}
        for collection in collections:
            self._vectors.update(zip(collection.texts, collection.vectors, strict=True))
            self._vectors.update(zip(collection.questions, collection.question_vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """The vectors of known texts."""
        found = [self._vectors[text] for text in texts]
        return EmbedResult(found[0][None] if len(found) == 1 else np.stack(found), tokens=len(texts))


class GivenTokens(GivenVectors):
    """The same, with a vector for each word, as a model gives one for each token."""

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """The vectors of known texts and of their words."""
        words = [text.split(" ") for text in texts]
        return replace(
            super().embed(texts),
            token_vectors=[_OF_WORDS[[crc32(word.encode()) % len(_OF_WORDS) for word in each]] for each in words],
            token_spans=[_spans(each) for each in words],
        )


def _spans(words: Sequence[str]) -> list[tuple[int, int]]:
    ends = list(accumulate((len(word) + 1 for word in words), initial=0))
    return [(start, end - 1) for start, end in pairwise(ends)]


def collection(size: int, questions: int, seed: int = 0) -> Collection:
    """``size`` texts of about 20 words and ``questions`` of 6, the same for the same seed."""
    random = np.random.default_rng(seed)
    words = np.array([_word(i) for i in range(_WORDS)])
    skew = 1.0 / np.arange(1, _WORDS + 1)
    rare = np.where(np.arange(_WORDS) < 50, 0.0, skew)
    centres = random.normal(size=(_CLUSTERS, DIM))
    return Collection(
        texts=_texts(random, words, skew, size, 20),
        vectors=_near(random, centres, size),
        questions=_texts(random, words, rare, questions, 6),
        question_vectors=_near(random, centres, questions),
    )


def _word(number: int) -> str:
    base, parts = len(_SYLLABLES), []
    for _ in range(3):
        number, place = divmod(number, base)
        parts.append(_SYLLABLES[place])
    return "".join(parts)


def _texts(
    random: np.random.Generator, words: npt.NDArray[np.str_], weights: npt.NDArray[np.float64], size: int, length: int
) -> tuple[str, ...]:
    chosen = random.choice(len(words), size=(size, length), p=weights / weights.sum())
    return tuple(" ".join(words[row]) for row in chosen)


def _near(random: np.random.Generator, centres: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float32]:
    vectors = centres[random.integers(len(centres), size=size)] + _SPREAD * random.normal(size=(size, DIM))
    unit: npt.NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit
