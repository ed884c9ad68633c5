"""The ranking `conversation` where embedders, imports and neighbours are not as they should be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from cortex import Cortex, EmbedResult, Recall
from cortex.model.memory import Clearance
from cortex.testing import FakeEmbedder
from tests.engine.support import Bench, kept

TALK = (
    "The harbour office moved to Oslo",
    "When does it open?",
    "At nine in the morning",
    "We sell small boats there",
    "Green tea for everyone",
)
QUESTION = "when does the harbour office open?"
WORDS = np.random.default_rng(5).normal(size=(997, 64)).astype(np.float32)


class Tokens(FakeEmbedder):
    """Vectors for words too, ``width`` numbers each; ``spoil`` may change what is answered."""

    def __init__(self, width: int = 16, spoil: Callable[[Any], Any] = lambda answer: answer) -> None:
        super().__init__()
        self.width = width
        self.spoil = spoil

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """As a model would."""
        words = [list(re.finditer(r"\w+", text)) for text in texts]
        spans = [[word.span() for word in each] for each in words]
        vectors = [
            np.array([WORDS[crc32(word.group().casefold().encode()) % 997, : self.width] for word in each])
            for each in words
        ]
        plain = super().embed(texts)
        answer: EmbedResult = self.spoil(replace(plain, token_vectors=vectors, token_spans=spans))
        return answer


def talk(cortex: Any, **fields: Any) -> list[str]:
    """One session, ten positions apart; the ids."""
    items = [
        {"content": text, "session": "s", "position": 10 * place, "speaker": "Ada", **fields}
        for place, text in enumerate(TALK)
    ]
    return [kept(receipt.id) for receipt in cortex.memorize_many(items)]


def scores(answer: Recall) -> list[tuple[str, float]]:
    """What was found, and how well."""
    return [(hit.memory.content, hit.score) for hit in answer.hits]


def test_a_question_of_any_length_is_answered() -> None:
    """More tokens than are kept of a memory."""
    with Cortex(":memory:", embedder=Tokens()) as cortex:
        talk(cortex)
        asked = cortex.recall("harbour office Oslo nine morning " * 90, ranking="conversation")
        assert "late_context" in asked.legs
        assert len(asked.hits) == len(TALK)


HIDDEN: dict[str, dict[str, Any]] = {
    "expired": {"expires_at": "2020-01-01"},
    "not yet valid": {"valid_from": "2090-01-01"},
    "no longer valid": {"valid_to": "2020-01-01"},
    "restricted": {"clearance_min": "restricted"},
    "archived": {},
    "forgotten": {},
    "of another session": {"session": "t"},
}


@pytest.mark.parametrize("state", HIDDEN)
def test_a_hidden_turn_parts_nobody(state: str) -> None:
    """It stands between two that may be seen, and they are neighbours all the same: the order stays as it was."""
    bench = Bench(embedder=Tokens())
    owner, guest = bench.engine(), bench.engine(clearance=Clearance.INTERNAL)
    talk(owner)
    before = guest.recall(QUESTION, ranking="conversation", limit=20)
    fields = {"session": "s", "position": 5, "speaker": "Ada", **HIDDEN[state]}
    hidden = kept(owner.memorize("the secret word is xylophone", **fields).id)
    if state == "archived":
        owner.archive(hidden)
    if state == "forgotten":
        owner.forget(hidden)
    after = guest.recall(QUESTION, ranking="conversation", limit=20)
    seen = [pair for pair in scores(after) if "xylophone" not in pair[0]]
    assert [text for text, _ in seen] == [text for text, _ in scores(before)]
    # A memory that is active counts in the statistics of words; that moves all scores by a hair.
    assert [score for _, score in seen] == pytest.approx([score for _, score in scores(before)], abs=0.02)
    for one, other in zip(before.hits, (hit for hit in after.hits if hit.memory.id != hidden), strict=True):
        assert one.parts["late_context"].score == pytest.approx(other.parts["late_context"].score, abs=0.02)


@pytest.mark.parametrize("state", ["expired", "not yet valid", "restricted", "archived"])
def test_one_turn_among_hidden_ones_is_none(state: str) -> None:
    """Nothing that may be seen is a turn among others, so the answer is that of `relevance`."""
    bench = Bench(embedder=Tokens())
    owner, guest = bench.engine(), bench.engine(clearance=Clearance.INTERNAL)
    owner.memorize(TALK[0], session="s", position=0)
    hidden = kept(owner.memorize(TALK[1], session="s", position=1, **HIDDEN[state]).id)
    if state == "archived":
        owner.archive(hidden)
    owner.memorize("Green tea")
    told = guest.recall(QUESTION, ranking="conversation")
    assert [(hit.memory.id, hit.score, hit.parts) for hit in told.hits] == [
        (hit.memory.id, hit.score, hit.parts) for hit in guest.recall(QUESTION, ranking="relevance").hits
    ]


def test_a_filter_keeps_the_visible_together() -> None:
    """Those of one tag are neighbours of each other, as if there were no others."""
    with Cortex(":memory:", embedder=Tokens()) as cortex:
        for place, text in enumerate(TALK):
            cortex.memorize(text, session="s", position=2 * place, tags=["kept"])
            cortex.memorize(f"chatter number {place}", session="s", position=2 * place + 1)
        narrowed = cortex.recall(QUESTION, ranking="conversation", tags=["kept"])
        assert {hit.memory.content for hit in narrowed.hits[:2]} == {TALK[0], TALK[1]}
        assert narrowed.hits[0].parts["lexical_context"].score > narrowed.hits[2].parts["lexical_context"].score


SPOILT: dict[str, Callable[[Any], Any]] = {
    "no spans": lambda a: replace(a, token_spans=None),
    "too few spans": lambda a: replace(a, token_spans=[]),
    "spans None": lambda a: replace(a, token_spans=[None for _ in a.token_vectors or ()]),
    "spans of numbers": lambda a: replace(a, token_spans=[[5 for _ in each] for each in a.token_spans or ()]),
    "spans of text": lambda a: replace(a, token_spans=[[("a", "b") for _ in each] for each in a.token_spans or ()]),
    "spans in disorder": lambda a: replace(a, token_spans=[each[::-1] for each in a.token_spans or ()]),
    "spans elsewhere": lambda a: replace(a, token_spans=[[(10**30, -5) for _ in each] for each in a.token_spans or ()]),
    "width 0": lambda a: replace(a, token_vectors=[each[:, :0] for each in a.token_vectors or ()]),
    "several widths": lambda a: replace(a, token_vectors=[t[:, : 4 + len(t) % 3] for t in a.token_vectors or ()]),
    "NaN": lambda a: replace(a, token_vectors=[each * np.nan for each in a.token_vectors or ()]),
    "infinite": lambda a: replace(a, token_vectors=[np.full_like(each, np.inf) for each in a.token_vectors or ()]),
    "huge": lambda a: replace(a, token_vectors=[np.full_like(each, 3e38) for each in a.token_vectors or ()]),
    "huge in 64 bits": lambda a: replace(
        a, token_vectors=[t.astype(np.float64) * 1e300 for t in a.token_vectors or ()]
    ),
    "zero": lambda a: replace(a, token_vectors=[each * 0 for each in a.token_vectors or ()]),
    "whole numbers": lambda a: replace(a, token_vectors=[(each * 9).astype(int) for each in a.token_vectors or ()]),
    "text": lambda a: replace(a, token_vectors=[[["x"] * 4] for _ in a.token_vectors or ()]),
    "a number": lambda a: replace(a, token_vectors=5),
    "one flat list": lambda a: replace(a, token_vectors=[each.ravel() for each in a.token_vectors or ()]),
    "a scalar each": lambda a: replace(a, token_vectors=[7 for _ in a.token_vectors or ()]),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_bad_token_vectors_cost_nothing_but_themselves(kind: str, tmp_path: Path) -> None:
    """The vector of the text is kept, every ranking answers, and the memory can be exported and imported."""
    with Cortex(tmp_path / "a.db", embedder=Tokens(spoil=SPOILT[kind])) as cortex:
        talk(cortex)
        assert cortex.recall(QUESTION).pending == 0
        assert cortex.recall(QUESTION, ranking="relevance").degraded == ()
        answer = cortex.recall(QUESTION, ranking="conversation")
        assert len(answer.hits) == len(TALK)
        assert all(0 <= hit.score <= 1 for hit in answer.hits)
        lines = list(cortex.admin.export_lines())
        with Cortex(":memory:", embedder=Tokens()) as other:
            assert other.admin.import_lines(iter(lines)).refused == ()


def test_a_memory_of_another_token_width_does_without() -> None:
    """One line of an import, the first too, takes nothing from the others."""
    with Cortex(":memory:", embedder=Tokens()) as cortex:
        talk(cortex)
        lines = list(cortex.admin.export_lines())
    foreign = json.loads(lines[1])
    foreign["embedding"]["token_width"] = 8
    with Cortex(":memory:", embedder=Tokens()) as cortex:
        cortex.admin.import_lines([lines[0], json.dumps(foreign), *lines[2:]])
        parts = {hit.memory.content: hit.parts for hit in cortex.recall(QUESTION, ranking="conversation").hits}
        assert len(parts) == len(TALK)
        assert parts[TALK[1]]["late_context"].score > 0.4
    with Cortex(":memory:", embedder=Tokens(width=8)) as cortex:
        cortex.admin.import_lines(lines)
        assert len(cortex.recall(QUESTION, ranking="conversation").hits) == len(TALK)


def test_an_answer_does_not_depend_on_what_the_process_saw(tmp_path: Path) -> None:
    """Updated memories stand last in a warm cache and not in a fresh one; ties fall to the older all the same."""
    path = tmp_path / "a.db"
    with Cortex(path, embedder=Tokens()) as warm:
        ids = [
            kept(receipt.id)
            for receipt in warm.memorize_many(
                [
                    {
                        "content": "thanks a lot" if n % 2 else f"how about boat {n}",
                        "session": f"s{n // 40}",
                        "position": n,
                    }
                    for n in range(600)
                ]
            )
        ]
        warm.recall("thanks", ranking="conversation")
        for n in (1, 41, 3, 5, 81, 121):
            warm.update(ids[n], importance=9)
        warm.archive(ids[7])
        for question in ("who said thanks?", "how about boat 20", "a boat, thanks"):
            told = warm.recall(question, ranking="conversation", limit=10)
            with Cortex(path, embedder=Tokens()) as fresh:
                again = fresh.recall(question, ranking="conversation", limit=10)
            assert [(hit.memory.id, hit.score, hit.parts) for hit in told.hits] == [
                (hit.memory.id, hit.score, hit.parts) for hit in again.hits
            ]


def test_looking_back_shows_no_turn_that_came_later() -> None:
    """As of an instant before it was written it parts nobody either."""
    bench = Bench(embedder=Tokens())
    engine = bench.engine()
    talk(engine)
    then = bench.clock.now()
    before = scores(engine.recall(QUESTION, ranking="conversation", as_of=then))
    bench.clock.tick(timedelta(hours=1))
    engine.memorize("the secret word is xylophone", session="s", position=5)
    assert scores(engine.recall(QUESTION, ranking="conversation", as_of=then)) == before
