from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cortex import EmbedResult
from cortex.errors import ConfigurationError, EmbedderError, InvalidInput
from cortex.testing import FakeEmbedder
from cortex_bench.evaluation.measure import Retrieval, measure, select
from cortex_bench.evaluation.parts import DataSet, Part, Question
from cortex_bench.evaluation.runs import ROWS, Run

SETTINGS = {"data": "x", "seed": 0, "limit": None}


def row(place: int, **fields: Any) -> dict[str, Any]:
    """A row of the question with this number."""
    return {"id": f"q{place}", "place": place, **fields}


def lines(path: Path) -> list[str]:
    """The ids in a file of rows, in order."""
    return [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()]


def test_a_row_is_written_as_it_is_made(tmp_path: Path) -> None:
    """Whoever looks sees it at once, and how long it took stands beside."""
    with Run(tmp_path / "run", SETTINGS) as run:
        run.add(row(0), {"recall": 1.5})
        assert lines(tmp_path / "run" / ROWS) == ["q0"]
        assert json.loads((tmp_path / "run/timings.jsonl").read_text()) == {"id": "q0", "recall": 1.5}
        assert "1.5" not in (tmp_path / "run" / ROWS).read_text()


def test_rows_end_in_their_places(tmp_path: Path) -> None:
    """In whatever order they came."""
    with Run(tmp_path, SETTINGS) as run:
        for place in (2, 0, 1):
            run.add(row(place), {})
        assert [each["id"] for each in run.finish()] == ["q0", "q1", "q2"]
    assert lines(tmp_path / ROWS) == ["q0", "q1", "q2"]


def test_resuming_keeps_what_is_whole_and_tries_failures_again(tmp_path: Path) -> None:
    """A torn last line and a failed row are not there any more; the others stay, line ends in texts included."""
    with Run(tmp_path, SETTINGS) as run:
        run.add(row(0, text="a\u2028b\x85c\nd \ud83d\ude42"), {"recall": 1.0})
        run.add(row(1, failed="reader", why="slow"), {"recall": 2.0})
        assert not run.done("q1")
    with (tmp_path / ROWS).open("a") as file:
        file.write('{"id": "q2", "pla')
    with Run(tmp_path, SETTINGS, resume=True) as run:
        assert [run.done(f"q{n}") for n in range(3)] == [True, False, False]
        assert lines(tmp_path / ROWS) == ["q0"]
        assert [timing["id"] for timing in run.timings] == ["q0"]
        run.add(row(1), {})
        assert [each["id"] for each in run.finish()] == ["q0", "q1"]


def test_other_settings_are_not_resumed(tmp_path: Path) -> None:
    """The error names what differs, and nothing is touched."""
    Run(tmp_path, SETTINGS).close()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ConfigurationError, match="seed was 0 and is 1"):
        Run(tmp_path, {**SETTINGS, "seed": 1}, resume=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_with_rows_is_not_overwritten(tmp_path: Path) -> None:
    """Neither is a folder resumed that has no run, nor one with lines that are none."""
    with pytest.raises(InvalidInput, match="no run to resume"):
        Run(tmp_path / "nothing", SETTINGS, resume=True)
    with Run(tmp_path, SETTINGS) as run:
        run.add(row(0), {})
    with pytest.raises(InvalidInput, match="resume it"):
        Run(tmp_path, SETTINGS)
    (tmp_path / ROWS).write_text("no JSON\n")
    with pytest.raises(InvalidInput, match="no JSON"):
        Run(tmp_path, SETTINGS, resume=True)


def data(count: int) -> DataSet:
    """Questions q0, q1, … in two parts; every fifth without gold, every tenth one that nobody can answer."""
    asked = [
        Question(id=f"q{n}", text="?", group="g", gold={} if n % 5 == 0 else {"x": 1.0}, abstains=n % 10 == 0)
        for n in range(count)
    ]
    parts = [Part("project:a", (), (), tuple(asked[::2])), Part("project:b", (), (), tuple(asked[1::2]))]
    return DataSet(name="x", parts=lambda: parts, digest="0")


def test_what_is_left_out_is_counted() -> None:
    """By reason; with a reader nothing is."""
    chosen = select(data(30), needs_gold=True, seed=0, limit=10)
    assert dict(chosen.left_out) == {"abstention": 3, "without evidence": 3, "beyond the limit": 14}
    assert len(select(data(30), needs_gold=False, seed=0, limit=None).chosen) == 30


def test_a_seed_chooses_the_same_questions_again() -> None:
    """Another one chooses others, and a smaller limit a part of them."""
    first, again, other = (select(data(60), needs_gold=False, seed=seed, limit=9).chosen for seed in (0, 0, 1))
    assert first == again != other
    assert select(data(60), needs_gold=False, seed=0, limit=4).chosen < first


class Broken:
    """An embedder that answers for the items and then no more, or not at all."""

    def __init__(self, good: int) -> None:
        self._good = good
        self._fake = FakeEmbedder()
        self.signature = self._fake.signature

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """So many good answers."""
        self._good -= 1
        if self._good < 0:
            raise EmbedderError("broken")
        return self._fake.embed(texts)


@pytest.mark.parametrize("good", [0, 1])
def test_nothing_is_measured_without_vectors(good: int) -> None:
    """A recall by words alone is not what is to be measured, and would not be noticed in a mean."""
    part = Part(
        "project:a", ({"content": "tea", "scope": "project:a"},), ("x",),
        (Question(id="q", text="tea?", group="g", gold={"x": 1.0}),),
    )  # fmt: skip
    whole = DataSet(name="x", parts=lambda: [part], digest="0")
    selection = select(whole, needs_gold=True, seed=0, limit=None)
    method = Retrieval(ranking="relevance", fusion="rrf")
    with pytest.raises(EmbedderError, match="vectors"):
        measure(whole, selection, method, Run(None, {}), embedder=Broken(good), tell=lambda _: None)


def test_ids_must_differ() -> None:
    """A question that shares its id with another one could not be resumed."""
    twice = DataSet(name="x", parts=lambda: [*data(4).parts(), *data(4).parts()], digest="0")
    with pytest.raises(ValueError, match="same id"):
        select(twice, needs_gold=False, seed=0, limit=None)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.json", "[]"),
        ("rows.jsonl", "[1]\n"),
        ("rows.jsonl", '{"id": 1, "place": 0}\n'),
        ("rows.jsonl", '{"id": "a"}\n'),
        ("timings.jsonl", "null\n"),
    ],
)
def test_what_is_json_and_no_run_is_told(tmp_path: Path, name: str, text: str) -> None:
    """A file that somebody else wrote is named, whatever valid JSON it has."""
    with Run(tmp_path, SETTINGS) as run:
        run.add({"id": "a", "place": 0}, {})
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInput, match=re.escape(str(tmp_path / name))):
        Run(tmp_path, SETTINGS, resume=True)


def test_two_runs_in_one_folder(tmp_path: Path) -> None:
    """The second is refused until the first has ended."""
    with Run(tmp_path, SETTINGS), pytest.raises(InvalidInput, match="another run"):
        Run(tmp_path, SETTINGS, resume=True)
    with Run(tmp_path, SETTINGS, resume=True) as run:
        assert run.rows == {}
