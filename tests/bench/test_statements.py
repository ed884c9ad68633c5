"""The command `cortex eval statements`, its metrics and its labelled set."""

from __future__ import annotations

from collections import Counter

import pytest

from cortex.model.memory import Kind
from cortex.model.understanding import Entity, EntityType, Relation
from cortex_bench.evaluation.statements import Answer, Statement, baseline, labelled, measured
from tests.cli.conftest import Cli

REDIS = Entity("Redis", EntityType.TECHNOLOGY)
RUTA = Entity("Ruta", EntityType.PERSON)
AMOS = Entity("Amos", EntityType.PERSON)


def statement(kind: Kind | None, *entities: Entity, relations: tuple[Relation, ...] = ()) -> Statement:
    """A labelled statement whose text does not matter."""
    return Statement("text", kind, entities, relations, "tune")


class TestTheSet:
    def test_its_size_and_halves(self) -> None:
        """At least 240 different statements, in two halves of the same size, with every kind in both."""
        statements = labelled()
        assert len({each.text for each in statements}) == len(statements) >= 240
        halves = Counter(each.half for each in statements)
        assert abs(halves["tune"] - halves["held"]) <= 1
        for half in ("tune", "held"):
            assert {each.kind for each in statements if each.half == half} == {None, *Kind}

    def test_labels_are_of_the_text(self) -> None:
        """Every name stands in its text as it is written, and relations hold between labelled names."""
        for each in labelled():
            names = {entity.name for entity in each.entities}
            assert all(name in each.text for name in names - {"self"}), each.text
            assert {end for relation in each.relations for end in (relation.source, relation.target)} <= names


class TestMetrics:
    def test_all_right_and_all_wrong(self) -> None:
        """What is labelled scores one, what is not scores zero, and intervals of both have no width."""
        gold = [statement(Kind.FACT, REDIS), statement(None, RUTA)]
        right = measured(gold, [Answer(each.kind, each.entities, each.relations) for each in gold], 0)
        wrong = measured(gold, [Answer(Kind.EVENT, (AMOS,), ())] * 2, 0)
        for name in ("kind accuracy", "kind macro-F1", "entities F1, name", "entities F1, name and type"):
            assert (right[name].value, wrong[name].value, wrong[name].high) == (1, 0, 0)

    def test_partly_right(self) -> None:
        """F1 counts over all statements; a wrong type is right by name, and the first person can be left out."""
        gold = [statement(Kind.FACT, REDIS, Entity("self", EntityType.SELF)), statement(Kind.FACT, RUTA)]
        answers = [Answer(Kind.FACT, (Entity("redis"), Entity("self", EntityType.SELF)), ()), Answer(None, (), ())]
        found = measured(gold, answers, 0)
        assert found["kind accuracy"].value == 0.5
        assert found["kind macro-F1"].value == pytest.approx((2 / 3 + 0) / 2)
        assert found["entities F1, name"].value == pytest.approx(4 / 5)
        assert found["entities F1, name and type"].value == pytest.approx(2 / 5)
        assert found["entities F1, name, without self"].value == pytest.approx(2 / 3)

    def test_what_holds_both_ways(self) -> None:
        """Marriage counts in either direction, ownership in its own."""
        for label, value in (("married_to", 1), ("owns", 0)):
            gold = statement(None, RUTA, AMOS, relations=(Relation("Ruta", label, "Amos"),))
            answer = Answer(None, (), (Relation("Amos", label, "Ruta"),))
            assert measured([gold], [answer], 0)["relations F1"].value == value

    def test_the_baseline(self) -> None:
        """The most frequent kind, capitals inside of sentences, and the first two of them using each other."""
        answer = baseline([statement(Kind.EVENT), statement(Kind.EVENT), statement(None)])
        found = answer("Then Ruta met Amos. Later I left.")
        assert found == Answer(Kind.EVENT, (Entity("Ruta"), Entity("Amos")), (Relation("Ruta", "uses", "Amos"),))


class TestTheCommand:
    def test_it_prints_both_halves_beside_the_baseline(self, cli: Cli) -> None:
        """Kinds and entities of the held half stay above the interval of the baseline, and above what was aimed at."""
        done = cli("eval", "statements", "--json")
        assert done.code == 0
        held = done.json["halves"]["held"]["metrics"]
        assert held["kind accuracy"]["cortex"]["low"] > held["kind accuracy"]["baseline"]["high"]
        assert held["entities F1, name"]["cortex"]["low"] > held["entities F1, name"]["baseline"]["high"]
        assert held["kind accuracy"]["cortex"]["value"] >= 0.75
        assert held["entities F1, name and type"]["cortex"]["value"] >= 0.75
        assert held["relations F1"]["cortex"]["value"] >= 0.5

    def test_a_table_for_people(self, cli: Cli) -> None:
        """The same figures as text, the same each time."""
        done = cli("eval", "statements")
        assert done.code == 0
        assert done.out.startswith("held, n = 137\n")
        assert "relations F1" in done.out
        assert done.out == cli("eval", "statements").out
