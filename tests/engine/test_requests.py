from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex, Receipt
from cortex.errors import IdempotencyConflict
from cortex.testing import FakeEmbedder
from tests.engine.support import kept

VERBS = ["memorize", "update", "archive", "forget", "forget_all"]


def call(cortex: Cortex, verb: str, one: str, key: Any, *, other: bool = False) -> Receipt:
    """Call a verb under a key; ``other``: not quite the same request."""
    match verb:
        case "memorize":
            return cortex.memorize("coffee", tags=["b" if other else "a"], idempotency_key=key)
        case "update":
            return cortex.update(one, content="coffee", importance=1 if other else 2, idempotency_key=key)
        case "archive":
            return cortex.archive(one, undo=other, idempotency_key=key)
        case "forget":
            return cortex.forget("f" * 32 if other else one, idempotency_key=key)
        case _:
            scope = "global" if other else "user:ada"
            return cortex.forget_all(scope, confirm=scope, idempotency_key=key)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "memory.db"


@pytest.fixture
def cortex(path: Path) -> Iterator[Cortex]:
    """A Cortex in a file."""
    with open_it(path) as cortex:
        yield cortex


def open_it(path: Path, user: str = "ada") -> Cortex:
    """A Cortex of a user in the file."""
    return Cortex(path, user=user, embedder=FakeEmbedder())


def state(cortex: Cortex) -> tuple[int, list[Any]]:
    """What there is: memories with their versions."""
    memories = cortex.list_memories(statuses=["active", "archived"], limit=100).memories
    return cortex.stats().memories, [cortex.history(memory.id) for memory in memories]


@pytest.mark.parametrize("verb", VERBS)
def test_the_same_request_again_is_answered_again(cortex: Cortex, verb: str) -> None:
    """The receipt is equal to the first one and nothing is done a second time."""
    one = kept(cortex.memorize("tea").id)
    first = call(cortex, verb, one, "k")
    assert first.verb == verb
    after = state(cortex)
    assert call(cortex, verb, one, "k") == first
    cortex.memorize("something else")
    assert call(cortex, verb, one, "k") == first
    assert state(cortex)[0] == after[0] + 1


@pytest.mark.parametrize("verb", VERBS)
def test_it_is_answered_after_a_restart(path: Path, verb: str) -> None:
    """A key that was used before the store was closed is known when it is open again."""
    with open_it(path) as cortex:
        one = kept(cortex.memorize("tea").id)
        first = call(cortex, verb, one, "k")
        after = state(cortex)
    with open_it(path) as cortex:
        assert call(cortex, verb, one, "k") == first
        with pytest.raises(IdempotencyConflict):
            call(cortex, verb, one, "k", other=True)
        assert state(cortex) == after


@pytest.mark.parametrize("verb", VERBS)
def test_another_request_under_a_used_key_is_refused(cortex: Cortex, verb: str) -> None:
    """The same verb with other values, and any other verb, are conflicts and change nothing."""
    one = kept(cortex.memorize("tea").id)
    call(cortex, verb, one, "k")
    before = state(cortex)
    for wrong in VERBS:
        with pytest.raises(IdempotencyConflict):
            call(cortex, wrong, one, "k", other=wrong == verb)
    assert state(cortex) == before


@pytest.mark.parametrize("verb", VERBS)
def test_without_a_key_nothing_is_remembered(cortex: Cortex, verb: str) -> None:
    """A call without a key leaves every key free."""
    one = kept(cortex.memorize("tea").id)
    call(cortex, verb, one, None)
    assert kept(cortex.memorize("milk", idempotency_key="k").id)


@pytest.mark.parametrize("verb", VERBS)
def test_keys_belong_to_a_user(path: Path, verb: str) -> None:
    """Another user's request under the same key is a request of its own."""
    with open_it(path) as ada, open_it(path, "bob") as bob:
        one = kept(ada.memorize("tea").id)
        bob.memorize("milk", idempotency_key="k")
        call(ada, verb, one, "k")
        assert bob.memorize("milk", idempotency_key="k").deduplicated is False


@pytest.mark.parametrize("shared", [True, False], ids=["one Cortex", "two on one file"])
@pytest.mark.parametrize("verb", VERBS)
def test_two_at_once_are_one_request(path: Path, verb: str, shared: bool) -> None:
    """Two threads that ask the same at the same moment get equal receipts, and it is done once."""
    with open_it(path) as first, open_it(path) as second:
        for turn in range(12):
            one = kept(first.memorize(f"tea {turn}").id)
            barrier = threading.Barrier(2)

            askers = [first, first if shared else second]
            with ThreadPoolExecutor(2) as pool:
                asked = [pool.submit(_ask, barrier, cortex, verb, one, f"k{turn}") for cortex in askers]
            receipts = [future.result() for future in asked]
            # What remains is told of the moment: the one may still be cleaning up when the other answers.
            assert replace(receipts[0], remaining=()) == replace(receipts[1], remaining=())
            memory = first.get(one)
            versions = {"update": 2, "archive": 2}.get(verb, 1)
            assert memory is None or memory.version == versions
            first.forget_all("user:ada", confirm="user:ada")


def _ask(barrier: threading.Barrier, *request: Any) -> Receipt:
    barrier.wait()
    return call(*request)


CHANGELESS: dict[str, Callable[[Cortex, str, str], Receipt]] = {
    "memorize what is there": lambda c, _, key: c.memorize("tea", idempotency_key=key),
    "update to the same text": lambda c, one, key: c.update(one, content="tea", idempotency_key=key),
    "archive what is archived": lambda c, one, key: c.archive(one, idempotency_key=key),
    "put back what is there": lambda c, one, key: c.archive(one, undo=True, idempotency_key=key),
    "forget a scope that is empty": lambda c, _, key: c.forget_all(EMPTY, confirm=EMPTY, idempotency_key=key),
}
EMPTY = "project:empty"


@pytest.mark.parametrize("name", CHANGELESS)
def test_a_request_that_changed_nothing_is_remembered(path: Path, name: str) -> None:
    """Asked again when it would change something, it is answered as before, and nothing is done."""
    ask = CHANGELESS[name]
    with open_it(path) as cortex:
        one = kept(cortex.memorize("tea").id)
        cortex.memorize("gone", scope=EMPTY)
        cortex.forget_all(EMPTY, confirm=EMPTY)
        if name == "archive what is archived":
            cortex.archive(one)
        first = ask(cortex, one, "k")
        # Now everything is such that each of the requests would have something to do.
        cortex.update(one, content="coffee")
        cortex.archive(one, undo=name == "archive what is archived")
        cortex.memorize("new", scope=EMPTY)
    with open_it(path) as cortex:
        before = state(cortex), cortex.count(scope=EMPTY)
        assert ask(cortex, one, "k") == first
        assert (state(cortex), cortex.count(scope=EMPTY)) == before
        with pytest.raises(IdempotencyConflict):
            cortex.memorize("another", idempotency_key="k")


def test_an_update_that_fails_spends_no_key(cortex: Cortex) -> None:
    """A call that was refused can be made right under the same key."""
    one = kept(cortex.memorize("tea").id)
    cortex.memorize("milk")
    with pytest.raises(ValueError, match="says the same"):
        cortex.update(one, content="milk", idempotency_key="k")
    assert cortex.update(one, content="coffee", idempotency_key="k").version == 2


def test_a_key_of_an_erased_memory_does_not_pass_for_another_verb(cortex: Cortex) -> None:
    """When the digest of a request died with its text, its key still is no receipt for an erasure."""
    one = kept(cortex.memorize("tea", idempotency_key="k").id)
    other = kept(cortex.memorize("milk").id)
    cortex.forget(one)
    for verb in ("update", "archive", "forget", "forget_all"):
        with pytest.raises(IdempotencyConflict):
            call(cortex, verb, other, "k")
    assert cortex.count() == 1


@pytest.mark.parametrize("verb", ["update", "archive"])
def test_a_key_of_an_erased_memory_does_not_swallow_a_new_one(cortex: Cortex, verb: str) -> None:
    """A memory is not taken for kept because its key was once used for a change of another, now erased."""
    one = kept(cortex.memorize("tea").id)
    call(cortex, verb, one, "k")
    cortex.forget(one)
    with pytest.raises(IdempotencyConflict):
        cortex.memorize("milk", idempotency_key="k")


@pytest.mark.parametrize("wrong", [5, "", " ", "x" * 1000, b"k"], ids=repr)
def test_what_is_no_key_is_refused(cortex: Cortex, wrong: Any) -> None:
    """A key is a short text; nothing is done under another."""
    one = kept(cortex.memorize("tea").id)
    for verb in VERBS:
        with pytest.raises(ValueError, match="idempotency_key"):
            call(cortex, verb, one, wrong)
    assert cortex.count() == 1
