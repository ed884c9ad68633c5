from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.core.understanding.contradiction import judge
from cortex.core.understanding.contradiction.measures import clash, measures
from cortex.core.understanding.contradiction.sentences import sentences, stated

TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            "I we never no not the a is was lives moved to from Rome Milan 400 ms 2 hours 12 March Monday , . ? and "
            "but open closed prefer tea $5 90% v1.2 9:30 pm sprint 4 can you ``` don't nobody without any using".split()
        ),
        max_size=25,
    ).map(" ".join),
)


@pytest.mark.parametrize(
    ("older", "newer", "named"),
    [
        ("The database is MySQL.", "The database is PostgreSQL.", "'mysql' became 'postgresql'"),
        ("Ada lives in Rome.", "Ada moved to Milan.", "milan"),
        ("We use Slack.", "We switched from Slack to Zulip.", "slack"),
        ("I own a boat.", "I sold the boat.", "boat"),
        ("I have used Flask.", "I have never used Flask.", "one denies 'never used flask'"),
        ("Somebody opened the door.", "Nobody opened the door.", "nobody"),
        ("Ada still works there at the bank.", "Ada no longer works at the bank.", "no longer works"),
        ("We ship with debug symbols.", "We ship without debug symbols.", "without debug symbols"),
        ("The valve is open.", "The valve is closed.", "'open' against 'closed'"),
        ("The build is stable.", "The build is unstable.", "unstable"),
        ("The response time is 400 ms.", "The response time is now 250 ms.", "'400 ms' became '250 ms'"),
        ("Response time 400 ms", "now 250 ms", "250 ms"),
        ("Coverage is 70%.", "Coverage is 85 percent.", "85 percent"),
        ("Our budget is $5,000.", "Our budget is $6,200.", "$6,200"),
        ("The review is on 12 March.", "The review was moved to March 26.", "march 26"),
        ("The call is at 9:30.", "The call is at 10:15.", "10:15"),
        ("I prefer tabs.", "I prefer spaces.", "spaces"),
        ("I prefer window seats.", "I'd rather have aisle seats.", "aisle"),
        ("We never deploy on Friday.", "We deploy every Friday.", "never deploy on friday"),
        ("I love olives.", "I hate olives.", "'love' against 'hate'"),
        ("I enjoy running.", "I can't stand running.", "enjoy"),
    ],
)  # fmt: skip
def test_what_cannot_both_hold_is_found_and_named(older: str, newer: str, named: str) -> None:
    """Every sort of contradiction is judged as one, and the reason names what clashes."""
    verdict = judge(older, newer)
    assert verdict.contradicts
    assert named in verdict.reason
    assert 0.5 <= verdict.confidence < 1


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The cache is disabled.", "The cache is not enabled."),
        ("The review is on 12 March.", "The review is on March 12."),
        ("The limit is 2 hours.", "The limit is 120 minutes."),
        ("Ada lives in Rome.", "Ada lives in Rome with her dog."),
        ("likes tea", "likes coffee"),
        ("I like tea.", "I like coffee."),
        ("She has a dog.", "She has a cat."),
        ("My brother eats fish.", "My sister never eats fish."),
        ("Ada lives in Rome.", "Ben lives in Milan."),
        ("The front end is in Svelte.", "The back end is in Django."),
        ("The review is on 12 March.", "The party is on 26 March."),
        ("Sprint 4 ends on May 3.", "Sprint 5 ends on May 17."),
        ("The house has 3 floors.", "The house has 12 windows."),
        ("I ran 10 km on Monday.", "I ran 12 km on Saturday."),
        ("The cache is on.", "Should the cache not be on?"),
        ("I've never written Flask routes.", "Can you help me to write Flask routes?"),
        ("I live in Berlin.", "I lived in Munich."),
        ("We never deploy on Friday.", "We deploy on Monday."),
        ("I don't eat meat on Fridays.", "I eat meat."),
        ("I spent $40 on books.", "I spent $60 on books."),
        ("The server runs Ubuntu.", "The server runs nginx."),
        ("I prefer dark mode.", "I prefer tabs over spaces."),
        ("The cheap plan has backups.", "The expensive plan has backups."),
        ("The cache is on.", "I'm not sure the cache is on."),
        ("A man is playing the drums.", "There is no man playing the guitar."),
        ("", ""),
        ("no", ""),
    ],
)
def test_what_can_both_hold_is_left_alone(older: str, newer: str) -> None:
    """Paraphrases, additions, other subjects, other people, other events and questions do not contradict."""
    assert not judge(older, newer).contradicts
    assert not judge(newer, older).contradicts


def test_the_order_matters_where_a_change_is_told() -> None:
    """Who moved to where somebody lives now has not left it."""
    assert judge("Ada lives in Rome.", "Ada moved to Milan.").contradicts
    assert not judge("Ada moved to Milan.", "Ada lives in Milan.").contradicts


def test_the_clearest_clash_of_two_messages_counts() -> None:
    """In messages of several sentences the statements are compared; code, requests and the rest do not hide them."""
    older = (
        "Thanks, that works. I've never written any Flask routes in this project, so I'm starting from scratch.\n"
        "```python\nnever = 5\n```\nCan you help me with the registration?"
    )
    newer = "The page has a blue header. I have written three Flask routes in this project already, what comes next?"
    verdict = judge(older, newer)
    assert verdict.contradicts
    assert verdict.reason.startswith("one denies 'never written")


def test_code_states_nothing() -> None:
    """What stands in a block of code is not compared."""
    assert not judge("The cache is on.", "Look:\n```\nThe cache is not on.\n```\nThat is all.").contradicts


def test_a_question_takes_for_granted_what_is_beside_it() -> None:
    """The increased budget in a question about it is news; a question for yes or no takes nothing for granted."""
    older = "I set a $600 budget for the new camera."
    assert judge(older, "What's the best way to use my increased budget of $650 for the new camera?").contradicts
    assert not judge("I have never written a Flask route.", "Have I ever written a Flask route?").contradicts


@pytest.mark.parametrize(
    ("older", "newer", "contradicts"),
    [
        ("Il server risponde in 400 ms", "Il server risponde in 250 ms", True),
        ("La base de datos es MySQL", "La base de datos es PostgreSQL", True),
        ("数据库的端口是 5432", "数据库的端口是 6432", True),
        ("Ich mag den Tee und nicht die Milch", "Ich mag den Tee und auch die Milch", False),
        ("Das Kapitel 4 ist zu lang und nicht gut", "Das Kapitel 5 ist zu kurz und nicht gut", False),
        ("La porte de la cuisine est ouverte", "La porte de la cuisine est fermée", False),
        ("数据库的端口是 5432", "数据库的端口是 6432 吗？", False),
    ],
)
def test_other_languages_clash_in_numbers_and_names_only(older: str, newer: str, contradicts: bool) -> None:
    """What nobody here can read is unknown, not wrong."""
    assert judge(older, newer).contradicts is contradicts


def test_similarity_shifts_and_does_not_decide() -> None:
    """A higher cosine makes a clash surer; no cosine makes one, or hides a clear one."""
    older, newer = "The valve is open.", "The valve is closed."
    sure = [judge(older, newer, cosine).confidence for cosine in (0.0, 0.3, 0.53, 1.0)]
    assert all(low < high for low, high in pairwise(sure))
    assert judge(older, newer, -1.0).contradicts
    assert sure[2] == judge(older, newer).confidence
    assert judge("I like tea.", "I like coffee.", 1.0).confidence == 0
    assert judge(older, newer, float("nan")) == judge(older, newer)


def test_a_full_denial_is_surer_than_half_of_one() -> None:
    """The more of what is denied is said by the other, the higher the confidence."""
    older = "I never met Ada at the harbour market."
    sure = [judge(older, newer).confidence for newer in (
        "I met Ada at the harbour market.", "I met Ada at the harbour.", "I met Ada.", "I bought bread.",
    )]  # fmt: skip
    assert all(high > low for high, low in pairwise(sure))


@given(TEXTS, TEXTS, st.none() | st.floats())
@settings(max_examples=300, deadline=None)
def test_any_two_texts_have_a_verdict(older: str, newer: str, similarity: float | None) -> None:
    """It never raises, the confidence is between 0 and 1 and fits the verdict, and the same texts get the same."""
    verdict = judge(older, newer, similarity)
    assert 0 <= verdict.confidence <= 1
    assert verdict.contradicts is (verdict.confidence >= 0.5)
    assert bool(verdict.reason) is (verdict.confidence > 0)
    assert judge(older, newer, similarity) == verdict


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_a_text_agrees_with_itself(text: str) -> None:
    """Identical texts never contradict each other."""
    assert not judge(text, text).contradicts


@pytest.mark.parametrize(
    "piece", ["never ", "no cat, ", "5 cats ", "1", "I have 5 cats. ", "```", "a, ", " ", "can you ", "\n", "1.2.", "é"]
)
def test_hostile_texts_cost_little(piece: str) -> None:
    """Twice the text is not four times the work, and a text of any length is judged in a fraction of a second."""
    text = piece * (200_000 // len(piece))
    started = time.process_time()
    judge(text, f"{text} 6 dogs")
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("400ms", [("time", 0.4)]),
        ("2 hours", [("time", 7200.0)]),
        ("five engineers", [("count", 5.0)]),
        ("1.5k users", [("count", 1500.0)]),
        ("half of it", [("percent", 50.0)]),
        ("2 million rows", [("count", 2e6)]),
        ("10 mb", [("size", 1e7)]),
        ("1,450 €", [("euro", 1450.0)]),
        ("we may march", []),
    ],
)
def test_measures_are_brought_to_one_unit(words: str, fields: list[tuple[str, float]]) -> None:
    """Quantities in words and units of every size can be compared."""
    found = measures(words.split())
    assert [measure.sort for measure in found] == [sort for sort, _ in fields]
    assert [measure.fields[0][1] for measure in found] == pytest.approx([value for _, value in fields])


@pytest.mark.parametrize(
    ("one", "other", "clashes"),
    [
        ("12 march", "march 12", False), ("12 march 2024", "march 12", False), ("12th of march", "13 march", True),
        ("2024-03-12", "12 march", False), ("2024-03-12", "12 march 2025", True), ("monday", "tuesday", True),
        ("in march", "12 march", False), ("monday", "12 march", False), ("3 pm", "15:00", False), ("3pm", "4pm", True),
        ("python 3.9", "python 3.12", True), ("python 3.9", "ruby 3.9", False), ("400 ms", "0.4 s", False),
        ("31 february", "31 february", False),
    ],
)  # fmt: skip
def test_only_what_both_say_of_a_date_can_clash(one: str, other: str, clashes: bool) -> None:
    """A date without a year agrees with the same day of any year; a month with its days."""
    mine, theirs = measures(one.split()), measures(other.split())
    assert any(clash(left, right) for left in mine for right in theirs) is clashes


def test_statements_are_what_is_left_without_questions() -> None:
    """What is asked is cut off, what stands before or behind it stays; a list or an abbreviation cuts nothing."""
    assert stated("I've never met Ada, can you help me?") == "I've never met Ada"
    assert stated("How can I begin, considering I've never met Ada?") == "considering I've never met Ada"
    assert stated("Can you help me?") == ""
    assert stated("Is tea better, or coffee?") == ""
    assert stated("I met Ada, Ben and Dr. Kay.") == "I met Ada, Ben and Dr. Kay."
    assert sentences("I met Dr. Kay. We left!\nThen\n```\nx = 1. y\n```\nall was 3.5 m. 雨。晴") == [
        "I met Dr. Kay.", "We left!", "Then", "all was 3.5 m.", "雨。", "晴",
    ]  # fmt: skip
