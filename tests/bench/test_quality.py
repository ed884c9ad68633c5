"""What recall finds in real conversations, on the part of LoCoMo that takes least time."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_bench.evaluation import conduct, locomo
from cortex_bench.evaluation.conduct import NO_CACHE, Options
from cortex_bench.evaluation.parts import DataSet


@pytest.fixture(scope="module")
def talk(eval_data: Path) -> DataSet:
    """The shortest conversation, 369 turns."""
    whole = locomo.read(eval_data / "locomo" / "locomo10.json")
    shortest = min(whole.parts(), key=lambda part: len(part.items))
    return DataSet(
        name=whole.name, parts=lambda: [shortest], digest=whole.digest, overall=whole.overall, groups=whole.groups
    )


@pytest.mark.slow
def test_conversation_finds_what_relevance_does_not(talk: DataSet) -> None:
    """Of the evidence .84 are among the first ten, .69 by relevance: far enough from the bars to bear any machine."""
    found = {
        ranking: conduct.retrieval(talk, Options(ranking=ranking, embeddings=NO_CACHE), lambda _: None).result
        for ranking in ("conversation", "relevance")
    }
    assert found["relevance"]["overall"]["recall@10"] > 0.6
    assert found["conversation"]["overall"]["recall@10"] > max(0.78, found["relevance"]["overall"]["recall@10"] + 0.08)
