"""The command `cortex eval feelings` on small made-up files, and its metrics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cortex_bench.evaluation.feelings import auc, spearman
from tests.cli.conftest import Cli

TEXTS = ("I am furious!", "We love it so much!", "The port is 8080.", "It is on page 9.", "What a lovely day", "Seven.")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The options with files of the shape of both data sets."""
    emobank = tmp_path / "emobank.csv"
    rows = [f'{place},test,3.0,{5 - place / 2},3.0,"{text}"' for place, text in enumerate(TEXTS)]
    emobank.write_text("\n".join(["id,split,V,A,D,text", '0,train,3,3,3,"Not asked!"', *rows]), "utf-8")
    folder = tmp_path / "goemotions"
    folder.mkdir()
    (folder / "labels.txt").write_text("anger\njoy\nneutral\n", "utf-8")
    labels = ("0", "1,2", "2", "2", "1", "2")
    rows = [f"{text}\t{label}\tid{place}" for place, (text, label) in enumerate(zip(TEXTS, labels, strict=True))]
    (folder / "test.tsv").write_text("\n".join(rows), "utf-8")
    return ["--emobank", str(emobank), "--goemotions", str(folder)]


class TestMetrics:
    def test_rank_correlation(self) -> None:
        """Any rising function of the values gives one, a falling one minus one, a constant nothing."""
        values = np.array([1.0, 4.0, 2.0, 2.0])
        assert spearman(values, values**3) == pytest.approx(1)
        assert spearman(values, -values) == pytest.approx(-1)
        assert spearman(values, np.ones(4)) == 0

    def test_area_under_the_curve(self) -> None:
        """Ties count half; of one kind only there is nothing to tell apart."""
        assert auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0.0, 0.0, 1.0, 1.0])) == pytest.approx(3.5 / 4)
        assert auc(np.array([0.1, 0.5]), np.ones(2)) == 0.5


class TestTheCommand:
    def test_both_figures_beside_the_baseline(self, cli: Cli, files: list[str]) -> None:
        """Only the test split is asked, and a comment with more labels than neutral is emotional."""
        done = cli("eval", "feelings", *files, "--json")
        assert done.code == 0
        found = done.json["metrics"]
        assert [row["n"] for row in found.values()] == [6, 6]
        assert found["GoEmotions emotional or neutral, AUC"]["cortex"]["value"] == 1
        assert set(found["EmoBank arousal, Spearman"]) == {"n", "cortex", "vader", "above"}

    def test_a_table_for_people(self, cli: Cli, files: list[str]) -> None:
        """The same figures as text, the same each time."""
        done = cli("eval", "feelings", *files)
        assert done.code == 0
        assert "EmoBank arousal, Spearman" in done.out
        assert done.out == cli("eval", "feelings", *files).out

    def test_files_of_another_shape(self, cli: Cli, files: list[str], tmp_path: Path) -> None:
        """What is missing is said, with the file."""
        wrong = tmp_path / "other.csv"
        wrong.write_text("a,b\n1,2\n", "utf-8")
        done = cli("eval", "feelings", "--emobank", str(wrong), *files[2:])
        assert done.code == 2
        assert "other.csv" in done.err
        (Path(files[3]) / "labels.txt").unlink()
        assert cli("eval", "feelings", *files).code == 2
