"""The vectors of several models side by side, and the switch from one to another."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from cortex.errors import StoreError
from cortex.model.change import AddVectors, Change, EraseMemory, Idempotency, PutRecord, SetEmbedding
from cortex.model.embedding import EmbeddingSignature
from cortex.model.job import EMBED, Job
from cortex.model.memory import EmbeddingState, Memory
from cortex.model.policy import Caller
from cortex.model.record import Form, Record
from cortex.ports import Store
from cortex.testing.contracts.changing import BOB, kept, revised
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite, within
from cortex.testing.factories import SIGNATURE, add, commit, embedding, identity, memory, terms

NEW = EmbeddingSignature("new", 3, "7")
LATER = NOW + timedelta(days=1)


class ReindexingContract(StoreSuite):
    """Vectors of another model are made beside those that are searched, then take their place at once."""

    def test_the_first_vectors_decide(self, store: Store) -> None:
        """Nothing is searched by until there are vectors; then it is their model, whatever comes after."""
        kept(store, "pending")
        assert store.reindexing.current() is None
        kept(store, "tea", embedding())
        kept(store, "milk", embedding(signature=NEW))
        assert store.reindexing.current() == store.info().signature == SIGNATURE

    def test_what_is_missing_comes_in_order(self, store: Store) -> None:
        """Memories of the scopes without vectors of a model, whatever their status and other vectors, by seq."""
        seqs = [kept(store, f"{i}", embedding() if i % 2 else None, scope=(ADA, BOB)[i % 3 == 0]).seq for i in range(9)]
        ours = [seq for i, seq in enumerate(seqs) if i % 3]
        assert _seqs(store.reindexing.missing([ADA], NEW, 99)) == ours
        assert _seqs(store.reindexing.missing([ADA, BOB], NEW, 4)) == seqs[:4]
        assert _seqs(store.reindexing.missing([ADA, BOB], SIGNATURE, 99)) == seqs[::2]
        assert store.reindexing.missing([], NEW, 99) == []
        assert store.reindexing.progress(NEW) == (0, 9)
        assert store.reindexing.progress(SIGNATURE) == (4, 9)

    def test_vectors_lie_beside_those_that_are_searched(self, store: Store) -> None:
        """Vectors of one more model change nothing that can be seen of the memory, and nothing that is searched."""
        old = kept(store, "tea", embedding())
        before = store.feed(ADA, 0, SIGNATURE)
        (outcome,) = commit(store, AddVectors(old.seq, 1, embedding(signature=NEW, tokens=2)))
        assert (outcome.applied, outcome.id) == (True, old.id)
        assert store.read([old.seq]) == [old]
        assert store.feed(ADA, 0, SIGNATURE).rows == before.rows
        assert store.feed(ADA, 0, NEW).rows[0].pieces == embedding(signature=NEW).pieces.tobytes()
        assert store.reindexing.progress(NEW) == (1, 1)
        assert dict(store.reindexing.signatures()) == {SIGNATURE: 1, NEW: 1}
        assert store.reindexing.current() == SIGNATURE

    def test_vectors_made_again_replace_themselves(self, store: Store) -> None:
        """A memory has one set of vectors of each model."""
        old = kept(store, "tea", embedding())
        for row in ([1, 0, 0], [0, 1, 0]):
            commit(store, AddVectors(old.seq, 1, embedding(row, signature=NEW, tokens=1)))
        assert dict(store.reindexing.signatures()) == {SIGNATURE: 1, NEW: 1}
        assert store.feed(ADA, 0, NEW).rows[0].pieces == embedding([0, 1, 0], signature=NEW).pieces.tobytes()
        assert commit(store, EraseMemory(old.seq, old.id))[0].counts["vectors"] == 2
        assert store.reindexing.signatures() == []

    def test_vectors_of_what_it_does_not_say_any_more(self, store: Store) -> None:
        """Vectors of an old version or of an erased memory are not kept, and a new version starts without any."""
        old, gone = kept(store, "tea", embedding()), kept(store, "gone")
        commit(store, AddVectors(old.seq, 1, embedding(signature=NEW)))
        commit(store, revised(old, embedding(), content="coffee"), EraseMemory(gone.seq, gone.id))
        assert _seqs(store.reindexing.missing([ADA], NEW, 9)) == [old.seq]
        late = commit(store, *(AddVectors(seq, 1, embedding(signature=NEW)) for seq in (old.seq, gone.seq)))
        assert [outcome.applied for outcome in late] == [False, False]
        assert store.reindexing.progress(NEW) == (0, 1)

    def test_the_switch_waits_until_all_is_there(self, store: Store) -> None:
        """A complete switch is refused while any memory of any scope lacks the vectors; nothing has changed then."""
        old, _ = kept(store, "tea", embedding()), kept(store, "milk", scope=BOB)
        with pytest.raises(StoreError, match="no vectors"):
            store.reindexing.switch(NEW, complete=True)
        commit(store, AddVectors(old.seq, 1, embedding(signature=NEW)))
        assert store.reindexing.switch(NEW, complete=True) is False
        assert store.reindexing.current() == SIGNATURE
        assert store.read([old.seq]) == [old]

    def test_after_the_switch_all_are_searched_anew(self, store: Store) -> None:
        """Memories are of the new model, with their versions and times; searchers start again; the old vectors stay."""
        memories = [kept(store, f"{i}", embedding(), scope=(ADA, BOB)[i % 2]) for i in range(4)]
        since = store.feed(ADA, 0, SIGNATURE).change
        commit(store, *(AddVectors(each.seq, 1, embedding(signature=NEW)) for each in memories))
        assert store.reindexing.switch(NEW, complete=True) is True
        assert store.reindexing.current() == store.info().signature == NEW
        assert store.read([each.seq for each in memories]) == [replace(each, signature=NEW) for each in memories]
        assert store.feed(ADA, since, NEW).restart
        feed = store.feed(ADA, 0, NEW)
        assert {row.pieces for row in feed.rows} == {embedding(signature=NEW).pieces.tobytes()}
        assert store.feed(ADA, feed.change, NEW).restart is False
        assert dict(store.reindexing.signatures()) == {SIGNATURE: 4, NEW: 4}
        assert store.info(deep=True).problems == ()

    def test_going_back_leaves_the_rest_pending(self, store: Store) -> None:
        """A switch that need not be complete makes those pending that lack the vectors, and jobs owe them."""
        old = kept(store, "tea", embedding())
        commit(store, AddVectors(old.seq, 1, embedding(signature=NEW)))
        store.reindexing.switch(NEW, complete=True)
        since = kept(store, "milk", embedding(signature=NEW))
        assert store.reindexing.switch(SIGNATURE, complete=False) is True
        assert [each.embedding for each in store.read([old.seq, since.seq])] == ["ready", "pending"]
        assert (store.info().pending, store.info().unowed, store.info().jobs, store.jobs.requeue(NOW)) == (1, 0, 1, 0)
        assert store.reindexing.missing([ADA], SIGNATURE, 9) == store.read([since.seq])

    def test_what_is_searched_by_is_not_discarded(self, store: Store) -> None:
        """Vectors of another model can be removed, those in use cannot."""
        old = kept(store, "tea", embedding())
        commit(store, AddVectors(old.seq, 1, embedding(signature=NEW, tokens=1)))
        with pytest.raises(StoreError, match="switch"):
            store.reindexing.discard(SIGNATURE)
        assert store.reindexing.discard(NEW) == 1
        assert store.reindexing.discard(NEW) == 0
        assert dict(store.reindexing.signatures()) == {SIGNATURE: 1}
        assert store.feed(ADA, 0, SIGNATURE).rows[0].pieces is not None
        assert store.read([old.seq]) == [old]


class StrangerContract(StoreSuite):
    """Writes with vectors of a model that is not searched by any more: nothing falls out of search unnoticed."""

    @pytest.fixture
    def old(self, store: Store) -> Memory:
        """A memory of a store that was switched to a new model."""
        old = kept(store, "tea", embedding())
        commit(store, AddVectors(old.seq, 1, embedding(signature=NEW)))
        store.reindexing.switch(NEW, complete=True)
        return store.read([old.seq])[0]

    @pytest.mark.usefixtures("old")
    def test_a_new_memory_is_owed_its_vectors(self, store: Store) -> None:
        """A memory that comes with vectors of the old model is pending and has a job; its vectors lie aside."""
        asked = Idempotency("k", b"digest", NOW, {"pending": False, "embedded_chars": 4})
        (outcome,) = commit(store, add(memory("milk"), embedding(), idempotency=asked))
        known = store.ledger.known(Caller("ada"), "k")
        assert outcome.pending
        assert known is not None
        assert outcome.told({}).items() <= (known.outcome.receipt or {}).items()
        assert not commit(store, add(memory("water"), embedding(signature=NEW)))[0].pending
        assert dict(store.reindexing.signatures()) == {SIGNATURE: 2, NEW: 2}
        self._is_owed(store, outcome.seq)

    def test_a_new_version_is_owed_its_vectors(self, store: Store, old: Memory) -> None:
        """So is a new version that comes with such vectors."""
        (outcome,) = commit(store, revised(old, embedding(), content="coffee"))
        assert (outcome.applied, outcome.pending) == (True, True)
        self._is_owed(store, old.seq)

    @pytest.mark.usefixtures("old")
    def test_a_record_is_owed_its_vectors(self, store: Store) -> None:
        """So is a memory that is taken over with such vectors; its old versions keep theirs."""
        plain = add(memory("water"), embedding()).memory
        form = Form(plain, identity(plain), terms(plain), embedding())
        earlier = Form(replace(plain, version=1, content="ice"), b"i" * 16, ("ice",), embedding(), NOW)
        now = replace(form, memory=replace(plain, version=2))
        (outcome,) = commit(store, PutRecord(Record(now, (earlier,))))
        (record,) = store.archive.records([ADA], outcome.seq - 1, 1)
        assert record.earlier[0].memory.signature == SIGNATURE
        self._is_owed(store, outcome.seq)

    def test_late_vectors_are_not_taken(self, store: Store, old: Memory) -> None:
        """Vectors of the old model do not settle what is owed, and do not replace what is searched."""
        pending = kept(store, "pending")
        changes: list[Change] = [SetEmbedding(seq, 1, embedding(), 3) for seq in (pending.seq, old.seq)]
        assert [outcome.applied for outcome in commit(store, *changes)] == [False, False]
        assert store.read([old.seq]) == [old]
        assert store.info().pending == 1

    def _is_owed(self, store: Store, seq: int) -> None:
        assert store.read([seq])[0].embedding is EmbeddingState.PENDING
        assert seq in _seqs(store.select(within(embedding=EmbeddingState.PENDING)))
        jobs = store.jobs.lease("a", LATER, LATER + timedelta(minutes=1), 9)
        assert [(job.kind, job.seq) for job in jobs] == [(EMBED, seq)]
        (version,) = (each.version for each in store.read([seq]))
        assert commit(store, SetEmbedding(seq, version, embedding(signature=NEW), 3))[0].applied
        assert store.read([seq])[0].signature == NEW
        assert store.info(deep=True).problems == ()


class RequeueContract(StoreSuite):
    """Work that was lost is found again."""

    def test_what_is_owed_gets_a_job(self, store: Store) -> None:
        """Each pending memory without a job gets one that is due at once; no other does, and none a second."""
        ready, lost, other = kept(store, "ready", embedding()), kept(store, "lost"), kept(store, "also", scope=BOB)
        assert store.info().unowed == 2
        assert store.jobs.requeue(NOW) == 2
        assert (store.jobs.requeue(NOW), store.info().unowed) == (0, 0)
        jobs = self._lease(store)
        assert [(job.kind, job.seq, job.attempts) for job in jobs] == [(EMBED, lost.seq, 1), (EMBED, other.seq, 1)]
        assert ready.seq not in {job.seq for job in jobs}

    def test_a_sound_store_needs_no_mending(self, store: Store) -> None:
        """Nothing is done to it, and words are given to those only that lack them."""
        old = kept(store, "tea", embedding())
        assert store.mending.mend() == []
        assert store.mending.wordless(0, 9) == []
        store.mending.put_words({old.seq: ["coffee"], 99: ["nobody"]})
        assert [row.terms for row in store.feed(ADA, 0, SIGNATURE).rows] == ["tea"]
        assert store.info(deep=True).problems == ()

    def test_one_that_is_held_is_not_lost(self, store: Store) -> None:
        """A job that somebody holds, or that waits for its next try, is not queued again."""
        kept(store, "tea")
        store.jobs.requeue(NOW)
        self._lease(store)
        assert store.jobs.requeue(NOW) == 0
        assert store.info().jobs == 1

    def test_it_waits_for_its_time(self, store: Store) -> None:
        """A requeued job is due from the given instant on."""
        kept(store, "tea")
        store.jobs.requeue(LATER)
        assert self._lease(store) == []
        assert len(store.jobs.lease("a", LATER, LATER + timedelta(minutes=1), 9)) == 1

    def _lease(self, store: Store) -> list[Job]:
        return store.jobs.lease("a", NOW, NOW + timedelta(minutes=1), 9)


def _seqs(memories: list[Memory]) -> list[int]:
    return [each.seq for each in memories]
