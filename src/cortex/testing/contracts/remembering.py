"""What was: old versions, and the store at an instant."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cortex.model.change import EraseMemory, SetStatus
from cortex.model.embedding import EmbeddingSignature
from cortex.model.memory import EmbeddingState, Memory, Status
from cortex.model.query import Filter
from cortex.model.scope import Scope
from cortex.ports import Store
from cortex.testing.clock import FrozenClock
from cortex.testing.contracts.changing import kept, revised
from cortex.testing.contracts.reading import EXAMPLES
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite, contents, fresh_scope, within
from cortex.testing.factories import SIGNATURE, add, commit, embedding, identity, memory

SECOND = timedelta(seconds=1)
OTHER = EmbeddingSignature("other", 4)
STEPS = ["add", "replace", "move", "status", "erase", "wait"]


class HistoryContract(StoreSuite):
    """What a memory said before."""

    def test_a_change_keeps_what_was(self, store: Store) -> None:
        """Each replacement and each status adds a version; they come oldest first, the current one last."""
        first = kept(store, "green tea", embedding([0, 1, 0, 0]), tags=("a",), metadata={"k": [1]})
        second = revised(first, content="coffee", updated_at=NOW, tags=("b",)).memory
        commit(store, revised(first, content="coffee", updated_at=NOW, tags=("b",)))
        commit(store, SetStatus(first.seq, Status.ARCHIVED, NOW + SECOND))
        third = store.read([first.seq])[0]
        second = replace(second, embedding=EmbeddingState.PENDING, signature=None)
        assert store.archive.history(first.seq) == [first, second, third]
        assert [m.version for m in store.archive.history(first.seq)] == [1, 2, 3]

    def test_words_and_vectors_are_kept_with_the_text(self, store: Store) -> None:
        """An old version is found by its own words and its own vectors."""
        first = kept(store, "green tea", embedding([0, 1, 0, 0], [0, 0, 1, 0]))
        commit(store, revised(first, embedding(), content="coffee", updated_at=NOW))
        (record,) = store.archive.records([ADA], 0, 9)
        (old,) = record.earlier
        assert (old.memory, old.terms, old.replaced_at) == (first, ("green", "tea"), NOW)
        assert old.identity == identity(first)
        assert old.embedding is not None
        assert np.array_equal(old.embedding.pieces, embedding([0, 1, 0, 0], [0, 0, 1, 0]).pieces)
        (row,) = store.past(ADA, NOW - SECOND, SIGNATURE).rows
        assert (row.terms, row.pieces) == ("green tea", old.embedding.pieces.tobytes())

    def test_a_refused_change_leaves_no_version(self, store: Store) -> None:
        """What was not applied is no history."""
        other, old = kept(store, "coffee"), kept(store, "tea")
        commit(store, revised(old, content="coffee", fingerprint=other.fingerprint), revised(old, version=7))
        assert store.archive.history(old.seq) == [old]

    def test_what_is_not_there_has_no_history(self, store: Store) -> None:
        """Neither a seq that never was nor an erased one has versions."""
        old = kept(store, "tea")
        commit(store, revised(old, content="coffee"))
        commit(store, EraseMemory(old.seq, old.id))
        assert store.archive.history(old.seq) == []
        assert store.archive.history(4711) == []

    def test_given_versions_are_the_store_s_own(self, store: Store) -> None:
        """Whoever changes an old version that was given out does not change what is kept."""
        old = kept(store, "tea", metadata={"list": [1]})
        commit(store, revised(old, metadata={}))
        given: Any = store.archive.history(old.seq)[0].metadata
        given["list"].append(2)
        assert store.archive.history(old.seq)[0].metadata == {"list": [1]}


@dataclass
class _Model:
    """What a store should hold, kept as the plainest list: the state of every memory after each step."""

    clock: FrozenClock = field(default_factory=FrozenClock)
    now: dict[int, Memory] = field(default_factory=dict)
    states: list[tuple[datetime, dict[int, Memory]]] = field(default_factory=list)

    def note(self) -> None:
        """Write down how things stand and let time go on."""
        self.states.append((self.clock.now(), dict(self.now)))
        self.clock.tick()

    def at(self, instant: datetime) -> dict[int, Memory]:
        """What was held at an instant, without what was erased since."""
        states = [state for at, state in self.states if at <= instant]
        return {seq: m for seq, m in (states[-1] if states else {}).items() if seq in self.now}


class PastContract(StoreSuite):
    """The store at an instant."""

    @given(data=st.data())
    @EXAMPLES
    def test_the_past_is_what_was(self, store: Store, data: st.DataObject) -> None:
        """Selecting, counting, feeding and reading agree about any instant with a replay of everything done."""
        scopes = fresh_scope(), fresh_scope()
        model = _Model()
        for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=14)):
            _take(store, model, step, scopes, data)
            model.note()
        moments = [at + shift for at, _ in model.states for shift in (-SECOND / 2, 0 * SECOND, SECOND / 2)]
        instant = data.draw(st.sampled_from([*moments, model.clock.now(), model.clock.now() + timedelta(days=9)]))
        _compare(store, model.at(instant), instant, scopes)

    def test_an_instant_is_the_state_after_its_changes(self, store: Store) -> None:
        """What was written at an instant counts at that instant, and what it replaced counts until then."""
        old = kept(store, "tea")
        commit(store, revised(old, content="coffee", updated_at=NOW))
        microsecond = timedelta(microseconds=1)
        assert [m.content for m in store.read([old.seq], NOW)] == ["coffee"]
        assert [m.content for m in store.read([old.seq], NOW - microsecond)] == ["tea"]
        assert [m.content for m in store.read([old.seq], old.updated_at)] == ["tea"]
        assert store.read([old.seq], old.updated_at - microsecond) == []

    def test_expiry_and_validity_are_those_of_the_instant(self, store: Store) -> None:
        """What has run out by now was there before; what was not yet valid was not."""
        end = NOW + timedelta(hours=1)
        commit(store, add(memory("tea", expires_at=end)), add(memory("coffee", valid_from=NOW, valid_to=end)))
        shown = {at: contents(store, past=True, now=at) for at in (NOW - SECOND, NOW, end - SECOND, end, end + SECOND)}
        assert list(shown.values()) == [["tea"], ["coffee", "tea"], ["coffee", "tea"], [], []]

    def test_vectors_are_of_the_signature_asked_for(self, store: Store) -> None:
        """Versions whose vectors another model made have none for this one."""
        old = kept(store, "tea", embedding(signature=OTHER))
        commit(store, revised(old, embedding(), content="coffee", updated_at=NOW))
        assert [row.pieces is None for row in store.past(ADA, NOW - SECOND, SIGNATURE).rows] == [True]
        assert [row.pieces is None for row in store.past(ADA, NOW - SECOND, OTHER).rows] == [False]
        assert [row.pieces is None for row in store.past(ADA, NOW, SIGNATURE).rows] == [False]
        assert [row.pieces is None for row in store.past(ADA, NOW, EmbeddingSignature("new", 4)).rows] == [True]

    def test_it_tells_what_still_stands(self, store: Store) -> None:
        """A row of the past says whether the memory is so now, and may get its vectors, or was changed since."""
        old, same = kept(store, "tea"), kept(store, "milk")
        commit(store, revised(old, content="coffee", updated_at=NOW))
        for at, current in ((NOW - SECOND, [False, True]), (NOW, [True, True])):
            rows = store.past(ADA, at, SIGNATURE).rows
            assert [(row.seq, row.current) for row in rows] == list(zip([old.seq, same.seq], current, strict=True))
        assert [row.current for row in store.feed(ADA, 0, SIGNATURE).rows] == [True, True]

    def test_an_unknown_scope_has_no_past(self, store: Store) -> None:
        """A scope that was never written to is empty at any instant."""
        kept(store, "tea")
        assert store.past(Scope("user:nobody"), NOW, SIGNATURE).rows == ()


def _take(store: Store, model: _Model, step: str, scopes: Sequence[Scope], data: st.DataObject) -> None:
    """Do one random step to the store and to the model."""
    now, number = model.clock.now(), len(model.states)
    vectors = embedding([number, 1, 0, 0]) if data.draw(st.booleans()) else None
    if step == "add":
        (outcome,) = commit(store, add(memory(f"{number}", scope=scopes[0], created_at=now, updated_at=now), vectors))
        model.now[outcome.seq] = store.read([outcome.seq])[0]
    if step in ("add", "wait") or not model.now:
        return
    old = model.now[data.draw(st.sampled_from(sorted(model.now)))]
    if step == "erase":
        commit(store, EraseMemory(old.seq, old.id))
        del model.now[old.seq]
        return
    if step == "status":
        commit(store, SetStatus(old.seq, data.draw(st.sampled_from(Status)), now))
    else:
        scope = data.draw(st.sampled_from(scopes)) if step == "move" else old.scope
        commit(store, revised(old, vectors, content=f"{number}", scope=scope, updated_at=now))
    model.now[old.seq] = store.read([old.seq])[0]
    assert model.now[old.seq] != old


def _compare(store: Store, held: dict[int, Memory], instant: datetime, scopes: Sequence[Scope]) -> None:
    asked = within(*scopes, now=instant, past=True)
    expected = [held[seq] for seq in sorted(held)]
    assert store.select(asked) == expected[::-1]
    assert sorted(row.seq for row in store.matching(asked, details=False)) == sorted(held)
    assert sum(row.memories for row in store.count(asked)) == len(held)
    active = replace(asked, filter=Filter())
    assert store.select(active) == [m for m in expected[::-1] if m.status is Status.ACTIVE]
    assert store.read(sorted(held), instant) == expected
    gone = [m.seq for m in store.select(within(*scopes)) if m.seq not in held]
    assert store.read(gone, instant) == []
    for scope in scopes:
        rows = store.past(scope, instant, SIGNATURE).rows
        own = [m for m in expected if m.scope == scope]
        assert [(row.seq, row.terms, row.status) for row in rows] == [(m.seq, m.content, m.status) for m in own]
        assert [row.pieces is not None for row in rows] == [m.embedding is EmbeddingState.READY for m in own]
        for row, m in zip(rows, own, strict=True):
            if row.pieces is not None:
                assert row.pieces == embedding([int(m.content), 1, 0, 0]).pieces.tobytes()
