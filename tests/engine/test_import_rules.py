"""What an import makes of ids and texts that are there already, in the store or in the file itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cortex.engine.facade import Engine
from cortex.stores.ephemeral.store import EphemeralStore
from cortex.stores.sqlite.store import SQLiteStore
from tests.engine.support import Bench

COUNTS = "added unchanged skipped overwritten renamed duplicates pending".split()
RULES = ["skip", "overwrite", "new_id"]
GAPS = [0, 1, 198, 199, 300]
ID = "b" * 32


@pytest.fixture(params=[EphemeralStore, lambda: SQLiteStore(":memory:")], ids=["ephemeral", "sqlite"])
def target(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An empty store of each kind."""
    store = request.param()
    yield Bench(store=store).engine("local")
    store.close()


@pytest.fixture(scope="module")
def sample() -> list[str]:
    """The header and a line of a real export."""
    engine = Bench().engine("local")
    engine.memorize("tea")
    return list(engine.admin.export_lines())


@pytest.fixture
def line(sample: list[str]) -> Callable[..., str]:
    """A line with an id and a text, and with vectors unless they are left out."""

    def made(id_: str, content: str, **fields: Any) -> str:
        given = {**json.loads(sample[1]), "id": id_, "content": content, "embedded_chars": len(content), **fields}
        return json.dumps({name: value for name, value in given.items() if value is not None})

    return made


def told(cortex: Engine, lines: list[str], rule: str) -> dict[str, int]:
    """Import the lines; the counts that are not zero."""
    done = cortex.admin.import_lines(lines, on_conflict=rule)
    assert done.refused == ()
    return {name: getattr(done, name) for name in COUNTS if getattr(done, name)}


def texts(cortex: Engine) -> dict[str, str]:
    """The text of each id."""
    return {memory.id: memory.content for memory in cortex.list_memories(limit=1000).memories}


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("rule", RULES)
def test_an_id_that_comes_again_follows_the_rule(
    target: Engine, sample: list[str], line: Callable[..., str], rule: str, gap: int
) -> None:
    """The same id with other words, however many lines apart: kept, replaced or under a new id, and counted so."""
    between = [line(f"a{number:031x}", f"between {number}") for number in range(gap)]
    again = [line(ID, "second"), line(ID, "third"), line(ID, "third")]
    counts = told(target, [sample[0], line(ID, "first"), *between, *again], rule)
    kept = {id_: text for id_, text in texts(target).items() if not text.startswith("between")}
    expected: dict[str, tuple[str, set[str], dict[str, int]]] = {
        "skip": ("first", {"first"}, {"skipped": 3}),
        "overwrite": ("third", {"third"}, {"overwritten": 2, "unchanged": 1}),
        "new_id": ("first", {"first", "second", "third"}, {"renamed": 2, "duplicates": 1}),
    }
    stays, all_of_them, outcome = expected[rule]
    assert (kept[ID], set(kept.values())) == (stays, all_of_them)
    assert counts == {"added": gap + 1, **outcome}


@pytest.mark.parametrize("rule", RULES)
def test_what_says_the_same_is_a_duplicate_and_nothing_else(
    target: Engine, sample: list[str], line: Callable[..., str], rule: str
) -> None:
    """A record that writes nothing, since another memory says the same, is neither renamed nor overwritten."""
    two = "c" * 32
    told(target, [sample[0], line(ID, "tea"), line(two, "milk")], rule)
    same = [line(ID, "tea", importance=9), line(two, "tea"), line("d" * 32, "new")]
    expected = {
        "skip": {"added": 1, "skipped": 2},
        "overwrite": {"added": 1, "overwritten": 1, "duplicates": 1},
        "new_id": {"added": 1, "duplicates": 2},
    }
    assert told(target, [sample[0], *same], rule) == expected[rule]
    assert sorted(texts(target).values()) == ["milk", "new", "tea"]


@pytest.mark.parametrize("rule", RULES)
def test_only_what_was_written_waits_for_vectors(
    target: Engine, sample: list[str], line: Callable[..., str], rule: str
) -> None:
    """Of records without vectors those are pending that were really kept."""
    told(target, [sample[0], line(ID, "tea"), line("c" * 32, "milk")], rule)
    bare = [line(id_, text, embedding=None, embedded_chars=0) for id_, text in ((ID, "milk"), ("d" * 32, "milk"))]
    counts = told(target, [sample[0], *bare], rule)
    assert counts == ({"skipped": 1, "duplicates": 1} if rule == "skip" else {"duplicates": 2})
    assert target.stats().pending == 0


def test_the_counts_add_up_to_the_lines(target: Engine, sample: list[str], line: Callable[..., str]) -> None:
    """Each line became exactly one thing, under every rule and any number of times."""
    lines = [line(f"a{number % 7:031x}", f"text {number % 5}", importance=1 + number % 3) for number in range(60)]
    for rule in (*RULES, *RULES):
        counts = told(target, [sample[0], *lines], rule)
        assert sum(counts.values()) == len(lines)
        assert len(texts(target)) <= 5
