"""How well short statements are understood without a model: kinds, entities and relations of a labelled set.

Each figure stands beside a trivial baseline, with the 95 % interval of resampled statements.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import numpy as np

from cortex.core.understanding.entities import entities_of
from cortex.core.understanding.kinds import kind_of
from cortex.core.understanding.relations import relations_of
from cortex.model.memory import Kind
from cortex.model.understanding import Entity, EntityType, Relation
from cortex_bench.evaluation.intervals import RESAMPLES, Figure, Floats, cell, figure, ratio, resampled, shown

HALVES: Final = ("held", "tune")
_NO_KIND = "none"
_KINDS: Final = (*(kind.value for kind in Kind), _NO_KIND)
_MUTUAL: Final = frozenset(("married_to", "knows"))
_WORD = re.compile(r"[^\s,;:!?\"()`]+")

Items = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Statement:
    """One labelled statement; ``kind`` None where nothing tells. ``half`` is tune or held."""

    text: str
    kind: Kind | None
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    half: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found in one statement."""

    kind: Kind | None
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]


def labelled() -> list[Statement]:
    """The statements that ship with the evaluation."""
    lines = (files("cortex_bench.evaluation") / "labelled" / "statements.jsonl").read_text("utf-8").splitlines()
    return [_statement(json.loads(line)) for line in lines]


def _statement(row: dict[str, Any]) -> Statement:
    return Statement(
        text=row["text"],
        kind=Kind(row["kind"]) if row["kind"] else None,
        entities=tuple(Entity(name, EntityType(type_)) for name, type_ in row["entities"]),
        relations=tuple(Relation(*parts) for parts in row["relations"]),
        half=row["half"],
    )


def understood(text: str) -> Answer:
    """What Cortex finds in a text without a model."""
    entities = entities_of(text)
    return Answer(kind_of(text), entities, relations_of(text, entities))


def baseline(statements: Sequence[Statement]) -> Callable[[str], Answer]:
    """The most frequent kind of these; capitalised words that open no sentence; neighbours that use each other."""
    kind, _ = Counter(statement.kind for statement in statements).most_common(1)[0]

    def answer(text: str) -> Answer:
        names = _capitalised(text)
        pair = (Relation(names[0].name, "uses", names[1].name),) if len(names) > 1 else ()
        return Answer(kind, names, pair)

    return answer


def _capitalised(text: str) -> tuple[Entity, ...]:
    found = {}
    for word in _WORD.finditer(text):
        name = word.group().rstrip(".'")
        opens = not text[: word.start()].strip() or text[: word.start()].rstrip()[-1] in ".!?:"
        if name[:1].isupper() and not opens and name != "I":
            found[name] = Entity(name)
    return tuple(found.values())


def evaluate(statements: Sequence[Statement], seed: int = 0) -> dict[str, Any]:
    """Every metric of both halves, ours and the baseline's, as plain values for JSON."""
    trivial = baseline([statement for statement in statements if statement.half == "tune"])
    halves = {}
    for half in HALVES:
        chosen = [statement for statement in statements if statement.half == half]
        ours = measured(chosen, [understood(statement.text) for statement in chosen], seed)
        theirs = measured(chosen, [trivial(statement.text) for statement in chosen], seed)
        halves[half] = {
            "n": len(chosen),
            "metrics": {name: {"cortex": shown(ours[name]), "baseline": shown(theirs[name])} for name in ours},
        }
    return {"evaluation": "statements", "seed": seed, "resamples": RESAMPLES, "halves": halves}


def measured(statements: Sequence[Statement], answers: Sequence[Answer], seed: int) -> dict[str, Figure]:
    """Kind accuracy and macro-F1, and micro-F1 of entities and relations, over statements with their answers."""
    pairs = list(zip(statements, answers, strict=True))
    kinds = [(_name(statement.kind), _name(answer.kind)) for statement, answer in pairs]
    weights = resampled(len(pairs), seed)
    right = np.array([gold == found for gold, found in kinds], dtype=np.float64)
    return {
        "kind accuracy": figure(weights @ right / len(pairs)),
        "kind macro-F1": figure(_macro(kinds, weights)),
        "entities F1, name": _micro(((_names(s.entities), _names(a.entities)) for s, a in pairs), weights),
        "entities F1, name and type": _micro(((_typed(s.entities), _typed(a.entities)) for s, a in pairs), weights),
        "entities F1, name, without self": _micro(
            ((_names(_others(s.entities)), _names(_others(a.entities))) for s, a in pairs), weights
        ),
        "relations F1": _micro(((_edges(s.relations), _edges(a.relations)) for s, a in pairs), weights),
    }


def _macro(kinds: Sequence[tuple[str, str]], weights: Floats) -> Floats:
    """The mean F1 of the kinds that somebody labelled or found, by resample."""
    each = []
    for kind in _KINDS:
        hit = np.array([gold == found == kind for gold, found in kinds], dtype=np.float64)
        named = np.array([(gold == kind) + (found == kind) for gold, found in kinds], dtype=np.float64)
        if named.any():
            each.append(ratio(2 * (weights @ hit), weights @ named))
    return np.asarray(np.mean(each, axis=0), dtype=np.float64)


def _micro(pairs: Iterable[tuple[Items, Items]], weights: Floats) -> Figure:
    counts = np.array([(2 * (gold & found).total(), gold.total() + found.total()) for gold, found in pairs])
    return figure(ratio(weights @ counts[:, 0], weights @ counts[:, 1]))


def _name(kind: Kind | None) -> str:
    return kind.value if kind else _NO_KIND


def _others(entities: Iterable[Entity]) -> list[Entity]:
    return [entity for entity in entities if entity.type is not EntityType.SELF]


def _names(entities: Iterable[Entity]) -> Items:
    return Counter((entity.name.casefold(),) for entity in entities)


def _typed(entities: Iterable[Entity]) -> Items:
    return Counter((entity.name.casefold(), entity.type.value) for entity in entities)


def _edges(relations: Iterable[Relation]) -> Items:
    """A relation that holds both ways counts the same in either direction."""
    found: Items = Counter()
    for relation in relations:
        ends = [relation.source.casefold(), relation.target.casefold()]
        if relation.label in _MUTUAL:
            ends.sort()
        found[relation.label, *ends] = 1
    return found


def as_text(result: dict[str, Any]) -> str:
    """The result for a terminal."""
    lines = []
    for half, found in result["halves"].items():
        lines += [f"{half}, n = {found['n']}", f"  {'':34}{'cortex':>22}{'baseline':>22}"]
        for name, row in found["metrics"].items():
            lines.append(f"  {name:34}{cell(row['cortex']):>22}{cell(row['baseline']):>22}")
        lines.append("")
    return "\n".join(lines).rstrip()
