"""What parts of a ranking are worth, and weights that had no part in their own choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cortex_bench.evaluation.ablation import METRICS, MIXTURES, WITHOUT, Ablation, ablation
from tests.cli.conftest import Cli


def row(part: str, usual: float, **others: float) -> dict[str, Any]:
    """A question whose every metric is ``usual``, but by the systems that are named."""
    values = dict.fromkeys(("usual", *WITHOUT, *MIXTURES), usual) | others
    return {"part": part, "systems": {name: dict.fromkeys(METRICS, value) for name, value in values.items()}}


def test_what_is_lost_without_a_part() -> None:
    """The mean of the paired differences, inside of its interval; a part that does nothing has none."""
    rows = [row(f"p{n}", 1.0, **{"named speaker": float(n % 2)}) for n in range(40)]
    lost = ablation(rows, {}, 0)["without"]
    assert lost["named speaker"]["recall@10"]["lost"] == 0.5
    assert 0.3 < lost["named speaker"]["recall@10"]["low"] < 0.5 < lost["named speaker"]["recall@10"]["high"] < 0.7
    assert set(lost["turns that ask"]["ndcg@10"].values()) == {0.0}


def test_weights_are_chosen_on_the_other_conversations() -> None:
    """What is best on one is used on the other, where it is worse."""
    first, second = list(MIXTURES)[:2]
    rows = [row("a", 0.2, **{first: 1.0}), row("b", 0.2, **{second: 0.8})]
    held = ablation(rows, {}, 0)["chosen_elsewhere"]
    assert held["recall@10"] == pytest.approx(0.2)
    assert (held["mixtures"], held["best"]) == (len(MIXTURES), pytest.approx(0.6))


def test_every_part_and_mixture_is_another_ranking() -> None:
    """No two are the same weights, but for the mixture that is the usual one."""
    weights = Ablation().weights
    assert len(set(weights.values())) == len(weights) - 1


@pytest.mark.slow
def test_the_command(cli: Cli, locomo_file: Path) -> None:
    """Every part has its line; two runs are the same."""
    done = cli("eval", "ablate", "--locomo", locomo_file, "--json", "--out", "one")
    assert (done.code, done.json["n"]) == (0, 2)
    assert list(done.json["without"]) == list(WITHOUT)
    assert done.json["usual"]["recall@10"] == 1
    again = cli("eval", "ablate", "--locomo", locomo_file, "--out", "two")
    assert "without late interaction in context" in again.out
    assert "Weights chosen on the other conversations" in again.out
    for name in ("rows.jsonl", "report.md", "report.json", "report.svg"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


def test_one_data_set_is_named(cli: Cli, locomo_file: Path) -> None:
    """Neither or both is a wrong call."""
    assert cli("eval", "ablate").code == 2
    assert cli("eval", "ablate", "--locomo", locomo_file, "--beam", locomo_file.parent).code == 2
