"""What is printed: strict JSON, lines that stored text cannot forge, errors with a code."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex import Cortex, Kind, Recall, Scope
from cortex.cli import render
from cortex.cli.document import document, plain
from cortex.cli.escape import columns, fit, one_line, safe
from cortex.model.memory import Clearance
from cortex.model.score import LegScore
from tests.cli.conftest import EVIL, Cli

READERS = [
    ["list", "--all"],
    ["recall", "evil text", "--explain"],
    ["search", "local", "evil text"],
    ["timeline"],
    ["count"],
    ["stats"],
    ["health"],
]


def steering(text: str) -> list[str]:
    """The characters that a terminal would act on."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


@pytest.mark.parametrize("args", READERS, ids=lambda args: args[0])
@pytest.mark.parametrize("form", ["text", "json"])
def test_stored_text_steers_no_terminal(cli: Cli, shared: Path, args: list[str], form: str) -> None:
    """No control and no direction character leaves, whatever was stored, in text and in JSON."""
    shown = cli("--db", shared, *args, *(["--json"] if form == "json" else []))
    assert shown.code == 0
    assert steering(shown.out + shown.err) == []


def test_stored_text_forges_no_line(cli: Cli, shared: Path) -> None:
    """A line break in a text starts no line of its own: every line of a list begins with a real id."""
    ids = {m["id"][:8] for m in cli("--db", shared, "list", "--json").json["memories"]}
    assert {line[:8] for line in cli("--db", shared, "list").out.splitlines()} == ids


def test_get_shows_hidden_characters(cli: Cli, shared: Path) -> None:
    """The whole text is shown with its hidden characters spelled out, and set in."""
    evil = next(m for m in cli("--db", shared, "list", "--json").json["memories"] if m["content"].startswith("evil"))
    out = cli("--db", shared, "get", evil["id"]).out
    assert steering(out) == []
    assert "  evil \\x1b[2J\\u202etxet\\x9b31m\\x07 text\n  0badc0de" in out
    assert evil["content"] == EVIL


@given(st.text())
def test_safe_text_is_safe_and_plain_text_stays(text: str) -> None:
    """Nothing that steers is left but line breaks and tabs; what is only letters is not touched."""
    shown = safe(text)
    assert [c for c in steering(shown) if c not in "\t\u00ad\u200c\u200d" and not c.isalpha()] == [
        c for c in text if c in "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    ]
    assert "\n" not in one_line(text)
    if text.isalnum():
        assert shown == text


@pytest.mark.parametrize(
    ("text", "width"), [("tea", 3), ("緑茶", 4), ("e\u0301", 1), ("👨\u200d👩", 4), ("", 0), ("ｆｕｌｌ", 8)]
)
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    """Wide characters take two columns, combining ones none."""
    assert columns(text) == width


@given(st.text(alphabet="abc 緑茶e\u0301"), st.integers(1, 12))
def test_a_cut_text_fits(text: str, room: int) -> None:
    """What is shown fits its room, and an ellipsis says that something is missing."""
    shown = fit(text, room)
    assert columns(shown) <= room
    assert shown == text or shown.endswith("…")


def test_lines_fit_the_terminal(cli: Cli, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list is as wide as the terminal at most."""
    monkeypatch.setenv("COLUMNS", "70")
    lines = cli("--db", shared, "list").out.splitlines()
    assert max(map(columns, lines)) <= 70
    assert any("…" in line for line in lines)


@dataclass(frozen=True)
class _Value:
    """One of everything."""

    kind: Kind
    at: datetime
    raw: bytes
    scope: Scope
    parts: Any


def test_a_document_is_strict_json() -> None:
    """Fields by name, enumerations by value or name, times in UTC, bytes in hex, no number that JSON has not."""
    at = datetime(2026, 5, 31, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    value = _Value(Kind.FACT, at, b"\x00\xff", Scope("user:Ada"), {"x": (float("nan"), float("inf"), 1.5, True, None)})
    assert json.loads(document(value)) == {
        "kind": "fact", "at": "2026-05-31T12:30:00.000000+00:00", "raw": "00ff", "scope": "user:Ada",
        "parts": {"x": [None, None, 1.5, True, None]},
    }  # fmt: skip
    assert plain((LegScore(1, 0.5), Clearance.INTERNAL)) == [{"rank": 1, "score": 0.5}, "internal"]
    with pytest.raises(TypeError, match="object has no JSON form"):
        plain(object())
    assert plain(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00.000000+00:00"


@given(st.dictionaries(st.text(), st.text()))
def test_a_document_says_what_it_was_given(value: dict[str, str]) -> None:
    """Escapes are JSON's own: reading gives the same text back, and nothing in it steers a terminal."""
    text = document(value)
    assert json.loads(text) == value
    assert [c for c in steering(text) if ord(c) < 0x600 and c != "\u00ad"] == []


class TestErrors:
    @pytest.fixture
    def twins(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> str:
        """The beginning that two ids share."""
        numbers: Iterator[str] = iter(["abcdef01" + "0" * 24, "abcdef02" + "0" * 24])
        monkeypatch.setattr("cortex.app.build.secrets.token_hex", lambda _: next(numbers))
        monkeypatch.setattr("cortex.engine.facade.Engine.close", lambda self: self._deps.store.close())
        for text in ("one", "two"):
            assert cli("memorize", text).code == 0
        return "abcdef"

    def test_an_ambiguous_id_is_refused_with_candidates(self, cli: Cli, twins: str) -> None:
        """Exit code 4, both candidates named, nothing erased."""
        wrong = cli("forget", twins)
        assert wrong.code == 4
        assert "abcdef01" in wrong.err
        assert "abcdef02" in wrong.err
        assert cli("count").out == "2\n"

    @pytest.mark.parametrize(
        ("args", "code", "name"),
        [
            (["get", "abcd1234"], 3, "not_found"),
            (["get", "xyz!"], 2, "invalid_id"),
            (["forget", "%%%%"], 2, "invalid_id"),
            (["recall", " "], 2, "invalid_input"),
            (["recall", "x", "--limit", "0"], 2, "invalid_input"),
            (["recall", "x", "--limit", "many"], 2, "usage"),
            (["list", "--cursor", "x"], 2, "invalid_input"),
            (["memorize", "x", "--kind", "opinion"], 2, "invalid_input"),
            (["memorize", "x", "--scope", "nowhere"], 2, "invalid_input"),
            (["store", " ", "x"], 2, "invalid_input"),
            (["--user", " ", "list"], 2, "invalid_input"),
            (["--db", "", "list"], 2, "usage"),
            (["--db", "mongo://x", "list"], 8, "configuration"),
            (["--db", ".", "list"], 7, "store"),
            (["nothing"], 2, "usage"),
        ],
    )
    def test_an_error_has_a_code(self, cli: Cli, args: list[str], code: int, name: str) -> None:
        """The same error is a line for people and an object for programs, on stderr, with its exit code."""
        told = cli(*args)
        assert (told.code, told.out) == (code, "")
        assert told.err.startswith("error: ")
        parsed = cli(*args, "--json")
        assert (parsed.code, parsed.out, parsed.error["code"]) == (code, "", name)
        assert parsed.error["message"] in told.err

    def test_a_foreign_file_is_left_alone(self, cli: Cli, tmp_path: Path) -> None:
        """A file that is something else is refused with 7 and a hint, and stays as it is."""
        path = tmp_path / "letter.db"
        path.write_text("Dear Ada,")
        wrong = cli("list", "--db", path)
        assert wrong.code == 7
        assert "hint: another file is chosen with --db" in wrong.err
        assert path.read_text() == "Dear Ada,"

    def test_a_wrong_setting_is_named(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        """Exit code 8 and the name of the variable."""
        monkeypatch.setenv("CORTEX_TOP_K", "many")
        wrong = cli("recall", "x")
        assert wrong.code == 8
        assert "CORTEX_TOP_K" in wrong.err

    @pytest.mark.parametrize("value", ["nowhere", "~/nowhere", "/nowhere"])
    def test_an_own_model_that_is_missing_ends_with_8(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch, value: str
    ) -> None:
        """The command line takes it for a wrong setting, and makes no store."""
        monkeypatch.setenv("CORTEX_EMBED_MODEL", value)
        wrong = cli("--db", "new.db", "count", "--json")
        assert (wrong.code, wrong.error["code"]) == (8, "configuration")
        assert f"CORTEX_EMBED_MODEL={value!r}" in wrong.error["message"]
        assert not Path("new.db").exists()

    def test_an_error_steers_no_terminal(self, cli: Cli) -> None:
        """What was typed is spelled out in the error too."""
        assert steering(cli("get", "\x1b[31m\u202e").err) == []
        assert steering(cli("\x1b[31m").err) == []

    def test_ctrl_c_ends_with_130(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        """An interrupt is said in a word, without a traceback."""

        def interrupt(*args: object, **options: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("cortex.engine.facade.Engine.count", interrupt)
        stopped = cli("count")
        assert (stopped.code, stopped.out, stopped.err.strip()) == (130, "", "interrupted")

    def test_an_option_after_two_dashes_is_text(self, cli: Cli) -> None:
        """A text that looks like an option can be kept, and does not turn errors into JSON."""
        assert cli("memorize", "--", "--json").out.startswith("kept ")
        assert cli("get", "--", "--json").err.startswith("error: ")


class TestOptions:
    def test_general_options_stand_before_or_after(self, cli: Cli, tmp_path: Path) -> None:
        """--db, --user and --json mean the same in both places; the later one wins."""
        path = tmp_path / "a.db"
        cli("--db", path, "--user", "ada", "memorize", "tea")
        assert cli("count", "--db", path, "--user", "ada", "--json").json == {"count": 1}
        assert cli("--json", "--user", "bob", "count", "--db", path).json == {"count": 0}
        assert cli("--user", "bob", "count", "--db", path, "--user", "ada").out == "1\n"
        with Cortex(path, user="ada") as cortex:
            assert cortex.list_memories().memories[0].scope == Scope("user:ada")

    def test_verbose_logs_on_stderr(self, cli: Cli) -> None:
        """-v changes what is logged and nothing of the answer."""
        import logging

        assert cli("-vv", "count").out == "0\n"
        assert logging.getLogger().level == logging.DEBUG

    @pytest.mark.parametrize(("variable", "coloured"), [("", True), ("1", False), ("no", False)])
    def test_no_color_is_respected(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str, coloured: bool
    ) -> None:
        """Any value of NO_COLOR but the empty one turns colours off, even on a terminal."""
        monkeypatch.setenv("NO_COLOR", variable)
        seen: list[bool | None] = []

        def count(self: Cortex) -> int:
            seen.append(click.get_current_context().color)
            return 0

        monkeypatch.setattr("cortex.engine.facade.Engine.count", count)
        assert cli("count").code == 0
        assert seen == [None if coloured else False]

    def test_there_are_no_colours_off_a_terminal(self, cli: Cli, shared: Path) -> None:
        """What goes into a pipe or file is plain."""
        assert "\x1b" not in cli("--db", shared, "list").out


def test_a_note_stands_beside_an_answer_that_lacks_no_leg() -> None:
    """What an answer says of itself is told, whether a leg was missing or not."""
    note = "1 memory is found by words only"
    assert list(render.lacking(Recall(hits=(), legs=("dense", "lexical"), notes=(note,)))) == [note]
    without = list(render.lacking(Recall(hits=(), legs=("lexical",), degraded=("dense",), notes=("broken",))))
    assert without == ["answered without dense: broken"]
