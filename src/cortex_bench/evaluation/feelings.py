"""How well emotion is measured without a model, beside VADER: EmoBank's arousal, and GoEmotions' emotional or neutral.

Only the test splits are asked; the weights were chosen on the others.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from vader import SentimentIntensityAnalyzer

from cortex.core.understanding.emotion import intensity_of
from cortex_bench.evaluation.intervals import Figure, Floats, cell, figure, shown

RESAMPLES: Final = 1_000  # ranks are made anew for each
TEST: Final = "test"

Metric = Callable[[Floats, Floats], float]


def emobank(path: Path) -> tuple[list[str], list[float]]:
    """Texts and arousal (1–5) of the test split. Raises ValueError for a file of another shape."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if not {"split", "A", "text"} <= set(rows.fieldnames or ()):
            message = f"{path} has no columns split, A and text: give emobank.csv"
            raise ValueError(message)
        chosen = [(row["text"], float(row["A"])) for row in rows if row["split"] == TEST]
    if not chosen:
        message = f"{path} has no rows of the split {TEST}"
        raise ValueError(message)
    return [text for text, _ in chosen], [arousal for _, arousal in chosen]


def goemotions(folder: Path) -> tuple[list[str], list[bool]]:
    """Comments of the test split, and whether they have any label but neutral. Raises ValueError for another shape."""
    neutral = str(len((folder / "labels.txt").read_text("utf-8").split()) - 1)
    with (folder / f"{TEST}.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row]
    if not rows or any(len(row) < 2 for row in rows):
        message = f"{folder / TEST}.tsv has lines without a label, or none: text, labels, id are expected"
        raise ValueError(message)
    return [row[0] for row in rows], [row[1] != neutral for row in rows]


def spearman(first: Floats, second: Floats) -> float:
    """The rank correlation, ties sharing their mean rank; 0 where one side is constant."""
    ranks = [_ranked(values) - (len(values) + 1) / 2 for values in (first, second)]
    scale = float(np.sqrt((ranks[0] @ ranks[0]) * (ranks[1] @ ranks[1])))
    return float(ranks[0] @ ranks[1]) / scale if scale else 0.0


def auc(scores: Floats, positive: Floats) -> float:
    """The chance that a positive one scores above a negative one, ties counting half; .5 where one kind is missing."""
    many = float(positive.sum())
    others = len(positive) - many
    if not many or not others:
        return 0.5
    return float((_ranked(scores) @ positive - many * (many + 1) / 2) / (many * others))


def _ranked(values: Floats) -> Floats:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places], dtype=np.float64)


def evaluate(emobank_file: Path, goemotions_folder: Path, seed: int = 0) -> dict[str, Any]:
    """Both figures, ours and those of VADER's |compound|, and what ours is above, as plain values for JSON."""
    texts, arousal = emobank(emobank_file)
    comments, emotional = goemotions(goemotions_folder)
    return {
        "evaluation": "feelings",
        "seed": seed,
        "resamples": RESAMPLES,
        "metrics": {
            "EmoBank arousal, Spearman": _compared(texts, np.array(arousal), spearman, seed),
            "GoEmotions emotional or neutral, AUC": _compared(comments, np.array(emotional, np.float64), auc, seed),
        },
    }


def _compared(texts: Sequence[str], gold: Floats, metric: Metric, seed: int) -> dict[str, Any]:
    vader = SentimentIntensityAnalyzer()
    ours = np.array([intensity_of(text) or 0.0 for text in texts])
    theirs = np.array([abs(vader.polarity_scores(text)["compound"]) for text in texts])
    chance = np.random.default_rng(seed)
    draws = [np.arange(len(texts)), *chance.integers(len(texts), size=(RESAMPLES, len(texts)))]
    values = np.array([[metric(scores[draw], gold[draw]) for scores in (ours, theirs)] for draw in draws])
    above: Figure = figure(values[:, 0] - values[:, 1])
    return {
        "n": len(texts),
        "cortex": shown(figure(values[:, 0])),
        "vader": shown(figure(values[:, 1])),
        "above": shown(above),
    }


def as_text(result: dict[str, Any]) -> str:
    """The result for a terminal."""
    lines = [f"{'':38}{'n':>6}{'cortex':>24}{'vader |compound|':>24}{'above':>24}"]
    for name, row in result["metrics"].items():
        lines.append(
            f"{name:38}{row['n']:>6}" + "".join(f"{cell(row[who]):>24}" for who in ("cortex", "vader", "above"))
        )
    return "\n".join(lines)
