"""How names are compared, and what of an understanding is kept beside the memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cortex.core.text.normal import fold, nfkc
from cortex.model.understanding import SELF, Edge, Entity, EntityType, Mention, Reading, Understanding

_ARTICLES: Final = ("the ", "a ", "an ")
_MYSELF: Final = frozenset("self you me i my mine myself".split())
LONGEST_NAME: Final = 200


def norm(name: str) -> str:
    """The name as it is compared: without case, marks, an article in front and white space around."""
    folded = " ".join(fold(word) for word in nfkc(name).split())
    for article in _ARTICLES:
        folded = folded.removeprefix(article)
    return SELF if folded in _MYSELF else folded


def reading(understanding: Understanding, layers: Iterable[str], maker: str) -> Reading:
    """What is kept: each name once, and relations between names of the text only."""
    mentions: dict[str, Mention] = {}
    for entity in understanding.entities:
        key = _key(entity)
        if key and len(entity.name) <= LONGEST_NAME:
            mentions.setdefault(key, Mention(key, entity.name, entity.type))
    edges: dict[tuple[str, str, str], Edge] = {}
    for relation in understanding.relations:
        ends = norm(relation.source), norm(relation.target)
        if ends[0] != ends[1] and all(end in mentions for end in ends):
            edge = Edge(ends[0], relation.label, ends[1], relation.description)
            edges.setdefault((edge.source, edge.label, edge.target), edge)
    return Reading(
        layers=tuple(sorted(layers)),
        maker=maker,
        event=understanding.event,
        mentions=tuple(mentions[key] for key in sorted(mentions)),
        edges=tuple(edges[key] for key in sorted(edges)),
    )


def _key(entity: Entity) -> str:
    return SELF if entity.type is EntityType.SELF else norm(entity.name)
