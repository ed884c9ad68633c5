from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.events import event_of
from cortex.core.understanding.happenings import EVENT_TYPES
from cortex.model.understanding import Event

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 5, 6, 10, 0, tzinfo=BERLIN)


def told(text: str, speaker: str | None = None) -> Event:
    """The event of a text that tells of one."""
    found = event_of(text, said_at=WEDNESDAY, zone=BERLIN, speaker=speaker)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "actor", "location", "sort"),
    [
        ("Yuki flew from Osaka to Lima yesterday.", "Yuki", "Lima", "travel"),
        ("On 3 May 2026 we moved to Portland.", "self", "Portland", "move"),
        ("I bought a bike last week.", "self", None, "purchase"),
        ("Tomorrow Priya will deploy the hotfix.", "Priya", None, "deployment"),
        ("The database crashed at 03:10 this morning.", None, None, "incident"),
        ("Ingrid gave birth to a girl on Monday in Bergen.", "Ingrid", "Bergen", "birth"),
        ("My sister got married last month.", None, None, "wedding"),
        ("Remember that Aunt Vera arrives on the 10th of May.", "Aunt Vera", None, "travel"),
        ("The patch was merged on Monday by Leon.", None, None, None),
        ("Anna's flight lands tonight.", None, None, "travel"),
        ("Anna and I met Farid on Monday.", "Anna", None, "meeting"),
        ("Last week my wife and I visited Italy.", "self", "Italy", "travel"),
        ("I have a dentist appointment on Friday.", "self", None, "appointment"),
        ("The tax return is due on the 31st.", None, None, "deadline"),
        ("We decided to drop Windows support yesterday.", "self", None, "decision"),
        ("Kofi graduated in March 2025.", "Kofi", None, "celebration"),
        ("We migrated from Jenkins to Bazel last year.", "self", None, "migration"),
        ("Hassan retires next month.", "Hassan", None, "job_change"),
        ("I had surgery in April.", "self", None, "illness"),
        ("We released version 2 on Tuesday.", "self", None, "release"),
    ],
)
def test_actor_place_and_sort(text: str, actor: str | None, location: str | None, sort: str | None) -> None:
    """The subject if it is a name or the first person, where one ends up, and a sort of the closed list."""
    found = told(text)
    assert found.event_time is not None
    assert (found.actor, found.location, found.event_type) == (actor, location, sort)


def test_the_speaker_has_a_name() -> None:
    """I and we are the speaker where that is known, and nobody else is."""
    assert told("I moved to Oslo yesterday.", speaker="Melanie").actor == "Melanie"
    assert told("Ravi moved to Oslo yesterday.", speaker="Melanie").actor == "Ravi"
    assert told("The cat ran away yesterday.", speaker="Melanie").actor is None


def test_an_event_without_a_time() -> None:
    """What happened is an event even if nobody says when."""
    found = told("Ruta moved to Lisbon.")
    assert found == Event(event_time=None, actor="Ruta", location="Lisbon", event_type="move")


@pytest.mark.parametrize(
    "text",
    [
        "Nina prefers tea over coffee.",
        "The API returns at most 500 rows.",
        "We meet every Monday at 10:00.",
        "Did we release it yesterday?",
        "Always run the tests before you deploy.",
        "My brother is 34 years old.",
        "I might move to Oslo.",
        "It was really motivating to hear that.",
        "Wir sind gestern mit dem Zug nach Berlin gefahren und haben die Stadt gesehen.",
        "",
    ],
)
def test_what_is_no_event(text: str) -> None:
    """Preferences, facts, habits, questions, instructions, suppositions and other languages tell of none."""
    assert event_of(text, said_at=WEDNESDAY, zone=BERLIN) is None


SORTS = {name for name, _ in EVENT_TYPES}


@given(st.text(max_size=300))
def test_limits_are_kept(text: str) -> None:
    """Any text gives None or an event of a known sort with its time in UTC, the same each time."""
    found = event_of(text, said_at=WEDNESDAY, zone=BERLIN)
    assert found == event_of(text, said_at=WEDNESDAY, zone=BERLIN)
    if found is not None:
        assert found.event_type is None or found.event_type in SORTS
        assert found.event_time is None or found.event_time.tzinfo is UTC
        assert found.actor != ""


@given(st.sampled_from(["I moved to Oslo", "Ruta met Amos in Lima", "The cluster crashed"]), st.integers(0, 5000))
def test_a_week_later_is_a_week_later(text: str, days: int) -> None:
    """When it was said moves the time and nothing else."""
    zone = ZoneInfo("Asia/Tokyo")
    first = event_of(f"{text} yesterday.", said_at=WEDNESDAY + timedelta(days=days), zone=zone)
    second = event_of(f"{text} yesterday.", said_at=WEDNESDAY + timedelta(days=days + 7), zone=zone)
    assert first is not None
    assert second is not None
    assert first.event_time is not None
    assert second.event_time is not None
    assert second.event_time - first.event_time == timedelta(days=7)
    assert (first.actor, first.location, first.event_type) == (second.actor, second.location, second.event_type)
