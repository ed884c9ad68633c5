"""Where the entities of a text stand in it, by clauses, with what is written between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cortex.core.understanding.reading import MOST
from cortex.model.understanding import Entity, EntityType

_WINDOW = 90  # characters between two names; what is further apart is not one statement
_SELF: Final = re.compile(r"(?:\bI\b|\b(?:[Ww]e|[Mm]y|[Mm]ine|[Mm]e)\b)")
_BREAK: Final = re.compile(
    r"[.!?;\n:](?=\s|$)|,?\s(?:but|because|whereas|although|though|while|so that|so|since|when|unless|until|whenever|"
    r"if|before|after)(?=\s)|\s[-–—]\s"
)
_LIST: Final = re.compile(
    r"\s*(?:,|&|\+|,?\s*\b(?:and|or)\b)\s*(?:an?\s+|the\s+|(?P<joint>(?:his|her|their)\s+(?:wife|husband)\s+))?(?:old\s+)?"
)


class _Mention(NamedTuple):
    start: int
    end: int
    entity: Entity
    owns: bool  # said of what is somebody's: my, Ruta's


@dataclass(frozen=True, slots=True)
class Group:
    """Names that stand together as in "A, B and C"; ``owns`` where they are said of what is theirs (my, Ruta's).

    ``joint`` is what joins two of them beyond "and".
    """

    entities: tuple[Entity, ...]
    joint: str = ""
    owns: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """The groups of one clause, and the text before, between and after them: one gap more than groups."""

    groups: tuple[Group, ...]
    gaps: tuple[str, ...]


def clauses_of(text: str, entities: Sequence[Entity]) -> Iterator[Clause]:
    """The clauses of a text that name at least two of the entities; questions are left out."""
    text = text[:MOST]
    mentions = _mentions(text, entities)
    groups: list[Group] = []
    gaps: list[str] = []
    end = 0
    lead = ""
    for mention in mentions:
        gap = text[end : mention.start]
        end = mention.end
        stop = _last_break(gap)
        apposition = mention.owns and gap.strip() == ","  # Ruta, my sister
        joined = _LIST.fullmatch(gap) if groups and not apposition else None
        if stop is None and joined and _alike(groups[-1].entities[-1], mention.entity):
            last = groups[-1]
            groups[-1] = Group((*last.entities, mention.entity), last.joint + (joined["joint"] or ""), mention.owns)
            continue
        if groups and (stop is not None or len(gap) > _WINDOW):
            yield from _clause(groups, [*gaps, gap[:_WINDOW]])
            groups, gaps = [], []
        lead = gap if stop is None else gap[stop:]
        groups.append(Group((mention.entity,), owns=mention.owns))
        gaps.append(lead[-_WINDOW:])
    if groups:
        yield from _clause(groups, [*gaps, text[end : end + _WINDOW]])


def _clause(groups: Sequence[Group], gaps: Sequence[str]) -> Iterator[Clause]:
    asks = gaps[-1].partition("?")[1] and not re.search(r"[.!;]", gaps[-1].partition("?")[0])
    if not asks and (len(groups) > 1 or len(groups[0].entities) > 1):
        yield Clause(tuple(groups), tuple(gaps))


def _last_break(gap: str) -> int | None:
    last = None
    for found in _BREAK.finditer(gap):
        last = found.end()
    return last


def _alike(first: Entity, second: Entity) -> bool:
    """Whether two names can stand in one list: a person beside a place begins something new."""
    people = {EntityType.PERSON, EntityType.SELF}
    return (first.type in people) == (second.type in people)


def _mentions(text: str, entities: Sequence[Entity]) -> list[_Mention]:
    """Every mention in reading order, the longer where two overlap."""
    found: list[_Mention] = []
    folded = text.lower()
    if len(folded) != len(text):  # a few letters grow in lower case; then the places would not fit
        folded = text
    for entity in entities:
        if entity.type is EntityType.SELF:
            found += [_Mention(*match.span(), entity, match.group().lower() == "my") for match in _SELF.finditer(text)]
        elif entity.name:
            found += _places(folded, entity)
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[_Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _places(folded: str, entity: Entity) -> Iterator[_Mention]:
    name = entity.name.lower()
    start = folded.find(name)
    while start >= 0:
        end = start + len(name)
        if not _inside_a_word(folded, start, end):
            if folded.startswith("()", end):
                end += 2
            yield _Mention(start, end, entity, folded.startswith(("'s", "’s"), end))
        start = folded.find(name, end)


def _inside_a_word(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum())
