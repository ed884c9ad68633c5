"""The commands `cortex eval …` from end to end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from cortex import CachedEmbedder, configured_embedder
from cortex.engine.accesses import Accesses
from cortex_bench.evaluation.reader import SENTINEL
from tests.bench.conftest import ASKED, Model, Slow, question_of
from tests.cli.conftest import COMMAND, Cli, child_environment

ANSWERS = {text: answer for _, _, text, answer, _ in ASKED}
KEY = "sk-very-secret"


def truthful(body: dict[str, Any]) -> str:
    """What a reader would say that knows everything, and what a judge would that believes it."""
    if "You judge" in body["messages"][0]["content"]:
        return "yes"
    question = question_of(body)
    return f"Answer: {SENTINEL if 'dog' in question else ANSWERS[question]}\nNotes: as it is said"


def reading(model: Model, *more: str | Path) -> list[str | Path]:
    """The options that name the double as reader."""
    return ["--reader", "openai", "--reader-url", model.url, "--reader-model", "double", "--json", *more]


def run_files(folder: Path) -> dict[str, bytes]:
    """Every file of a run that must repeat itself to the last byte."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "timings.jsonl"}


class TestRetrieval:
    def test_locomo_keeps_its_shape(self, cli: Cli, locomo_file: Path) -> None:
        """The JSON has what it always had; adversarial questions stand apart."""
        done = cli("eval", "locomo", "--data", locomo_file, "--retrieval-only", "--json")
        assert done.code == 0
        assert (done.json["n"], done.json["ranking"], done.json["fusion"]) == (2, "conversation", "calibrated")
        names = ["recall@5", "recall@10", "recall@20", "recall@50", "hit@10", "mrr", "ndcg@10"]
        assert list(done.json["overall"]) == names
        groups = {"multi-hop": 0, "temporal": 1, "open-domain": 0, "single-hop": 1, "adversarial": 1}
        assert {name: group["n"] for name, group in done.json["categories"].items()} == groups
        assert done.json["left_out"] == {"without evidence": 1}
        assert "3/3 project:locomo-conv-1" in done.err
        assert set(done.json["latency_ms"]["recall"]) == {"p50", "p95"}

    @pytest.mark.parametrize("ranking", ["assistant", "engineering"])
    def test_rankings_that_count_are_measured_without_counting(
        self, cli: Cli, locomo_file: Path, ranking: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One question must not change the answer to the next, so nothing is counted."""
        monkeypatch.setattr(Accesses, "_write", lambda *_: pytest.fail("an access was counted"))
        done = cli("eval", "locomo", "--data", locomo_file, "--retrieval-only", "--json", "--ranking", ranking)
        assert (done.code, done.json["n"], done.json["ranking"]) == (0, 2, ranking)

    def test_longmemeval_is_measured_by_sessions_and_turns(self, cli: Cli, longmemeval_file: Path) -> None:
        """Abstention has no part in it and is counted."""
        for ranking in ("relevance", "conversation"):
            done = cli("eval", "longmemeval", "--data", longmemeval_file, "--retrieval-only", "--json",
                       "--ranking", ranking)  # fmt: skip
            assert (done.json["n"], done.json["left_out"]) == (5, {"abstention": 1})
            assert {"session recall_any@5", "session recall_all@10", "turn ndcg@10"} <= set(done.json["overall"])
            assert done.json["overall"]["session recall_all@5"] == 1

    def test_a_table_for_people(self, cli: Cli, longmemeval_file: Path) -> None:
        """A row a group, what was left out below."""
        done = cli("eval", "longmemeval", "--data", longmemeval_file, "--retrieval-only")
        assert re.search(r"^overall +5 ", done.out, re.MULTILINE)
        assert re.search(r"^knowledge-update +1 ", done.out, re.MULTILINE)
        assert "Left out: 1 abstention" in done.out

    def test_two_runs_are_the_same_bytes_with_a_cache_and_without(
        self, cli: Cli, longmemeval_file: Path, tmp_path: Path
    ) -> None:
        """Rows, settings, report and picture; a cold cache, a warm one and none."""
        for name, cache in (("cold", "e.db"), ("warm", "e.db"), ("none", "none")):
            cli("eval", "longmemeval", "--data", longmemeval_file, "--retrieval-only", "--embeddings", cache,
                "--out", tmp_path / name, "--ranking", "conversation")  # fmt: skip
        first = run_files(tmp_path / "cold")
        assert set(first) == {"rows.jsonl", "run.json", "report.md", "report.svg", "report.json"}
        assert run_files(tmp_path / "warm") == run_files(tmp_path / "none") == first
        assert ET.fromstring(first["report.svg"]).tag.endswith("svg")  # noqa: S314 - our own file
        assert b"| overall | 5 |" in first["report.md"]
        with CachedEmbedder(configured_embedder(), "e.db") as cached:
            assert cached.clear() > 9, "what an evaluation embeds has no owner"

    def test_what_to_measure_must_be_said(self, cli: Cli, locomo_file: Path) -> None:
        """Neither of the modes, or both, is a wrong call; so is resuming nothing."""
        for more in ([], ["--retrieval-only", "--reader", "none"]):
            wrong = cli("eval", "locomo", "--data", locomo_file, *more)
            assert (wrong.code, "choose what to measure" in wrong.err) == (2, True)
        assert cli("eval", "locomo", "--data", locomo_file, "--retrieval-only", "--resume").code == 2
        assert cli("eval", "beam", "--data", locomo_file.parent / "x", "--retrieval-only").code == 2

    def test_a_file_of_another_kind_is_a_wrong_call(self, cli: Cli, longmemeval_file: Path) -> None:
        """The error names it."""
        wrong = cli("eval", "locomo", "--data", longmemeval_file, "--retrieval-only", "--json")
        assert (wrong.code, "no LoCoMo file" in wrong.error["message"]) == (2, True)


class TestDocuments:
    def test_equal_documents_are_both_found(self, cli: Cli, documents: list[str]) -> None:
        """Two documents with one text are one memory, and count as two."""
        done = cli("eval", "qrels", *documents, "--json", "--out", "run")
        assert (done.json["n"], done.json["left_out"]) == (2, {"without evidence": 1})
        assert done.json["overall"]["recall@5"] == 1
        rows = [json.loads(line) for line in Path("run/rows.jsonl").read_text().splitlines()]
        assert set(rows[1]["found"][:2]) == {"d3", "d4"}

    def test_systems_are_compared(self, cli: Cli, documents: list[str]) -> None:
        """Both rankings and both legs; without sessions the rankings are one, and so is the difference nothing."""
        done = cli("eval", "qrels", *documents, "--compare", "--json", "--out", "run")
        assert set(done.json["systems"]) == {"conversation", "relevance", "dense", "lexical"}
        assert done.json["systems"]["conversation"] == done.json["systems"]["relevance"]
        first = done.json["differences"][0]
        assert (first["ours"], first["theirs"], first["difference"], first["not_below"]) == (
            "conversation", "relevance", 0, True,
        )  # fmt: skip
        assert {d["theirs"] for d in done.json["differences"][1::2]} <= {"dense", "lexical"}
        text = cli("eval", "qrels", *documents, "--compare").out
        assert "conversation less relevance, ndcg@10: +0.0000 [+0.0000, +0.0000], not below beyond" in text
        assert "| lexical | 2 |" in Path("run/report.md").read_text()


class TestEvidence:
    def test_it_is_what_a_reader_would_get(self, cli: Cli, longmemeval_file: Path) -> None:
        """Printed with headings, and kept in the rows; abstention questions have some, too."""
        done = cli("eval", "longmemeval", "--data", longmemeval_file, "--reader", "none", "--out", "run")
        assert "== What is my address?" in done.out
        assert "| session move | 2023-05-20 02:21 | user\nI have moved" in done.out
        rows = [json.loads(line) for line in Path("run/rows.jsonl").read_text().splitlines()]
        assert [len(row["evidence"]) for row in rows] == [9] * 6
        assert set(rows[0]["evidence"][0]) == {"index", "session", "date", "speaker", "text"}
        assert rows[3]["metrics"] == {}


class TestAnswers:
    def test_answers_are_judged_and_counted(self, cli: Cli, longmemeval_file: Path, model: Model) -> None:
        """By group, with and without an answer to be had, with tokens and what they cost."""
        model.reply = truthful
        done = cli("eval", "longmemeval", "--data", longmemeval_file,
                   *reading(model, "--price-in", "2", "--price-out", "10", "--out", "run"))  # fmt: skip
        assert (done.code, len(model.requests)) == (0, 6)
        answers = done.json["answers"]
        assert (answers["asked"], answers["scored"], answers["abstained"], answers["n"]) == (6, 6, 1, 6)
        assert answers["overall"]["accuracy"] == answers["abstention"]["accuracy"] == 1
        assert (answers["answerable"]["n"], answers["abstention"]["n"]) == (5, 1)
        assert answers["categories"]["temporal-reasoning"]["accuracy"] == 1
        spent = answers["reader"]
        assert (spent["tokens_in"], spent["tokens_out"]) == (600, 60)
        assert (spent["cost"], spent["cost_per_question"]) == (pytest.approx(0.0018), pytest.approx(0.0003))
        assert answers["failures"] == {"reader": 0, "judge": 0}
        assert set(done.json["latency_ms"]) == {"recall", "reader", "judge"}
        assert b"| abstention | 1 | 1.0000 |" in Path("run/report.md").read_bytes()
        assert "accuracy" in Path("run/report.svg").read_text()

    def test_a_wrong_answer_is_wrong(self, cli: Cli, longmemeval_file: Path, model: Model) -> None:
        """Abstaining where the answer was there is wrong, answering where there is none as well."""
        model.reply = lambda body: f"Answer: {'Rex' if 'dog' in question_of(body) else SENTINEL}"
        answers = cli("eval", "longmemeval", "--data", longmemeval_file, *reading(model)).json["answers"]
        assert (answers["overall"]["accuracy"], answers["abstained"]) == (0, 5)
        assert "cost" not in answers["reader"]

    def test_the_judge_may_be_a_model(self, cli: Cli, longmemeval_file: Path, model: Model) -> None:
        """It is asked as often as was said, under the rules of its kind."""
        model.reply = truthful
        done = cli("eval", "longmemeval", "--data", longmemeval_file,
                   *reading(model, "--judge", "model", "--judge-votes", "3", "--judge-model", "strict"))  # fmt: skip
        judged = [body for body in model.requests if body["model"] == "strict"]
        assert len(judged) == 18
        assert "newest state" in "".join(body["messages"][0]["content"] for body in judged)
        assert done.json["answers"]["judge"] == {"tokens_in": 1800, "tokens_out": 180}

    def test_failures_are_shown_and_not_scored(self, cli: Cli, longmemeval_file: Path, model: Model) -> None:
        """One reader that refuses, one judge that babbles: both are counted, and tried again when resumed."""

        def bad(body: dict[str, Any]) -> Any:
            text = body["messages"][-1]["content"]
            if "You judge" in body["messages"][0]["content"]:
                return "perhaps" if "composer" in text else "yes"
            return 400 if "address?" in text.splitlines()[-1] else truthful(body)

        model.reply = bad
        options = reading(model, "--judge", "model", "--out", "run")
        done = cli("eval", "longmemeval", "--data", longmemeval_file, *options)
        answers = done.json["answers"]
        assert (done.code, answers["failures"], answers["scored"]) == (1, {"reader": 1, "judge": 1}, 4)
        assert answers["overall"]["accuracy"] == 1
        assert "2 questions failed and are not scored" in done.err
        assert "failures, not scored: 1 of the reader, 1 of the judge" in Path("run/report.md").read_text()
        model.reply = truthful
        before = len(model.requests)
        again = cli("eval", "longmemeval", "--data", longmemeval_file, *options, "--resume")
        assert (again.code, again.json["answers"]["scored"], len(model.requests) - before) == (0, 6, 4)

    def test_the_key_is_sent_and_told_nowhere(
        self, cli: Cli, longmemeval_file: Path, model: Model, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It comes from the environment and goes into the header; a judge elsewhere does not get it."""
        monkeypatch.setenv("CORTEX_READER_KEY", KEY)
        model.reply = lambda body: 403 if "dog" in question_of(body) else truthful(body)
        done = cli("eval", "longmemeval", "--data", longmemeval_file, *reading(model, "--out", "run"), "--judge",
                   "model", "--judge-url", model.url + "/")  # fmt: skip
        assert f"Bearer {KEY}" in model.keys
        assert None in model.keys
        written = b"".join(path.read_bytes() for path in Path("run").iterdir())
        assert KEY not in done.out + done.err + written.decode()
        assert KEY not in cli("eval", "longmemeval", "--help").out

    def test_the_tier_sets_what_is_not_given(
        self, cli: Cli, locomo_file: Path, longmemeval_file: Path, model: Model, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The option before what the data set differs in, that before the tier; an unknown one is warned of."""
        model.reply = lambda _: f"Answer: {SENTINEL}"
        monkeypatch.setenv("CORTEX_TIER", " Flagship")
        found = cli("eval", "longmemeval", "--data", longmemeval_file, *reading(model)).json["settings"]
        assert (found["tier"], found["top_k"], found["preference_mode"]) == ("flagship", 100, True)
        assert (found["answer_first"], found["max_output_tokens"]) == (True, 8192)
        monkeypatch.setenv("CORTEX_TIER", "best")
        done = cli("eval", "locomo", "--data", locomo_file, *reading(model, "--no-answer-first"))
        found = done.json["settings"]
        assert (found["tier"], found["top_k"], found["preference_mode"]) == ("cheap", 100, False)
        assert found["answer_first"] is False
        assert "there is no tier 'best'" in done.err
        done = cli("eval", "locomo", "--data", locomo_file, *reading(model, "--top-k", "3", "--preference-mode"))
        assert (done.json["settings"]["top_k"], done.json["settings"]["preference_mode"]) == (3, True)

    def test_a_reader_needs_its_address(self, cli: Cli, longmemeval_file: Path) -> None:
        """Without URL and model, and with what is no URL, nothing is begun."""
        base = ["eval", "longmemeval", "--data", str(longmemeval_file), "--reader", "openai"]
        assert "--reader-url and --reader-model" in cli(*base).err
        wrong = cli(*base, "--reader-url", "ftp://x", "--reader-model", "m")
        assert (wrong.code, "expected a URL" in wrong.err) == (2, True)


class TestResuming:
    @pytest.mark.slow
    def test_a_run_that_is_killed_goes_on_to_the_same_bytes(
        self, longmemeval_file: Path, model: Model, tmp_path: Path
    ) -> None:
        """Kill -9 in the middle of a question; what was answered is not asked again."""
        reached = threading.Event()

        def hanging(body: dict[str, Any]) -> Any:
            if len(model.requests) == 4:
                reached.set()
                return Slow(truthful(body), 30)
            return truthful(body)

        command = [*COMMAND, "eval", "longmemeval", "--data", str(longmemeval_file), *map(str, reading(model))]

        def run(name: str, *more: str) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [*command, "--out", name, *more], cwd=tmp_path, env=child_environment(),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip

        model.reply = truthful
        whole = run("whole")
        out, _ = whole.communicate(timeout=50)
        model.requests.clear()
        model.reply = hanging
        killed = run("killed")
        assert reached.wait(30)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        assert len((tmp_path / "killed/rows.jsonl").read_text().splitlines()) == 3
        with (tmp_path / "killed/rows.jsonl").open("a") as file:
            file.write('{"id": "q4')
        model.requests.clear()
        model.reply = truthful
        resumed = run("killed", "--resume")
        again, _ = resumed.communicate(timeout=50)
        assert len(model.requests) == 3
        assert run_files(tmp_path / "killed") == run_files(tmp_path / "whole")
        assert json.loads(again)["answers"] == json.loads(out)["answers"]

    def test_other_settings_are_refused(self, cli: Cli, longmemeval_file: Path) -> None:
        """A run goes on as it began."""
        base = ["eval", "longmemeval", "--data", str(longmemeval_file), "--retrieval-only", "--out", "run"]
        assert cli(*base, "--limit", "2").code == 0
        wrong = cli(*base, "--limit", "3", "--resume")
        assert (wrong.code, "limit was 2 and is 3" in wrong.err) == (8, True)
        assert cli(*base, "--limit", "2").code == 2
        assert cli(*base, "--limit", "2", "--resume").code == 0
