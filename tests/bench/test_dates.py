"""The command `cortex eval dates`, its metrics and its labelled set."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from cortex_bench.evaluation.dates import Answer, Dated, as_said, iso_only, labelled, measured
from tests.cli.conftest import Cli

SAID = datetime(2026, 5, 6, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
MIDNIGHT = datetime(2026, 5, 4, 22, 0, tzinfo=UTC)
EVENING = datetime(2026, 5, 5, 18, 30, tzinfo=UTC)


def dated(event_time: datetime | None, text: str = "text", actor: str | None = None) -> Dated:
    """A labelled statement said in Berlin."""
    return Dated(text, SAID, "Europe/Berlin", event_time, actor, None, "tune")


class TestTheSet:
    def test_its_size_and_halves(self) -> None:
        """At least 150 different dated statements and 30 undated ones, in three zones, halved alike."""
        statements = labelled()
        assert len({each.text for each in statements}) == len(statements)
        kinds = Counter((each.event_time is not None, each.half) for each in statements)
        assert kinds[True, "tune"] + kinds[True, "held"] >= 150
        assert kinds[False, "tune"] + kinds[False, "held"] >= 30
        assert abs(kinds[True, "tune"] - kinds[True, "held"]) <= 1
        assert len({each.zone for each in statements}) == 3

    def test_labels_are_of_the_text(self) -> None:
        """Names stand in their text, and instants of saying carry the offset of their zone."""
        for each in labelled():
            assert all(name in each.text for name in (each.actor, each.location) if name and name != "self"), each.text
            assert each.said_at.utcoffset() == each.said_at.astimezone(ZoneInfo(each.zone)).utcoffset(), each.text


class TestMetrics:
    def test_days_minutes_and_false_dates(self) -> None:
        """A right day with a wrong time counts for the day; undated statements count for false dates only."""
        gold = [dated(MIDNIGHT, actor="Ruta"), dated(EVENING), dated(None), dated(None)]
        found = measured(
            gold, [Answer(MIDNIGHT, "Ruta"), Answer(EVENING.replace(hour=19)), Answer(EVENING), Answer()], 0
        )
        assert found["same day"].value == 1
        assert found["same instant"].value == 0.5
        assert found["same minute, where one is said"].value == 0
        assert found["false dates, of the undated"].value == 0.5
        assert found["actor"].value == 1

    def test_seconds_do_not_count(self) -> None:
        """What is the same to the minute is the same."""
        found = measured([dated(EVENING)], [Answer(EVENING.replace(second=7))], 0)
        assert found["same minute, where one is said"].value == 1

    @pytest.mark.parametrize(
        ("text", "moment"), [("since 2026-05-05", MIDNIGHT), ("since 2026-02-30", None), ("since May", None)]
    )
    def test_the_baselines(self, text: str, moment: datetime | None) -> None:
        """One reads ISO dates that exist, the other takes the day of saying."""
        assert iso_only(dated(None, text)).event_time == moment
        assert as_said(dated(None, text)).event_time == datetime(2026, 5, 5, 22, 0, tzinfo=UTC)


class TestTheCommand:
    def test_it_prints_both_halves_beside_the_baselines(self, cli: Cli) -> None:
        """Times of the held half are far above both baselines, and seldom found where none is said."""
        done = cli("eval", "dates", "--json")
        assert done.code == 0
        held = done.json["halves"]["held"]["metrics"]
        for baseline in ("ISO dates", "day of saying"):
            assert held["same day"]["cortex"]["low"] > held["same day"][baseline]["high"]
        assert held["same instant"]["cortex"]["value"] >= 0.8
        assert held["false dates, of the undated"]["cortex"]["value"] <= 0.15
        assert held["actor"]["cortex"]["low"] > held["actor"]["day of saying"]["high"]

    def test_a_table_for_people(self, cli: Cli) -> None:
        """The same figures as text."""
        done = cli("eval", "dates")
        assert done.code == 0
        assert done.out.startswith("held, n = 112, 89 of them dated\n")
        assert "location" in done.out
