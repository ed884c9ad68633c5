"""Reading: every field comes back, in the order asked for, found by id and scope."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cortex.model.change import EraseMemory
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.memory import Clearance, EmbeddingState, Kind, Link, Memory, Role, Status, Tier
from cortex.model.scope import Scope
from cortex.ports import Store
from cortex.testing.contracts.suite import ADA, StoreSuite, contents, fresh_scope
from cortex.testing.factories import SIGNATURE, add, commit, embedding, memory

EXAMPLES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, *HealthCheck]
)
INT64 = 2**63 - 1

_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
_label = st.none() | _text
_time = st.datetimes(timezones=st.just(UTC))
_times = st.none() | _time
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=6,
)
_object = st.dictionaries(_text, _json, max_size=4)
_id = st.text("0123456789abcdef", min_size=32, max_size=32)
_links = st.dictionaries(st.tuples(st.sampled_from(["supersedes", "about"]), _id), _text, max_size=3)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Any memory that the engine may hand to a store; its vectors are owed."""
    links = tuple(Link(relation, target, why) for (relation, target), why in sorted(draw(_links).items()))
    return Memory(
        id=draw(_id),
        scope=ADA,
        content=draw(_text),
        created_at=draw(_time),
        updated_at=draw(_time),
        author=draw(_text),
        agent=draw(_label),
        session=draw(_label),
        position=draw(st.none() | st.integers(0, INT64)),
        speaker=draw(_label),
        role=draw(st.none() | st.sampled_from(Role)),
        kind=draw(st.sampled_from(Kind)),
        tier=draw(st.sampled_from(Tier)),
        status=draw(st.sampled_from(Status)),
        fingerprint=draw(st.binary(max_size=16)),
        language=draw(_label),
        importance=draw(st.integers(1, 10)),
        emotion=draw(st.none() | st.floats(0, 1)),
        confidence=draw(st.floats(0, 1)),
        tags=tuple(draw(st.lists(_text, max_size=12))),
        metadata=draw(_object),
        source=draw(_object),
        clearance_min=draw(st.sampled_from(Clearance)),
        event_time=draw(_times),
        valid_from=draw(_times),
        valid_to=draw(_times),
        expires_at=draw(_times),
        working_until=draw(_times),
        last_accessed_at=draw(_times),
        access_count=draw(st.integers(0, INT64)),
        superseded_by=draw(st.none() | _id),
        supersedes=tuple(link.target for link in links if link.relation == "supersedes"),
        links=links,
        version=draw(st.integers(1, INT64)),
    )


class RoundTripContract(StoreSuite):
    """What is given back is what was given."""

    @given(kept=memories())
    @EXAMPLES
    def test_every_field_comes_back(self, store: Store, kept: Memory) -> None:
        """Any text, number, object and time comes back as it was, to the microsecond."""
        kept = replace(kept, scope=fresh_scope())
        (outcome,) = commit(store, add(kept))
        assert outcome.applied
        (found,) = store.read([outcome.seq])
        assert _comparable(found) == _comparable(replace(kept, seq=outcome.seq))
        commit(store, EraseMemory(outcome.seq, kept.id))

    def test_the_signature_comes_back(self, store: Store) -> None:
        """A memory with vectors is ready and says which model made them."""
        signature = EmbeddingSignature("model", 3, "r2")
        vectors = embedding([0, 0, 1], signature=signature)
        (outcome,) = commit(store, add(memory("tea"), vectors))
        (found,) = store.read([outcome.seq])
        assert (found.embedding, found.signature) == (EmbeddingState.READY, signature)
        assert found.embedded_chars == len("tea")

    def test_a_long_text_comes_back_whole(self, store: Store) -> None:
        """A million characters are kept as they are."""
        text = "a🧡é\r\n " * 160_000
        (outcome,) = commit(store, add(memory(text)))
        assert store.read([outcome.seq])[0].content == text

    def test_what_was_given_is_the_store_s_own(self, store: Store) -> None:
        """Whoever changes an object that was handed in or given out does not change what is kept."""
        metadata: dict[str, Any] = {"list": [1]}
        (outcome,) = commit(store, add(memory("tea", metadata=metadata)))
        metadata["list"].append(2)
        given = store.read([outcome.seq])[0].metadata
        given["list"].append(3)
        assert store.read([outcome.seq])[0].metadata == {"list": [1]}


class LookupContract(StoreSuite):
    """Finding by seq, by id, by scope."""

    def test_rows_come_in_the_order_asked_for(self, store: Store) -> None:
        """`read` answers in the order of the seqs and leaves out those that do not exist."""
        outcomes = commit(store, *(add(memory(f"number {i}")) for i in range(1200)))
        seqs = [outcome.seq for outcome in outcomes][::-1]
        asked = [seqs[0], 10**9, *seqs[1:], 0, -1]
        assert [kept.seq for kept in store.read(asked)] == seqs
        assert store.read([]) == []

    def test_an_id_is_found_by_its_beginning(self, store: Store) -> None:
        """`resolve` gives ids with their seqs, sorted, up to the limit, and the whole id is a prefix too."""
        ids = ["ab" + "0" * 30, "ab" + "1" * 30, "ab" + "f" * 30, "ac" + "0" * 30]
        seqs = {o.id: o.seq for o in commit(store, *(add(memory(i, id=i)) for i in reversed(ids)))}
        assert store.resolve([ADA], "ab", 10) == [(i, seqs[i]) for i in ids[:3]]
        assert store.resolve([ADA], "ab", 2) == [(i, seqs[i]) for i in ids[:2]]
        assert store.resolve([ADA], ids[2], 10) == [(ids[2], seqs[ids[2]])]
        assert store.resolve([ADA], "ab" + "f" * 29, 10) == [(ids[2], seqs[ids[2]])]
        assert store.resolve([ADA], "abf1", 10) == []

    def test_a_wildcard_is_a_plain_character(self, store: Store) -> None:
        """Signs that mean something to a query language find nothing."""
        commit(store, add(memory("tea")))
        for prefix in ("%", "_", "*", "?", "%%%%", "____", "[0-9]", "'", '"'):
            assert store.resolve([ADA], prefix, 10) == []

    def test_an_id_is_found_in_its_scopes_only(self, store: Store) -> None:
        """`resolve` does not look beyond the scopes that it is given."""
        bob, eve = Scope("user:bob"), Scope("user:eve")
        one = "ab" + "0" * 30
        commit(store, add(memory("tea", scope=bob, id=one)))
        assert store.resolve([ADA], "ab", 5) == []
        assert store.resolve([], "ab", 5) == []
        assert store.resolve([eve, ADA], "ab", 5) == []
        assert [i for i, _ in store.resolve([ADA, bob], "ab", 5)] == [one]

    def test_names_are_kept_apart(self, store: Store) -> None:
        """Scopes whose names differ in case, dots, hyphens, form or script are different scopes."""
        keys = (
            "user:ada user:Ada user:a.da user:a-da user:a_da user:ada. project:ada team:ada user:阿達 user:阿达 "
            "user:caf\u00e9 user:cafe\u0301 user:cafe user:% user:_ global"
        ).split()
        scopes = [Scope(key) for key in keys]
        commit(store, *(add(memory("the same", scope=scope)) for scope in scopes))
        assert set(store.known_scopes("local")) == set(scopes)
        for scope in scopes:
            assert [kept.scope for kept in store.read([store.feed(scope, 0, SIGNATURE).rows[0].seq])] == [scope]
            assert contents(store, scope) == ["the same"]

    def test_organisations_are_kept_apart(self, store: Store) -> None:
        """One organisation's scopes are unknown to another, even of the same name."""
        ours, theirs = Scope("user:ada"), Scope("user:ada", "acme")
        commit(store, add(memory("ours", scope=ours)), add(memory("theirs", scope=theirs)))
        assert store.known_scopes("local") == [ours]
        assert store.known_scopes("acme") == [theirs]
        assert store.known_scopes("nobody") == []
        assert contents(store, theirs) == ["theirs"]
        assert store.read([store.feed(theirs, 0, SIGNATURE).rows[0].seq])[0].scope == theirs

    def test_a_scope_stays_known(self, store: Store) -> None:
        """A scope that was written to is known when its last memory is gone."""
        (outcome,) = commit(store, add(memory("tea")))
        commit(store, EraseMemory(outcome.seq, outcome.id))
        assert store.known_scopes("local") == [ADA]


class InfoContract(StoreSuite):
    """The plain facts."""

    def test_an_empty_store_says_so(self, store: Store) -> None:
        """A new store has no memories, no signature and no problems, and names itself."""
        info = store.info(deep=True)
        assert (info.memories, info.pending, info.jobs, info.signature) == (0, 0, 0, None)
        assert info.problems == ()
        assert info.backend
        assert info.location
        assert info.engine
        assert info.durability

    def test_it_counts(self, store: Store) -> None:
        """Memories of any status, those without vectors and bytes are counted."""
        before = store.info().bytes
        vectors: list[Embedding | None] = [embedding(), None, None]
        commit(store, *(add(memory(f"number {i}" * 1000), v) for i, v in enumerate(vectors)))
        commit(store, add(memory("archived", status=Status.ARCHIVED)))
        info = store.info(deep=True)
        assert (info.memories, info.pending, info.problems) == (4, 3, ())
        assert info.bytes > before

    def test_the_first_signature_is_the_store_s(self, store: Store) -> None:
        """What made the first vectors is the store's signature, whatever comes after."""
        other = EmbeddingSignature("other", 4)
        commit(store, add(memory("one")))
        assert store.info().signature is None
        commit(store, add(memory("two"), embedding()), add(memory("three"), embedding(signature=other)))
        assert store.info().signature == SIGNATURE


def _comparable(kept: Memory) -> tuple[Memory, frozenset[Link]]:
    """A memory, and its links, which have no order."""
    return replace(kept, links=(), supersedes=tuple(sorted(kept.supersedes))), frozenset(kept.links)


def micros(at: datetime) -> int:
    """Microseconds since 1970 UTC."""
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
