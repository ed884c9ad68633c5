"""What a text says about two of the things it names.

The text between two names in one clause is read: a verb phrase near its end gives the label, its voice the
direction, and a negation in it gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cortex.core.understanding.mentions import Clause, Group, clauses_of
from cortex.core.understanding.phrases import FAVOURITE, FROM_MOVE, KINSHIP, LINKS, REPLACING, Link, Sort
from cortex.core.understanding.vocabulary import ACQUAINTANCES, ANIMALS, CHILDREN, PARENTS, SPOUSES
from cortex.model.understanding import Entity, EntityType, Relation

MOST_RELATIONS = 20
_NEGATED: Final = re.compile(
    r"\b(?:not|never|no longer|nor|neither|without|cannot|hardly|stopped|refuses?|instead of|rather than|used to|"
    r"against|unlike|if|would|might|could|quit|left)\b|n['’]t\b"
)
_CARRIED: Final = re.compile(r"\s*,?\s*(?:and|or|then|and then|and also)\s+")
_FAVOURITE_IS: Final = re.compile(r"\b(?:favou?rite|preferred)\b")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two groups of names and the text between them; ``before`` stands before the first, ``after`` after the second."""

    first: Group
    second: Group
    before: str
    between: str
    after: str


def relations_of(text: str, entities: Sequence[Entity]) -> tuple[Relation, ...]:
    """The relations a text states between entities of its own, in reading order, each once; at most 20.

    Labels: uses, replaces, depends_on, causes, resolves, runs_on, works_at, lives_in, is_a, owns, part_of,
    located_in, knows, prefers, married_to, parent_of. Passive sentences are turned round, what is negated or only
    asked gives none. Never raises, and nothing is related to itself.
    """
    found: dict[tuple[str, str, str], Relation] = {}
    for clause in clauses_of(text, entities):
        for source, label, target in _stated(clause):
            if source.name.casefold() == target.name.casefold():
                continue
            key = (source.name.casefold(), label, target.name.casefold())
            found.setdefault(key, Relation(source.name, label, target.name))
            if len(found) == MOST_RELATIONS:
                return tuple(found.values())
    return tuple(found.values())


_Edge = tuple[Entity, str, Entity]


def _stated(clause: Clause) -> Iterator[_Edge]:
    groups, gaps = clause.groups, clause.gaps
    subject = groups[0]
    for place in range(len(groups) - 1):
        between = gaps[place + 1]
        pair = _Pair(groups[place], groups[place + 1], gaps[place], between, gaps[place + 2])
        yield from _related(pair)
        if place and groups[place].owns and KINSHIP.equal.fullmatch(gaps[place]):  # Ruta, my sister, works at
            yield from _linked(groups[place - 1], between, pair.second)
        if place and _CARRIED.match(between):
            yield from _linked(subject, between, pair.second)
    for place, group in enumerate(groups):
        if "wife" in group.joint or "husband" in group.joint:
            yield from _across(group.entities[:1], "married_to", group.entities[1:2])
        both = _BOTH.match(gaps[place + 1])
        if both and len(group.entities) == 2:
            yield from _across(group.entities[:1], "married_to" if both["married"] else "knows", group.entities[1:])


_BOTH: Final = re.compile(
    r"\s+(?:(?:both|got|are|were|have been|have)\s+)*"
    r"(?:(?P<married>married)|work(?:ed)?\s+together|(?:good\s+|old\s+)?friends|colleagues|siblings|know\s+each\s+other)\b"
)


def _related(pair: _Pair) -> Iterator[_Edge]:
    """What the text says of two neighbours: by kinship, as one thing in another's place, or by a verb."""
    kin = list(_kin(pair))
    if kin:
        yield from kin
        return
    if _replaced(pair):
        yield from _across(pair.second.entities, "replaces", pair.first.entities)
        return
    yield from _linked(pair.first, pair.between, pair.second)


def _linked(first: Group, between: str, second: Group) -> Iterator[_Edge]:
    if _NEGATED.search(between) or (first.owns and not _FAVOURITE_IS.search(between)):
        return
    for link in LINKS:
        if link.pattern.search(between):
            sources, targets = (second, first) if link.turned else (first, second)
            found = list(_across(sources.entities, link.label, targets.entities, link))
            if found:
                yield from found
                return


def _replaced(pair: _Pair) -> bool:
    """We replaced A with B; moved from A to B."""
    if any(_sort(entity) in {Sort.SOMEBODY, Sort.PLACE} for entity in (*pair.first.entities, *pair.second.entities)):
        return False
    if _NEGATED.search(pair.before):
        return False
    with_ = REPLACING.search(pair.before) is not None and pair.between.strip() in {"with", "by", "for"}
    return with_ or (FROM_MOVE.search(pair.before) is not None and pair.between.strip() in {"to", "over to"})


def _across(
    sources: Sequence[Entity], label: str, targets: Sequence[Entity], link: Link | None = None
) -> Iterator[_Edge]:
    for source in sources:
        for target in targets:
            if link is None or (_sort(source) in link.sources and _sort(target) in link.targets):
                yield source, label, target


def _sort(entity: Entity) -> Sort:
    match entity.type:
        case EntityType.SELF | EntityType.PERSON:
            return Sort.SOMEBODY
        case EntityType.PLACE:
            return Sort.PLACE
        case EntityType.ORGANIZATION:
            return Sort.GROUP
        case EntityType.THING | EntityType.EVENT | EntityType.CONCEPT:
            return Sort.OPEN
        case _:
            return Sort.MADE


def _kin(pair: _Pair) -> Iterator[_Edge]:
    """My wife Ruta; Ruta's son Amos; Amos, my son; Ruta is Amos's mother; Ruta is the mother of Amos."""
    before = KINSHIP.between.fullmatch(pair.between)
    if before:
        yield from _kin_edges(pair.first, before["kin"], pair.second)
        return
    of = KINSHIP.of.fullmatch(pair.between)
    if of:
        yield from _kin_edges(pair.second, of["kin"], pair.first)
        return
    have = KINSHIP.have.fullmatch(pair.between)
    if have:
        yield from _kin_edges(pair.first, have["kin"], pair.second)
        return
    if FAVOURITE.match(pair.after) and KINSHIP.equal.fullmatch(pair.between):
        yield from _across(pair.second.entities[:1], "prefers", pair.first.entities)
        return
    after = KINSHIP.after.match(pair.after)
    if after and KINSHIP.equal.fullmatch(pair.between):
        yield from _kin_edges(pair.second, after["kin"], pair.first)


def _kin_edges(owners: Group, kin: str, group: Group) -> Iterator[_Edge]:
    """``group`` is the ``kin`` of the owners."""
    owner, names = owners.entities[-1:], group.entities
    if kin in SPOUSES:
        yield from _across(owner, "married_to", names[:1])
    elif kin in CHILDREN:
        yield from _across(owners.entities, "parent_of", names)
    elif kin in PARENTS:
        yield from _across(names[:1], "parent_of", owner)
    elif kin in ANIMALS:
        yield from _across(owner, "owns", names)
    elif kin in ACQUAINTANCES:
        # Mutual: told from the one whose memory it is, else from the one it is said of.
        told = (owner, names) if owner[0].type is EntityType.SELF else (names, owner)
        yield from _across(told[0], "knows", told[1])
