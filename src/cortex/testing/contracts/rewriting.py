"""Other words in the place of those that a memory has, with no trace of them left."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from cortex.model.change import AddConflict, AddLink, Change, Idempotency, RewriteMemory
from cortex.model.conflict import Conflict, ConflictState
from cortex.model.job import EMBED, NewJob
from cortex.model.memory import Clearance, EmbeddingState, Link, Memory, Status
from cortex.model.policy import Caller
from cortex.model.record import Form, Record
from cortex.model.understanding import EntityType as Type
from cortex.model.understanding import Mention, Reading
from cortex.ports import Store
from cortex.testing.contracts.changing import kept, revised
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite
from cortex.testing.factories import SIGNATURE, add, commit, embedding, identity, memory, terms


def rewrite(store: Store, old: Memory, content: str) -> RewriteMemory:
    """The change that puts a text into a memory and into all its versions."""
    record = next(r for r in store.archive.records([old.scope], 0, 99) if r.current.memory.seq == old.seq)

    def form(each: Form) -> Form:
        new = replace(
            each.memory, content=content, fingerprint=memory(content).fingerprint, signature=None, embedded_chars=0
        )
        new = replace(new, embedding=EmbeddingState.PENDING)
        return Form(new, identity(new), terms(new), None, each.replaced_at)

    earlier = tuple(form(each) for each in record.earlier)
    return RewriteMemory(Record(form(record.current), earlier), NewJob(EMBED, NOW, {}))


class RewriteContract(StoreSuite):
    """A memory gets other words, in its history too."""

    def test_words_go_and_the_memory_stays(self, store: Store) -> None:
        """Seq, id, version and times are as before; text, terms and versions are the new ones, vectors are owed."""
        old = kept(store, "secret tea", embedding())
        commit(store, revised(old, embedding(), content="secret coffee", updated_at=NOW))
        before = store.read([old.seq])[0]
        (outcome,) = commit(store, rewrite(store, before, "milk"))
        assert (outcome.applied, outcome.id, outcome.seq) == (True, old.id, old.seq)
        after = store.read([old.seq])[0]
        assert (after.content, after.version, after.updated_at) == ("milk", before.version, before.updated_at)
        assert after.embedding is EmbeddingState.PENDING
        assert [form.content for form in store.archive.history(old.seq)] == ["milk", "milk"]
        assert [row.terms for row in store.feed(ADA, 0, SIGNATURE).rows] == ["milk"]
        assert [job.seq for job in store.jobs.lease("me", NOW, NOW + timedelta(1), 9)] == [old.seq]

    def test_searchers_see_it(self, store: Store) -> None:
        """The feed since any earlier change has the memory again."""
        old = kept(store, "secret tea")
        since = store.feed(ADA, 0, SIGNATURE).change
        commit(store, rewrite(store, old, "milk"))
        assert [row.seq for row in store.feed(ADA, since, SIGNATURE).rows] == [old.seq]

    def test_what_tells_of_the_words_goes(self, store: Store) -> None:
        """The digest of the request, what was read from it, conflicts, and the reasons of links."""
        reading = Reading(layers=("graph",), maker="me", mentions=(Mention("tea", "secret tea", Type.THING),))
        claim = Idempotency("k", b"digest", NOW)
        (outcome,) = commit(store, replace(add(memory("secret tea")), idempotency=claim, reading=reading))
        other = kept(store, "coffee")
        old = store.read([outcome.seq])[0]
        conflict = Conflict(
            id="c" * 32, scope=ADA, older=old.id, newer=other.id, similarity=None, detector="d", confidence=0.5,
            reason="secret tea", state=ConflictState.OPEN, found_at=NOW,
        )  # fmt: skip
        links: list[Change] = [
            AddLink(old.id, Link("related", other.id, "secret")),
            AddLink(other.id, Link("related", old.id, "secret")),
        ]
        commit(store, AddConflict(conflict), *links)
        commit(store, rewrite(store, store.read([old.seq])[0], "milk"))
        assert store.knowledge.readings([old.seq]) == {}
        assert store.knowledge.conflicts([ADA], tuple(ConflictState), Clearance.RESTRICTED) == []
        assert {link.reason for each in store.read([old.seq, other.seq]) for link in each.links} == {""}
        known = store.ledger.known(Caller("ada"), "k")
        assert known is not None
        assert known.request == b""

    def test_only_what_was_seen_is_rewritten(self, store: Store) -> None:
        """One that somebody changed, or that is gone, is left alone."""
        old = kept(store, "secret tea")
        change = rewrite(store, old, "milk")
        commit(store, revised(old, content="coffee", updated_at=NOW))
        (outcome,) = commit(store, change)
        assert (outcome.applied, outcome.id) == (False, old.id)
        assert store.read([old.seq])[0].content == "coffee"

    def test_an_equal_one_that_is_active(self, store: Store) -> None:
        """Two active memories never say the same: the outcome names the other; one that is not active may."""
        milk, old = kept(store, "milk"), kept(store, "secret tea")
        change = rewrite(store, old, "milk")
        (outcome,) = commit(store, change)
        assert (outcome.applied, outcome.id) == (False, milk.id)
        form = change.record.current
        behind = replace(form.memory, status=Status.SUPERSEDED, superseded_by=milk.id)
        (outcome,) = commit(store, RewriteMemory(Record(replace(form, memory=behind))))
        assert (outcome.applied, store.read([old.seq])[0].superseded_by) == (True, milk.id)
