from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.entities import entities_of
from cortex.core.understanding.tags import tags_of
from cortex.model.understanding import Entity, EntityType


def tagged(text: str) -> tuple[str, ...]:
    """The tags of a text with its own entities."""
    return tags_of(text, entities_of(text))


def test_names_and_topics_are_labels() -> None:
    """Technologies come first, topics are labels of their own, and function words and verbs are none."""
    found = tagged("We are still migrating the login page to Keycloak.")
    assert found[0] == "keycloak"
    assert "authentication" in found
    assert {"we", "are", "still", "the", "migrating"}.isdisjoint(found)


def test_a_technology_weighs_more_than_a_person() -> None:
    """What many texts share is the weaker label."""
    found = tags_of(
        "Ruta and Terraform", (Entity("Ruta", EntityType.PERSON), Entity("Terraform", EntityType.TECHNOLOGY))
    )
    assert found == ("terraform", "ruta")


def test_the_first_person_is_no_label() -> None:
    """``self`` and identifiers are left out; they file nothing."""
    assert "self" not in tagged("I renamed parse_row() in the importer.")


def test_other_languages_give_names_only() -> None:
    """Which words are nouns is known of English alone."""
    assert tagged("Der Server läuft mit Postgres und nicht mit dem alten System.") == ("postgres",)


def test_an_address_is_no_label() -> None:
    """The words of a link or a mail address say little about a text."""
    assert "example" not in tagged("The manual is at https://example.com/manual and ruta@example.com has a copy.")


@given(st.text(max_size=400))
def test_limits_are_kept(text: str) -> None:
    """Any text has at most five labels, all different, in lower case, in the same order each time."""
    found = tagged(text)
    assert len(found) <= 5
    assert len(set(found)) == len(found)
    assert all(label == label.lower() and label.strip() for label in found)
    assert found == tagged(text)
