"""Memories whole: records that move, scopes that are erased, keys that were used."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.errors import StoreError
from cortex.model.change import Change, EraseMemory, EraseScope, Idempotency, KeepReceipt, PutRecord, SetStatus
from cortex.model.embedding import Embedding, EmbeddingSignature
from cortex.model.job import EMBED, NewJob
from cortex.model.memory import EmbeddingState, Link, Memory, Status
from cortex.model.policy import Caller
from cortex.model.record import Form, Record
from cortex.model.scope import Scope
from cortex.ports import Store
from cortex.testing.contracts.changing import BOB, kept, revised
from cortex.testing.contracts.reading import EXAMPLES, memories
from cortex.testing.contracts.suite import ADA, NOW, StoreSuite, contents, fresh_scope, within
from cortex.testing.factories import SIGNATURE, add, commit, embedding, identity, memory, terms

SECOND = timedelta(seconds=1)
ADA_LOCAL = Caller("ada")
OTHER = EmbeddingSignature("other", 4)


class RecordsContract(StoreSuite):
    """Memories whole: out of one store and into another."""

    @given(data=st.data())
    @EXAMPLES
    def test_a_record_comes_back_whole(self, store: Store, data: st.DataObject) -> None:
        """Every field, version, word and vector of a record that is put comes out again."""
        record = data.draw(_records())
        (outcome,) = commit(store, PutRecord(record))
        assert (outcome.applied, outcome.id, outcome.counts) == (True, record.current.memory.id, {"memories": 0})
        (found,) = store.archive.records([record.current.memory.scope], 0, 9)
        assert _plain(found) == _plain(_at(record, outcome.seq))
        commit(store, EraseMemory(outcome.seq, outcome.id))

    def test_records_go_from_store_to_store(self, store: Store) -> None:
        """What one scope's records were they are again after an erasure, token vectors included."""
        old = kept(store, "tea", embedding(tokens=3))
        commit(store, revised(old, embedding(tokens=2), content="coffee", updated_at=NOW))
        kept(store, "milk")
        records = store.archive.records([ADA], 0, 9)
        tokens = records[0].current.embedding
        assert tokens is not None
        assert tokens.token_vectors is not None
        commit(store, EraseScope(ADA))
        outcomes = commit(store, *map(PutRecord, records))
        expected = [_plain(_at(record, outcome.seq)) for record, outcome in zip(records, outcomes, strict=True)]
        assert [_plain(record) for record in store.archive.records([ADA], 0, 9)] == expected
        assert [row.terms for row in store.feed(ADA, 0, SIGNATURE).rows] == ["coffee", "milk"]

    def test_they_come_in_pages(self, store: Store) -> None:
        """Walking by seq meets each memory of the scopes once, whatever its status and the size of a page."""
        outcomes = commit(store, *(add(memory(f"{i}", scope=(ADA, BOB, Scope("user:eve"))[i % 3])) for i in range(30)))
        commit(store, SetStatus(outcomes[0].seq, Status.ARCHIVED, NOW))
        wanted = [outcome.seq for i, outcome in enumerate(outcomes) if i % 3 < 2]
        for size in (1, 7, 50):
            found: list[int] = []
            while page := store.archive.records([ADA, BOB], found[-1] if found else 0, size):
                found += [record.current.memory.seq for record in page]
            assert found == wanted
        assert store.archive.records([], 0, 9) == []

    def test_one_that_is_there_is_left_alone(self, store: Store) -> None:
        """Without `overwrite` a record whose id is taken changes nothing."""
        old = kept(store, "tea", embedding())
        (outcome,) = commit(store, PutRecord(_record(replace(old, content="coffee"))))
        assert (outcome.applied, outcome.id, outcome.seq) == (False, old.id, old.seq)
        assert contents(store) == ["tea"]

    def test_one_that_is_there_is_overwritten_when_asked(self, store: Store) -> None:
        """With `overwrite` text, versions, vectors and place are the record's; links to it and its key stay."""
        asked = Idempotency("k", b"digest", NOW)
        target = memory("tea")
        old, other = commit(
            store,
            replace(add(target, embedding(), follow_up=NewJob(EMBED, NOW, {})), idempotency=asked),
            add(memory("about it", links=(Link("about", target.id),))),
        )
        commit(store, revised(store.read([old.seq])[0], embedding(), content="milk"))
        since = store.feed(ADA, 0, SIGNATURE).change
        incoming = _record(replace(target, content="coffee", version=9))
        (outcome,) = commit(store, PutRecord(incoming, overwrite=True))
        assert (outcome.applied, outcome.id, outcome.counts) == (True, target.id, {"memories": 1})
        (record, _) = sorted(store.archive.records([ADA], 0, 9), key=lambda r: r.current.memory.id != target.id)
        assert _plain(record) == _plain(_at(incoming, outcome.seq))
        assert store.read([other.seq])[0].links == (Link("about", target.id),)
        known = store.ledger.known(ADA_LOCAL, "k")
        assert known is not None
        assert known.request == b"digest"
        assert (store.info(deep=True).problems, store.info().jobs, store.info().memories) == ((), 0, 2)
        feed = store.feed(ADA, since, SIGNATURE)
        assert [row.seq for row in feed.rows] == [outcome.seq]
        assert outcome.seq == old.seq or feed.erased == (old.seq,)

    def test_what_is_written_earlier_in_a_batch_counts(self, store: Store) -> None:
        """Each record of a batch meets what the ones before it left: one id twice, or one text twice, is no error."""
        first, other = memory("tea"), memory("milk")
        same = replace(other, content="tea", fingerprint=first.fingerprint)
        again = replace(first, content="coffee", fingerprint=b"coffee")
        outcomes = commit(
            store,
            PutRecord(_record(first)),
            PutRecord(_record(again)),
            PutRecord(_record(same)),
            PutRecord(_record(again), overwrite=True),
            PutRecord(_record(same)),
            PutRecord(_record(replace(again, version=2)), overwrite=True),
        )
        assert [(o.applied, o.id, o.counts.get("memories", 0)) for o in outcomes] == [
            (True, first.id, 0),
            (False, first.id, 0),
            (False, first.id, 0),
            (True, first.id, 1),
            (True, other.id, 0),
            (True, first.id, 1),
        ]
        assert sorted(contents(store)) == ["coffee", "tea"]

    def test_an_equal_memory_stands_in_the_way(self, store: Store) -> None:
        """A record that says what another active memory says is refused with that one's id, and nothing is lost."""
        other, old = kept(store, "coffee"), kept(store, "tea")
        same = _record(replace(old, content="coffee", fingerprint=other.fingerprint))
        for change in (PutRecord(same, overwrite=True), PutRecord(_record(replace(same.current.memory, id="f" * 32)))):
            (outcome,) = commit(store, change)
            assert (outcome.applied, outcome.id, outcome.seq) == (False, other.id, other.seq)
        assert sorted(contents(store)) == ["coffee", "tea"]

    def test_its_scopes_are_known(self, store: Store) -> None:
        """A scope that came with a record is one that was written to."""
        commit(store, PutRecord(_record(memory("tea", scope=BOB))))
        assert store.known_scopes("local") == [BOB]

    def test_copies_are_made_or_refused(self, store: Store, tmp_path: Any) -> None:
        """A backup is a new file that is listed, or the store says that it cannot make one; never an empty file."""
        kept(store, "tea")
        target = tmp_path / "copy.db"
        try:
            store.archive.backup(str(target))
        except StoreError:
            assert not target.exists()
            assert store.archive.backups() == []
            return
        assert target.stat().st_size > 0
        assert store.archive.backups() == [str(target)]
        with pytest.raises(StoreError):
            store.archive.backup(str(target))
        target.unlink()
        assert store.archive.backups() == []

    def test_a_store_at_rest_can_be_scrubbed(self, store: Store) -> None:
        """When nobody reads or writes, everything that was erased can be removed, again and again."""
        old = kept(store, "tea")
        commit(store, EraseMemory(old.seq, old.id))
        assert store.archive.scrub()
        assert store.archive.unscrubbed() == []
        assert store.archive.scrub()
        kept(store, "coffee")
        assert contents(store) == ["coffee"]


class RestoreContract(StoreSuite):
    """A backup in the place of everything, or the word that this store has none."""

    @pytest.fixture
    def backup(self, store: Store, tmp_path: Any) -> str:
        """A backup of a store with one memory; the test ends here for a store that makes none."""
        kept(store, "tea", embedding())
        target = str(tmp_path / "copy.db")
        try:
            store.archive.backup(target)
        except StoreError as error:
            with pytest.raises(StoreError):
                store.archive.restore(target)
            assert contents(store) == ["tea"]
            pytest.skip(str(error))
        return target

    def test_it_is_what_it_was(self, store: Store, backup: str) -> None:
        """Texts, vectors, jobs and keys are those of the backup, and what came later is gone."""
        before = [_plain(record) for record in store.archive.records([ADA], 0, 9)]
        asked = Idempotency("k", b"digest", NOW)
        later = replace(add(memory("later"), follow_up=NewJob(EMBED, NOW, {})), idempotency=asked)
        commit(store, later, EraseScope(BOB))
        kept(store, "elsewhere", scope=BOB)
        store.archive.restore(backup)
        assert [_plain(record) for record in store.archive.records([ADA], 0, 9)] == before
        assert store.known_scopes("local") == [ADA]
        assert (store.info().jobs, store.info().memories, store.info(deep=True).problems) == (0, 1, ())
        assert store.ledger.known(ADA_LOCAL, "k") is None
        assert store.archive.unscrubbed() == []

    def test_searchers_start_again(self, store: Store, backup: str) -> None:
        """Whoever followed the store is told to, also after more writes, and the numbers go on from there."""
        since = store.feed(ADA, 0, SIGNATURE).change
        kept(store, "later")
        newest = store.feed(ADA, since, SIGNATURE).change
        store.archive.restore(backup)
        new = kept(store, "after")
        assert store.feed(ADA, since, SIGNATURE).restart
        assert store.feed(ADA, newest, SIGNATURE).restart
        feed = store.feed(ADA, 0, SIGNATURE)
        assert [row.terms for row in feed.rows] == ["tea", "after"]
        assert feed.change > newest
        assert [row.seq for row in store.feed(ADA, feed.change - 1, SIGNATURE).rows] in ([], [new.seq])

    @pytest.mark.usefixtures("backup")
    def test_a_bad_backup_is_refused(self, store: Store, tmp_path: Any) -> None:
        """A file that is not there, not whole or not of this store changes nothing."""
        kept(store, "later")
        data = (tmp_path / "copy.db").read_bytes()
        (tmp_path / "cut.db").write_bytes(data[: len(data) // 2])
        (tmp_path / "text.db").write_text("not a backup")
        for name in ("nowhere.db", "cut.db", "text.db"):
            with pytest.raises(StoreError):
                store.archive.restore(str(tmp_path / name))
        assert contents(store) == ["later", "tea"]

    def test_no_backup_is_forgotten(self, store: Store, backup: str, tmp_path: Any) -> None:
        """Copies that were made after the one that is restored are still named."""
        later = str(tmp_path / "later.db")
        store.archive.backup(later)
        store.archive.restore(backup)
        assert store.archive.backups() == sorted([backup, later])


class EraseScopeContract(StoreSuite):
    """A whole scope is gone, and no other."""

    def test_everything_of_the_scope_goes(self, store: Store) -> None:
        """Memories of any status, versions, vectors, words, links and jobs are counted and gone."""
        first = kept(store, "tea", embedding(tokens=2), links=(Link("about", "a" * 32),))
        commit(store, revised(first, embedding(), content="milk", links=()))
        commit(store, add(memory("old", status=Status.ARCHIVED), follow_up=NewJob(EMBED, NOW, {})))
        commit(store, add(memory("expired", expires_at=NOW), embedding(tokens=1)))
        commit(store, add(memory("neighbour", scope=BOB, links=(Link("about", first.id), Link("x", "b" * 32)))))
        (outcome,) = commit(store, EraseScope(ADA))
        assert outcome.applied
        assert first.id in outcome.erased
        assert len(outcome.erased) == 3
        assert outcome.counts == {
            "memories": 3,
            "text_index": 3,
            "vectors": 2,
            "token_vectors": 1,
            "links": 0,
            "links_to_it": 1,
            "jobs": 1,
            "versions": 1,
            "version_vectors": 1,
            "events": 0,
            "mentions": 0,
            "relations": 0,
            "conflicts": 0,
        }
        assert contents(store) == []
        assert store.archive.records([ADA], 0, 9) == []
        assert store.past(ADA, NOW + SECOND, SIGNATURE).rows == ()
        assert (store.info().memories, store.info().jobs, store.info(deep=True).problems) == (1, 0, ())
        assert [m.links for m in store.select(within(BOB))] == [(Link("x", "b" * 32),)]

    def test_searchers_are_told(self, store: Store) -> None:
        """The feed says of each memory that it is gone."""
        seqs = [o.seq for o in commit(store, *(add(memory(f"{i}")) for i in range(5)))]
        since = store.feed(ADA, 0, SIGNATURE).change
        commit(store, EraseScope(ADA))
        feed = store.feed(ADA, since, SIGNATURE)
        assert feed.restart or sorted(feed.erased) == seqs
        assert store.feed(ADA, 0, SIGNATURE).rows == ()

    def test_other_scopes_are_whole(self, store: Store) -> None:
        """Scopes of similar names and the same name in another organisation keep all that is theirs."""
        others = [Scope(key) for key in ("user:Ada", "user:ada.", "user:ad", "user:adam", "project:ada", "global")]
        others.append(Scope("user:ada", "acme"))
        for scope in (*others, ADA):
            old = kept(store, "tea", embedding(), scope=scope)
            commit(store, revised(old, embedding(), content="milk"))
        before = [_plain(record) for record in store.archive.records(others, 0, 99)]
        commit(store, EraseScope(ADA))
        assert [_plain(record) for record in store.archive.records(others, 0, 99)] == before
        assert len(before) == len(others)

    def test_what_moved_away_leaves_nothing_here(self, store: Store) -> None:
        """A memory that lives elsewhere now keeps what it said there and loses what it said here."""
        asked = Idempotency("k", b"digest of tea", NOW)
        (made,) = commit(store, add(memory("tea"), embedding(), idempotency=asked))
        old = store.read([made.seq])[0]
        commit(store, revised(old, embedding(), content="milk", scope=BOB))
        commit(store, revised(store.read([old.seq])[0], content="water"))
        (outcome,) = commit(store, EraseScope(ADA))
        known = store.ledger.known(ADA_LOCAL, "k")
        assert known is not None
        assert known.request == b""
        assert Counter(outcome.counts) == Counter(versions=1, version_vectors=1)
        assert [m.content for m in store.archive.history(old.seq)] == ["milk", "water"]

    def test_only_the_named_ones_go(self, store: Store) -> None:
        """Of a scope exactly the memories that are named and live there; what moved away keeps its past."""
        moved = kept(store, "tea", embedding())
        commit(store, revised(moved, embedding(), content="milk", scope=BOB))
        first, second, third = (kept(store, f"cup {i}", embedding()) for i in range(3))
        commit(store, revised(second, embedding(), content="cup two"))
        (outcome,) = commit(store, EraseScope(ADA, only=(first.seq, second.seq, moved.seq, 10**9)))
        assert {name: n for name, n in outcome.counts.items() if n} == {
            "memories": 2, "text_index": 2, "vectors": 2, "versions": 1, "version_vectors": 1,
        }  # fmt: skip
        assert contents(store) == ["cup 2"]
        assert [m.content for m in store.archive.history(moved.seq)] == ["tea", "milk"]
        feed = store.feed(ADA, 0, SIGNATURE)
        assert [row.seq for row in feed.rows] == [third.seq]
        (nothing,) = commit(store, EraseScope(ADA, only=()))
        assert sum(nothing.counts.values()) == 0

    def test_an_empty_scope_counts_nothing(self, store: Store) -> None:
        """A second erasure finds nothing, and a scope stays known."""
        kept(store, "tea")
        _, second = commit(store, EraseScope(ADA), EraseScope(ADA))
        assert sum(second.counts.values()) == 0
        assert store.known_scopes("local") == [ADA]


class LedgerContract(StoreSuite):
    """Keys of changes and erasures."""

    def test_a_new_key_is_unknown(self, store: Store) -> None:
        """A key that was never used, or by somebody else only, stands for nothing."""
        commit(store, add(memory("tea"), idempotency=_asked()))
        assert store.ledger.known(ADA_LOCAL, "other") is None
        assert store.ledger.known(Caller("bob"), "k") is None
        assert store.ledger.known(Caller("ada", "acme"), "k") is None

    @pytest.mark.parametrize("verb", ["add", "replace", "status", "receipt", "erase", "scope"])
    def test_a_request_is_known_with_its_outcome(self, store: Store, verb: str) -> None:
        """Digest, outcome and receipt with its counts are kept, and the request is not done again."""
        old = kept(store, "tea", embedding())
        changes: dict[str, Change] = {
            "add": add(memory("milk"), idempotency=_asked()),
            "replace": replace(revised(old, content="milk"), idempotency=_asked()),
            "status": SetStatus(old.seq, Status.ARCHIVED, NOW, _asked()),
            "receipt": KeepReceipt(old.seq, _asked()),
            "erase": EraseMemory(old.seq, old.id, _asked()),
            "scope": EraseScope(ADA, _asked()),
        }
        change: Any = changes[verb]
        (first,) = commit(store, change)
        known = store.ledger.known(ADA_LOCAL, "k")
        assert known is not None
        assert (known.request, known.outcome.id, known.outcome.applied) == (b"digest", first.id, True)
        assert known.outcome.receipt == {"said": "x", "counts": dict(first.counts)}
        before = store.archive.records([ADA], 0, 9)
        (again,) = commit(store, change)
        assert (again.id, again.applied, again.conflict) == (first.id, True, False)
        assert again.receipt == known.outcome.receipt
        (other,) = commit(store, replace(change, idempotency=_asked(b"another")))
        assert (other.applied, other.conflict) == (False, True)
        assert [_plain(r) for r in store.archive.records([ADA], 0, 9)] == [_plain(r) for r in before]

    def test_a_receipt_is_kept_and_nothing_else(self, store: Store) -> None:
        """A request for which nothing has to change leaves the memory, its versions and its searchers alone."""
        old = kept(store, "tea", embedding())
        before, since = store.archive.records([ADA], 0, 9), store.feed(ADA, 0, SIGNATURE).change
        (outcome,) = commit(store, KeepReceipt(old.seq, _asked()))
        assert (outcome.applied, outcome.id, outcome.seq) == (True, old.id, old.seq)
        assert [_plain(r) for r in store.archive.records([ADA], 0, 9)] == [_plain(r) for r in before]
        assert store.feed(ADA, since, SIGNATURE).rows == ()
        commit(store, EraseMemory(old.seq, old.id))
        known = store.ledger.known(ADA_LOCAL, "k")
        assert known is not None
        assert known.request == b""

    def test_a_refused_change_leaves_its_key_free(self, store: Store) -> None:
        """A key is spent by what was done, not by what came too late or found nothing."""
        old, other = kept(store, "tea"), kept(store, "milk")
        late = replace(revised(old, version=7), idempotency=_asked())
        clash = replace(revised(old, content="milk", fingerprint=other.fingerprint), idempotency=_asked())
        nothing = SetStatus(4711, Status.ARCHIVED, NOW, _asked()), EraseMemory(4711, "f" * 32, _asked())
        for change in (late, clash, *nothing, KeepReceipt(4711, _asked())):
            assert not commit(store, change)[0].applied
            assert store.ledger.known(ADA_LOCAL, "k") is None

    def test_the_digest_of_what_is_erased_is_gone(self, store: Store) -> None:
        """After an erasure of the memory or its scope its keys answer without their digests."""
        one, two = memory("tea"), memory("milk")
        first, second = commit(store, add(one, idempotency=_asked()), add(two, idempotency=_asked(key="l")))
        commit(store, EraseMemory(first.seq, first.id))
        commit(store, EraseScope(ADA))
        for key, outcome in (("k", first), ("l", second)):
            known = store.ledger.known(ADA_LOCAL, key)
            assert known is not None
            assert (known.request, known.outcome.id) == (b"", outcome.id)


def _asked(request: bytes = b"digest", key: str = "k") -> Idempotency:
    return Idempotency(key, request, NOW, {"said": "x"})


# --- records ------------------------------------------------------------------------------------------


@st.composite
def _records(draw: st.DrawFn) -> Record:
    """Any record of one scope: times and versions rise, links are the memory's."""
    current = replace(draw(memories()), scope=fresh_scope())
    forms = []
    for number in range(1, draw(st.integers(0, 3)) + 1):
        older = replace(
            draw(memories()),
            id=current.id,
            scope=draw(st.sampled_from([current.scope, BOB])),
            links=current.links,
            supersedes=current.supersedes,
            version=number,
        )
        forms.append(replace(_form(older, ready=draw(st.booleans())), replaced_at=NOW + number * SECOND))
    newest = replace(current, version=len(forms) + 1)
    return Record(_form(newest, ready=draw(st.booleans())), tuple(forms))


def _form(of: Memory, *, ready: bool) -> Form:
    vectors = embedding([0, 1, 0, 0], [1, 0, 0, 0], signature=OTHER) if ready else None
    state = EmbeddingState.READY if ready else EmbeddingState.PENDING
    signed = replace(of, embedding=state, signature=OTHER if ready else None)
    return Form(signed, identity(of) + of.id.encode(), ("some", "terms"), vectors)


def _record(of: Memory) -> Record:
    plain = replace(of, embedding=EmbeddingState.PENDING, signature=None)
    return Record(Form(plain, identity(of), terms(of), None))


def _at(record: Record, seq: int) -> Record:
    """The record as a memory with this seq."""
    forms = [replace(form, memory=replace(form.memory, seq=seq)) for form in (record.current, *record.earlier)]
    return Record(forms[0], tuple(forms[1:]))


def _plain(record: Record) -> list[tuple[Any, ...]]:
    """A record in values that can be compared."""
    return [
        (
            replace(form.memory, links=(), supersedes=()),
            sorted((link.relation, link.target, link.reason) for link in form.memory.links),
            sorted(form.memory.supersedes),
            form.identity,
            form.terms,
            form.replaced_at,
            _numbers(form.embedding, current=form is record.current),
        )
        for form in (record.current, *record.earlier)
    ]


def _numbers(vectors: Embedding | None, *, current: bool) -> tuple[Any, ...] | None:
    # Token vectors are kept of the current form only.
    if vectors is None:
        return None
    tokens = None if vectors.token_vectors is None or not current else vectors.token_vectors.tolist()
    return vectors.signature, vectors.pieces.tolist(), tokens
