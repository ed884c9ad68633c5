"""The commands `cortex eval secrets` and `cortex eval injections`, and their labelled sets."""

from __future__ import annotations

from collections import Counter

from cortex_bench.evaluation.screening import lines, orders
from tests.cli.conftest import Cli


def test_the_set_of_secrets() -> None:
    """At least 80 texts with secrets and 120 without, every kind of secret among them, the same each time."""
    labelled = lines()
    assert sum(bool(each.secrets) for each in labelled) >= 80
    assert sum(not each.secrets for each in labelled) >= 120
    assert len({place.kind for each in labelled for place in each.secrets}) == 23
    assert labelled == lines()


def test_the_set_of_orders() -> None:
    """At least 60 attacks and 120 innocent texts, no text twice."""
    labelled = orders()
    counts = Counter(each.attack for each in labelled)
    assert counts[True] >= 60
    assert counts[False] >= 120
    assert len({each.text for each in labelled}) == len(labelled)


def test_secrets_are_found_and_little_else(cli: Cli) -> None:
    """In each part at most one secret in twenty is missed, and one alarm in twenty is false."""
    done = cli("eval", "secrets", "--json")
    assert done.code == 0
    for figures in done.json["parts"].values():
        assert figures["precision"] >= 0.95
        assert figures["recall"] >= 0.95
    assert "recall" in cli("eval", "secrets").out


def test_orders_are_marked_and_wishes_are_not(cli: Cli) -> None:
    """Alarms are nearly always right; of attacks that the rules had not seen, about half are found."""
    parts = cli("eval", "injections", "--json").json["parts"]
    assert parts["tune"]["precision"] >= 0.98
    assert parts["held"]["precision"] >= 0.95
    assert parts["tune"]["recall"] >= 0.85
    assert parts["held"]["recall"] >= 0.5
    assert "false alarms" in cli("eval", "injections").out
