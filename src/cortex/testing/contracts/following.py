"""The feed of changes, the jobs that follow, several threads, and the end."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from cortex.errors import StoreClosed
from cortex.model.change import Batch, EraseMemory, SetStatus
from cortex.model.embedding import EmbeddingSignature
from cortex.model.job import EMBED, NewJob, Retry, Wait
from cortex.model.memory import Clearance, Status
from cortex.model.scope import Scope
from cortex.ports import Store
from cortex.testing.contracts.reading import micros
from cortex.testing.contracts.suite import ADA, NOW, NewStore, StoreSuite, contents, within
from cortex.testing.factories import SIGNATURE, add, commit, embedding, grant, memory

UNTIL = NOW + timedelta(minutes=2)
SECOND = timedelta(seconds=1)
THREADS = 8


class FeedContract(StoreSuite):
    """What changed in a scope."""

    def test_a_row_is_what_search_needs(self, store: Store) -> None:
        """A row has state, clearance, times, terms and vectors of the memory."""
        kept = memory(
            "green tea",
            status=Status.SUPERSEDED,
            clearance_min=Clearance.RESTRICTED,
            expires_at=UNTIL,
            valid_from=NOW,
            valid_to=UNTIL,
        )
        pieces = embedding([0, 1, 0, 0], [0, 0, 1, 0])
        commit(store, add(kept, pieces))
        (row,) = store.feed(ADA, 0, SIGNATURE).rows
        assert (row.status, row.clearance, row.terms) == ("superseded", 3, "green tea")
        assert (row.expires_at, row.valid_from, row.valid_to) == (micros(UNTIL), micros(NOW), micros(UNTIL))
        assert row.pieces == pieces.pieces.tobytes()

    def test_it_starts_with_everything_and_goes_on_with_what_is_new(self, store: Store) -> None:
        """From 0 the feed has every memory by rising seq; from a number on, only what came after it."""
        commit(store, *(add(memory(f"number {i}")) for i in range(5)))
        first = store.feed(ADA, 0, SIGNATURE)
        assert [row.terms for row in first.rows] == [f"number {i}" for i in range(5)]
        (new,) = commit(store, add(memory("number 5")))
        second = store.feed(ADA, first.change, SIGNATURE)
        assert [row.seq for row in second.rows] == [new.seq]
        assert second.change > first.change

    def test_nothing_new_is_an_empty_feed(self, store: Store) -> None:
        """When nothing changed the feed is empty and its number stays, whatever happens in other scopes."""
        commit(store, add(memory("tea")))
        first = store.feed(ADA, 0, SIGNATURE)
        commit(store, add(memory("coffee", scope="user:bob")))
        again = store.feed(ADA, first.change, SIGNATURE)
        assert (again.rows, again.erased, again.restart) == ((), (), False)
        assert again.change >= first.change
        assert store.feed(Scope("user:nobody"), 0, SIGNATURE).rows == ()

    def test_it_says_what_was_erased(self, store: Store) -> None:
        """An erased memory is reported once and never among the rows."""
        gone, kept = commit(store, add(memory("gone")), add(memory("kept")))
        first = store.feed(ADA, 0, SIGNATURE)
        commit(store, EraseMemory(gone.seq, gone.id))
        second = store.feed(ADA, first.change, SIGNATURE)
        assert (second.rows, second.erased) == ((), (gone.seq,))
        assert store.feed(ADA, second.change, SIGNATURE).erased == ()
        assert [row.seq for row in store.feed(ADA, 0, SIGNATURE).rows] == [kept.seq]

    def test_vectors_are_of_the_signature_asked_for(self, store: Store) -> None:
        """A memory whose vectors another model made has none for this one."""
        commit(store, add(memory("ours"), embedding()), add(memory("none")))
        commit(store, add(memory("theirs"), embedding(signature=EmbeddingSignature("fake", 4, "2"))))
        found = {row.terms: row.pieces is not None for row in store.feed(ADA, 0, SIGNATURE).rows}
        assert found == {"ours": True, "none": False, "theirs": False}
        assert all(row.pieces is None for row in store.feed(ADA, 0, EmbeddingSignature("new", 4)).rows)

    def test_following_it_gives_what_starting_anew_gives(self, store: Store) -> None:
        """Whoever applies every feed has the rows of one that starts at 0."""
        followed: dict[int, Any] = {}
        since = 0
        seqs: list[tuple[int, str]] = []
        for step in range(12):
            seqs += [(o.seq, o.id) for o in commit(store, *(add(memory(f"{step} {i}")) for i in range(3)))]
            commit(store, SetStatus(seqs[-1][0], Status.ARCHIVED, NOW))
            if step % 3 == 0:
                commit(store, EraseMemory(*seqs.pop(0)))
            if step % 2 == 0:
                feed = store.feed(ADA, since, SIGNATURE)
                for seq in feed.erased:
                    followed.pop(seq, None)
                followed |= {row.seq: row for row in feed.rows}
                since = feed.change
        feed = store.feed(ADA, since, SIGNATURE)
        followed |= {row.seq: row for row in feed.rows}
        for seq in feed.erased:
            followed.pop(seq, None)
        assert followed == {row.seq: row for row in store.feed(ADA, 0, SIGNATURE).rows}


class JobContract(StoreSuite):
    """Follow-up work: each job is done by one, and none is lost."""

    def test_a_job_is_leased_with_its_data(self, store: Store) -> None:
        """A leased job tells its kind, memory, data and how often it was taken."""
        (outcome,) = commit(store, add(memory("tea"), follow_up=NewJob("embed", NOW, {"a": [1, "x"]})))
        (job,) = store.jobs.lease("a", NOW, UNTIL, 5)
        assert (job.kind, job.seq, job.payload, job.attempts) == ("embed", outcome.seq, {"a": [1, "x"]}, 1)

    def test_nobody_else_gets_it(self, store: Store) -> None:
        """While a lease runs no owner gets the job again; when it ends anybody does."""
        self._queue(store, 1)
        assert len(store.jobs.lease("a", NOW, UNTIL, 5)) == 1
        assert store.jobs.lease("b", NOW, UNTIL, 5) == []
        assert store.jobs.lease("a", NOW, UNTIL, 5) == []
        assert store.jobs.lease("b", UNTIL - SECOND, UNTIL + SECOND, 5) == []
        (job,) = store.jobs.lease("b", UNTIL, UNTIL + SECOND, 5)
        assert job.attempts == 2

    def test_it_waits_for_its_time(self, store: Store) -> None:
        """A job is not given before its time, and earlier ones come first."""
        for i, delay in enumerate((3, 1, 2)):
            commit(store, add(memory(f"{i}"), follow_up=NewJob(EMBED, NOW + delay * SECOND, {"n": delay})))
        assert store.jobs.lease("a", NOW, UNTIL, 5) == []
        assert [job.payload["n"] for job in store.jobs.lease("a", NOW + SECOND, UNTIL, 5)] == [1]
        assert [job.payload["n"] for job in store.jobs.lease("a", NOW + 9 * SECOND, UNTIL, 1)] == [2]

    def test_no_more_than_asked_for(self, store: Store) -> None:
        """At most ``limit`` jobs are taken, the rest stays free."""
        self._queue(store, 5)
        assert len(store.jobs.lease("a", NOW, UNTIL, 2)) == 2
        assert len(store.jobs.lease("b", NOW, UNTIL, 9)) == 3

    def test_a_finished_job_is_gone(self, store: Store) -> None:
        """A job that the batch finished is never given again."""
        self._queue(store, 1)
        (job,) = store.jobs.lease("a", NOW, UNTIL, 1)
        store.apply(Batch(grant=grant(), finished=(job.job_id,)))
        assert store.info().jobs == 0
        assert store.jobs.lease("a", UNTIL + SECOND, UNTIL + 2 * SECOND, 5) == []

    def test_a_failed_job_comes_again(self, store: Store) -> None:
        """A retried job is free at its new time, with its attempts counted; a job that is gone is no error."""
        self._queue(store, 1)
        (job,) = store.jobs.lease("a", NOW, UNTIL, 1)
        retries = (Retry(job.job_id, NOW + 9 * SECOND, "the model was away"), Retry(job.job_id + 99, NOW, "gone"))
        store.apply(Batch(grant=grant(), retries=retries))
        assert store.jobs.lease("b", NOW + 8 * SECOND, UNTIL, 5) == []
        (again,) = store.jobs.lease("b", NOW + 9 * SECOND, UNTIL, 5)
        assert (again.job_id, again.attempts) == (job.job_id, 2)

    def test_what_jobs_wait_for_is_told(self, store: Store) -> None:
        """By reason, those that were not tried yet without one, with the time of the first."""
        assert store.jobs.waits() == []
        self._queue(store, 5)
        jobs = store.jobs.lease("a", NOW, UNTIL, 3)
        why = ("away", "away", "slow")
        retries = tuple(Retry(job.job_id, NOW + i * SECOND, why[i]) for i, job in enumerate(jobs))
        store.apply(Batch(grant=grant(), retries=retries))
        assert store.jobs.waits() == [Wait("", 2, NOW), Wait("away", 2, NOW), Wait("slow", 1, NOW + 2 * SECOND)]

    def test_two_owners_never_share(self, store: Store) -> None:
        """However many owners ask at once, each job is given to one."""
        self._queue(store, 60)

        def work(owner: int) -> list[int]:
            taken: list[int] = []
            while jobs := store.jobs.lease(f"owner {owner}", NOW, UNTIL, 3):
                taken += [job.job_id for job in jobs]
            return taken

        with ThreadPoolExecutor(THREADS) as pool:
            taken = [job_id for jobs in pool.map(work, range(THREADS)) for job_id in jobs]
        assert len(taken) == len(set(taken)) == 60

    def _queue(self, store: Store, jobs: int) -> None:
        work = NewJob(EMBED, NOW, {"version": 1})
        commit(store, *(add(memory(f"number {i}"), follow_up=work) for i in range(jobs)))


CALLS: dict[str, Callable[[Store], object]] = {
    "apply": lambda store: store.apply(Batch(grant=grant())),
    "read": lambda store: store.read([1]),
    "resolve": lambda store: store.resolve([ADA], "abcd", 1),
    "known_scopes": lambda store: store.known_scopes("local"),
    "select": lambda store: store.select(within()),
    "matching": lambda store: store.matching(within(), details=True),
    "count": lambda store: store.count(within()),
    "feed": lambda store: store.feed(ADA, 0, SIGNATURE),
    "past": lambda store: store.past(ADA, NOW, SIGNATURE),
    "prior": lambda store: store.prior(ADA, [b"x"]),
    "requeue": lambda store: store.jobs.requeue(NOW),
    "lease": lambda store: store.jobs.lease("a", NOW, UNTIL, 1),
    "known": lambda store: store.ledger.known(grant().caller, "k"),
    "history": lambda store: store.archive.history(1),
    "records": lambda store: store.archive.records([ADA], 0, 1),
    "backup": lambda store: store.archive.backup("nowhere.db"),
    "restore": lambda store: store.archive.restore(__file__),
    "backups": lambda store: store.archive.backups(),
    "scrub": lambda store: store.archive.scrub(),
    "unscrubbed": lambda store: store.archive.unscrubbed(),
    "current": lambda store: store.reindexing.current(),
    "missing": lambda store: store.reindexing.missing([ADA], SIGNATURE, 1),
    "progress": lambda store: store.reindexing.progress(SIGNATURE),
    "switch": lambda store: store.reindexing.switch(SIGNATURE, complete=False),
    "signatures": lambda store: store.reindexing.signatures(),
    "discard": lambda store: store.reindexing.discard(SIGNATURE),
    "mend": lambda store: store.mending.mend(),
    "wordless": lambda store: store.mending.wordless(0, 1),
    "put_words": lambda store: store.mending.put_words({1: ["tea"]}),
    "info": lambda store: store.info(),
}


class LifeContract(StoreSuite):
    """Many threads at once, and the end."""

    def test_threads_lose_nothing(self, store: Store) -> None:
        """What several threads write at once while they read is all there, once, and readable at once."""

        def work(thread: int) -> None:
            for i in range(12):
                (one, two) = commit(store, add(memory(f"{thread} {i}"), embedding()), add(memory(f"shared {i}")))
                assert [kept.id for kept in store.read([one.seq, two.seq])] == [one.id, two.id]
                assert f"{thread} {i}" in contents(store)
                assert one.seq in {row.seq for row in store.feed(ADA, 0, SIGNATURE).rows}

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(work, range(THREADS)))
        expected = [f"{thread} {i}" for thread in range(THREADS) for i in range(12)]
        expected += [f"shared {i}" for i in range(12)]
        assert sorted(contents(store)) == sorted(expected)
        assert len(store.feed(ADA, 0, SIGNATURE).rows) == len(expected)

    def test_a_batch_is_seen_whole(self, store: Store) -> None:
        """A reader sees all memories of a commit or none of them."""

        def write() -> None:
            for i in range(30):
                commit(store, *(add(memory(f"{i} {part}")) for part in range(5)))

        with ThreadPoolExecutor(2) as pool:
            writing = pool.submit(write)
            while not writing.done():
                assert len(store.feed(ADA, 0, SIGNATURE).rows) % 5 == 0
                assert len(store.select(within())) % 5 == 0
            writing.result()
        assert len(store.select(within())) == 150

    @pytest.mark.parametrize("call", CALLS)
    def test_a_closed_store_says_so(self, new_store: NewStore, call: str) -> None:
        """Every call after close() raises StoreClosed."""
        store = new_store()
        store.close()
        with pytest.raises(StoreClosed):
            CALLS[call](store)

    def test_closing_twice_is_allowed(self, new_store: NewStore) -> None:
        """The second close() does nothing."""
        store = new_store()
        commit(store, add(memory("tea")))
        store.close()
        store.close()
