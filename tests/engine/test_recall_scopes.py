"""The wall around every call."""

from __future__ import annotations

from typing import Any

import pytest

from cortex import Clearance, Cortex, Scope
from cortex.errors import AccessDenied, InvalidInput
from tests.engine.support import Bench, found, kept

TEXTS = ["green tea in the morning", "black tea with milk", "coffee at noon", "tea again", "water"]


def answers(cortex: Any, **options: Any) -> list[Any]:
    """Everything a recall says of its hits."""
    return [
        (hit.memory.content, hit.score, dict(hit.parts))
        for query in ("green tea", "milk", "what about coffee")
        for hit in cortex.recall(query, limit=50, **options).hits
    ]


def test_a_scope_sees_itself_only(cortex: Cortex) -> None:
    """Without a scope the user's own is searched, with one that one."""
    cortex.memorize("mine")
    cortex.memorize("the project's", scope="project:x")
    cortex.memorize("bob's", scope=Scope("user:bob"))
    assert found(cortex.recall("mine")) == ["mine"]
    assert found(cortex.recall("mine", scope="project:x")) == ["the project's"]
    assert found(cortex.recall("mine", scope=Scope.user("bob"))) == ["bob's"]
    assert cortex.recall("mine", scope="project:unknown").hits == ()


def test_other_people_s_texts_change_no_score(cortex: Cortex) -> None:
    """200 memories of another scope leave ranks and scores as they were, to the last digit."""
    cortex.memorize_many(TEXTS)
    before = answers(cortex)
    cortex.memorize_many({"content": f"tea milk green {i}", "scope": "user:bob"} for i in range(200))
    assert answers(cortex) == before


def test_several_scopes_are_one_corpus(cortex: Cortex) -> None:
    """A query over two scopes ranks as if their memories were in one."""
    for i, text in enumerate(TEXTS * 3):
        cortex.memorize(text, position=i, scope=("project:a", "project:b")[i % 2])
        cortex.memorize(text, position=i, scope="project:both")
    together = answers(cortex, scope="project:both")
    apart = answers(cortex, scope=["project:a", "project:b"])
    assert [(content, score) for content, score, _ in apart] == [(content, score) for content, score, _ in together]
    for (_, _, one), (_, _, other) in zip(apart, together, strict=True):
        assert {name: part.rank for name, part in one.items()} == {name: part.rank for name, part in other.items()}
        assert one["dense"].score == pytest.approx(other["dense"].score, abs=1e-6)


def test_the_order_of_scopes_does_not_matter(cortex: Cortex) -> None:
    """Named in another order, or twice, the same scopes give the same answer."""
    for i, text in enumerate(TEXTS):
        cortex.memorize(text, scope=("project:a", "project:b")[i % 2])
    one = answers(cortex, scope=["project:a", "project:b"])
    assert answers(cortex, scope=["project:b", "project:a", "project:b"]) == one


def test_names_differ_by_every_letter(cortex: Cortex) -> None:
    """Case, dots, hyphens and script make different scopes."""
    names = ["project:a.b", "project:a-b", "project:A.b", "project:a_b", "project:阿達", "team:a.b", "global"]
    for name in names:
        cortex.memorize("the same text", scope=name)
    for name in names:
        (hit,) = cortex.recall("text", scope=name).hits
        assert hit.memory.scope.key == hit.citation.scope == name
    assert len(cortex.recall("text", scope=names, limit=50).hits) == len(names)


@pytest.mark.parametrize(
    "wrong",
    ["x", "users:a", "user:", "user", ":a", "user: a", "user:a\n", "", "user:" + "a" * 201, 5, [], [5], {"a": 1}],
)
def test_a_wrong_scope_is_refused(cortex: Cortex, wrong: Any) -> None:
    """What is no scope is an error that shows the forms, at every verb that takes one."""
    verbs = (cortex.list_memories, cortex.count, cortex.timeline, lambda scope: cortex.recall("x", scope=scope))
    for verb in verbs:
        with pytest.raises(InvalidInput):
            verb(scope=wrong)


def test_another_organisation_is_out_of_reach(cortex: Cortex) -> None:
    """A scope of another organisation is denied for reading and for writing."""
    theirs = Scope("user:ada", "acme")
    with pytest.raises(AccessDenied):
        cortex.recall("x", scope=theirs)
    with pytest.raises(AccessDenied):
        cortex.memorize("x", scope=theirs)
    with pytest.raises(AccessDenied):
        cortex.count(scope=["user:ada", theirs])


def test_clearance_hides() -> None:
    """Who is not cleared does not find, list, count, get or forget what is above them."""
    bench = Bench()
    owner, guest = bench.engine("ada"), bench.engine("ada", clearance=Clearance.PUBLIC)
    secret = kept(owner.memorize("the secret code", clearance_min="restricted").id)
    owner.memorize("the public code", clearance_min="public")
    assert found(guest.recall("code")) == ["the public code"]
    assert guest.recall("code", explain=True).left_out == ()
    assert [m.content for m in guest.list_memories().memories] == ["the public code"]
    assert guest.count() == 1
    assert guest.get(secret) is None
    with pytest.raises(LookupError):
        guest.forget(secret)
    with pytest.raises(LookupError):
        guest.update(secret, importance=1)
    assert len(owner.recall("code").hits) == 2
