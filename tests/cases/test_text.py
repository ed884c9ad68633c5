"""Texts that are very long, empty, or full of signs that other systems take for a language of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.core.text import clean_problem
from cortex.engine.facade import Engine
from cortex.errors import InvalidInput
from cortex.surfaces.mcp.server import SPECS
from cortex.testing import Failure, FakeEmbedder
from tests.cases.conftest import Cli
from tests.e2e.wire import Wire
from tests.engine.support import Bench, by_words

# --- MEM-007: very long content -----------------------------------------------------------------------

LAST = "The word on the lid is qwixlumph."
LONG = f"{'The tide table says nothing new today. ' * 1_600}{LAST}"


def test_mem_007_the_end_of_a_long_text_is_kept_and_found(bench: Bench, ada: Engine) -> None:
    """All of it comes back; a word at its end finds it; how much is found by meaning is said wherever it is shown."""
    receipt = ada.memorize(LONG)
    embedded = 0 if bench.embedder.fail else 20_000  # type: ignore[attr-defined] # the fake's
    assert (receipt.content_chars, receipt.embedded_chars) == (len(LONG), embedded)
    memory = ada.get(str(receipt.id))
    assert memory is not None
    assert memory.content == LONG
    assert by_words(ada.recall("qwixlumph")) == {LONG}
    (hit,) = ada.recall(LAST, explain=True).hits
    assert (hit.memory.content, hit.memory.embedded_chars) == (LONG, embedded)


@pytest.mark.parametrize("over", [1, 500_000])
def test_mem_007_a_text_over_the_cap_is_refused_by_its_number(ada: Engine, over: int) -> None:
    """Nothing is cut to fit: the error names the limit, in a list the item's receipt does, and an update too."""
    text = "x" * (1_000_000 + over)
    with pytest.raises(InvalidInput, match="1,000,000"):
        ada.memorize(text)
    one = ada.memorize("short")
    with pytest.raises(InvalidInput, match="1,000,000"):
        ada.update(str(one.id), content=text)
    assert "1,000,000" in str(ada.memorize_many([text])[0].error)
    assert [m.content for m in ada.list_memories().memories] == ["short"]


@pytest.mark.slow
def test_mem_007_over_mcp(meaning: Wire) -> None:
    """The cap is in the schemas and in the error; the stretches of a long text are the text."""
    for tool in ("memorize", "update_memory"):
        assert SPECS[tool].takes["properties"]["content"]["maxLength"] == 1_000_000
    assert "1,000,000" in meaning.refusal("memorize", content="x" * 1_000_001)
    kept = meaning.call("memorize", content=LONG, scope="project:long")
    assert (kept["content_chars"], kept["embedded_chars"]) == (len(LONG), 20_000)
    (hit,) = meaning.call("recall", query=LAST, scope="project:long")["memories"]
    assert hit["embedded_chars"] == 20_000
    assert (hit["id"], hit["content_chars"], "lexical" in hit["parts"]) == (kept["id"], len(LONG), True)
    parts: list[str] = []
    start: int | None = 0
    while start is not None:
        stretch = meaning.call("get_memory", memory_id=kept["id"], start=start)
        parts.append(stretch["content"])
        start = stretch.get("next_start")
    assert "".join(parts) == LONG


def test_mem_007_on_the_command_line(cli: Cli) -> None:
    """A text from standard input is kept whole, and a hit says how much of it is found by meaning."""
    kept = cli("memorize", "-", stdin=LONG)
    assert "first 20,000 of" in kept.err
    assert f"by meaning its first 20,000 of {len(LONG):,} characters" in cli("recall", "qwixlumph", "--explain").out
    assert cli("recall", "qwixlumph", "--json").json["hits"][0]["memory"]["embedded_chars"] == 20_000


# --- MEM-009: blank content ---------------------------------------------------------------------------

BLANKS = ["", " ", "   ", "\n\t\r", "\u00a0\u3000", "\u200b", "\u200d\ufeff", "\u2060\u00ad", "\0", "\u2800", "\u3164"]


def test_mem_009_blank_texts_are_refused_before_anything_is_done(bench: Bench, ada: Engine) -> None:
    """Whoever sends nothing visible gets an error that names the field; no embedder is asked and nothing changes."""
    one = str(ada.memorize("the gate is green").id)
    calls = list(bench.embedder.calls)  # type: ignore[attr-defined] # the fake's
    asked: list[tuple[str, Callable[[str], Any]]] = [
        ("content", ada.memorize),
        ("content", lambda blank: ada.update(one, content=blank)),
        ("query", ada.recall),
        ("tags", lambda blank: ada.memorize("x", tags=["a", blank])),
        ("tags", lambda blank: ada.recall("x", tags=[blank])),
        ("speaker", lambda blank: ada.memorize("x", speaker=blank)),
    ]
    for blank in BLANKS:
        for field, call in asked:
            with pytest.raises(InvalidInput) as caught:
                call(blank)
            assert caught.value.field == field
    assert bench.embedder.calls == calls  # type: ignore[attr-defined]
    (memory,) = ada.list_memories().memories
    assert (memory.content, memory.version) == ("the gate is green", 1)


def test_mem_009_a_list_says_of_each_item_what_became_of_it(ada: Engine) -> None:
    """The blank one has an error and no id; the others are kept."""
    for i, blank in enumerate(BLANKS):
        first, second, third = ada.memorize_many([f"one {i}", {"content": blank}, f"three {i}"])
        assert (second.id, second.error_code) == (None, "invalid_input")
        assert "content" in str(second.error)
        assert (first.error, third.error) == (None, None)
    assert ada.count() == 2 * len(BLANKS)


@pytest.mark.slow
def test_mem_009_over_mcp(wire: Wire) -> None:
    """Blank and missing arguments are errors of the call that name the argument."""
    kept = wire.call("memorize", content="the gate is green", scope="project:blank")
    for blank in BLANKS:
        assert "content" in wire.refusal("memorize", content=blank, scope="project:blank")
        assert "content" in wire.refusal("update_memory", memory_id=kept["id"], content=blank)
        assert "query" in wire.refusal("recall", query=blank, scope="project:blank")
    assert "content" in wire.refusal("memorize", scope="project:blank")
    assert "content" in wire.refusal("memorize", content=None, scope="project:blank")
    assert "query" in wire.refusal("recall")
    assert wire.call("get_memory", memory_id=kept["id"])["content"] == "the gate is green"
    assert wire.call("list_memories", scope="project:blank")["total"] == 1


def test_mem_009_on_the_command_line(cli: Cli) -> None:
    """Exit code 2, on arguments and on standard input; a file tells of its blank lines and keeps the rest."""
    one = cli("memorize", "the gate is green", "--json").json["id"]
    for blank in BLANKS:
        assert cli("memorize", "-", stdin=blank).code == 2
        assert cli("recall", blank).code == 2
        assert cli("update", one, "--content", blank).code == 2
    done = cli("memorize", "--file", "-", "--json", stdin='"one"\n{"content": " \\u200b"}\n"three"\n')
    assert (done.code, done.json["kept"], done.json["failed"]) == (2, 2, 1)
    assert cli("count").out == "3\n"


# --- MEM-010: signs that look like operators ----------------------------------------------------------

SIGNS = [
    "osprey-7c", "red-amber", "v3.11.0-rc2", "east/west", "queue:two", "rock'n'roll", "C++", "F#", "40%", "right_pad",
    "(void)", '"jade"', "@handle", "#topic", "R&D", "$PATH", "node.js", "~/.profile", "x^2", "a*b", "[x]", "{y}", "p|q",
    "!important", "10:45", "k=v", "<br>", "back\\slash", "semi;colon", "naïve-café", "1.5e-3", "::1",
]  # fmt: skip
OPERATORS = [
    "AND", "OR", "NOT", "NEAR(a b)", "NEAR(a b, 2)", "a*", "^a", '"never closed', "(never closed", "closed)", "-", "--",
    "title:x", "content:gate", "{a b}:c", "a AND (b OR", "NOT NOT", "* OR 1=1", "'; DROP TABLE memories; --", '""',
    "''", "\\", "%", "_", "?", "$1", ":name", "@x", "[", "]", "{", "}", "+", "&", "|", "!", "~", "..", "/", "//",
]  # fmt: skip


def test_mem_010_every_token_is_found_by_its_own_text(ada: Engine) -> None:
    """The best memory by words is the one in which the token stands, whatever signs it has."""
    ada.memorize_many([f"Entry {i} is about {token} today" for i, token in enumerate(SIGNS)])
    for i, token in enumerate(SIGNS):
        answer = ada.recall(token, limit=len(SIGNS))
        best = min((hit for hit in answer.hits if "lexical" in hit.parts), key=lambda h: h.parts["lexical"].rank)
        assert best.memory.content == f"Entry {i} is about {token} today"


def test_mem_010_what_looks_like_an_operator_is_text(ada: Engine) -> None:
    """No question raises and none finds by its words what it does not say; its words, if any, find themselves."""
    ada.memorize_many(["the gate is green", "the lamp is out"])
    for operator in OPERATORS:
        answer = ada.recall(operator)
        assert by_words(answer) <= ({"the gate is green"} if "gate" in operator else set()), operator
        ada.memorize(operator, scope="project:signs")
        if any(map(str.isalnum, operator)):
            assert operator in by_words(ada.recall(operator, scope="project:signs", limit=len(OPERATORS))), operator


SOUP = st.sampled_from("ab19 \"'()*^-+:{}[]|&!~/\\%_?$@#<>=.,;`\n") | st.characters(codec="utf-8")


@settings(max_examples=60)
@given(st.text(SOUP, max_size=40))
def test_mem_010_no_question_is_an_error_of_the_search(query: str) -> None:
    """Any text is answered, or refused as a question that says nothing; it never reaches a parser."""
    ada = Bench(embedder=FakeEmbedder(fail=Failure.RAISE)).engine()
    ada.memorize("the gate is green")
    if clean_problem(query) is None:
        assert isinstance(ada.recall(query).hits, tuple)
        return
    with pytest.raises(InvalidInput, match="query"):
        ada.recall(query)


@pytest.mark.slow
def test_mem_010_over_mcp(wire: Wire) -> None:
    """The tokens find themselves and the operators are answered, through JSON and back."""
    for token in SIGNS:
        wire.call("memorize", content=f"A note on {token} here", scope="project:tokens")
    for token in SIGNS:
        memories = wire.call("recall", query=token, scope="project:tokens", limit=len(SIGNS))["memories"]
        ranks = {m["content"]: m["parts"]["lexical"]["rank"] for m in memories if "lexical" in m["parts"]}
        assert min(ranks, key=lambda content: ranks[content]) == f"A note on {token} here"
    for operator in OPERATORS:
        assert "memories" in wire.call("recall", query=operator, scope="project:tokens")
