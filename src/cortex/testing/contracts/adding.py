"""Adding memories: all or nothing, equal ones once, a repeated request answered again."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from cortex.errors import StoreError
from cortex.model.change import AddMemory, Batch, EraseMemory, Idempotency, SetStatus
from cortex.model.job import EMBED, NewJob, Retry
from cortex.model.memory import Kind, Memory, Status
from cortex.ports import Store
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite, contents, within
from cortex.testing.factories import add, commit, embedding, grant, identity, memory

JOB = NewJob(EMBED, NOW, {"version": 1})
LATER = NOW + timedelta(hours=1)


def asked(kept: Memory, key: str = "k", request: bytes = b"digest") -> AddMemory:
    """An addition under an idempotency key."""
    return add(kept, idempotency=Idempotency(key, request, NOW, {"version": 1, "said": kept.content}))


class AtomicContract(StoreSuite):
    """A batch happens wholly or not at all."""

    def test_a_failed_change_undoes_its_batch(self, store: Store) -> None:
        """One impossible change leaves memories, jobs, keys, statuses and change numbers as they were."""
        kept = memory("kept")
        (first,) = commit(store, add(kept, follow_up=JOB))
        job = store.jobs.lease("a", NOW, LATER, 1)[0]
        since = store.feed(ADA, 0, embedding().signature).change
        changes = (
            SetStatus(first.seq, Status.ARCHIVED, NOW),
            add(memory("fine"), follow_up=JOB),
            asked(memory("keyed")),
            EraseMemory(first.seq, first.id),
            add(memory("impossible", id="a" * 32)),
            add(memory("the same id", id="a" * 32)),
        )
        retry = Retry(job.job_id, NOW, "no")
        with pytest.raises(StoreError):
            store.apply(Batch(grant=grant(), changes=changes, finished=(job.job_id,), retries=(retry,)))
        assert contents(store) == ["kept"]
        assert store.read([first.seq])[0].status is Status.ACTIVE
        assert store.info().jobs == 1
        assert store.jobs.lease("b", NOW, LATER, 5) == []
        assert store.feed(ADA, since, embedding().signature).rows == ()
        assert commit(store, asked(memory("another"), request=b"another"))[0].conflict is False

    def test_a_store_goes_on_after_a_failure(self, store: Store) -> None:
        """The next batch is written as if the failed one had never been."""
        twice = memory("twice")
        with pytest.raises(StoreError):
            commit(store, add(twice), add(replace(twice, content="other", fingerprint=b"other")))
        assert commit(store, add(memory("next")))[0].applied
        assert contents(store) == ["next"]

    def test_an_empty_batch_is_no_change(self, store: Store) -> None:
        """Nothing asked, nothing done, nothing numbered."""
        before = store.apply(Batch(grant=grant())).change
        assert store.apply(Batch(grant=grant())).change == before

    def test_outcomes_stand_in_the_order_of_the_changes(self, store: Store) -> None:
        """Each outcome names the memory of its change, and seqs rise."""
        memories = [memory(f"number {i}") for i in range(20)]
        outcomes = commit(store, *map(add, memories))
        assert [outcome.id for outcome in outcomes] == [kept.id for kept in memories]
        assert all(outcome.applied for outcome in outcomes)
        seqs = [outcome.seq for outcome in outcomes]
        assert seqs == sorted(set(seqs))

    def test_change_numbers_grow(self, store: Store) -> None:
        """Every commit that wrote something has a higher number than all before."""
        numbers = [store.apply(Batch(grant=grant(), changes=(add(memory(f"{i}")),))).change for i in range(4)]
        assert numbers == sorted(set(numbers))

    def test_a_seq_is_never_given_twice(self, store: Store) -> None:
        """A memory written after an erasure does not take the place of the erased one."""
        (gone,) = commit(store, add(memory("gone")))
        commit(store, EraseMemory(gone.seq, gone.id))
        (new,) = commit(store, add(memory("new")))
        assert new.seq > gone.seq


class DedupContract(StoreSuite):
    """Of equal active memories there is one."""

    def test_an_equal_memory_survives(self, store: Store) -> None:
        """The second addition answers with the id and seq of the first and writes nothing."""
        (first,) = commit(store, add(memory("tea")))
        (second,) = commit(store, add(memory("tea")))
        assert (second.applied, second.id, second.seq) == (False, first.id, first.seq)
        assert store.info().memories == 1

    def test_it_survives_within_one_batch(self, store: Store) -> None:
        """Two equal memories of one batch are one."""
        first, second = commit(store, add(memory("tea")), add(memory("tea")))
        assert second.id == first.id
        assert contents(store) == ["tea"]

    def test_a_duplicate_owes_nothing(self, store: Store) -> None:
        """No follow-up job is queued for a memory that was not added."""
        commit(store, add(memory("tea"), follow_up=JOB))
        commit(store, add(memory("tea"), follow_up=JOB))
        assert store.info().jobs == 1

    def test_a_duplicate_changes_nothing(self, store: Store) -> None:
        """What the survivor said, and its vectors, stay."""
        (first,) = commit(store, add(memory("tea", importance=9), embedding()))
        commit(store, add(memory("tea", importance=1)))
        (kept,) = store.read([first.seq])
        assert kept.importance == 9
        assert kept.signature == embedding().signature

    def test_another_scope_has_its_own(self, store: Store) -> None:
        """Equal memories of two scopes are two."""
        first, second = commit(store, add(memory("tea")), add(memory("tea", scope="user:bob")))
        assert first.id != second.id

    def test_only_an_active_memory_stands_in_the_way(self, store: Store) -> None:
        """An archived memory lets an equal one in."""
        (old,) = commit(store, add(memory("tea")))
        commit(store, SetStatus(old.seq, Status.ARCHIVED, NOW))
        (new,) = commit(store, add(memory("tea")))
        assert new.applied
        assert {m.status for m in store.select(within())} == {Status.ACTIVE, Status.ARCHIVED}

    def test_an_old_memory_gives_way_in_the_same_batch(self, store: Store) -> None:
        """A status that is set earlier in the batch counts for what follows."""
        (old,) = commit(store, add(memory("tea")))
        archived, new = commit(store, SetStatus(old.seq, Status.ARCHIVED, NOW), add(memory("tea")))
        assert archived.applied
        assert new.applied

    def test_two_equal_memories_are_never_active(self, store: Store) -> None:
        """A memory whose place was taken cannot be put back beside the one that took it."""
        (old,) = commit(store, add(memory("tea")))
        commit(store, SetStatus(old.seq, Status.ARCHIVED, NOW), add(memory("tea")))
        assert not commit(store, SetStatus(old.seq, Status.ACTIVE, NOW))[0].applied
        assert [m.status for m in store.select(within())].count(Status.ACTIVE) == 1

    def test_an_erased_memory_is_no_duplicate(self, store: Store) -> None:
        """What was erased can be told anew."""
        (old,) = commit(store, add(memory("tea")))
        commit(store, EraseMemory(old.seq, old.id))
        assert commit(store, add(memory("tea")))[0].applied

    def test_it_tells_who_was_there_before(self, store: Store) -> None:
        """`prior` gives the active memories of one scope with these identities, and when they run out."""
        soon, sooner = NOW + timedelta(days=2), NOW + timedelta(days=1)
        plain = memory("plain")
        ending = memory("ending", kind=Kind.EVENT, expires_at=soon, valid_to=sooner)
        away = memory("plain", scope="user:bob")
        archived = memory("archived")
        one, two, _, three = commit(store, add(plain, embedding()), add(ending), add(away), add(archived))
        commit(store, SetStatus(three.seq, Status.ARCHIVED, NOW))
        found = store.prior(ADA, [identity(m) for m in (plain, ending, archived)] + [b"nobody"])
        assert set(found) == {identity(plain), identity(ending)}
        first, second = found[identity(plain)], found[identity(ending)]
        assert (first.id, first.seq, first.scope) == (one.id, one.seq, "user:ada")
        assert (first.pending, first.embedded_chars, first.visible_until) == (False, len("plain"), None)
        assert (second.seq, second.pending, second.visible_until) == (two.seq, True, sooner)

    def test_it_tells_many_at_once(self, store: Store) -> None:
        """`prior` takes any number of identities."""
        memories = [memory(f"number {i}") for i in range(1200)]
        commit(store, *map(add, memories))
        assert len(store.prior(ADA, [identity(kept) for kept in memories])) == len(memories)
        assert store.prior(ADA, []) == {}


class IdempotencyContract(StoreSuite):
    """One key, one request, one answer."""

    def test_a_repeated_request_gets_the_same_answer(self, store: Store) -> None:
        """The outcome and the receipt of the first time come again, and nothing is written."""
        (first,) = commit(store, asked(memory("tea")))
        (again,) = commit(store, asked(memory("tea")))
        assert (again.id, again.applied, again.conflict) == (first.id, True, False)
        assert again.receipt == {"version": 1, "said": "tea", "counts": {}}
        assert store.info().memories == 1

    def test_a_repeated_duplicate_gets_the_same_answer(self, store: Store) -> None:
        """A first answer that named a survivor is repeated as it was."""
        (survivor,) = commit(store, add(memory("tea")))
        (first,) = commit(store, asked(memory("tea")))
        (again,) = commit(store, asked(memory("tea")))
        assert (first.id, first.applied) == (survivor.id, False)
        assert (again.id, again.applied) == (survivor.id, False)

    def test_a_repetition_within_one_batch_is_known(self, store: Store) -> None:
        """The same key twice in a batch writes once."""
        first, again = commit(store, asked(memory("tea")), asked(memory("tea")))
        assert (again.id, again.applied) == (first.id, True)
        assert store.info().memories == 1

    def test_another_request_is_a_conflict(self, store: Store) -> None:
        """A key that stands for another request writes nothing and says so, without harm to the batch."""
        commit(store, asked(memory("tea")))
        refused, fine = commit(store, asked(memory("coffee"), request=b"other"), add(memory("water")))
        assert refused.conflict
        assert not refused.applied
        assert fine.applied
        assert sorted(contents(store)) == ["tea", "water"]

    def test_keys_belong_to_their_owner(self, store: Store) -> None:
        """Two users may use the same key for different requests."""
        commit(store, asked(memory("tea")), user="ada")
        (other,) = commit(store, asked(memory("coffee", scope="user:bob"), request=b"other"), user="bob")
        assert other.applied
        assert not other.conflict

    def test_a_key_outlives_its_memory_but_its_digest_does_not(self, store: Store) -> None:
        """After an erasure the key stays taken: nobody can tell any more what was asked, so nothing is answered."""
        (first,) = commit(store, asked(memory("tea")))
        commit(store, EraseMemory(first.seq, first.id))
        same, other = commit(store, asked(memory("tea")), asked(memory("coffee"), request=b"other"))
        for outcome in (same, other):
            assert (outcome.id, outcome.applied, outcome.conflict) == (first.id, False, True)
        assert store.info().memories == 0
