"""A language model at write time that answers badly."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from cortex.model.layers import Layers
from cortex.model.memory import Kind
from cortex.testing import FakeProvider, FrozenClock
from tests.engine.support import Bench, kept

GOOD = json.dumps([{"i": 0, "kind": "decision"}])
BAD = {
    "prose": "I would rather not read other people's notes.",
    "truncated": GOOD[:20],
    "escape": '[{"i": 0, "kind": "\\u12"}]',
    "null": "null",
    "number": "7",
    "empty array": "[]",
    "another": '[{"i": 5, "kind": "fact"}]',
    "deep": "[" * 5000,
    "long": "x" * 2_000_000,
    "braces": "{" * 20_000,
}


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD.keys())
def test_mem_045_a_bad_answer_is_asked_for_once_more_and_loses_nothing(reply: str) -> None:
    """Then the text is read without the model, the receipt says so, and the job asks again later."""
    clock = FrozenClock()
    made = Bench(llm=FakeProvider([reply, reply, GOOD]), clock=clock, layers=Layers(classify=True))
    cortex = made.engine()
    receipt = cortex.memorize("I prefer Postgres to SQLite")
    memory = cortex.get(kept(receipt.id))
    assert memory is not None
    assert memory.kind is Kind.PREFERENCE  # as it is read without a model
    assert isinstance(made.llm, FakeProvider)
    assert len(made.llm.prompts) == 2
    assert len(receipt.notes) == 1
    assert "asked again later" in receipt.notes[0]
    assert len(receipt.notes[0]) < 400
    clock.tick(timedelta(hours=2))
    assert cortex.admin.run_jobs().done == 1
    again = cortex.get(memory.id)
    assert again is not None
    assert (again.kind, again.version) == (Kind.DECISION, 1)
    assert cortex.admin.run_jobs().done == 0
