"""The order of the answer is that of the formulas, whatever the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex import Cortex, EmbeddingSignature, EmbedResult, Memory, Recall
from cortex.core.text import analyse, analyse_query, embedding_text, lexical_text
from cortex.errors import InvalidInput
from cortex.testing import FakeEmbedder
from tests.engine.support import Bench, found

WORDS = "tea coffee water milk juice ada bob grace morning evening never always".split()

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


class ScatteredEmbedder:
    """Gives every text a direction of its own, so that no two similarities are equal."""

    signature = EmbeddingSignature("scattered", 16)

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """A unit vector that depends on the whole text."""
        vectors = np.zeros((len(texts), 16), dtype=np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
            drawn = np.random.default_rng(seed).normal(size=16)
            vectors[row] = drawn / np.linalg.norm(drawn)
        return EmbedResult(vectors, len(texts))


# --- the reference ------------------------------------------------------------------------------------

Leg = list[tuple[int, float]]  # (seq, score), best first


def dense_leg(memories: Sequence[Memory], query: str, size: int) -> Leg:
    """The most similar memories by cosine."""
    embedder = ScatteredEmbedder()
    asked = embedder.embed([query]).vectors[0]
    vectors = embedder.embed([embedding_text(m.content, m.speaker) for m in memories]).vectors
    return best(memories, [float(vector @ asked) for vector in vectors], size)


def lexical_leg(memories: Sequence[Memory], query: str, size: int) -> Leg:
    """The best memories by Okapi BM25, k1 = 1.5, b = 0.75, in single precision as stores keep it."""
    documents = [Counter(analyse(lexical_text(m.content, m.speaker, m.event_time))) for m in memories]
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / len(lengths)
    scores = np.zeros(len(memories), dtype=np.float32)
    for term in analyse_query(query):
        frequency = sum(term in document for document in documents)
        idf = log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
        for i, document in enumerate(documents):
            if term in document:
                count = np.float32(document[term])
                norm = count + np.float32(1.5 * 0.25) + np.float32(1.5 * 0.75 / mean) * np.float32(lengths[i])
                scores[i] += np.float32(idf * 2.5) * count / norm
    found = best(memories, scores.tolist(), size)
    return [(seq, score) for seq, score in found if score > 0]


def best(memories: Sequence[Memory], scores: Sequence[float], size: int) -> Leg:
    """The first of the list by falling score, ties by rising seq."""
    ranked = sorted(zip(memories, scores, strict=True), key=lambda pair: (-pair[1], pair[0].seq))
    return [(memory.seq, score) for memory, score in ranked[:size]]


def rrf(legs: Sequence[Leg], limit: int) -> list[tuple[int, float]]:
    """Reciprocal rank fusion with constant 60 and ranks from 1."""
    total: dict[int, float] = {}
    for leg in legs:
        for rank, (seq, _) in enumerate(leg, start=1):
            total[seq] = total.get(seq, 0.0) + 1 / (60 + rank)
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))[:limit]


class TestReference:
    @given(
        contents=st.lists(texts, min_size=1, max_size=40, unique=True),
        query=texts,
        limit=st.sampled_from([1, 2, 5, 50]),
    )
    @settings(max_examples=80)
    def test_the_ranking_is_that_of_the_formulas(self, contents: list[str], query: str, limit: int) -> None:
        """Hits, ranks and scores equal those of a brute-force implementation over all memories."""
        cortex = Bench(embedder=ScatteredEmbedder()).engine()
        cortex.memorize_many(contents)
        memories = cortex.list_memories(limit=1000, order="oldest").memories
        legs = {"dense": dense_leg(memories, query, 4 * limit), "lexical": lexical_leg(memories, query, 4 * limit)}
        expected = rrf(list(legs.values()), limit)
        answer = cortex.recall(query, limit=limit, fusion="rrf")
        assert [hit.memory.seq for hit in answer.hits] == [seq for seq, _ in expected]
        assert [hit.score for hit in answer.hits] == pytest.approx([score for _, score in expected], abs=1e-9)
        for hit in answer.hits:
            for name, leg in legs.items():
                place = next(((i, s) for i, (seq, s) in enumerate(leg, 1) if seq == hit.memory.seq), None)
                part = hit.parts.get(name)
                assert (None if part is None else part.rank) == (None if place is None else place[0])
                if part and place:
                    assert part.score == pytest.approx(place[1], abs=1e-4)

    @given(data=st.data())
    @settings(max_examples=25)
    def test_it_stays_so_while_memories_come_and_go(self, data: st.DataObject) -> None:
        """An engine that followed every change ranks as one that opens the store anew, to the last digit."""
        bench = Bench(embedder=ScatteredEmbedder())
        cortex = bench.engine()
        for number in range(data.draw(st.integers(3, 12))):
            living = cortex.list_memories(limit=1000).memories
            match data.draw(st.sampled_from(["add", "add", "update", "forget", "archive"])):
                case "update" if living:
                    chosen = data.draw(st.sampled_from(living))
                    cortex.update(chosen.id, content=f"{data.draw(texts)} v{number}")
                case "forget" if living:
                    cortex.forget(data.draw(st.sampled_from(living)).id)
                case "archive" if living:
                    cortex.update(data.draw(st.sampled_from(living)).id, expires_at="2020-01-01")
                case _:
                    cortex.memorize_many(f"{text} n{number}" for text in data.draw(st.lists(texts, max_size=4)))
            query = data.draw(texts)
            followed, anew = (one.recall(query, limit=3) for one in (cortex, bench.engine()))
            assert _facts(followed) == pytest.approx(_facts(anew))

    def test_a_small_cache_changes_no_ranking(self) -> None:
        """Shelves that are dropped and read again give the same answers."""
        small, large = Bench(cache_bytes=1), Bench()
        for bench in (small, large):
            cortex = bench.engine()
            for i in range(60):
                cortex.memorize(f"{WORDS[i % 12]} {WORDS[i % 7]} {i}", scope=f"project:{i % 5}")
        for i in range(20):
            scopes = [f"project:{i % 5}", f"project:{(i + 1) % 5}"]
            answers = [bench.engine().recall(WORDS[i % 12], scope=scopes, limit=7) for bench in (small, large)]
            assert _facts(answers[0]) == _facts(answers[1])


def _facts(answer: Recall) -> list[Any]:
    return [value for hit in answer.hits for value in (hit.memory.seq, hit.score, *_ranks(hit.parts))]


def _ranks(parts: Any) -> list[int]:
    return [parts[name].rank if name in parts else 0 for name in ("dense", "lexical")]


class TestTies:
    @pytest.mark.parametrize("number", [2, 3, 7, 16, 33, 100, 257])
    def test_equals_stand_in_the_order_they_were_written(self, number: int) -> None:
        """Memories with the same vector and the same words come by earlier seq."""
        cortex = Bench().engine()
        cortex.memorize_many({"content": "tea with milk and sugar", "position": i} for i in range(number))
        answer = cortex.recall("milk in tea", limit=1000)
        positions = [hit.memory.position for hit in answer.hits]
        assert positions == list(range(number))
        assert [hit.parts["dense"].rank for hit in answer.hits] == list(range(1, number + 1))

    def test_equals_stay_in_order_among_others(self) -> None:
        """The place of a memory in the arrays does not change its score."""
        cortex = Bench(embedder=FakeEmbedder(dim=384)).engine()
        rest = "alpha beta gamma delta epsilon zeta eta theta".split()
        for i in range(120):
            cortex.memorize("ada drinks green tea with milk", position=i)
            cortex.memorize(f"{rest[i % 8]} {rest[i % 5]} {i} tea")
        answer = cortex.recall("green tea milk", limit=1000)
        same = [hit for hit in answer.hits if hit.memory.position is not None]
        assert [hit.memory.position for hit in same] == list(range(120))
        assert len({hit.parts["dense"].score for hit in same}) == 1

    def test_two_recalls_are_equal(self, cortex: Cortex) -> None:
        """Asking again gives the same answer to the last digit."""
        cortex.memorize_many(f"{a} {b}" for a in WORDS for b in WORDS)
        assert cortex.recall("tea never", limit=50, explain=True) == cortex.recall("tea never", limit=50, explain=True)


class TestLimit:
    @pytest.fixture(autouse=True)
    def _memories(self, cortex: Cortex) -> None:
        cortex.memorize_many(f"tea number {i}" for i in range(30))

    def test_the_default_is_five(self, cortex: Cortex) -> None:
        """A recall gives five hits unless it says otherwise."""
        assert len(cortex.recall("tea").hits) == 5
        assert cortex.recall("tea").limit == 5

    @pytest.mark.parametrize(("limit", "hits"), [(1, 1), (29, 29), (30, 30), (1000, 30), (5000, 30)])
    def test_it_is_obeyed(self, cortex: Cortex, limit: int, hits: int) -> None:
        """Up to the limit and never more; above 1000 means 1000."""
        answer = cortex.recall("tea", limit=limit)
        assert len(answer.hits) == hits
        assert answer.limit == min(limit, 1000)
        assert len({hit.memory.id for hit in answer.hits}) == hits

    @pytest.mark.parametrize("limit", [0, -1, True, False, 2.5, 5.0, "5", [5], float("nan")])
    def test_a_wrong_one_is_refused(self, cortex: Cortex, limit: Any) -> None:
        """Zero, negatives and what is no whole number are errors that name the range."""
        for verb in (lambda: cortex.recall("tea", limit=limit), lambda: cortex.list_memories(limit=limit)):
            with pytest.raises(InvalidInput, match="1 or more"):
                verb()

    def test_a_small_limit_is_the_top_of_a_large_one(self, cortex: Cortex) -> None:
        """The best hit is the best hit, however many are asked for."""
        assert found(cortex.recall("tea number 17", limit=1)) == ["tea number 17"]
        assert found(cortex.recall("tea number 17", limit=1000))[0] == "tea number 17"


class TestFusion:
    def test_minmax_goes_by_score(self, cortex: Cortex) -> None:
        """The other fusion adds each leg's scores, moved to [0, 1], in equal parts."""
        cortex.memorize_many(["green tea", "black tea", "milk"])
        answer = cortex.recall("green tea", fusion="minmax")
        assert answer.fusion == "minmax"
        assert answer.hits[0].score == pytest.approx(1.0)
        assert found(answer)[0] == "green tea"

    @pytest.mark.parametrize(("name", "value"), [("fusion", "best"), ("ranking", "magic")])
    def test_an_unknown_one_is_refused(self, cortex: Cortex, name: str, value: str) -> None:
        """An unknown fusion or ranking is an error that lists the known ones."""
        options: dict[str, Any] = {name: value}
        with pytest.raises(InvalidInput, match="expected one of"):
            cortex.recall("tea", **options)
