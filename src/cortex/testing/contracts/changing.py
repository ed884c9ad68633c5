"""Changing and erasing memories: versions, vectors, statuses, traces."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from cortex.model.change import EraseMemory, ReplaceMemory, SetEmbedding, SetStatus, Touch
from cortex.model.embedding import Embedding
from cortex.model.job import EMBED, NewJob
from cortex.model.memory import EmbeddingState, Link, Memory, Status
from cortex.model.scope import Scope
from cortex.ports import Store
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite, contents, within
from cortex.testing.factories import SIGNATURE, add, commit, embedding, identity, memory, terms

JOB = NewJob(EMBED, NOW, {"version": 1})
BOB = Scope("user:bob")


def revised(
    old: Memory, vectors: Embedding | None = None, follow_up: NewJob | None = None, **fields: Any
) -> ReplaceMemory:
    """The change that makes the next version of a memory."""
    fields.setdefault("version", old.version + 1)
    if "content" in fields:
        fields.setdefault("fingerprint", str(fields["content"]).encode())
    new = replace(old, **fields)
    return ReplaceMemory(new, identity(new), terms(new), vectors, follow_up)


def kept(store: Store, content: str = "tea", vectors: Embedding | None = None, **fields: Any) -> Memory:
    """A memory that is in the store, as the store gives it."""
    (outcome,) = commit(store, add(memory(content, **fields), vectors))
    return store.read([outcome.seq])[0]


class ReplaceContract(StoreSuite):
    """A new version takes the place of the one before it."""

    def test_a_new_version_takes_the_place(self, store: Store) -> None:
        """Id and seq stay, everything else is what the new version says."""
        old = kept(store, "tea")
        change = revised(old, content="coffee", importance=9, updated_at=NOW, tags=("drinks",))
        (outcome,) = commit(store, change)
        assert (outcome.applied, outcome.id, outcome.seq) == (True, old.id, old.seq)
        assert store.read([old.seq]) == [change.memory]

    def test_its_words_and_vectors_are_the_new_ones(self, store: Store) -> None:
        """Search gets the new terms and pieces and nothing of the old."""
        old = kept(store, "tea", embedding([1, 0, 0, 0]))
        commit(store, revised(old, embedding([0, 1, 0, 0], [0, 0, 1, 0]), content="coffee"))
        (row,) = store.feed(ADA, 0, SIGNATURE).rows
        assert row.terms == "coffee"
        assert row.pieces == embedding([0, 1, 0, 0], [0, 0, 1, 0]).pieces.tobytes()

    def test_without_vectors_it_is_pending(self, store: Store) -> None:
        """The vectors of the old version do not serve the new one."""
        old = kept(store, "tea", embedding())
        commit(store, revised(old, content="coffee", embedding=EmbeddingState.PENDING, signature=None))
        (row,) = store.feed(ADA, 0, SIGNATURE).rows
        assert row.pieces is None
        assert store.info().pending == 1

    def test_an_old_version_comes_too_late(self, store: Store) -> None:
        """Of two changes to one version the first wins, and the second is told so."""
        old = kept(store, "tea")
        first, second = commit(store, revised(old, content="coffee"), revised(old, content="water"))
        assert first.applied
        assert (second.applied, second.seq) == (False, old.seq)
        assert contents(store) == ["coffee"]

    def test_an_erased_memory_has_no_next_version(self, store: Store) -> None:
        """A change that comes after the erasure brings nothing back."""
        old = kept(store, "tea")
        commit(store, EraseMemory(old.seq, old.id))
        assert not commit(store, revised(old, content="coffee"))[0].applied
        assert contents(store) == []

    def test_it_may_not_repeat_another_memory(self, store: Store) -> None:
        """A version that says what another active memory says is refused with that one's id."""
        other, old = kept(store, "coffee"), kept(store, "tea")
        change = revised(old, content="coffee", fingerprint=other.fingerprint)
        (outcome,) = commit(store, change)
        assert (outcome.applied, outcome.id, outcome.seq) == (False, other.id, other.seq)
        assert store.read([old.seq]) == [old]

    def test_it_may_repeat_itself(self, store: Store) -> None:
        """A version with the same identity is no clash with its own predecessor."""
        old = kept(store, "tea")
        assert commit(store, revised(old, importance=10))[0].applied

    def test_it_settles_what_the_old_version_owed(self, store: Store) -> None:
        """Jobs of the old version are gone; the one of the new version is queued."""
        (outcome,) = commit(store, add(memory("tea"), follow_up=JOB))
        (old,) = store.read([outcome.seq])
        commit(store, revised(old, follow_up=NewJob(EMBED, NOW, {"version": 2}), content="coffee"))
        jobs = store.jobs.lease("a", NOW, NOW + timedelta(hours=1), 10)
        assert [job.payload for job in jobs] == [{"version": 2}]

    def test_its_links_are_the_new_ones(self, store: Store) -> None:
        """Links that the new version does not have are gone."""
        old = kept(store, "tea", links=(Link("about", "a" * 32, "why"),))
        commit(store, revised(old, links=(Link("supersedes", "b" * 32),), supersedes=("b" * 32,)))
        (new,) = store.read([old.seq])
        assert new.links == (Link("supersedes", "b" * 32),)
        assert new.supersedes == ("b" * 32,)

    def test_a_moved_memory_leaves_its_old_scope(self, store: Store) -> None:
        """Who searches the old scope is told that the memory is gone, who searches the new one finds it."""
        old = kept(store, "tea")
        since = store.feed(ADA, 0, SIGNATURE).change
        assert commit(store, revised(old, scope=BOB))[0].applied
        assert contents(store, BOB) == ["tea"]
        assert contents(store, ADA) == []
        assert [row.seq for row in store.feed(BOB, 0, SIGNATURE).rows] == [old.seq]
        left = store.feed(ADA, since, SIGNATURE)
        assert left.restart or left.erased == (old.seq,)

    def test_a_memory_moves_there_and_back(self, store: Store) -> None:
        """Whoever follows the feeds of both scopes finds the memory in one of them after each move."""
        old = kept(store, "tea", embedding())
        since = {ADA: 0, BOB: 0}
        held: dict[Scope, set[int]] = {ADA: set(), BOB: set()}
        for scope in (ADA, BOB, ADA, BOB, BOB, ADA):
            commit(store, revised(store.read([old.seq])[0], embedding(), scope=scope))
            for name, seqs in held.items():
                feed = store.feed(name, since[name], SIGNATURE)
                seqs -= set(feed.erased)
                seqs |= {row.seq for row in feed.rows}
                since[name] = feed.change
            assert held == {name: {old.seq} if name == scope else set() for name in held}
            assert [m.scope for m in store.select(within(ADA, BOB))] == [scope]


class VectorsContract(StoreSuite):
    """Vectors that come later."""

    def test_vectors_come_later(self, store: Store) -> None:
        """Owed vectors make a pending memory ready; id, version and times stay."""
        old = kept(store, "tea")
        assert old.embedding is EmbeddingState.PENDING
        (outcome,) = commit(store, SetEmbedding(old.seq, 1, embedding([0, 1, 0, 0]), 3))
        (new,) = store.read([old.seq])
        assert (outcome.applied, outcome.id) == (True, old.id)
        assert new == replace(old, embedding=EmbeddingState.READY, signature=SIGNATURE, embedded_chars=3)
        assert store.info().pending == 0

    def test_search_hears_of_them(self, store: Store) -> None:
        """Vectors that came later are a change that the feed reports."""
        old = kept(store, "tea")
        since = store.feed(ADA, 0, SIGNATURE).change
        commit(store, SetEmbedding(old.seq, 1, embedding([0, 1, 0, 0]), 3))
        (row,) = store.feed(ADA, since, SIGNATURE).rows
        assert row.pieces == embedding([0, 1, 0, 0]).pieces.tobytes()

    def test_vectors_of_an_old_version_are_left_alone(self, store: Store) -> None:
        """A memory that was changed or erased in between does not get the vectors of what it said before."""
        old, gone = kept(store, "tea"), kept(store, "gone")
        commit(store, revised(old, content="coffee"), EraseMemory(gone.seq, gone.id))
        late, lost = commit(store, SetEmbedding(old.seq, 1, embedding(), 3), SetEmbedding(gone.seq, 1, embedding(), 3))
        assert not late.applied
        assert not lost.applied
        assert store.info().pending == 1

    def test_new_vectors_replace_old_ones(self, store: Store) -> None:
        """A memory has one set of vectors of the model that is searched by."""
        old = kept(store, "tea", embedding())
        commit(store, SetEmbedding(old.seq, 1, embedding([0, 0, 1, 0]), 3))
        (row,) = store.feed(ADA, 0, SIGNATURE).rows
        assert row.pieces == embedding([0, 0, 1, 0]).pieces.tobytes()
        assert store.reindexing.signatures() == [(SIGNATURE, 1)]


class StatusContract(StoreSuite):
    """In and out of recall."""

    def test_a_status_is_set(self, store: Store) -> None:
        """The status and the time of the change make a new version, the rest stays; it can be put back."""
        old = kept(store, "tea")
        (outcome,) = commit(store, SetStatus(old.seq, Status.ARCHIVED, NOW))
        assert (outcome.applied, outcome.id) == (True, old.id)
        assert store.read([old.seq]) == [replace(old, status=Status.ARCHIVED, updated_at=NOW, version=2)]
        commit(store, SetStatus(old.seq, Status.ACTIVE, NOW))
        assert store.read([old.seq]) == [replace(old, updated_at=NOW, version=3)]

    def test_its_vectors_and_jobs_stay(self, store: Store) -> None:
        """A new status costs no new vectors, and owed ones are still owed."""
        ready, owed = commit(store, add(memory("tea"), embedding()), add(memory("milk"), follow_up=JOB))
        commit(store, *(SetStatus(outcome.seq, Status.ARCHIVED, NOW) for outcome in (ready, owed)))
        pieces = {row.seq: row.pieces for row in store.feed(ADA, 0, SIGNATURE).rows}
        assert pieces == {ready.seq: embedding().pieces.tobytes(), owed.seq: None}
        assert (store.info().pending, store.info().jobs) == (1, 1)

    def test_an_equal_memory_keeps_the_place(self, store: Store) -> None:
        """A memory whose place was taken is not put back: the outcome names the one that took it."""
        old = kept(store, "tea")
        commit(store, SetStatus(old.seq, Status.ARCHIVED, NOW))
        new = kept(store, "tea")
        (outcome,) = commit(store, SetStatus(old.seq, Status.ACTIVE, NOW))
        assert (outcome.applied, outcome.id, outcome.seq) == (False, new.id, new.seq)
        assert store.read([old.seq])[0].status is Status.ARCHIVED
        assert len(store.archive.history(old.seq)) == 2

    def test_search_hears_of_it(self, store: Store) -> None:
        """A changed status is a change that the feed reports."""
        old = kept(store, "tea")
        since = store.feed(ADA, 0, SIGNATURE).change
        commit(store, SetStatus(old.seq, Status.QUARANTINED, NOW))
        assert [row.status for row in store.feed(ADA, since, SIGNATURE).rows] == ["quarantined"]

    def test_a_memory_that_is_not_there_has_none(self, store: Store) -> None:
        """A status for an erased memory is not applied."""
        assert not commit(store, SetStatus(4711, Status.ARCHIVED, NOW))[0].applied


class TouchContract(StoreSuite):
    """That a memory was returned is counted, and is no change of it."""

    def test_it_counts_and_dates(self, store: Store) -> None:
        """Each naming counts once, and the last time is the latest, in whatever order the news comes."""
        one, two = kept(store, "tea"), kept(store, "coffee")
        earlier = NOW - timedelta(hours=1)
        first, second = commit(store, Touch((one.seq, two.seq, one.seq), NOW), Touch((one.seq,), earlier))
        assert (first.applied, first.counts, second.counts) == (True, {"accesses": 3}, {"accesses": 1})
        found = store.read([one.seq, two.seq])
        assert [(each.access_count, each.last_accessed_at) for each in found] == [(3, NOW), (1, NOW)]

    def test_nothing_else_changes(self, store: Store) -> None:
        """No new version, no new time of change, and nothing that a search cache would read anew."""
        old = kept(store, "tea", embedding())
        before = store.feed(ADA, 0, SIGNATURE)
        commit(store, Touch((old.seq,), NOW))
        assert store.read([old.seq]) == [replace(old, access_count=1, last_accessed_at=NOW)]
        assert [each.version for each in store.archive.history(old.seq)] == [old.version]
        assert store.feed(ADA, before.change, SIGNATURE).rows == ()
        assert store.feed(ADA, 0, SIGNATURE).change == before.change

    def test_an_update_loses_no_access(self, store: Store) -> None:
        """What was counted between reading a memory and replacing it stays counted, and no count comes back less."""
        old = kept(store, "tea", embedding())
        commit(store, Touch((old.seq, old.seq), NOW))
        commit(
            store, ReplaceMemory(replace(old, content="green tea", version=old.version + 1), b"i" * 16, ("tea",), None)
        )
        (found,) = store.read([old.seq])
        assert (found.content, found.access_count, found.last_accessed_at) == ("green tea", 2, NOW)
        more = replace(found, version=found.version + 1, access_count=5, last_accessed_at=NOW + timedelta(hours=1))
        commit(store, ReplaceMemory(more, b"i" * 16, ("tea",), None))
        assert store.read([old.seq])[0].access_count == 5
        assert store.read([old.seq])[0].last_accessed_at == NOW + timedelta(hours=1)

    def test_what_is_gone_is_passed_over(self, store: Store) -> None:
        """The news of an erased memory counts for the others only."""
        one, two = kept(store, "tea"), kept(store, "coffee")
        commit(store, EraseMemory(one.seq, one.id))
        some, none, empty = commit(store, Touch((one.seq, two.seq), NOW), Touch((one.seq,), NOW), Touch((), NOW))
        assert (some.counts, none.applied, empty.applied) == ({"accesses": 1}, False, False)
        assert [each.access_count for each in store.read([two.seq])] == [1]


class EraseContract(StoreSuite):
    """What is erased is gone."""

    def test_an_erasure_counts_what_it_removed(self, store: Store) -> None:
        """The memory, its vectors, terms, jobs, its links and those that lead to it."""
        target = memory("tea", links=(Link("about", "a" * 32),))
        neighbour = memory("coffee", links=(Link("like", target.id), Link("about", "a" * 32)))
        (outcome, _) = commit(store, add(target, embedding(tokens=3), follow_up=JOB), add(neighbour))
        (erased,) = commit(store, EraseMemory(outcome.seq, outcome.id))
        assert erased.applied
        assert erased.counts == {
            "memories": 1,
            "vectors": 1,
            "token_vectors": 1,
            "text_index": 1,
            "links": 1,
            "links_to_it": 1,
            "jobs": 1,
            "versions": 0,
            "version_vectors": 0,
            "events": 0,
            "mentions": 0,
            "relations": 0,
            "conflicts": 0,
        }

    def test_old_versions_are_counted_and_gone(self, store: Store) -> None:
        """What a memory said before dies with it, wherever it was said."""
        old = kept(store, "tea", embedding())
        commit(store, revised(old, content="coffee"))
        commit(store, revised(store.read([old.seq])[0], embedding(), content="water", scope=BOB))
        (erased,) = commit(store, EraseMemory(old.seq, old.id))
        assert (erased.counts["versions"], erased.counts["version_vectors"]) == (2, 1)
        assert store.archive.history(old.seq) == []
        assert store.read([old.seq], old.updated_at) == []
        assert store.past(ADA, old.updated_at, SIGNATURE).rows == ()

    def test_nothing_is_left_of_it(self, store: Store) -> None:
        """No reading of the store has anything of an erased memory."""
        target = memory("tea")
        neighbour = memory("coffee", links=(Link("like", target.id),))
        gone, _ = commit(store, add(target, embedding(), follow_up=JOB), add(neighbour))
        commit(store, EraseMemory(gone.seq, gone.id))
        assert store.read([gone.seq]) == []
        assert store.resolve([ADA], gone.id, 5) == []
        assert contents(store) == ["coffee"]
        assert [row.terms for row in store.feed(ADA, 0, SIGNATURE).rows] == ["coffee"]
        assert store.prior(ADA, [identity(target)]) == {}
        assert store.jobs.lease("a", NOW, NOW + timedelta(hours=1), 5) == []
        assert [m.links for m in store.read([gone.seq + 1])] == [()]
        assert (store.info().memories, store.info().jobs) == (1, 0)

    def test_a_second_erasure_finds_nothing(self, store: Store) -> None:
        """Erasing what is not there is not applied and counts nothing."""
        old = kept(store, "tea")
        first, second = commit(store, EraseMemory(old.seq, old.id), EraseMemory(old.seq, old.id))
        assert first.applied
        assert not second.applied
        assert sum(second.counts.values()) == 0
