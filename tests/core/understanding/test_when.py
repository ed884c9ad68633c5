from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.when import when_of

BERLIN = ZoneInfo("Europe/Berlin")
PACIFIC = ZoneInfo("America/Los_Angeles")
TOKYO = ZoneInfo("Asia/Tokyo")
WEDNESDAY = datetime(2026, 5, 6, 10, 0, tzinfo=BERLIN)
INSTANTS = st.builds(
    datetime.fromtimestamp,
    st.integers(631_152_000, 3_786_912_000),  # 1990 to 2090
    st.sampled_from([UTC, BERLIN, PACIFIC, TOKYO]),
)


def local(text: str, said_at: datetime = WEDNESDAY, zone: ZoneInfo = BERLIN) -> str | None:
    """What is found, as a day with a time of day in the zone; the time is left out where it is the day's start."""
    found = when_of(text, said_at=said_at, zone=zone)
    if found is None:
        return None
    assert found.tzinfo is UTC
    return found.astimezone(zone).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("We met on 2026-05-03.", "2026-05-03"),
        ("We met on 3 May 2026.", "2026-05-03"),
        ("We met on the 3rd of May, 2026.", "2026-05-03"),
        ("We met on May 3, 2026.", "2026-05-03"),
        ("We met on Sunday, May 3rd.", "2026-05-03"),
        ("We met on 5/13/2025.", "2025-05-13"),
        ("We met on 13/5/2025.", "2025-05-13"),
        ("We met on 5/5/2025.", "2025-05-05"),
        ("We met on 13.05.2025.", "2025-05-13"),
        ("We met on the 3rd.", "2026-05-03"),
        ("She came on the 4th of last month.", "2026-04-04"),
        ("We met in March 2025.", "2025-03-01"),
        ("In May I quit.", "2026-05-01"),
        ("I was born in 1987.", "1987-01-01"),
        ("We shipped it in Q3 2025.", "2025-07-01"),
        ("We met at Christmas.", "2025-12-25"),
    ],
)
def test_written_dates(text: str, when: str) -> None:
    """Every common form of a date, and the first day of a month, quarter or year."""
    assert local(text) == when


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("I will fly on 12 March.", "2027-03-12"),
        ("I flew on 12 March.", "2026-03-12"),
        ("I met her on Friday.", "2026-05-01"),
        ("I will meet her on Friday.", "2026-05-08"),
        ("We agreed to meet on Friday.", "2026-05-08"),
        ("I met her on Wednesday.", "2026-04-29"),
        ("We were in Rome in December.", "2025-12-01"),
        ("We will be in Rome in December.", "2026-12-01"),
        ("I called her at 3pm.", "2026-05-05 15:00"),
        ("I will call her at 3pm.", "2026-05-06 15:00"),
        ("I drafted it on 25 February, and I'm editing it now.", "2026-02-25"),
        ("I was ill, and will be back on Friday.", "2026-05-08"),
    ],
)
def test_tense_tells_the_direction(text: str, when: str) -> None:
    """What is not fully said is the last such day before now in the past, and the next one in the future."""
    assert local(text) == when


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("It broke today.", "2026-05-06"),
        ("It broke yesterday.", "2026-05-05"),
        ("It broke the day before yesterday.", "2026-05-04"),
        ("It broke last night.", "2026-05-05"),
        ("It broke last night at 2am.", "2026-05-06 02:00"),
        ("It broke this morning.", "2026-05-06"),
        ("It broke 3 days ago.", "2026-05-03"),
        ("It broke a couple of weeks ago.", "2026-04-22"),
        ("It broke two months ago.", "2026-03-06"),
        ("It broke ninety minutes ago.", "2026-05-06 08:30"),
        ("It ends in two weeks.", "2026-05-20"),
        ("It ends in 36 hours.", "2026-05-07 22:00"),
        ("It ends a week from Friday.", "2026-05-15"),
        ("It broke last week.", "2026-04-27"),
        ("It broke last month.", "2026-04-01"),
        ("It broke last Friday.", "2026-05-01"),
        ("It ends next Friday.", "2026-05-15"),
        ("It ends this Friday.", "2026-05-08"),
        ("It ends Friday next week.", "2026-05-15"),
        ("It ends at the end of the month.", "2026-05-31"),
        ("It ends at the end of Q3.", "2026-09-30"),
        ("It ends by EOW.", "2026-05-08"),
        ("It ends tomorrow evening at 7.", "2026-05-07 19:00"),
        ("It ends tonight at midnight.", "2026-05-07"),
        ("It was moved from 7 May to 11 May.", "2026-05-11"),
    ],
)
def test_relative_expressions(text: str, when: str) -> None:
    """They lean on the day of speaking; weeks begin on Monday, and next Friday is in the next week."""
    assert local(text) == when


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("The call is on 7 May at 3pm.", "2026-05-07 15:00"),
        ("The call is at 15:30 on Thursday.", "2026-05-07 15:30"),
        ("The call is on 7 May at 15:00 UTC.", "2026-05-07 17:00"),
        ("The call is on 7 May at 9 am EST.", "2026-05-07 16:00"),
        ("The call is on 7 May at 09:00 GMT+9.", "2026-05-07 02:00"),
        ("It failed at 2026-05-05T18:20:00-07:00.", "2026-05-06 03:20"),
        ("Workshop tomorrow 14:00-15:00.", "2026-05-07 14:00"),
        ("The call is on 7 May at 9 am IST.", "2026-05-07"),
        ("The call is on 7 May at 3:30.", "2026-05-07"),
        ("On 7 May at noon the call begins.", "2026-05-07 12:00"),
    ],
)
def test_times_of_day(text: str, when: str) -> None:
    """With zone names and offsets; where half of the day or zone are not clear, only the day counts."""
    assert local(text) == when


@pytest.mark.parametrize(
    "text",
    [
        "The form says 2026-02-30.",
        "The form says 2026-13-45.",
        "The meeting on 31 November 2026 was cancelled.",
        "The party was yesterday at 25:00.",
        "The call was yesterday at 13pm.",
    ],
)
def test_impossible_dates(text: str) -> None:
    """What no calendar and no clock has is never made into another date."""
    assert local(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "We upgraded to 1.2.3 and to v2026.1.2.",
        "Call me at 212-555-0199 or at 2125550199.",
        "It cost $2,025 or 2025 dollars.",
        "Order 20260503 was lost.",
        "The trace ends in main.py:15:30.",
        "Run `date -d 2026-05-03` and see https://example.org/2026/05/03/ too.",
        "The screen was 16:10 and the score was 3-2.",
        "We met on 5/4/2026.",
        "We waited for 3 days, and it took two weeks.",
        "We built it in two weeks.",
        "We meet every Monday at 10:00.",
        "I usually ran on Saturdays.",
        "The shop closes at 9 pm.",
        "Yuki's birthday is on 12 November.",
        "We didn't meet yesterday.",
        "Nobody came last Friday.",
        "If it rains tomorrow we stay.",
        "We might move in June.",
        "It may rain tomorrow.",
        "I would have come last Friday.",
        "Could you come tomorrow at 8 pm?",
        "March on, and you may 3 times.",
        "This was the 2nd time on the 3rd floor.",
        "Three days later we left.",
        "I read The Thursday Murder Club over the last year.",
        "Wir haben uns gestern am 3. Mai 2026 mit dem Kunden in der Stadt getroffen.",
        "",
    ],
)
def test_what_is_no_date(text: str) -> None:
    """Versions, numbers, code, durations, habits, denials, suppositions, questions and other languages say no time."""
    assert local(text) is None


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("Don't forget the dentist tomorrow.", "2026-05-07"),
        ("We won't know until Friday.", "2026-05-08"),
        ("Something not so great happened yesterday.", "2026-05-05"),
        ("Starting tomorrow, I will run regularly.", "2026-05-07"),
        ("It failed yesterday and nobody noticed.", "2026-05-05"),
        ("If in doubt, ask. We meet tomorrow.", "2026-05-07"),
    ],
)
def test_what_only_looks_denied(text: str, when: str) -> None:
    """A denial, a condition or a habit beside the time leaves it as it is."""
    assert local(text) == when


def test_days_begin_where_the_speaker_is() -> None:
    """Just after midnight in Tokyo, yesterday is not the day that UTC calls so."""
    said_at = datetime(2026, 4, 30, 15, 30, tzinfo=UTC)
    assert when_of("It broke yesterday.", said_at=said_at, zone=TOKYO) == datetime(2026, 4, 29, 15, tzinfo=UTC)
    assert when_of("It broke yesterday.", said_at=said_at, zone=PACIFIC) == datetime(2026, 4, 29, 7, tzinfo=UTC)


def test_when_clocks_change() -> None:
    """Days are local, hours are counted, and of an hour that comes twice the first is meant."""
    spring = datetime(2026, 3, 29, 12, tzinfo=BERLIN)
    assert local("It broke 12 hours ago.", spring) == "2026-03-28 23:00"
    assert local("It broke yesterday at 23:15.", spring) == "2026-03-28 23:15"
    autumn = datetime(2025, 10, 26, 12, tzinfo=BERLIN)
    found = when_of("It broke today at 2:30 am.", said_at=autumn, zone=BERLIN)
    assert found == datetime(2025, 10, 26, 0, 30, tzinfo=UTC)
    missing = when_of("It broke today at 2:30 am.", said_at=spring, zone=BERLIN)
    assert missing == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_a_naive_instant_is_refused() -> None:
    """Without a zone nobody knows when something was said."""
    with pytest.raises(ValueError, match="aware"):
        when_of("It broke yesterday.", said_at=WEDNESDAY.replace(tzinfo=None), zone=BERLIN)


def test_the_ends_of_the_calendar() -> None:
    """What would lie beyond is not said."""
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    texts = "broke yesterday|broke 90 years ago|ends next week|ends in 99999 years|broke last week|ends in May"
    for text in texts.split("|"):
        for said_at in (first, last):
            for zone in (TOKYO, PACIFIC, timezone(timedelta(hours=14))):
                when_of(f"It {text} at 3pm.", said_at=said_at, zone=zone)


@given(st.text(max_size=300), INSTANTS)
def test_any_text(text: str, said_at: datetime) -> None:
    """Nothing raises, and the answer is the same each time."""
    assert when_of(text, said_at=said_at, zone=BERLIN) == when_of(text, said_at=said_at, zone=BERLIN)


WORDS = (
    "yesterday tomorrow last next week on Friday at 3pm 25:00 May 31 2026 2026-05-03 in days ago the 3rd end of every "
    "not if month Q3 noon midnight UTC we met will 99999 years from now Christmas . , ? and tonight 31/02/2026"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), INSTANTS)
def test_any_order_of_its_words(text: str, said_at: datetime) -> None:
    """Nothing raises, whatever stands beside what; answers are aware."""
    found = when_of(text, said_at=said_at, zone=PACIFIC)
    assert found is None or found.tzinfo is UTC


@given(INSTANTS, st.sampled_from(["yesterday", "last Friday", "last week", "4 days ago", "at noon"]))
def test_a_week_later_is_a_week_later(said_at: datetime, words: str) -> None:
    """The same words said a week later mean a time a week later."""
    earlier, later = (
        when_of(f"It broke {words}.", said_at=said_at + timedelta(days=days), zone=TOKYO) for days in (0, 7)
    )
    assert earlier is not None
    assert later == earlier + timedelta(days=7)


@given(INSTANTS)
def test_a_full_date_does_not_lean_on_anything(said_at: datetime) -> None:
    """A date with its year is the same whenever it is said."""
    found = when_of("We met on 3 May 2026 at 10:00.", said_at=said_at, zone=TOKYO)
    assert found == datetime(2026, 5, 3, 1, tzinfo=UTC)
