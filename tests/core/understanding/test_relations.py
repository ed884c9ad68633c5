from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.entities import entities_of
from cortex.core.understanding.relations import relations_of
from cortex.model.understanding import Entity, EntityType


def related(text: str) -> list[str]:
    """The relations of a text, as short lines."""
    return [f"{found.source} {found.label} {found.target}" for found in relations_of(text, entities_of(text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("orders-api uses Postgres and Kafka.", ["orders-api uses Postgres", "orders-api uses Kafka"]),
        ("Kafka is used by orders-api.", ["orders-api uses Kafka"]),
        ("We replaced Redis with Valkey.", ["Valkey replaces Redis"]),
        ("Jest was replaced by Vitest.", ["Vitest replaces Jest"]),
        ("We migrated from Jenkins to Buildkite.", ["Buildkite replaces Jenkins"]),
        ("cart-service requires stock-service, which depends on MySQL.",
         ["cart-service depends_on stock-service", "stock-service depends_on MySQL"]),
        ("KeyError is caused by cart-service.", ["cart-service causes KeyError"]),
        ("4be81ff fixes OPS-12.", ["4be81ff resolves OPS-12"]),
        ("stock-service runs on Kubernetes.", ["stock-service runs_on Kubernetes"]),
        ("I work as a baker at Brightwater Bank.", ["self works_at Brightwater Bank"]),
        ("Farah moved to Lima.", ["Farah lives_in Lima"]),
        ("Brightwater Bank is based in Denver.", ["Brightwater Bank located_in Denver"]),
        ("deploy-bot is owned by Farah.", ["Farah owns deploy-bot"]),
        ("Marcus prefers Emacs.", ["Marcus prefers Emacs"]),
        ("core::lexer is part of net::tools.", ["core::lexer part_of net::tools"]),
        ("My wife Ingrid lives in Bergen.", ["self married_to Ingrid", "Ingrid lives_in Bergen"]),
        ("Helga, Stefan's wife, works for Bosch.", ["Stefan married_to Helga", "Helga works_at Bosch"]),
        ("Ingrid is the mother of Lars.", ["Ingrid parent_of Lars"]),
        ("I have two sons, Lars and Emil.", ["self parent_of Lars", "self parent_of Emil"]),
        ("Farah knows Marcus.", ["Farah knows Marcus"]),
    ],
)  # fmt: skip
def test_a_stated_relation_is_found(text: str, found: list[str]) -> None:
    """Each label, the passive turned round, lists taken apart."""
    assert related(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "orders-api no longer uses Kafka.",
        "orders-api doesn't depend on Kafka.",
        "Does orders-api use Kafka?",
        "Farah used to work at Bosch.",
        "Farah isn't married to Marcus.",
        "orders-api is slow, but Kafka depends on nothing.",
        "orders-api is down. Kafka uses disks.",
        "Farah's team uses Kafka.",
        "My manager works at Bosch.",
    ],
)
def test_what_is_not_stated_gives_none(text: str) -> None:
    """Negations, questions, the past, other clauses, and what somebody's somebody does."""
    assert related(text) == []


def test_nothing_is_related_to_itself() -> None:
    """Two spellings of one name are one thing."""
    assert related("Redis replaced REDIS.") == []


@given(st.text(alphabet="AB usedbyreplacdwith,.;'my", max_size=300))
def test_limits_are_kept(text: str) -> None:
    """Any text gives at most twenty different relations between given names, none of them a loop."""
    entities = (Entity("A", EntityType.TECHNOLOGY), Entity("B"), Entity("self", EntityType.SELF), Entity(""))
    found = relations_of(text, entities)
    assert len(found) <= 20
    assert len(set(found)) == len(found)
    assert all(relation.source != relation.target for relation in found)
    assert {relation.source for relation in found} <= {"A", "B", "self"}
    assert found == relations_of(text, entities)


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    """No text raises with its own entities."""
    assert len(related(text)) <= 20
