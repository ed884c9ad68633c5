"""What is kept of a draft, and what makes two memories the same."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cortex.core import keep
from cortex.core.backoff import MOST_SECONDS, next_try
from cortex.core.citing import EXCERPT_CHARS, cite
from cortex.model.change import Prior
from cortex.model.embedding import Embedding
from cortex.model.memory import INFERRED, Clearance, Draft, EmbeddingState, Kind, Memory, Role, Tier
from cortex.model.policy import Caller
from cortex.model.scope import Scope
from cortex.model.understanding import Understanding
from cortex.testing import embedding

NOW = datetime(2026, 5, 31, 12, tzinfo=UTC)
DRAFT = Draft(
    content="Ada prefers tea",
    kind=Kind.DECISION,
    tier=Tier.WORKING,
    tags=("a",),
    scope=Scope("project:x"),
    speaker="Grace",
    role=Role.USER,
    session="s",
    position=3,
    agent="coder",
    importance=9,
    emotion=0.75,
    confidence=0.5,
    event_time=NOW - timedelta(days=9),
    valid_from=NOW - timedelta(days=8),
    valid_to=NOW + timedelta(days=8),
    expires_at=NOW + timedelta(days=9),
    metadata={"k": 1},
    source={"file": "x"},
    clearance_min=Clearance.PUBLIC,
)


def remembered(draft: Draft = DRAFT, vectors: Embedding | None = None) -> Memory:
    """The memory of a draft."""
    return keep.remember(draft, keep.found(draft.content), vectors, id="a" * 32, caller=Caller("ada"), now=NOW)


def identity(draft: Draft = DRAFT) -> bytes:
    """What an exact duplicate of the draft would share."""
    return keep.identity(draft, keep.found(draft.content).fingerprint)


def test_a_draft_comes_back_from_its_memory() -> None:
    """Nothing of a draft is lost on the way to a memory and back."""
    assert keep.as_draft(remembered()) == replace(DRAFT, idempotency_key=None)


@pytest.mark.parametrize(
    "name", [field.name for field in fields(Draft) if field.name not in {"content", "idempotency_key", *INFERRED}]
)
def test_a_revision_takes_over_every_field(name: str) -> None:
    """What an edit may change is changed in the next version."""
    empty = Draft(content="Ada prefers tea", scope=Scope("user:ada"))
    revised = keep.revise(remembered(), replace(DRAFT, **{name: getattr(empty, name)}), None, now=NOW)
    assert getattr(revised, name) == getattr(empty, name)


READ = Understanding(kind=Kind.PREFERENCE, importance=7, tags=("tea",), emotion=0.25)


@pytest.mark.parametrize("name", INFERRED)
def test_what_is_said_counts_more_than_what_is_read(name: str) -> None:
    """A field that the caller says stays; one that nobody says is read from the text, and the memory knows which."""
    text = keep.found(DRAFT.content)
    rest: dict[str, Any] = {"id": "a" * 32, "caller": Caller("ada"), "now": NOW, "understanding": READ}
    unset: dict[str, Any] = {name: None}
    said = keep.remember(DRAFT, text, None, **rest)
    unsaid = keep.remember(replace(DRAFT, **unset), text, None, **rest)
    assert (getattr(said, name), said.said) == (getattr(DRAFT, name), INFERRED)
    assert (getattr(unsaid, name), name in unsaid.said) == (getattr(READ, name), False)
    assert getattr(keep.as_draft(unsaid), name) is None


@pytest.mark.parametrize("name", INFERRED)
def test_an_edit_keeps_what_it_does_not_say(name: str) -> None:
    """Without a new reading of the text the old one stays; with one, the new one counts."""
    unset: dict[str, Any] = {name: None}
    memory = keep.understood(remembered(replace(DRAFT, **unset)), READ)
    assert getattr(memory, name) == getattr(READ, name)
    edit = replace(keep.as_draft(memory), content="coffee")
    assert getattr(keep.revise(memory, edit, None, now=NOW), name) == getattr(READ, name)
    other = Understanding(kind=Kind.ERROR, importance=2, tags=("x",), emotion=0.5)
    assert getattr(keep.revise(memory, edit, None, now=NOW, understanding=other), name) == getattr(other, name)


def test_a_kind_that_was_read_makes_no_other_memory() -> None:
    """The same text is the same memory, whatever was read from it."""
    plain = remembered(replace(DRAFT, kind=None))
    read = keep.understood(plain, READ)
    assert read.kind is Kind.PREFERENCE
    assert keep.identity(read, read.fingerprint) == keep.identity(plain, plain.fingerprint)
    said = remembered(replace(DRAFT, kind=Kind.PREFERENCE))
    assert keep.identity(said, said.fingerprint) != keep.identity(read, read.fingerprint)


def test_a_revision_is_the_next_version() -> None:
    """It keeps id, author and time of writing, and owes its vectors."""
    ready = remembered(vectors=embedding())
    revised = keep.revise(ready, replace(DRAFT, content="coffee"), None, now=NOW + timedelta(days=1))
    assert (revised.id, revised.author, revised.created_at) == (ready.id, "ada", NOW)
    assert (revised.version, revised.updated_at) == (2, NOW + timedelta(days=1))
    assert (revised.embedding, revised.signature, revised.embedded_chars) == (EmbeddingState.PENDING, None, 0)
    assert revised.fingerprint != ready.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        {"content": "Ada prefers coffee"}, {"kind": Kind.EVENT}, {"session": "t"}, {"session": None},
        {"speaker": "Bob"}, {"position": 4}, {"position": None}, {"event_time": NOW}, {"event_time": None},
    ],
    ids=str,
)  # fmt: skip
def test_identities_differ(other: dict[str, Any]) -> None:
    """Text, kind, session, speaker, position and event time each make another memory."""
    assert identity(replace(DRAFT, **other)) != identity()


@pytest.mark.parametrize(
    "other",
    [{"content": "ADA  prefers\ttea "}, {"tags": ()}, {"importance": 1}, {"role": None}, {"metadata": {}}],
    ids=str,
)
def test_identities_agree(other: dict[str, Any]) -> None:
    """White space, case and details make no other memory."""
    assert identity(replace(DRAFT, **other)) == identity()


def test_fields_do_not_run_into_each_other() -> None:
    """The end of one field is not the beginning of the next, and nothing is not the text that looks like it."""
    places: list[tuple[str | None, str | None, int | None]] = [
        ("ab", "c", 1), ("a", "bc", 1), (None, "c", 1), ("None", "c", 1), ("", "c", 1), ("null", "c", 1),
        ("1", "c", None), ('a", "b', "c", 1), ("a", '", "bc', 1),
    ]  # fmt: skip
    identities = {
        identity(replace(DRAFT, session=session, speaker=speaker, position=position))
        for session, speaker, position in places
    }
    assert len(identities) == 9


def test_requests_are_told_apart() -> None:
    """A digest changes with every field of a draft and with the verb."""
    empty = Draft(content="", scope=Scope("user:ada"))
    changed = [replace(DRAFT, **{field.name: getattr(empty, field.name)}) for field in fields(Draft)]
    digests = {keep.request_digest("memorize", draft) for draft in [DRAFT, *changed]}
    # The key is not set in either, so one of them is the draft itself.
    assert len(digests) == len(fields(Draft))
    assert keep.request_digest("update", DRAFT) not in digests
    assert keep.request_digest("memorize", DRAFT) == keep.request_digest("memorize", replace(DRAFT))


@pytest.mark.parametrize(("until", "living"), [(None, True), (NOW, False), (NOW + timedelta(microseconds=1), True)])
def test_who_ran_out_does_not_survive(until: datetime | None, living: bool) -> None:
    """An equal memory counts as long as it can be recalled."""
    prior = Prior("a" * 32, 1, "user:ada", pending=False, embedded_chars=1, visible_until=until)
    assert keep.survives(prior, NOW) is living


def test_what_is_searched() -> None:
    """Words are those of speaker, text and date; pieces have the speaker in front and cover 20,000 characters."""
    terms = set(keep.terms(remembered()))
    assert {"grace", "tea", "may", "2026"} <= terms
    assert keep.pieces(remembered()) == ["Grace: Ada prefers tea"]
    long = remembered(replace(DRAFT, content="word " * 10_000, speaker=None))
    assert sum(map(len, keep.pieces(long))) == keep.embedded_chars(long.content) == 20_000
    assert keep.embedded_chars("Ada prefers tea") == len("Ada prefers tea")


def test_owed_vectors_are_a_job() -> None:
    """With vectors a memory is ready; without them it is pending and there is a job for them."""
    ready, pending = remembered(vectors=embedding()), remembered()
    assert (ready.embedding, ready.signature) == (EmbeddingState.READY, embedding().signature)
    assert ready.embedded_chars == len(DRAFT.content)
    assert keep.owed(embedding(), NOW) is None
    job = keep.owed(None, NOW)
    assert (pending.embedding, pending.embedded_chars) == (EmbeddingState.PENDING, 0)
    assert job is not None
    assert (job.kind, job.run_at, job.payload) == ("embed", NOW, {})


def test_waiting_doubles_up_to_an_hour() -> None:
    """Each failed attempt waits twice as long as the one before, never longer than an hour."""
    waits = [(next_try(NOW, attempts) - NOW).total_seconds() for attempts in (1, 2, 3, 11, 12, 1000, 10**9)]
    assert waits == [2, 4, 8, 2048, MOST_SECONDS, MOST_SECONDS, MOST_SECONDS]


def test_a_citation_is_short() -> None:
    """A long memory is cited by its beginning."""
    citation = cite(remembered(replace(DRAFT, content="word " * 500)), 0.5)
    assert (citation.score, citation.clearance, citation.scope) == (0.5, "public", "project:x")
    assert len(citation.excerpt) <= EXCERPT_CHARS
