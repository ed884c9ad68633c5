"""What every embedder must do."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cortex.model.embedding import EmbeddingSignature, FloatArray
from cortex.ports import Embedder

TEXTS = (
    "Ada prefers tea in the morning.",
    "The deployment failed with error E1042.",
    "東京は日本の首都です。",
    "🧡",
    "a\nb\tc",
    "word " * 3000,
    "ß" * 200,
    "...",
)
# How far vectors of one text may differ that were computed in different company.
COMPANY = 1e-3


class EmbedderContract:
    """Tests of an embedder; a subclass gives the fixture ``embedder``."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError(f"{type(self).__name__} needs a fixture embedder")

    def test_it_satisfies_the_port(self, embedder: Embedder) -> None:
        """It has what the protocol asks for."""
        assert isinstance(embedder, Embedder)

    def test_its_signature_stays(self, embedder: Embedder) -> None:
        """The signature names a model and a dimension, before and after the first text."""
        before = embedder.signature
        embedder.embed(["text"])
        assert embedder.signature == before
        assert isinstance(before, EmbeddingSignature)
        assert before.model
        assert before.dim > 0

    def test_it_gives_one_vector_a_text(self, embedder: Embedder) -> None:
        """Any text gets a vector of the promised type and dimension."""
        result = embedder.embed(TEXTS)
        assert result.vectors.dtype == np.float32
        assert result.vectors.shape == (len(TEXTS), embedder.signature.dim)

    def test_its_vectors_have_unit_length(self, embedder: Embedder) -> None:
        """Vectors are finite and of length 1, so that their product is the cosine."""
        vectors = embedder.embed(TEXTS).vectors
        assert np.isfinite(vectors).all()
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)

    def test_no_text_gives_no_vector(self, embedder: Embedder) -> None:
        """An empty list is no error."""
        result = embedder.embed([])
        assert result.vectors.shape == (0, embedder.signature.dim)
        assert result.tokens == 0

    def test_it_repeats_itself(self, embedder: Embedder) -> None:
        """The same call gives the same bytes."""
        assert np.array_equal(embedder.embed(TEXTS).vectors, embedder.embed(TEXTS).vectors)

    def test_it_keeps_the_order(self, embedder: Embedder) -> None:
        """Each vector belongs to the text of its place, and company hardly changes it."""
        together = embedder.embed(TEXTS).vectors
        alone = np.concatenate([embedder.embed([text]).vectors for text in TEXTS])
        assert together == pytest.approx(alone, abs=COMPANY)
        backwards = embedder.embed(TEXTS[::-1]).vectors[::-1]
        assert backwards == pytest.approx(alone, abs=COMPANY)

    def test_it_keeps_different_texts_apart(self, embedder: Embedder) -> None:
        """A text is nearest to itself, and nearer to one that shares its words than to a strange one."""
        vectors = embedder.embed(["Ada drinks green tea", "green tea is what Ada drinks", "error in line 12"]).vectors
        similar: FloatArray = vectors @ vectors[0]
        assert similar[0] > similar[1] > similar[2]

    def test_it_counts_tokens(self, embedder: Embedder) -> None:
        """Tokens are counted, more for more text."""
        short, longer = embedder.embed(["tea"]).tokens, embedder.embed(["tea and coffee and water"]).tokens
        assert 0 < short < longer

    def test_its_token_vectors_fit(self, embedder: Embedder) -> None:
        """Where it gives token vectors, each text has its own, all as wide and finite."""
        result = embedder.embed(TEXTS)
        if result.token_vectors is None:
            return
        assert len(result.token_vectors) == len(TEXTS)
        assert len({tokens.shape[1] for tokens in result.token_vectors}) == 1
        assert all(np.isfinite(tokens).all() for tokens in result.token_vectors)

    def test_threads_may_share_it(self, embedder: Embedder) -> None:
        """Calls from several threads at once give what they give one by one."""
        alone = [embedder.embed([text]).vectors for text in TEXTS]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda text: embedder.embed([text]).vectors, TEXTS))
        assert np.concatenate(together) == pytest.approx(np.concatenate(alone), abs=COMPANY)
