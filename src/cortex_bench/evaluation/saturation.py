"""A stream of statements that repeat, are reworded and change: what is kept once, and is the newest value found.

Facts are keys (a subject and one of its attributes) with values. The stream is drawn from a seed; every wording that a
repetition may take is one of those that people use for it, easy or hard to tell for the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cortex import Cortex, Layers
from cortex.ports import Embedder

SEED = 20_261_130
WRITES = 2_000
_FOUND = 10
# Of the writes: a new key, an exact repetition, a reworded one, another value.
_SHARES = (0.2, 0.25, 0.35, 0.2)

_SERVICES = (
    "billing", "search", "login", "payment", "report", "export", "mail", "image", "audit", "chat", "order", "invoice",
    "stock", "shipping", "profile", "webhook", "metrics", "backup", "gateway", "catalogue",
)  # fmt: skip
_PEOPLE = (
    "Ada", "Bruno", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Keiko", "Lars", "Maya",
    "Nadia", "Oscar", "Priya", "Quentin", "Rosa", "Sven", "Tara",
)  # fmt: skip
_CITIES = ("Oslo", "Lyon", "Porto", "Turin", "Ghent", "Bergen", "Malmo", "Bilbao", "Leeds", "Krakow", "Graz", "Basel")
_DATABASES = ("Postgres", "MySQL", "SQLite", "MongoDB", "Redis", "Cassandra", "DynamoDB", "MariaDB")
_LANGUAGES = ("Python", "Go", "Rust", "Java", "Kotlin", "Ruby", "Elixir", "Scala")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_FIRMS = ("Acme", "Globex", "Initech", "Umbra", "Vandelay", "Hooli", "Stark Labs", "Wonka")
_DRINKS = ("green tea", "black coffee", "oat milk", "ginger ale", "cold brew", "mint tea", "tonic water", "cider")


@dataclass(frozen=True, slots=True)
class _Attribute:
    """An attribute: what may have it, its values, how it is said (the first wording is the usual one), and asked."""

    subjects: Sequence[str]
    values: Callable[[random.Random], str]
    wordings: Sequence[str]
    question: str


def _number(low: int, high: int, unit: str) -> Callable[[random.Random], str]:
    return lambda draw: f"{draw.randrange(low, high)}{unit}"


def _one_of(values: Sequence[str]) -> Callable[[random.Random], str]:
    return lambda draw: draw.choice(values)


_ATTRIBUTES = (
    _Attribute(_SERVICES, _number(3000, 9999, ""), (
        "The {s} service port is {v}", "The port of the {s} service is {v}", "Note: the {s} service port is {v}.",
        "the {s} service port is now {v}", "The {s} service listens on port {v}", "For the {s} service the port is {v}",
    ), "Which port does the {s} service have?"),
    _Attribute(_SERVICES, _one_of(_DATABASES), (
        "The {s} service uses {v}", "the {s} service is using {v}", "Just to remember: the {s} service uses {v}.",
        "The {s} service uses {v} now", "The database of the {s} service is {v}", "{v} is what the {s} service uses",
    ), "Which database does the {s} service use?"),
    _Attribute(_SERVICES, _number(5, 90, " seconds"), (
        "The {s} service timeout is {v}", "The timeout of the {s} service is {v}",
        "FYI the {s} service timeout is {v}!", "the {s} service timeout is currently {v}",
        "Requests to the {s} service time out after {v}", "Okay, so the {s} service timeout is {v}",
    ), "What is the timeout of the {s} service?"),
    _Attribute(_SERVICES, _one_of(_LANGUAGES), (
        "The {s} service is written in {v}", "Note that the {s} service is written in {v}",
        "the {s} service is written in {v}!", "The {s} service is actually written in {v}",
        "{v} is the language of the {s} service", "Please remember the {s} service is written in {v}.",
    ), "Which language is the {s} service written in?"),
    _Attribute(_SERVICES, _one_of(_DAYS), (
        "The {s} service is deployed on {v}", "the {s} service is being deployed on {v}",
        "Note: the {s} service is deployed on {v}.", "The {s} service is deployed on {v} now",
        "Deploys of the {s} service happen on {v}", "On {v} the {s} service is deployed",
    ), "On which day is the {s} service deployed?"),
    _Attribute(_PEOPLE, _one_of(_CITIES), (
        "{s} lives in {v}", "{s} is living in {v}", "Note: {s} lives in {v}.", "{s} now lives in {v}",
        "{s}'s home is in {v}", "Just so you know, {s} lives in {v}",
    ), "Where does {s} live?"),
    _Attribute(_PEOPLE, _one_of(_FIRMS), (
        "{s} works at {v}", "{s} is working at {v}", "Remember: {s} works at {v}!", "{s} currently works at {v}",
        "{v} employs {s}", "{s} really works at {v}",
    ), "Where does {s} work?"),
    _Attribute(_PEOPLE, _one_of(_DRINKS), (
        "The favourite drink of {s} is {v}", "{s}'s favourite drink is {v}", "Note: {s}'s favourite drink is {v}",
        "{s}'s favourite drink is {v} now", "Most of all {s} likes to drink {v}",
        "{s}'s favourite drink is actually {v}",
    ), "What is the favourite drink of {s}?"),
    _Attribute(_PEOPLE, _number(21, 79, ""), (
        "{s} is {v} years old", "Note that {s} is {v} years old", "{s} is {v} years old!", "{s} is now {v} years old",
        "The age of {s} is {v}", "FYI {s} is {v} years old.",
    ), "How old is {s}?"),
    _Attribute(_PEOPLE, _number(100, 999, ""), (
        "The desk of {s} is {v}", "{s}'s desk is {v}", "Note: {s}'s desk is {v}.", "{s}'s desk is now {v}",
        "{s} sits at desk {v}", "Okay, {s}'s desk is {v}",
    ), "What is the desk of {s}?"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Write:
    """One write: its text, which key it is about, the value, and whether key and value were there before."""

    text: str
    key: tuple[int, str]
    value: str
    repeats: bool


def stream(seed: int = SEED, writes: int = WRITES) -> Iterator[Write]:
    """The writes, in order."""
    draw = random.Random(seed)  # noqa: S311 - a stream that can be drawn again, no secret
    keys = [(number, subject) for number, each in enumerate(_ATTRIBUTES) for subject in each.subjects]
    draw.shuffle(keys)
    now: dict[tuple[int, str], tuple[str, str]] = {}
    for _ in range(writes):
        what = draw.choices(range(4), _SHARES)[0]
        if not now or (what == 0 and keys):
            key = keys.pop()
            value, wording, repeats = _ATTRIBUTES[key[0]].values(draw), 0, False
        else:
            key = draw.choice(sorted(now))
            value, text = now[key]
            repeats = what != 3
            if what == 1:
                yield Write(text, key, value, repeats=True)
                continue
            wording = draw.randrange(len(_ATTRIBUTES[key[0]].wordings))
            if what == 3:
                value = _another(draw, _ATTRIBUTES[key[0]], value)
        text = _ATTRIBUTES[key[0]].wordings[wording].format(s=key[1], v=value)
        now[key] = value, text
        yield Write(text, key, value, repeats)


def facts(count: int, seed: int = SEED) -> Iterator[str]:
    """So many different statements, of as many keys, in the usual wordings."""
    draw = random.Random(seed)  # noqa: S311 - as above
    for number in range(count):
        attribute = _ATTRIBUTES[number % len(_ATTRIBUTES)]
        subject = f"{draw.choice(attribute.subjects)}{number // len(_ATTRIBUTES)}"
        yield draw.choice(attribute.wordings).format(s=subject, v=attribute.values(draw))


def _another(draw: random.Random, attribute: _Attribute, value: str) -> str:
    while (other := attribute.values(draw)) == value:
        pass
    return other


def measure(embedder: Embedder, seed: int = SEED, writes: int = WRITES) -> dict[str, Any]:
    """Write the stream with every layer on, then ask for each key; shares and counts."""
    made = list(stream(seed, writes))
    said: dict[str, Write] = {}
    deduplicated = wrongly = 0
    with Cortex(":memory:", embedder=embedder, layers=_LAYERS) as cortex:
        for each in made:
            receipt = cortex.memorize(each.text)
            survivor = said.get(receipt.id or "")
            if receipt.deduplicated:
                deduplicated += 1
                wrongly += survivor is None or (survivor.key, survivor.value) != (each.key, each.value)
            else:
                said[receipt.id or ""] = each
        newest = {each.key: each.value for each in made}
        answers = {key: _answers(cortex, key, said) for key in newest}
        active = cortex.count()
        conflicts = len(cortex.conflicts.list_conflicts())
    repeats = sum(each.repeats for each in made)
    return {
        "seed": seed,
        "writes": len(made),
        "keys": len(newest),
        "repeats": repeats / len(made),
        "deduplicated": deduplicated / len(made),
        "wrongly_merged": wrongly,
        "newest_first": sum(_values(found, key)[:1] == [newest[key]] for key, found in answers.items()) / len(newest),
        "newest_top": sum(_values(found[:1], key) == [newest[key]] for key, found in answers.items()) / len(newest),
        "older_found": sum(len(set(_values(found, key))) > 1 for key, found in answers.items()),
        "not_first": sorted(
            _ATTRIBUTES[key[0]].question.format(s=key[1])
            for key, found in answers.items()
            if _values(found, key)[:1] != [newest[key]]
        ),
        "active": active,
        "open_conflicts": conflicts,
    }


_LAYERS = Layers(
    classify=True, emotion=True, episodic=True, graph=True, dedup=True, soft_update=True, link=True, conflict=True
)


def _answers(cortex: Cortex, key: tuple[int, str], said: dict[str, Write]) -> list[Write]:
    """What a recall with the question for a key finds, best first."""
    hits = cortex.recall(_ATTRIBUTES[key[0]].question.format(s=key[1]), limit=_FOUND).hits
    return [said[hit.memory.id] for hit in hits]


def _values(found: Sequence[Write], key: tuple[int, str]) -> list[str]:
    """The values of a key among what was found, in order."""
    return [each.value for each in found if each.key == key]


def as_text(found: dict[str, Any]) -> str:
    """The figures, a line each."""
    lines = [
        f"{found['writes']:,} writes about {found['keys']} keys (seed {found['seed']}), {found['repeats']:.1%} repeat",
        f"deduplicated          {found['deduplicated']:.1%}",
        f"wrongly merged        {found['wrongly_merged']}",
        f"newest value first    {found['newest_first']:.1%} of the keys, among all that is said of the key",
        f"newest value on top   {found['newest_top']:.1%}, above everything else",
        f"older values found    {found['older_found']} keys",
        f"active memories       {found['active']}",
        f"open conflicts        {found['open_conflicts']}",
    ]
    return "\n".join([*lines, *(f"not first: {question}" for question in found["not_first"][:20])])
