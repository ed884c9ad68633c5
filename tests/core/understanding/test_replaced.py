from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.replaced import are_of_two_things, is_replaced


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The nightly backup takes 40 minutes", "The nightly backup takes 25 minutes"),
        ("The API port is 8080", "The API port is now 9090"),
        ("Ada lives in Rome", "Ada moved to Milan"),
        ("I drink coffee", "I no longer drink coffee"),
    ],
)
def test_a_new_value_takes_the_place(older: str, newer: str) -> None:
    """The same statement but for one value, or its denial."""
    assert is_replaced(older, newer)
    assert not are_of_two_things(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The backup of host1 takes 10 minutes", "The backup of host2 takes 20 minutes"),
        ("Flight LH100 departs at 8:00", "Flight LH101 departs at 9:00"),
        ("Order #100 ships on Monday", "Order #101 ships on Tuesday"),
        ("Server A has 16 GB of RAM", "Server B has 32 GB of RAM"),
        ("I speak French", "I speak German"),
        ("I visited Rome in 2019", "I visited Rome in 2021"),
        ("I have a meeting at 10", "I have a meeting at 14"),
        ("My brother lives in Oslo", "My other brother lives in Rome"),
        ("My daughter is 5 years old", "My daughter is 8 years old"),
        ("Ada is a teacher", "Ada is a mother"),
        ("The store opens at 9", "The store closes at 17"),
        ("Ada borrowed 5 euros from Grace", "Grace borrowed 7 euros from Ada"),
        ("Ada said the door is open", "The door is closed"),
        ("In the novel, Ada lives in Rome", "Ada lives in Oslo"),
        ("It is false that Ada lives in Rome", "Ada does not live in Rome"),
    ],
)
def test_what_may_both_hold_is_left_to_somebody(older: str, newer: str) -> None:
    """Another thing, another time, another of its kind, what somebody said: never settled without asking."""
    assert not is_replaced(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The backup of alpha takes 10 minutes", "The backup of beta takes 20 minutes"),
        ("Issue PROJ-12 is due on Monday", "Issue PROJ-13 is due on Friday"),
        ("The tests pass on Python 3.11", "The tests fail on Python 3.12"),
    ],
)
def test_two_things_do_not_contradict_each_other(older: str, newer: str) -> None:
    """Where the thing differs as well as what is said of it, nobody is asked."""
    assert are_of_two_things(older, newer)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text(one: str, other: str) -> None:
    """It never raises, and nothing takes its own place."""
    is_replaced(one, other)
    are_of_two_things(one, other)
    assert not is_replaced(one, one)
