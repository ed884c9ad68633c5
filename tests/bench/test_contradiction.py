"""`cortex eval contradiction` from end to end, on files of a few lines in words of our own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cortex_bench.evaluation.contradiction import HALVES, Messages, Statements, read_labelled, statements_result
from tests.cli.conftest import Cli

CAPTIONS = [
    ("A man is sailing", "There is no man sailing", "CONTRADICTION"),
    ("A dog is sleeping", "A dog is not sleeping", "CONTRADICTION"),
    ("A woman is reading", "There is no dog in the yard", "NEUTRAL"),
    ("A child is singing", "A kid is singing", "ENTAILMENT"),
]


@pytest.fixture
def sick(tmp_path: Path) -> Path:
    """A folder in the shape of SICK."""
    lines = ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"]
    lines += [f"{place}\t{one}\t{other}\t3.1\t{label}" for place, (one, other, label) in enumerate(CAPTIONS)]
    for name in ("SICK_train.txt", "SICK_test_annotated.txt"):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path


def message(id_: int, text: str) -> dict[str, Any]:
    """One message of a chat."""
    return {"id": id_, "role": "user", "time": None, "text": text}


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Pairs of messages in two chats, and one message that is both."""
    rows = [
        ("100K-1", message(1, "I have never sailed a boat."), message(2, "I have sailed a boat twice.")),
        ("100K-1", message(3, "I am fond of the sea."), message(3, "I am fond of the sea.")),
        ("100K-3", message(5, "The shed is green."), message(6, "The pond has fish.")),
        ("100K-2", message(1, "The valve is open."), message(9, "The valve is closed.")),
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"chat": c, "first": [a], "second": [b]}) + "\n" for c, a, b in rows), "utf-8")
    return path


def test_labelled_pairs_are_in_the_package() -> None:
    """At least 120, half of them contradictions, half of each kept back."""
    count = Counter((pair.half, pair.contradicts) for pair in read_labelled())
    assert sum(count.values()) >= 120
    assert len(set(count.values())) == 1
    assert set(count) == {(half, contradicts) for half in HALVES for contradicts in (True, False)}


def test_captions_are_judged_beside_the_negation_rule(cli: Cli, sick: Path) -> None:
    """The rule takes every denial for a contradiction, the judge only that of what the other says."""
    done = cli("eval", "contradiction", "--sick", sick, "--json")
    assert done.code == 0
    scores = done.json["sick"]["held"]
    assert (scores["n"], scores["contradictions"]) == (4, 2)
    assert scores["judge"]["f1"] == 1
    assert scores["negation rule"]["precision"] == pytest.approx(2 / 3, abs=1e-3)
    assert set(done.json["labelled"]) == set(HALVES)
    assert sum(row["n"] for row in done.json["calibration"]) == 4 + 70
    assert "messages" not in done.json


def test_messages_are_judged_and_looked_for(cli: Cli, pairs: Path) -> None:
    """By the parity of their chat, with random pairs beside; a message with itself is counted apart."""
    done = cli("eval", "contradiction", "--pairs", pairs, "--embeddings", "none", "--json")
    words = done.json["messages"]["by words"]
    assert words["contradictions"]["same message"] == 1
    assert words["contradictions"]["tune"] == {"n": 2, "share": 0.5}
    assert words["contradictions"]["held"] == {"n": 1, "share": 1.0}
    assert words["other chats"]["tune"]["n"] == 15
    assert words["other chats"]["tune"]["share"] == 0
    assert set(done.json["messages"]) == {"negation rule", "by words", "with cosine"}
    assert done.json["candidates"]["contradictions"]["tune"]["share"] == 1
    assert "3/3 project:beam-100K-3" in done.err


def test_candidates_are_looked_for_in_whole_chats(cli: Cli, pairs: Path, tmp_path: Path) -> None:
    """With the folder of chats every other message of a chat competes; scopes of that size are told apart."""
    folder = tmp_path / "chats"
    folder.mkdir()
    messages = [{"id": 100 + n, "role": "user", "content": f"Crate {n} holds {n} lamps."} for n in range(45)]
    (folder / "1.json").write_text(json.dumps({"messages": messages}), "utf-8")
    done = cli("eval", "contradiction", "--updates", pairs, "--beam", folder, "--json")
    assert (done.code, "original and updated" in done.err) == (2, True)
    done = cli("eval", "contradiction", "--pairs", pairs, "--beam", folder, "--embeddings", "none")
    assert "in whole chats  tune 1.000 of 1" in done.out


def test_a_table_for_people_and_the_same_digits_twice(cli: Cli, sick: Path) -> None:
    """Figures with their intervals, the same in every run."""
    first = cli("eval", "contradiction", "--sick", sick)
    assert "sick, held: 4 pairs, 2 contradictions" in first.out
    assert "F1 of the judge less that of the rule" in first.out
    assert cli("eval", "contradiction", "--sick", sick).out == first.out


def test_wrong_calls_are_told(cli: Cli, sick: Path, tmp_path: Path) -> None:
    """Nothing to measure on, and files of another kind, are wrong calls."""
    assert "choose what to measure on" in cli("eval", "contradiction").err
    (sick / "SICK_train.txt").unlink()
    wrong = cli("eval", "contradiction", "--sick", sick)
    assert (wrong.code, "no folder of SICK" in wrong.err) == (2, True)
    (tmp_path / "x.jsonl").write_text("[]\n", "utf-8")
    assert cli("eval", "contradiction", "--pairs", tmp_path / "x.jsonl").code == 2


def test_halves_follow_the_number_of_the_chat() -> None:
    """Odd ones are those to tune on."""
    assert [Messages(chat, {}, {}).half for chat in ("100K-1", "1M-10", "500K-35")] == ["tune", "held", "tune"]


def test_intervals_surround_the_figure() -> None:
    """The interval of resampled pairs has F1 inside, and is a point where every pair is right."""
    yes = Statements("The valve is open.", "The valve is closed.", True, "held")
    no = Statements("I like tea.", "I like coffee.", True, "held")
    scores = statements_result([yes] * 30 + [no] * 10, seed=0)["held"]["judge"]
    low, high = scores["f1_interval"]
    assert low < scores["f1"] < high
    assert statements_result([yes] * 9, seed=0)["held"]["judge"]["f1_interval"] == [1, 1]
