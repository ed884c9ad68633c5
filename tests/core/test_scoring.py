"""Ranking, fusing and comparing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from cortex.core.scoring.fusion import RRF_K, fuse, parts, pool
from cortex.core.scoring.rank import Ranked, merge, top
from cortex.core.scoring.similarity import NOTHING, Pieces, encode, unit
from cortex.model.query import Fusion
from cortex.model.score import LegScore

few = st.sampled_from([float("-inf"), -1.0, 0.0, 0.25, 0.5, 1.0])


def scattered(
    pieces: Pieces, query: npt.NDArray[np.float32], k: int, mask: npt.NDArray[np.bool_] | None
) -> npt.NDArray[np.float32]:
    """What `nearest` says, at the place of each row; -inf for those that cannot be among the best."""
    rows, cosines = pieces.nearest(query, k, mask)
    scores = np.full(pieces.rows, NOTHING, dtype=np.float32)
    scores[rows] = cosines
    return scores


def best_pieces(
    vectors: npt.NDArray[np.float32], owners: npt.NDArray[np.int32] | None, rows: int, query: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The similarity of every row, none of them hidden."""
    return scattered(Pieces(vectors, encode(vectors), owners, rows), query, rows, None)


def ranked(*seqs: int) -> Ranked:
    """A list with falling scores."""
    return Ranked(seqs, tuple(float(-place) for place in range(len(seqs))))


class TestTop:
    @given(scores=st.lists(few, max_size=40), k=st.integers(1, 45), above=st.sampled_from([float("-inf"), 0.0]))
    def test_it_is_the_beginning_of_the_sorted_list(self, scores: list[float], k: int, above: float) -> None:
        """The k best by falling score, ties by rising seq, none at or below the threshold."""
        seqs = [(place * 7919) % 104_729 for place in range(1, len(scores) + 1)]
        pairs = sorted((-score, seq) for score, seq in zip(scores, seqs, strict=True) if score > above)[:k]
        found = top(np.array(scores, dtype=np.float32), np.array(seqs, dtype=np.int64), k, above)
        assert found == Ranked(tuple(seq for _, seq in pairs), tuple(-score for score, _ in pairs))

    @given(
        lists=st.lists(st.lists(few.filter(lambda s: s > -2), max_size=10), min_size=1, max_size=4),
        k=st.integers(1, 12),
    )
    def test_merging_is_ranking_together(self, lists: list[list[float]], k: int) -> None:
        """The best of several scopes are the best of all their memories."""
        seqs = iter(range(100))
        rows = [[(score, next(seqs)) for score in scores] for scores in lists]
        tops = [
            top(np.array([s for s, _ in row], np.float32), np.array([q for _, q in row], np.int64), k, -2.0)
            for row in rows
        ]
        together = sorted((-score, seq) for row in rows for score, seq in row if score > -2)[:k]
        assert merge(tops, k) == Ranked(tuple(seq for _, seq in together), tuple(-score for score, _ in together))

    @given(seed=st.integers(0, 2**32), levels=st.sampled_from([2, 10, 1000]), k=st.sampled_from([1, 3, 20]))
    @settings(max_examples=40)
    def test_many_scores_are_ranked_as_few(self, seed: int, levels: int, k: int) -> None:
        """In a long list too, with many equals and many hidden rows, the best are the best."""
        draw = np.random.default_rng(seed)
        scores = (draw.integers(0, levels, 3000) / levels).astype(np.float32)
        scores[draw.random(3000) < 0.5] = -np.inf
        seqs = draw.permutation(3000).astype(np.int64)
        expected = sorted((-score, seq) for score, seq in zip(scores.tolist(), seqs.tolist(), strict=True) if score > 0)
        assert top(scores, seqs, k, 0.0).seqs == tuple(seq for _, seq in expected[:k])

    def test_ties_at_the_edge_go_to_the_earlier(self) -> None:
        """Of equals of which only some have a place, the earlier ones have it."""
        found = top(np.ones(100, dtype=np.float32), np.arange(100, 0, -1), 3, 0.0)
        assert found.seqs == (1, 2, 3)


class TestFuse:
    def test_rrf(self) -> None:
        """A candidate's score is the sum of 1 / (60 + rank) over the legs that found it."""
        assert RRF_K == 60
        fused = fuse({"dense": ranked(3, 1), "lexical": ranked(1, 2)}, Fusion.RRF)
        assert fused == [(1, 1 / 62 + 1 / 61), (3, 1 / 61), (2, 1 / 62)]

    def test_ties_go_to_the_earlier(self) -> None:
        """Equal scores stand in the order in which the memories were written."""
        fused = fuse({"dense": ranked(9, 2), "lexical": ranked(2, 9)}, Fusion.RRF)
        assert [seq for seq, _ in fused] == [2, 9]

    def test_minmax(self) -> None:
        """Scores of each leg are moved to [0, 1] and count the same; equals count 1."""
        legs = {"dense": Ranked((1, 2, 3), (4.0, 3.0, 2.0)), "lexical": Ranked((2, 3), (5.0, 5.0))}
        assert fuse(legs, Fusion.MINMAX) == [(2, 0.75), (1, 0.5), (3, 0.5)]

    def test_calibrated(self) -> None:
        """Four fifths of the cubed cosine, a fifth of BM25 as a share of the best; what points away is nothing."""
        legs = {"dense": Ranked((1, 2, 3), (1.0, 0.5, -0.5)), "lexical": Ranked((2, 4), (8.0, 2.0))}
        assert fuse(legs, Fusion.CALIBRATED) == [(1, 0.8), (2, pytest.approx(0.3)), (4, 0.05), (3, 0)]
        assert fuse({"dense": Ranked((7,), (0.5,))}, Fusion.CALIBRATED) == [(7, 0.1)]

    def test_what_looks_all_alike_decides_nothing(self) -> None:
        """Cosines that lie close together, as those of a language that the model does not know, yield to words."""
        legs = {"dense": Ranked((1, 2, 3), (0.86, 0.85, 0.84)), "lexical": Ranked((3,), (0.1,))}
        assert fuse(legs, Fusion.CALIBRATED)[0][0] == 3

    @pytest.mark.parametrize(("fusion", "size"), [("rrf", 20), ("minmax", 20), ("calibrated", 60)])
    def test_each_leg_brings_enough(self, fusion: Fusion, size: int) -> None:
        """Four times the limit; scores that are added up as they are need more to be complete."""
        assert pool(5, Fusion(fusion)) == size
        assert pool(500, Fusion(fusion)) == 2000

    @given(
        legs=st.dictionaries(st.sampled_from(["dense", "lexical"]), st.lists(st.integers(1, 20), unique=True)),
        fusion=st.sampled_from(Fusion),
    )
    def test_nobody_is_lost_or_repeated(self, legs: dict[str, list[int]], fusion: Fusion) -> None:
        """Every candidate of every leg is there once, best first."""
        fused = fuse({name: ranked(*seqs) for name, seqs in legs.items()}, fusion)
        assert sorted(seq for seq, _ in fused) == sorted({seq for seqs in legs.values() for seq in seqs})
        assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))

    def test_parts(self) -> None:
        """Each leg's rank and score of the candidates asked for, from the legs that found them."""
        legs = {"dense": ranked(3, 1), "lexical": ranked(1, 2)}
        assert parts(legs, [1, 3, 9]) == {
            1: {"dense": LegScore(2, -1.0), "lexical": LegScore(1, 0.0)},
            3: {"dense": LegScore(1, 0.0)},
            9: {},
        }

    def test_no_leg_no_candidate(self) -> None:
        """Nothing found is an empty list, whatever the fusion."""
        for fusion in Fusion:
            assert fuse({}, fusion) == fuse({"dense": ranked()}, fusion) == []

    def test_the_pool_is_four_times_the_limit(self) -> None:
        """Each leg supplies four candidates for one hit."""
        assert [pool(limit, Fusion.RRF) for limit in (1, 5, 1000)] == [4, 20, 4000]


class TestSimilarity:
    @pytest.mark.parametrize(
        "vectors",
        [
            np.ones((0, 4), np.float32),
            np.ones(4, np.float32),
            np.ones((1, 1, 4), np.float32),
            np.ones((1, 3), np.float32),
            np.ones((1, 4), np.int64),
            np.ones((1, 4), np.bool_),
            np.array([["a"] * 4]),
            np.array([[None] * 4]),
            np.zeros((1, 4), np.float32),
            np.array([[1, 1, 1, np.nan]], np.float32),
            np.array([[1, 1, 1, np.inf]], np.float32),
            np.array([[np.inf, -np.inf, 0, 0]], np.float32),
            np.array([[1, 1, 1, 1], [0, 0, 0, 0]], np.float32),
        ],
        ids=range(13),
    )
    def test_what_cannot_be_compared_is_refused(self, vectors: Any) -> None:
        """No rows, another length, no numbers, nothing but zeros or no finite value: no vectors."""
        assert unit(vectors, 4) is None

    @given(
        npst.arrays(
            st.sampled_from([np.float16, np.float32, np.float64]), (3, 5), elements=st.floats(0.125, 64, width=16)
        )
    )
    def test_unit(self, vectors: Any) -> None:
        """Rows of any float type have length 1 and keep their direction; a unit vector stays as it is."""
        exact = vectors.astype(np.float64)
        scaled = unit(vectors, 5)
        assert scaled is not None
        assert scaled.dtype == np.float32
        assert scaled.flags.c_contiguous
        assert scaled == pytest.approx(exact / np.linalg.norm(exact, axis=1, keepdims=True), abs=1e-5)
        again = unit(scaled, 5)
        assert again is not None
        assert np.array_equal(again, scaled)

    def test_tiny_and_huge_vectors_have_a_direction(self) -> None:
        """Lengths that single precision cannot square are scaled all the same."""
        vectors = np.array([[3e-30, 4e-30], [3e30, 4e30]], dtype=np.float32)
        scaled = unit(vectors, 2)
        assert scaled is not None
        assert scaled == pytest.approx(np.array([[0.6, 0.8]] * 2), abs=1e-6)

    def test_a_score_does_not_depend_on_its_place(self) -> None:
        """The same vector has the same score to the last bit, wherever it stands and among however many."""
        drawn = np.random.default_rng(1).normal(size=(2, 384)).astype(np.float32)
        vectors = unit(drawn, 384)
        assert vectors is not None
        for rows in (1, 2, 3, 5, 8, 31, 257):
            scores = best_pieces(np.repeat(vectors[:1], rows, axis=0), None, rows, vectors[1])
            assert set(scores.tolist()) == {best_pieces(vectors[:1], None, 1, vectors[1])[0].item()}

    @given(owners=st.lists(st.integers(0, 5), max_size=12), data=st.data())
    def test_a_memory_counts_by_its_best_piece(self, owners: list[int], data: st.DataObject) -> None:
        """The score of a row is that of its best piece; without pieces it is minus infinity."""
        values = st.floats(-1, 1, width=16)
        shape = (len(owners), 3)
        pieces = data.draw(npst.arrays(np.float32, shape, elements=values))
        query = data.draw(npst.arrays(np.float32, 3, elements=values))
        scores = best_pieces(pieces, np.array(sorted(owners), dtype=np.int32), 6, query)
        for row in range(6):
            own = [float(pieces[i] @ query) for i, owner in enumerate(sorted(owners)) if owner == row]
            assert scores[row] == pytest.approx(max(own, default=float(NOTHING)), abs=1e-5)

    def test_one_piece_each_needs_no_owners(self) -> None:
        """Without owners piece i is that of row i."""
        pieces = np.eye(3, dtype=np.float32)
        assert best_pieces(pieces, None, 3, pieces[1]).tolist() == [0.0, 1.0, 0.0]


class TestCodes:
    @pytest.mark.parametrize("clusters", [0, 1, 30], ids=["anywhere", "one cluster", "thirty clusters"])
    @pytest.mark.parametrize("pieces_each", [1, 3], ids=["one piece", "three pieces"])
    @pytest.mark.parametrize("masked", [False, True], ids=["all", "half hidden"])
    def test_codes_change_nothing(self, clusters: int, pieces_each: int, masked: bool) -> None:
        """Among many the k best by codes are the k best in full, with the same scores to the last digit."""
        random = np.random.default_rng(clusters)
        rows = 6000 // pieces_each
        vectors = spread(random, rows * pieces_each, clusters)
        owners = None if pieces_each == 1 else np.repeat(np.arange(rows, dtype=np.int32), pieces_each)
        mask = random.random(rows) < 0.5 if masked else None
        seqs = np.arange(rows, dtype=np.int64)
        for query in spread(random, 10, clusters):
            full = np.full(rows, NOTHING, dtype=np.float32)
            np.maximum.at(full, np.arange(rows) if owners is None else owners, np.vecdot(vectors, query))
            full = full if mask is None else np.where(mask, full, NOTHING)
            for k in (1, 20, 200):
                ours = scattered(Pieces(vectors, encode(vectors), owners, rows), query, k, mask)
                assert top(ours, seqs, k, float(NOTHING)) == top(full, seqs, k, float(NOTHING))

    def test_equal_vectors_are_all_found(self) -> None:
        """Ties are not lost: of many equal vectors the earliest come first."""
        vectors = np.repeat(np.eye(8, dtype=np.float32)[:1], 5000, axis=0)
        ours = scattered(Pieces(vectors, encode(vectors), None, 5000), vectors[0], 20, None)
        assert top(ours, np.arange(5000, dtype=np.int64), 20, float(NOTHING)).seqs == tuple(range(20))


def spread(random: np.random.Generator, size: int, clusters: int) -> npt.NDArray[np.float32]:
    """Unit vectors, near some centres or anywhere."""
    vectors = random.normal(size=(size, 384))
    if clusters:
        vectors = (
            0.2 * vectors + np.random.default_rng(7).normal(size=(clusters, 384))[random.integers(clusters, size=size)]
        )
    found = unit(vectors, 384)
    assert found is not None
    return found
