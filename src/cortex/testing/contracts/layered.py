"""What follows from the layers of a write: readings, supersession, links, conflicts."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cortex.model.change import (
    AddConflict,
    AddLink,
    Decide,
    EraseMemory,
    EraseScope,
    PutRecord,
    RemoveLinks,
    SetReading,
    SetStatus,
    Supersede,
)
from cortex.model.conflict import Conflict, ConflictState, Resolution
from cortex.model.job import NewJob
from cortex.model.memory import Clearance, Kind, Link, Memory, Status
from cortex.model.query import Filter, Order
from cortex.model.scope import Scope
from cortex.model.understanding import Edge, EntityType, Event, Mention, Reading
from cortex.ports import Store
from cortex.testing.contracts.changing import kept, revised
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite, contents, within
from cortex.testing.factories import add, commit, embedding, memory

BOB = Scope("user:bob")
ACTIVE = Filter()
OPEN = (ConflictState.OPEN,)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
REDIS = Mention("redis", "Redis", EntityType.TECHNOLOGY)
CACHE = Mention("cache", "the cache", EntityType.THING)
USES = Edge("cache", "uses", "redis", "for sessions")
EVENT = Event(event_time=NOW, actor="Ada", location="Rome", event_type="meeting")


def reading(*mentions: Mention, edges: tuple[Edge, ...] = (), event: Event | None = None) -> Reading:
    """What two layers read."""
    return Reading(layers=("episodic", "graph"), maker="test", event=event, mentions=mentions, edges=edges)


FULL = reading(CACHE, REDIS, edges=(USES,), event=EVENT)


def read_in(store: Store, content: str, what: Reading, **fields: Any) -> Memory:
    """A memory with what was read from it."""
    (outcome,) = commit(store, add(memory(content, **fields), reading=what))
    return store.read([outcome.seq])[0]


def conflict(older: Memory, newer: Memory, **fields: Any) -> Conflict:
    """A conflict of two memories."""
    given: dict[str, Any] = {"similarity": 0.5, "detector": "test", "confidence": 0.9, "reason": "tea became coffee"}
    return Conflict(
        id=newer.id[::-1],
        scope=newer.scope,
        older=older.id,
        newer=newer.id,
        state=ConflictState.OPEN,
        found_at=NOW,
        **(given | fields),
    )


class ReadingsContract(StoreSuite):
    """What was read from a text is kept with its memory."""

    def test_a_reading_comes_back(self, store: Store) -> None:
        """With its memory, from the moment it is committed; a memory that nobody read has none."""
        first = read_in(store, "The cache uses Redis", FULL)
        second = kept(store, "tea")
        assert store.knowledge.readings([first.seq, second.seq, 99]) == {first.seq: FULL}

    def test_it_can_come_later(self, store: Store) -> None:
        """With the fields of the memory that follow from it, without a new version, and with what is owed."""
        old = read_in(store, "tea", reading(CACHE))
        changed = replace(old, kind=Kind.PREFERENCE, importance=8, tags=("drinks",), emotion=0.25)
        (outcome,) = commit(store, SetReading(changed, FULL, NewJob("understand", NOW, {})))
        assert (outcome.applied, outcome.id, outcome.seq) == (True, old.id, old.seq)
        assert store.read([old.seq]) == [changed]
        assert store.knowledge.readings([old.seq]) == {old.seq: FULL}
        assert [job.kind for job in store.jobs.lease("me", NOW, NOW + timedelta(minutes=1), 9)] == ["understand"]

    def test_it_is_of_one_version(self, store: Store) -> None:
        """What was read from an old text is not put on a new one, and goes with the text."""
        old = read_in(store, "tea", FULL)
        commit(store, revised(old, content="coffee"))
        (outcome,) = commit(store, SetReading(old, FULL))
        assert not outcome.applied
        assert store.knowledge.readings([old.seq]) == {}

    def test_it_goes_with_its_memory(self, store: Store) -> None:
        """Erasing counts what was read, and nothing of it is left."""
        first = read_in(store, "The cache uses Redis", FULL)
        read_in(store, "Redis", reading(REDIS), scope=BOB)
        (erased,) = commit(store, EraseMemory(first.seq, first.id))
        assert {name: erased.counts[name] for name in ("events", "mentions", "relations")} == {
            "events": 1,
            "mentions": 2,
            "relations": 1,
        }
        assert store.knowledge.readings([first.seq]) == {}
        assert store.knowledge.names(within(ADA, BOB), "")[0].memories == 1

    def test_it_travels_with_the_record(self, store: Store) -> None:
        """A record has it, and a store that takes the record over has it too."""
        first = read_in(store, "The cache uses Redis", FULL)
        (record,) = store.archive.records([ADA], 0, 9)
        assert record.reading == FULL
        commit(store, EraseMemory(first.seq, first.id))
        (outcome,) = commit(store, PutRecord(record))
        assert store.knowledge.readings([outcome.seq]) == {outcome.seq: FULL}

    def test_names_are_counted_over_memories(self, store: Store) -> None:
        """By norm; written as most memories write it, of the type that most give it, if any gives one."""
        writings = (("Redis", "thing"), ("REDIS", "technology"), ("Redis", "thing"), ("redis", "person"))
        for number, (name, type_) in enumerate(writings):
            read_in(store, f"text {number}", reading(Mention("redis", name, EntityType(type_))))
        read_in(store, "cache", reading(CACHE))
        found = store.knowledge.names(within(), "")
        assert [(name.norm, name.name, name.type.value, name.memories) for name in found] == [
            ("cache", "the cache", "thing", 1),
            ("redis", "REDIS", "technology", 4),
        ]
        assert [name.norm for name in store.knowledge.names(within(), "edi")] == ["redis"]
        assert store.knowledge.names(within(), "%") == []
        assert store.knowledge.named(within(), ["x", "redis", "cache"]) == found
        assert store.knowledge.named(within(), []) == []

    def test_only_what_may_be_seen_is_named(self, store: Store) -> None:
        """Other scopes, hidden and superseded memories name nothing, and state nothing."""
        read_in(store, "The cache uses Redis", FULL, scope=BOB)
        read_in(store, "The cache uses Redis", FULL, clearance_min=Clearance.RESTRICTED)
        read_in(store, "The cache used Redis", FULL, status=Status.SUPERSEDED)
        selection = within(filter=ACTIVE, clearance=Clearance.INTERNAL)
        assert store.knowledge.names(selection, "") == []
        assert store.knowledge.mentioning(selection, "redis") == []
        assert store.knowledge.edges(selection, ["redis"]) == []

    def test_mentions_and_edges_lead_to_memories(self, store: Store) -> None:
        """Newest first for mentions; edges in the order they were written, by either end."""
        first = read_in(store, "The cache uses Redis", FULL)
        second = read_in(store, "The cache uses Redis still", FULL)
        assert store.knowledge.mentioning(within(), "redis") == [second.seq, first.seq]
        assert store.knowledge.mentioning(within(), "redis", 1) == [second.seq]
        assert store.knowledge.mentioning(within(past=True), "redis", 1) == [second.seq]
        assert store.knowledge.edges(within(), ["redis"]) == [(first.seq, USES), (second.seq, USES)]
        assert store.knowledge.edges(within(), ["cache", "x"]) == [(first.seq, USES), (second.seq, USES)]
        assert store.knowledge.edges(within(), ["x"]) == []

    def test_what_is_not_read_yet(self, store: Store) -> None:
        """Active memories that one of the layers has not read, by seq, after a seq."""
        first, second = kept(store, "tea"), read_in(store, "coffee", reading())
        kept(store, "old", status=Status.ARCHIVED)
        kept(store, "bob's", scope=BOB)
        third = kept(store, "milk")
        unread = store.knowledge.unread
        assert [m.seq for m in unread([ADA], ["graph"], 0, 9)] == [first.seq, third.seq]
        assert [m.seq for m in unread([ADA], ["graph"], first.seq, 9)] == [third.seq]
        assert [m.seq for m in unread([ADA], ["graph", "link"], 0, 2)] == [first.seq, second.seq]
        assert unread([], ["graph"], 0, 9) == []


class SupersedeContract(StoreSuite):
    """One memory takes the place of another, and gives it back."""

    def test_both_say_so(self, store: Store) -> None:
        """The older is out of recall with a new version, the newer has the link with the reason."""
        older, newer = kept(store, "tea", embedding()), kept(store, "coffee")
        (outcome,) = commit(store, Supersede(older.seq, 1, newer.id, "tea became coffee", NOW))
        assert (outcome.applied, outcome.id) == (True, older.id)
        old, new = store.read([older.seq, newer.seq])
        assert (old.status, old.superseded_by, old.version, old.updated_at) == (Status.SUPERSEDED, newer.id, 2, NOW)
        assert new.supersedes == (older.id,)
        assert new.links == (Link("supersedes", older.id, "tea became coffee"),)
        assert [m.status for m in store.archive.history(older.seq)] == [Status.ACTIVE, Status.SUPERSEDED]
        assert contents(store, filter=ACTIVE) == ["coffee"]

    def test_it_needs_both_as_they_were(self, store: Store) -> None:
        """Not a changed memory, not one that is out already, not by itself, not by one that is not active."""
        older, newer, gone = kept(store, "tea"), kept(store, "coffee"), kept(store, "milk", status=Status.ARCHIVED)
        changes = [
            Supersede(older.seq, 2, newer.id, "", NOW),
            Supersede(gone.seq, 1, newer.id, "", NOW),
            Supersede(older.seq, 1, older.id, "", NOW),
            Supersede(older.seq, 1, gone.id, "", NOW),
            Supersede(older.seq, 1, "f" * 32, "", NOW),
            Supersede(99, 1, newer.id, "", NOW),
        ]
        assert not any(outcome.applied for outcome in commit(store, *changes))
        assert store.read([older.seq, newer.seq]) == [older, newer]

    def test_erasing_the_newer_brings_the_older_back(self, store: Store) -> None:
        """From the time of the erasure on; no version names what is erased."""
        older, newer = kept(store, "tea"), kept(store, "coffee")
        commit(store, Supersede(older.seq, 1, newer.id, "", NOW))
        later = NOW + timedelta(hours=1)
        commit(store, EraseMemory(newer.seq, newer.id, at=later))
        (back,) = store.read([older.seq])
        assert (back.status, back.superseded_by, back.version, back.updated_at) == (Status.ACTIVE, None, 3, later)
        assert [m.superseded_by for m in store.archive.history(older.seq)] == [None] * 3
        assert store.read([older.seq], NOW)[0].status is Status.SUPERSEDED

    def test_the_middle_of_a_chain(self, store: Store) -> None:
        """What the erased one had superseded is superseded by what superseded that."""
        first, second, third = (kept(store, text) for text in ("tea", "coffee", "milk"))
        commit(store, Supersede(first.seq, 1, second.id, "", NOW), Supersede(second.seq, 1, third.id, "", NOW))
        commit(store, EraseMemory(second.seq, second.id))
        assert store.read([first.seq])[0].superseded_by == third.id
        commit(store, EraseMemory(third.seq, third.id))
        assert store.read([first.seq])[0].status is Status.ACTIVE

    def test_a_chain_that_goes_together(self, store: Store) -> None:
        """Of several that are erased at once, only what stays is brought back."""
        first, second, third = (kept(store, text) for text in ("tea", "coffee", "milk"))
        commit(store, Supersede(first.seq, 1, second.id, "", NOW), Supersede(second.seq, 1, third.id, "", NOW))
        commit(store, EraseScope(ADA, only=(second.seq, third.seq)))
        assert [m.id for m in store.select(within())] == [first.id]
        assert store.read([first.seq])[0].status is Status.ACTIVE

    def test_an_equal_one_that_came_meanwhile(self, store: Store) -> None:
        """The text counts once: the older one follows its twin."""
        older, newer = kept(store, "tea"), kept(store, "coffee")
        commit(store, Supersede(older.seq, 1, newer.id, "", NOW))
        twin = kept(store, "tea")
        commit(store, EraseMemory(newer.seq, newer.id))
        (back,) = store.read([older.seq])
        assert (back.status, back.superseded_by) == (Status.SUPERSEDED, twin.id)

    def test_what_was_put_away_stays_away(self, store: Store) -> None:
        """A superseded memory that somebody archived does not come back when its successor is erased."""
        older, newer = kept(store, "tea"), kept(store, "coffee")
        commit(store, Supersede(older.seq, 1, newer.id, "", NOW))
        commit(store, SetStatus(older.seq, Status.ARCHIVED, NOW + timedelta(hours=1)))
        commit(store, EraseMemory(newer.seq, newer.id))
        assert store.read([older.seq])[0].status is Status.ARCHIVED

    def test_a_duplicate_does_not_come_back(self, store: Store) -> None:
        """What says the same as the text that is forgotten stays out."""
        older, other = kept(store, "tea"), kept(store, "coffee")
        commit(store, Supersede(older.seq, 1, other.id, "", NOW))
        twin = kept(store, "tea")
        commit(store, EraseMemory(other.seq, other.id), EraseMemory(twin.seq, twin.id))
        assert store.read([older.seq])[0].status is Status.SUPERSEDED

    def test_put_back_by_hand(self, store: Store) -> None:
        """One that is active again is superseded by nothing, and the other does not say so either."""
        older, newer = kept(store, "tea"), kept(store, "coffee")
        commit(store, Supersede(older.seq, 1, newer.id, "", NOW))
        commit(store, SetStatus(older.seq, Status.ACTIVE, NOW + timedelta(hours=1)))
        old, new = store.read([older.seq, newer.seq])
        assert (old.status, old.superseded_by, new.supersedes) == (Status.ACTIVE, None, ())

    def test_searchers_hear_of_it(self, store: Store) -> None:
        """A feed has the superseded row, and the restored one."""
        older, newer = kept(store, "tea"), kept(store, "coffee")
        signature = embedding().signature
        before = store.feed(ADA, 0, signature).change
        commit(store, Supersede(older.seq, 1, newer.id, "", NOW))
        feed = store.feed(ADA, before, signature)
        assert [(row.seq, row.status) for row in feed.rows] == [(older.seq, "superseded")]
        commit(store, EraseMemory(newer.seq, newer.id))
        again = store.feed(ADA, feed.change, signature)
        assert [(row.seq, row.status) for row in again.rows] == [(older.seq, "active")]


class LinksContract(StoreSuite):
    """Links that come after the memory."""

    def test_a_link_is_added_once(self, store: Store) -> None:
        """Between memories that are there; the first reason stays."""
        first, second = kept(store, "tea"), kept(store, "coffee")
        link = Link("related", second.id, "both are drinks")
        outcomes = commit(store, AddLink(first.id, link), AddLink(first.id, replace(link, reason="other")))
        assert [outcome.applied for outcome in outcomes] == [True, False]
        assert store.read([first.seq])[0].links == (link,)
        missing = commit(store, AddLink("f" * 32, link), AddLink(first.id, Link("related", "f" * 32)))
        assert not any(outcome.applied for outcome in missing)

    def test_links_of_one_sort_are_removed(self, store: Store) -> None:
        """Those that lead to a memory, whoever has them; others stay."""
        target = kept(store, "tea")
        sort, other = Link("related", target.id), Link("supersedes", target.id)
        first = kept(store, "coffee", links=(sort, other))
        outcomes = commit(store, *[RemoveLinks(target.id, "related")] * 2)
        assert [outcome.applied for outcome in outcomes] == [True, False]
        assert store.read([first.seq])[0].links == (other,)

    def test_a_link_to_what_is_added_with_it(self, store: Store) -> None:
        """In one batch, by id."""
        first, second = kept(store, "tea"), memory("coffee")
        commit(store, add(second), AddLink(first.id, Link("related", second.id)))
        assert store.read([first.seq])[0].links == (Link("related", second.id),)


class ConflictsContract(StoreSuite):
    """Two memories that contradict each other."""

    def test_a_conflict_comes_back(self, store: Store) -> None:
        """As it was noted, newest first, once for two memories; only in the states that are asked for."""
        one, two, three = (kept(store, text) for text in ("tea", "coffee", "milk"))
        first = conflict(one, two)
        later = replace(conflict(one, three), found_at=NOW + timedelta(hours=1), similarity=None)
        outcomes = commit(store, AddConflict(first), AddConflict(later), AddConflict(replace(first, id="0" * 32)))
        assert [outcome.applied for outcome in outcomes] == [True, True, False]
        listed = store.knowledge.conflicts([ADA], OPEN, 3)
        assert listed == [later, first]
        assert store.knowledge.conflicts([ADA], [ConflictState.RESOLVED], 3) == []
        assert store.knowledge.conflicts([BOB], OPEN, 3) == []
        assert store.knowledge.conflicts([ADA], OPEN, 3, first.id[:8]) == [first]

    def test_it_needs_both(self, store: Store) -> None:
        """Not with a memory that is not there."""
        one = kept(store, "tea")
        (outcome,) = commit(store, AddConflict(conflict(one, memory("nowhere"))))
        assert not outcome.applied

    def test_it_is_hidden_with_either(self, store: Store) -> None:
        """Whoever may not see one of the two does not learn of the conflict."""
        one, two = kept(store, "tea"), kept(store, "coffee", clearance_min=Clearance.RESTRICTED)
        commit(store, AddConflict(conflict(one, two)))
        assert store.knowledge.conflicts([ADA], OPEN, int(Clearance.INTERNAL)) == []

    def test_it_is_decided_once(self, store: Store) -> None:
        """With who, what and when; a decided one stays as it is."""
        one, two = kept(store, "tea"), kept(store, "coffee")
        noted = conflict(one, two)
        change = Decide(noted.id, ConflictState.RESOLVED, Resolution.KEEP_NEWER, "ada", NOW)
        again = replace(change, resolution=Resolution.KEEP_OLDER)
        _, first, second = commit(store, AddConflict(noted), change, again)
        assert (first.applied, second.applied) == (True, False)
        (found,) = store.knowledge.conflicts([ADA], [ConflictState.RESOLVED], 3)
        assert (found.resolution, found.decided_by, found.decided_at) == (Resolution.KEEP_NEWER, "ada", NOW)

    def test_it_goes_with_either(self, store: Store) -> None:
        """Erasing one of the two removes the conflict and counts it."""
        one, two, three = (kept(store, text) for text in ("tea", "coffee", "milk"))
        commit(store, AddConflict(conflict(one, two)), AddConflict(conflict(two, three)))
        (erased,) = commit(store, EraseMemory(two.seq, two.id))
        assert erased.counts["conflicts"] == 2
        assert store.knowledge.conflicts([ADA], list(ConflictState), 3) == []

    def test_a_new_text_is_judged_anew(self, store: Store) -> None:
        """What was open about the old text is gone; what was decided stays."""
        one, two, three = (kept(store, text) for text in ("tea", "coffee", "milk"))
        decided = replace(conflict(two, three), state=ConflictState.DISMISSED, decided_by="ada")
        commit(store, AddConflict(conflict(one, two)), AddConflict(decided))
        commit(store, revised(two, content="cocoa"))
        assert [found.state for found in store.knowledge.conflicts([ADA], list(ConflictState), 3)] == [decided.state]


class HappenedContract(StoreSuite):
    """In the order things happened, as was said or read."""

    def test_given_times_count_before_read_ones(self, store: Store) -> None:
        """What tells of an event without a date comes last; what tells of none is left out."""
        day = timedelta(days=1)
        given = kept(store, "given", event_time=NOW + 2 * day)
        read = read_in(store, "read", reading(event=Event(event_time=NOW + day)))
        both = read_in(store, "both", reading(event=Event(event_time=NOW + 9 * day)), event_time=NOW)
        undated = read_in(store, "undated", reading(event=Event(actor="Ada")))
        read_in(store, "none", reading(REDIS))
        kept(store, "nothing")
        in_order = [both, read, given, undated]
        chosen = within(order=Order.HAPPENED)
        assert store.select(chosen) == in_order
        assert sum(count.memories for count in store.count(chosen)) == 4
        assert store.select(replace(chosen, limit=2)) == in_order[:2]
        after = ((NOW + day - EPOCH) // timedelta(microseconds=1), read.seq)
        assert store.select(replace(chosen, after=after)) == in_order[2:]
        after = (2**63 - 1, undated.seq)
        assert store.select(replace(chosen, after=after)) == []
        stretch = replace(chosen.filter, event_since=NOW + day, event_until=NOW + 2 * day)
        assert store.select(replace(chosen, filter=stretch)) == [read]
