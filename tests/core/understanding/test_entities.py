from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.core.understanding.entities import entities_of


def named(text: str) -> dict[str, str]:
    """The names of a text with their types."""
    return {entity.name: entity.type.value for entity in entities_of(text)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dr. Weber met Ingrid Solberg in Bergen.",
         {"Dr. Weber": "person", "Ingrid Solberg": "person", "Bergen": "place"}),
        ("Farah works for Brightwater Bank.", {"Farah": "person", "Brightwater Bank": "organization"}),
        ("Marcus is an engineer at Netflix.", {"Marcus": "person", "Netflix": "organization"}),
        ("orders-api talks to RabbitMQ and AWS Lambda.",
         {"orders-api": "module", "RabbitMQ": "technology", "AWS Lambda": "technology"}),
        ("net::pool calls app.db.session.", {"net::pool": "module", "app.db.session": "module"}),
        ("See src/io/reader.rs, .env and ~/notes/todo.md.",
         {"src/io/reader.rs": "file", ".env": "file", "~/notes/todo.md": "file"}),
        ("Set cache.ttl and API_KEY first.", {"cache.ttl": "config", "API_KEY": "config"}),
        ("load_rows() throws KeyError since v2.3.0, see OPS-12 and 4be81ff.",
         {"load_rows": "identifier", "KeyError": "identifier", "v2.3.0": "identifier", "OPS-12": "identifier",
          "4be81ff": "identifier"}),
        ("Project Osprey starts soon.", {"Project Osprey": "project"}),
        ("I'm Sam.", {"self": "self", "Sam": "person"}),
        ("The Brightwater Kettle I've bought leaks.", {"Brightwater Kettle": "thing", "self": "self"}),
        ('Farah lent me "The Long Tide" in May.', {"Farah": "person", "self": "self", "The Long Tide": "thing"}),
        ("Marcus teaches at the University of the Highlands.",
         {"Marcus": "person", "University of the Highlands": "organization"}),
        ("Farah’s sister is in Lima.", {"Farah": "person", "Lima": "place"}),
    ],
)  # fmt: skip
def test_names_are_found_with_their_type(text: str, found: dict[str, str]) -> None:
    """People, places, organisations, technologies, modules, files, keys, identifiers, projects and the first person."""
    assert named(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Currently everything works on Monday and in January.",
        "Users like it. Deployments are slow. Go home.",
        "Wow, yeah. Sure, the API of the UI is OK.",
        "Read and/or write, 24/7, e.g. on time.",
        "The AI-driven tool is G-rated.",
        "It's a well-known long-term problem in English and German.",
    ],
)
def test_capitals_that_name_nothing(text: str) -> None:
    """The first word of a sentence, days, months, languages and everyday abbreviations are no names."""
    assert named(text) == {}


def test_other_languages_keep_their_capitals() -> None:
    """Where every noun has a capital, only code and technologies are found."""
    text = "Der Kunde von Herrn Schmidt nutzt Postgres und die Datei config.yaml nicht mehr."
    assert named(text) == {"Postgres": "technology", "config.yaml": "file"}


def test_a_name_is_kept_once() -> None:
    """Names that differ in capitals only are one, as first written; the order is that of the text."""
    assert [entity.name for entity in entities_of("REDIS is old, Valkey is new, redis is gone.")] == ["REDIS", "Valkey"]


@given(st.text(max_size=400))
def test_limits_are_kept(text: str) -> None:
    """Any text gives at most twenty different names that are not empty, the same each time."""
    found = entities_of(text)
    assert len(found) <= 20
    assert len({entity.name.casefold() for entity in found}) == len(found)
    assert all(entity.name for entity in found)
    assert found == entities_of(text)


def test_more_names_than_fit() -> None:
    """The first twenty are kept."""
    assert len(entities_of(" ".join(f"OPS-{number}" for number in range(50)))) == 20
