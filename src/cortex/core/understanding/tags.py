"""The labels a person would put on a statement: what it names, and what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from cortex.core.text.stopwords import ENGLISH, QUESTION
from cortex.core.understanding.reading import MOST, in_english
from cortex.core.understanding.vocabulary import ACRONYMS, CALENDAR, IMPERATIVES, LANGUAGES, PERSON_VERBS, THIRD_PERSON
from cortex.model.understanding import Entity, EntityType

MOST_TAGS = 5
_LONGEST = 40  # characters of a label; a longer name is an address
_READ = 400  # words: what a text is about is said early and often
# What a name is worth as a label; people last, since many texts share them.
_BY_TYPE: Final = {
    EntityType.PROJECT: 5,
    EntityType.TECHNOLOGY: 5,
    EntityType.MODULE: 4,
    EntityType.EVENT: 4,
    EntityType.ORGANIZATION: 4,
    EntityType.PLACE: 3,
    EntityType.PERSON: 3,
    EntityType.CONCEPT: 3,
    EntityType.THING: 2,
    EntityType.CONFIG: 2,
}
# Words about which a person files things, and the label they use.
_TOPICS: Final = {
    word: topic
    for topic, words in {
        "authentication": "login logins logout password passwords sso oauth token tokens signin mfa credentials",
        "deployment": "deploy deploys deployed deployment deployments rollout rollback release releases hotfix",
        "database": "database databases schema migration migrations sql query queries table tables",
        "testing": "test tests testing fixture fixtures coverage flaky",
        "performance": "slow slower latency performance throughput fast faster lag",
        "security": "security vulnerability exploit breach secret secrets audit encryption",
        "incident": "outage incident downtime failover",
        "billing": "billing invoice invoices payment payments checkout refund",
        "health": "allergic allergy medication insulin doctor dentist hospital therapy diet vegan vegetarian",
        "family": "wife husband son daughter mother father brother sister kids children parents family",
        "food": "restaurant recipe recipes dinner lunch breakfast coffee tea cooking bread sushi",
        "travel": "flight flights trip train hotel airport passport vacation",
        "work": "job manager colleague salary interview career",
        "finance": "rent budget mortgage savings tax taxes loan",
        "hobbies": "guitar piano cello running hiking cycling chess gardening",
    }.items()
    for word in words.split()
}
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_ADDRESS: Final = re.compile(r"https?://\S+|(?<!\S)\S{1,80}@\S+")
_DETERMINERS: Final = frozenset(
    "the a an my our his her their its this that these new old every each no of for".split()
)
# After one of these stands a verb or an adjective: we refill, is cheaper.
_NO_NOUN_AFTER: Final = frozenset(
    """
    i we you they he she it who is was are were am be been still never always will would should must can not
    than too very so
    """.split()
)
# Frequent words that are no nouns, or too wide for a label.
_NEVER: Final = (
    ENGLISH | QUESTION | CALENDAR | LANGUAGES | ACRONYMS | THIRD_PERSON | PERSON_VERBS | IMPERATIVES | frozenset(
        """
        thing things stuff way ways lot lots bit kind sort type part parts side end start day days week weeks month
        months year years hour hours minute minutes second seconds time times today yesterday tomorrow
        morning evening night
        one two three four five six seven eight nine ten first last next half new old good bad big small long short
        great nice best better worse worst main little large high low late early full empty real sure right wrong ready
        people person someone something anything everything nothing nobody everyone anyone well really quite almost
        around however please thanks hello maybe perhaps currently usually often sometimes never always still already
        yet ever soon later again together instead away back even likely mostly nearly consistently
        like want need know think say see make take come look find feel seem become keep let try leave mean call work
        live move happen going getting being having making using running working wants likes needs used done gone been
        said made took came found felt kept left meant called worked lived moved happened decided agreed planned
        whenever since though despite unless whether able available different same many several various enough
        """.split()
    )
)  # fmt: skip
_NO_NOUN: Final = ("ly", "ed", "ous", "ful", "ive", "able", "ible", "est", "n't", "ing")
_NOUN: Final = ("tion", "ment", "ness", "ity", "ance", "ence", "ship", "age", "ism", "ware", "sis", "ure")


def tags_of(text: str, entities: Sequence[Entity]) -> tuple[str, ...]:
    """At most five lower-case labels, the most telling first; in other languages than English only the names."""
    weights: dict[str, float] = {}
    for entity in entities:
        worth = _BY_TYPE.get(entity.type)
        label = _label(entity.name)
        if worth and label:
            weights[label] = max(weights.get(label, 0), worth)
    if in_english(text):
        named = {part for entity in entities for part in re.split(r"[\W_]+", entity.name.lower())}
        _add_words(text, named, weights)
    ranked = sorted(weights, key=lambda label: -weights[label])  # sorting is stable: of equals, the one that came first
    return tuple(ranked[:MOST_TAGS])


def _label(name: str) -> str:
    label = " ".join(name.lower().split())
    return label if 1 < len(label) <= _LONGEST else ""


def _add_words(text: str, named: set[str], weights: dict[str, float]) -> None:
    before = ""
    for word in _WORD.findall(_ADDRESS.sub(" ", text[:MOST]))[:_READ]:
        lower = word.lower().removesuffix("'s").removesuffix("’s")
        topic = _TOPICS.get(lower)
        if topic:
            weights[topic] = weights.get(topic, 2.5) + 1
        if lower not in named and lower != topic:
            worth = _noun(lower, before)
            if worth:
                weights[lower] = weights.get(lower, 0) + worth
        before = lower


def _noun(word: str, before: str) -> float:
    """How much a word looks like a noun that tells something; 0 where it does not."""
    if len(word) < 4 or len(word) > _LONGEST or word in _NEVER or word.endswith(_NO_NOUN) or before in _NO_NOUN_AFTER:
        return 0
    worth = 1.0
    if before in _DETERMINERS:
        worth += 0.5
    if word.endswith(_NOUN) or "-" in word:
        worth += 0.5
    return worth
