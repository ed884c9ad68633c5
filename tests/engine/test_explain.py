"""Why a hit stands where it stands, and why something is not among the hits."""

from __future__ import annotations

from datetime import timedelta

import pytest

from cortex import Clearance, Cortex, Status
from cortex.model.change import SetStatus
from cortex.testing import commit
from tests.engine.support import Bench, kept


def test_parts_make_the_score(cortex: Cortex) -> None:
    """Each hit names its rank and score in each leg, and the score is the sum of what the ranks give."""
    cortex.memorize_many(["green tea", "black tea", "milk", "green apples"])
    answer = cortex.recall("green tea", limit=4, fusion="rrf")
    assert answer.legs == ("dense", "lexical")
    assert (answer.degraded, answer.notes, answer.pending) == ((), (), 0)
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(1 / (60 + part.rank) for part in hit.parts.values()))
    assert answer.hits[0].parts["dense"].rank == answer.hits[0].parts["lexical"].rank == 1
    assert answer.hits[0].parts["dense"].score == pytest.approx(1.0)
    assert "lexical" not in answer.hits[3].parts


def test_a_citation_names_its_source(cortex: Cortex) -> None:
    """Every hit can be cited: id, scope, author, time, clearance, source, score and excerpt."""
    receipt = cortex.memorize("tea " * 300, source={"file": "notes.md"}, clearance_min="confidential")
    (hit,) = cortex.recall("tea").hits
    citation = hit.citation
    assert (citation.id, citation.scope, citation.author) == (receipt.id, "user:ada", "ada")
    assert (citation.created_at, citation.clearance) == (hit.memory.created_at, "confidential")
    assert (citation.source, citation.score) == ({"file": "notes.md"}, hit.score)
    assert citation.excerpt.startswith("tea tea")
    assert len(citation.excerpt) <= 200


def test_without_explain_nothing_is_left_out(cortex: Cortex) -> None:
    """Only who asks for reasons is given them."""
    cortex.memorize_many(f"tea {i}" for i in range(9))
    assert cortex.recall("tea", limit=2).left_out == ()


def test_reasons() -> None:
    """What came close and is no hit is listed with the one reason that kept it out."""
    bench = Bench()
    cortex = bench.engine()
    now = bench.clock.now()
    hour = timedelta(hours=1)
    wanted = {
        kept(cortex.memorize("tea expired", expires_at=now - hour).id): "expired",
        kept(cortex.memorize("tea to come", valid_from=now + hour).id): "not yet valid",
        kept(cortex.memorize("tea of old", valid_to=now - hour).id): "no longer valid",
        kept(cortex.memorize("tea by mail", kind="event").id): "filter",
        kept(cortex.memorize("tea untagged").id): "filter",
    }
    for status in (Status.SUPERSEDED, Status.ARCHIVED, Status.QUARANTINED):
        receipt = cortex.memorize(f"tea {status}", tags=["t"])
        memory = cortex.get(kept(receipt.id))
        assert memory is not None
        commit(bench.store, SetStatus(memory.seq, status, now))
        wanted[memory.id] = status.value
    first = [cortex.memorize("tea", tags=["t"], position=i).id for i in range(3)]
    last = kept(cortex.memorize("tea and milk and more", tags=["t"]).id)
    answer = cortex.recall("tea", limit=3, explain=True, kinds="fact", tags=["t"])
    assert [hit.memory.id for hit in answer.hits] == first
    assert {item.id: item.reason for item in answer.left_out} == wanted | {last: "below the limit of 3"}
    assert all(item.parts for item in answer.left_out)


def test_explaining_changes_no_answer(cortex: Cortex) -> None:
    """The hits are the same with and without reasons."""
    cortex.memorize_many(f"tea {i}" for i in range(50))
    cortex.memorize("tea of old", expires_at="2020-01-01")
    plain, explained = cortex.recall("tea 7", limit=3), cortex.recall("tea 7", limit=3, explain=True)
    assert plain.hits == explained.hits
    shown = {hit.memory.id for hit in explained.hits}
    assert not shown & {item.id for item in explained.left_out}


def test_other_scopes_are_not_explained(cortex: Cortex) -> None:
    """Reasons tell nothing of what lies outside the scopes of the question."""
    cortex.memorize("tea of bob", scope="user:bob")
    cortex.memorize("tea")
    assert cortex.recall("tea", explain=True).left_out == ()


def test_what_is_not_cleared_is_not_explained() -> None:
    """A guest does not learn the id of what is above the guest's clearance."""
    bench = Bench()
    bench.engine().memorize("secret tea", clearance_min="restricted")
    guest = bench.engine(clearance=Clearance.PUBLIC)
    assert guest.recall("tea", explain=True).left_out == ()


def test_a_hidden_memory_takes_nobody_s_place() -> None:
    """Memories that may not be shown do not crowd out those that may, however many there are."""
    bench = Bench()
    cortex = bench.engine()
    for i in range(100):
        cortex.memorize(f"green tea {i}", expires_at=bench.clock.now() + timedelta(hours=1))
    cortex.memorize("milk with green tea in the morning of a day")
    assert len(cortex.recall("green tea", limit=1).hits) == 1
    bench.clock.tick(timedelta(hours=2))
    (hit,) = cortex.recall("green tea", limit=1).hits
    assert hit.memory.content.startswith("milk")
