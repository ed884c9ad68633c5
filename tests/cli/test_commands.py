"""Every command end to end, in this process, on a real store with the real embedder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex, Kind, Tier
from cortex.testing.embedder import Failure, FakeEmbedder
from tests.cli.conftest import Cli
from tests.single_user import make, many


def lines(*items: object) -> str:
    """The items as a JSON Lines file."""
    return "\n".join(json.dumps(item) for item in items) + "\n"


class TestKeeping:
    def test_a_text_is_kept_with_all_that_is_said_of_it(self, cli: Cli) -> None:
        """Each option of memorize reaches its field."""
        kept = cli(
            "memorize", "Ada prefers tea", "--kind", "preference", "--tag", "drinks", "--tag", "ada", "--scope",
            "project:tea", "--speaker", "Ada", "--role", "user", "--session", "s1", "--position", "3",
            "--event-time", "2026-05-31", "--metadata", '{"a": [1, null]}', "--importance", "9", "--confidence", "0.5",
            "--tier", "session", "--source", '{"url": "x"}', "--clearance", "public", "--valid-from", "2026-01-01",
            "--valid-to", "2999-01-01", "--expires-at", "2999-01-01", "--json",
        )  # fmt: skip
        assert kept.code == 0
        memory = cli("get", kept.json["id"], "--json").json
        expected = {
            "kind": "preference", "tags": ["drinks", "ada"], "scope": "project:tea", "speaker": "Ada", "role": "user",
            "session": "s1", "position": 3, "event_time": "2026-05-31T00:00:00.000000+00:00", "importance": 9,
            "metadata": {"a": [1, None]}, "confidence": 0.5, "tier": "session", "source": {"url": "x"},
            "clearance_min": "public", "expires_at": "2999-01-01T00:00:00.000000+00:00", "author": "local",
        }  # fmt: skip
        assert {name: memory[name] for name in expected} == expected

    def test_the_receipt_says_whether_it_was_there(self, cli: Cli) -> None:
        """An equal text is kept once, and the command says so."""
        assert re.fullmatch(r"kept [0-9a-f]{8}\n", cli("memorize", "Ada prefers tea").out)
        assert re.fullmatch(r"already kept [0-9a-f]{8}\n", cli("memorize", "Ada prefers tea").out)

    def test_standard_input_is_kept_as_it_is(self, cli: Cli) -> None:
        """A dash reads UTF-8 whatever the locale, and only the final line break is not part of the text."""
        kept = cli("memorize", "-", "--json", stdin="緑茶\n  二行目 \n")
        assert cli("get", kept.json["id"], "--json").json["content"] == "緑茶\n  二行目 "

    def test_standard_input_must_be_utf8(self, cli: Cli) -> None:
        """Bytes that are no text are refused, not guessed at."""
        refused = cli("memorize", "-", stdin=b"caf\xe9")
        assert (refused.code, refused.out) == (2, "")
        assert "not UTF-8" in refused.err

    def test_the_same_key_gives_the_same_receipt(self, cli: Cli) -> None:
        """A request repeated under its key is done once; another request under it is refused."""
        first = cli("memorize", "one", "--key", "k", "--json").json["id"]
        assert cli("memorize", "one", "--key", "k", "--json").json["id"] == first
        assert cli("memorize", "two", "--key", "k", "--json").code == 2
        assert cli("memorize", "one", "--idempotency-key", "k", "--json").json["id"] == first

    def test_a_file_is_kept_line_by_line(self, cli: Cli, tmp_path: Path) -> None:
        """Good lines are kept with the options as defaults, each bad one is told by its number."""
        file = tmp_path / "many.jsonl"
        file.write_text(
            lines({"content": "one", "kind": "decision"}, "two") + "\n{bad\n3\n" + lines({"content": "x", "knd": 1})
        )
        done = cli("memorize", "--file", file, "--kind", "error", "--tag", "bulk")
        assert (done.code, done.out) == (2, "kept 2, failed 3\n")
        assert [line.split(":")[0] for line in done.err.splitlines()] == [
            "line 4, column 2", "line 5", "line 6", "5 lines read",
        ]  # fmt: skip
        assert "did you mean 'kind'" in done.err
        found = cli("list", "--json", "--order", "oldest").json["memories"]
        assert [(m["content"], m["kind"], m["tags"]) for m in found] == [
            ("one", "decision", ["bulk"]),
            ("two", "error", ["bulk"]),
        ]

    @pytest.mark.parametrize(
        ("line", "place"), [("{bad", "column 2"), ("   {bad", "column 5"), ('{"content": "x"} y', "column 18")]
    )
    def test_a_line_that_is_no_json_is_told_with_its_place(self, cli: Cli, line: str, place: str) -> None:
        """The place is that in the file, told once, and the document has it as numbers."""
        text = lines("one") + line + "\n"
        told = cli("memorize", "--file", "-", stdin=text).err.splitlines()[0]
        assert told.startswith(f"line 2, {place}: not JSON: ")
        assert "line 1" not in told
        found = cli("memorize", "--file", "-", "--json", stdin=text).json["lines"]
        assert [(item["line"], item["column"]) for item in found] == [(1, None), (2, int(place.split()[1]))]

    def test_a_file_answers_in_json(self, cli: Cli) -> None:
        """The document has a receipt or an error for every line, in order."""
        done = cli("memorize", "--file", "-", "--json", stdin=lines("one", 3, "one"))
        assert done.code == 2
        assert (done.json["kept"], done.json["already_kept"], done.json["failed"]) == (1, 1, 1)
        assert [line["line"] for line in done.json["lines"]] == [1, 2, 3]
        assert done.json["lines"][1]["receipt"]["error_code"] == "invalid_input"
        assert done.err == ""

    @pytest.mark.parametrize("args", [(), ("text", "--file", "-")])
    def test_either_a_text_or_a_file(self, cli: Cli, args: tuple[str, ...]) -> None:
        """Neither and both are refused."""
        assert cli("memorize", *args).code == 2

    @pytest.mark.parametrize("metadata", ["{bad", "[1]", "NaN", '{"a": NaN}', "[" * 5000])
    def test_metadata_is_a_json_object(self, cli: Cli, metadata: str) -> None:
        """What is no object, or holds what JSON has not, is refused."""
        refused = cli("memorize", "text", "--metadata", metadata)
        assert (refused.code, refused.out) == (2, "")

    @pytest.mark.parametrize(
        ("memory_type", "kind", "tier"),
        [
            (None, Kind.EVENT, Tier.LONG_TERM),
            ("identity", Kind.FACT, Tier.IDENTITY),
            ("semantic", Kind.FACT, Tier.LONG_TERM),
            ("Episodic", Kind.EVENT, Tier.LONG_TERM),
            ("working", Kind.FACT, Tier.WORKING),
            ("session", Kind.FACT, Tier.SESSION),
            ("project", Kind.PROJECT, Tier.LONG_TERM),
        ],
    )
    def test_store_maps_memory_types(self, cli: Cli, memory_type: str | None, kind: Kind, tier: Tier) -> None:
        """Each memory type is a kind and a tier, in the scope of the user that is named."""
        options = [] if memory_type is None else ["--memory-type", memory_type]
        kept = cli("store", "user-123", "Learned about vectors", *options, "--json")
        memory = cli("get", kept.json["id"], "--json").json
        assert (memory["kind"], memory["tier"], memory["scope"]) == (kind, tier, "user:user-123")


class TestAsking:
    def test_a_hit_shows_its_score_and_ranks(self, cli: Cli, shared: Path) -> None:
        """The best memory comes first, with id, date, kind, speaker, tags, score and rank in each leg."""
        first, second = cli("--db", shared, "recall", "what does Ada drink in the morning?").out.splitlines()[:2]
        assert re.fullmatch(
            r"[0-9a-f]{8}  2026-05-30  preference +Ada: Ada prefers green tea .*  #drinks #morning", first
        )
        assert re.fullmatch(r" +0\.\d{4} = dense 1 \(0\.\d+\), lexical 1 \(\d+\.\d+\)", second)

    def test_json_names_the_parts_of_a_hit(self, cli: Cli, shared: Path) -> None:
        """Rank and score are named in hits and in what was left out, and a clearance is a word."""
        found = cli("--db", shared, "recall", "green tea", "--limit", "1", "--explain", "--json").json
        assert {leg: part["rank"] for leg, part in found["hits"][0]["parts"].items()} == {"dense": 1, "lexical": 1}
        parts = [part for item in (*found["hits"], *found["left_out"]) for part in item["parts"].values()]
        assert {tuple(part) for part in parts} == {("rank", "score")}
        assert found["hits"][0]["memory"]["clearance_min"] == "internal"

    def test_explain_says_what_was_left_out(self, cli: Cli, shared: Path) -> None:
        """A candidate below the limit is named with its ranks."""
        out = cli("--db", shared, "recall", "green tea", "--limit", "1", "--explain").out
        assert "left out" in out
        assert "below the limit of 1" in out

    @pytest.mark.parametrize(
        ("options", "contents"),
        [
            (["--kind", "decision"], {"The database is SQLite because it needs no server"}),
            (["--kind", "decision", "--kind", "error", "--min-importance", "10"], set()),
            (["--tag", "drinks", "--tag", "morning"], {"Ada prefers green tea in the morning"}),
            (["--metadata", '{"cups": {"$gte": 2}}'], {"Ada prefers green tea in the morning"}),
            (["--session", "design"], {"The database is SQLite because it needs no server"}),
            (["--speaker", "Ada"], {"Ada prefers green tea in the morning"}),
            (["--since", "2026-06-01", "--until", "2026-06-01"], {"朝はいつも緑茶を飲みます"}),
            (["--created-until", "2020-01-01"], set()),
            (["--created-since", "2999-01-01"], set()),
            (["--status", "archived"], set()),
            (["--tier", "identity"], set()),
            (["--author", "nobody"], set()),
            (["--scope", "project:harbour"], {"The harbour has twelve berths"}),
        ],
    )
    def test_filters_narrow(self, cli: Cli, shared: Path, options: list[str], contents: set[str]) -> None:
        """Every filter means the same to recall, list and count."""
        recalled = cli("--db", shared, "recall", "tea SQLite harbour 緑茶", *options, "--json").json["hits"]
        listed = cli("--db", shared, "list", *options, "--json").json["memories"]
        assert {hit["memory"]["content"] for hit in recalled} == contents
        assert {memory["content"] for memory in listed} == contents
        assert cli("--db", shared, "count", *options).out == f"{len(contents)}\n"

    def test_fusion_and_ranking_are_passed_on(self, cli: Cli, shared: Path) -> None:
        """The answer names the fusion and the ranking that were asked for; an unknown one is refused with a list."""
        answer = cli("--db", shared, "recall", "tea", "--fusion", "minmax", "--ranking", "relevance", "--json").json
        assert (answer["fusion"], answer["ranking"]) == ("minmax", "relevance")
        assert "minmax" in cli("--db", shared, "recall", "tea", "--fusion", "x").err

    def test_a_ranking_shows_its_parts_and_weights(self, cli: Cli, shared: Path) -> None:
        """Below each hit what each part says and how much it counts, for people and as JSON."""
        for ranking, weight in (("assistant", "× 0.25)"), ("engineering", "× 0.65)")):
            assert weight in cli("--db", shared, "recall", "tea", "--ranking", ranking, "--diversity", "0.2").out
            hit = cli("--db", shared, "recall", "tea", "--ranking", ranking, "--json").json["hits"][0]
            assert hit["weights"].keys() <= hit["parts"].keys()
        assert "from 0 to 1" in cli("--db", shared, "recall", "tea", "--diversity", "2").err

    def test_several_scopes_show_theirs(self, cli: Cli, shared: Path) -> None:
        """The scope stands in the line where it is not one's own."""
        out = cli("--db", shared, "recall", "berths", "--scope", "project:harbour", "--scope", "user:local").out
        assert "project:harbour  The harbour has twelve berths" in out
        assert "user:local" not in out

    def test_search_looks_in_the_scope_of_the_user(self, cli: Cli, shared: Path) -> None:
        """Search finds what the named user has and nothing of others."""
        assert "green tea" in cli("--db", shared, "search", "local", "tea").out
        nobody = cli("--db", shared, "search", "nobody", "tea")
        assert (nobody.code, nobody.out, nobody.err) == (0, "", "nothing found\n")


class TestReading:
    def test_list_goes_on_where_the_page_ended(self, cli: Cli, shared: Path) -> None:
        """Following the cursors gives what --all gives."""
        every = cli("--db", shared, "list", "--all", "--json").json
        first = cli("--db", shared, "list", "--limit", "3", "--json").json
        rest = cli("--db", shared, "list", "--limit", "3", "--json", "--cursor", first["next_cursor"]).json
        assert every["next_cursor"] is None
        assert [m["id"] for m in every["memories"]] == [m["id"] for m in first["memories"] + rest["memories"]]
        assert "2 of 4; more with --cursor" in cli("--db", shared, "list", "--limit", "2").err

    def test_timeline_is_in_the_order_of_events(self, cli: Cli, shared: Path) -> None:
        """Only what has an event time is shown, both ends of the range included."""
        out = cli("--db", shared, "timeline", "--since", "2026-05-30", "--until", "2026-05-31").out
        assert [line[10:26] for line in out.splitlines()] == ["2026-05-30 08:15", "2026-05-31 00:00"]

    def test_get_shows_a_memory_whole(self, cli: Cli, shared: Path) -> None:
        """Every field that says something stands in a line; the text is set in."""
        id = cli("--db", shared, "list", "--tag", "drinks", "--json").json["memories"][0]["id"]
        out = cli("--db", shared, "get", id.upper()[:8]).out
        for field in (id, "user:local", "preference", "Ada", "drinks, morning", '{"cups": 2}', "2026-05-30 08:15:00"):
            assert field in out
        assert out.endswith("\n\n  Ada prefers green tea in the morning\n")

    def test_times_are_shown_in_the_zone_of_the_settings(
        self, cli: Cli, shared: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """People see their own clock, JSON is UTC."""
        monkeypatch.setenv("CORTEX_TIMEZONE", "Asia/Tokyo")
        assert "2026-05-30 17:15" in cli("--db", shared, "timeline", "--tag", "drinks").out
        page = cli("--db", shared, "timeline", "--tag", "drinks", "--json").json
        assert page["memories"][0]["event_time"] == "2026-05-30T08:15:00.000000+00:00"

    def test_count_is_a_number(self, cli: Cli, shared: Path) -> None:
        """Count prints a number alone."""
        assert cli("--db", shared, "count").out == "4\n"
        assert cli("--db", shared, "count", "--json").json == {"count": 4}


class TestChanging:
    @pytest.fixture
    def id(self, cli: Cli) -> str:
        """A memory to change."""
        kept: str = cli("memorize", "Ada prefers tea", "--speaker", "Ada", "--tag", "drinks", "--json").json["id"]
        return kept

    def test_update_keeps_what_is_not_given(self, cli: Cli, id: str) -> None:
        """Only what is given changes; the new text is found at once."""
        done = cli("update", id[:8], "--content", "Ada prefers coffee", "--importance", "8")
        assert done.out == f"updated {id[:8]}  version 2\n"
        memory = cli("get", id, "--json").json
        assert (memory["content"], memory["importance"], memory["speaker"], memory["tags"], memory["kind"]) == (
            "Ada prefers coffee", 8, "Ada", ["drinks"], "fact",
        )  # fmt: skip
        assert cli("recall", "coffee", "--json").json["hits"][0]["memory"]["id"] == id

    def test_update_empties_a_field(self, cli: Cli, id: str) -> None:
        """--clear makes a field empty, dashes and all."""
        cli("update", id, "--event-time", "2026-05-31")
        assert cli("update", id, "--clear", "speaker", "--clear", "tags", "--clear", "event-time").code == 0
        memory = cli("get", id, "--json").json
        assert (memory["speaker"], memory["tags"], memory["event_time"]) == (None, [], None)

    @pytest.mark.parametrize(
        "options",
        [
            [],
            ["--clear", "content"],
            ["--clear", "speaker", "--speaker", "x"],
            ["--content", " "],
            ["--importance", "11"],
        ],
    )
    def test_a_senseless_update_changes_nothing(self, cli: Cli, id: str, options: list[str]) -> None:
        """No change, a field that cannot be empty, and contradictions are refused."""
        assert cli("update", id, *options).code == 2
        assert cli("get", id, "--json").json["version"] == 1

    def test_every_change_is_done_once_under_its_key(self, cli: Cli, id: str) -> None:
        """Each command that writes gives the first receipt again; the key of one is no key of another."""
        for key, command in enumerate([
            ["store", "grace", "met Ada"],
            ["update", id, "--content", "Ada prefers coffee"],
            ["archive", id],
            ["forget", id],
            ["forget-all", "user:grace", "--confirm", "user:grace"],
        ]):  # fmt: skip
            first, again = (cli(*command, "--key", str(key), "--json") for _ in range(2))
            assert (first.code, again.out) == (0, first.out)
            assert cli("memorize", "something else", "--key", str(key)).code == 2
        assert cli("count", "--json").json == {"count": 0}

    def test_forget_says_what_was_erased(self, cli: Cli, id: str) -> None:
        """The id is gone and the traces are counted; a second time there is nothing."""
        done = cli("forget", id[:6])
        assert id in done.out
        assert "memories 1" in done.out
        assert "vectors 1" in done.out
        assert cli("get", id).code == 3
        assert cli("forget", id).code == 3


class TestCare:
    def test_init_db_makes_a_private_file(self, cli: Cli, tmp_path: Path) -> None:
        """The file is there afterwards, for its owner only; a second time does no harm."""
        path = tmp_path / "new" / "memory.db"
        assert cli("init-db", "--db", path).code == 0
        assert path.stat().st_mode & 0o777 == 0o600
        assert str(path) in cli("init-db", "--db", path).out

    def test_health_is_fine(self, cli: Cli, shared: Path) -> None:
        """A sound store is ok, exit code 0, and names its file."""
        found = cli("--db", shared, "health", "--json")
        assert (found.code, found.json["ok"], found.json["store"]["location"]) == (0, True, str(shared))
        assert cli("--db", shared, "health").out.startswith("ok\n")

    def test_health_fails_with_1(self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A problem is told and the exit code is 1, in JSON too."""
        monkeypatch.setattr("cortex.engine.facade.Engine.health", _unwell(Cortex.health))
        found = cli("health")
        assert (found.code, found.out.splitlines()[:2]) == (1, ["not ok", "problem: page 3 is \\x1b[31mdamaged"])
        assert cli("health", "--json").code == 1

    def test_stats_count_every_scope(self, cli: Cli, shared: Path) -> None:
        """The numbers are those of the whole store."""
        found = cli("--db", shared, "stats", "--json").json
        assert found["scopes"] == {"user:local": 4, "project:harbour": 1}
        assert "scope project:harbour" in cli("--db", shared, "stats").out

    def test_worker_once_does_what_is_owed(self, cli: Cli, owed: Path) -> None:
        """A memory without vectors gets them; then nothing is left to do."""
        assert cli("--db", owed, "worker", "--once").out == "done 1, failed 0, waiting 0\n"
        assert cli("--db", owed, "worker", "--once", "--json").json == {
            "done": 0,
            "failed": 0,
            "waiting": 0,
            "errors": [],
            "waits": [],
        }

    def test_a_failed_job_fails_the_worker(self, cli: Cli, owed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The exit code is 1 and the reason is told; the work stays owed, and its reason is told later too."""
        monkeypatch.setattr("cortex.app.build.choose_embedder", lambda _: FakeEmbedder(fail=Failure.RAISE))
        done = cli("--db", owed, "worker", "--once")
        assert (done.code, done.err) == (1, "")
        assert re.fullmatch(
            r"done 0, failed 1, waiting 1\n  1 tried again from \d{4}-\d\d-\d\d [\d:+]+ on: the embedder failed: .+\n",
            done.out,
        )
        again = cli("--db", owed, "worker", "--once")
        assert (again.code, again.out.splitlines()[1]) == (0, done.out.splitlines()[1])
        assert "1 job is tried again from" in cli("--db", owed, "health").err

    def test_what_an_answer_lacks_is_told(self, cli: Cli, owed: Path) -> None:
        """A memory that is found by its words only is counted on stderr, in JSON in the document."""
        shown = cli("--db", owed, "recall", "tea")
        assert "Ada prefers tea" in shown.out
        assert (
            shown.err == "warning: 1 memory is found by words only until the vectors are made: cortex worker --once\n"
        )

    def test_a_leg_that_is_missing_is_told(self, cli: Cli, tmp_path: Path) -> None:
        """An answer without one of its legs names it and the reason on stderr, in JSON in the document."""
        path = tmp_path / "other.db"
        with Cortex(path, embedder=FakeEmbedder()) as cortex:
            cortex.memorize("Ada prefers tea")
        shown = cli("--db", path, "recall", "tea")
        assert "lexical 1" in shown.out
        assert shown.err.startswith("warning: answered without dense: the vectors of this store are of ")
        found = cli("--db", path, "recall", "tea", "--json")
        assert (found.json["degraded"], found.err) == (["dense"], "")

    @pytest.fixture
    def owed(self, tmp_path: Path) -> Path:
        """A store with a memory whose vectors are owed."""
        path = tmp_path / "owed.db"
        cortex = Cortex(path, embedder=FakeEmbedder(fail=Failure.RAISE))
        cortex.memorize("Ada prefers tea")
        cortex._deps.store.close()  # closing the engine would try again, and put the next attempt off
        return path


def _unwell(health: Any) -> Any:
    def unwell(cortex: Cortex) -> Any:
        return replace(health(cortex), ok=False, problems=("page 3 is \x1b[31mdamaged",))

    return unwell


class TestErrors:
    @pytest.mark.parametrize(
        "arguments",
        [
            ("memorize", "Rotate", "token", "{}", "soon"), ("memorize", "x", "--importance", "{}"), ("--{}",), ("{}",),
            ("recall", "x", "--limit", "{}"), ("worker", "--{}"), ("memorize", "--file", "{}"), ("get", "{}"),
            ("eval", "{}"), ("eval", "locomo", "--data", "{}"), ("about", "{}"),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("as_json", [True, False])
    def test_what_was_typed_is_repeated_without_secrets(
        self, cli: Cli, shared: Path, arguments: tuple[str, ...], as_json: bool
    ) -> None:
        """Quotes are forgotten, options confused: what is told of it goes into logs and records of terminals."""
        token = "ghp_" + "a1B2c3D4e5F6" * 3
        given = [each.format(token) for each in arguments]
        done = cli("--db", shared, *(["--json"] if as_json else []), *given)
        assert token not in done.out + done.err
        assert "[redacted: github_token]" in done.out + done.err


class TestServing:
    def test_demo_passes_its_exit_code_on(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        """The command ends as the demo ended."""
        monkeypatch.setattr("cortex.app.demo.run", lambda: 3)
        assert cli("demo").code == 3

    def test_mcp_takes_the_general_options(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        """The server works on the store and for the user that the options name."""
        called: list[Mapping[str, str]] = []
        monkeypatch.setattr("cortex.app.server.serve", called.append)
        assert cli("--db", "x.db", "mcp", "--user", "ada").code == 0
        assert called == [{"store": "x.db", "user": "ada"}]


def test_a_file_of_the_earlier_program(cli: Cli, child: Cli, tmp_path: Path) -> None:
    """It is imported beside what is there, and opened as the store it is replaced, which stderr tells."""
    old = make(tmp_path / "old.db", many(2), entities=1)
    done = cli("--db", tmp_path / "new.db", "--user", "ada", "import", old)
    assert done.code == 0
    assert "added    2" in done.out
    assert "1 entities were left out" in done.err
    told = child("--db", old, "--user", "ada", "count")
    assert (told.code, told.out) == (0, "2\n")
    assert f"{old}.backup-single-user" in told.err
    assert child("--db", old, "--user", "ada", "count").err == ""


@pytest.mark.parametrize("command", ["export", "backup"])
@pytest.mark.parametrize("kind", ["taken", "folder", "no folder"])
def test_a_file_that_cannot_be_made_is_wrong_input(
    cli: Cli, shared: Path, tmp_path: Path, command: str, kind: str
) -> None:
    """Export and backup refuse it alike, and nothing is said of the store, which is fine."""
    (tmp_path / "taken").write_text("precious")
    (tmp_path / "folder").mkdir()
    target = tmp_path / "no" / "such" if kind == "no folder" else tmp_path / kind
    done = cli("--db", shared, command, target)
    assert (done.code, done.out) == (2, "")
    assert "give another name" in done.err
    assert "--db" not in done.err
    assert (tmp_path / "taken").read_text() == "precious"


@pytest.mark.parametrize(
    ("args", "hints"),
    [
        (["get", "f" * 32], 1),
        (["forget", "f" * 32], 0),
        (["archive", "ffff"], 0),
        (["forget-all", "project:nowhere", "--confirm", "project:nowhere"], 0),
    ],
)
def test_what_is_not_there_is_told_with_one_hint(cli: Cli, shared: Path, args: list[str], hints: int) -> None:
    """What to do stands once, in the hint or in the message."""
    done = cli("--db", shared, *args)
    assert done.code == 3
    assert (done.err.count("hint:"), done.err.count("show")) == (hints, 1)
