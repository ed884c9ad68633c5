from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cortex_bench.evaluation import beam, documents, locomo, longmemeval
from cortex_bench.evaluation.parts import Question
from tests.bench.conftest import longmemeval_entries


def questions(data: Any) -> dict[str, Question]:
    """Every question of a data set by its id."""
    return {question.id: question for part in data.parts() for question in part.questions}


class TestLocomo:
    def test_turns_become_items(self, locomo_file: Path) -> None:
        """A turn has its speaker, session, place and date, and a caption after its text."""
        (part,) = locomo.read(locomo_file).parts()
        assert part.ids == ("D1:1", "D1:2", "D2:1")
        assert part.items[1] == {
            "content": "What did you see? [a red boat]", "scope": "project:locomo-conv-1", "speaker": "Ben",
            "session": "session_1", "position": 1, "event_time": datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        }  # fmt: skip

    def test_evidence_is_read_as_it_is_written(self, locomo_file: Path) -> None:
        """Several ids in one entry, zeros before a number and ids that lead nowhere."""
        found = questions(locomo.read(locomo_file))
        assert [list(question.gold) for question in found.values()] == [["D1:1"], ["D1:2"], ["D2:1"], []]
        assert found["locomo_0_qa0"].sessions == {"session_1"}
        assert [question.abstains for question in found.values()] == [False, False, True, False]
        assert found["locomo_0_qa2"].answer == ""
        assert found["locomo_0_qa0"].asked_at == datetime(2023, 6, 9, 10, 2, tzinfo=UTC)

    def test_corrections_take_the_place_of_evidence_and_answer(self, locomo_file: Path, tmp_path: Path) -> None:
        """Only with the option, and only for the questions that they name."""
        errors = tmp_path / "errors.json"
        entry = {"question_id": "locomo_0_qa0", "correct_evidence": ["D2:1"], "correct_answer": "May 7"}
        errors.write_text(json.dumps([entry]))
        plain, mended = locomo.read(locomo_file), locomo.read(locomo_file, errors)
        assert list(questions(mended)["locomo_0_qa0"].gold) == ["D2:1"]
        assert questions(mended)["locomo_0_qa0"].answer == "May 7"
        assert questions(mended)["locomo_0_qa1"] == questions(plain)["locomo_0_qa1"]
        assert plain.digest != mended.digest

    @pytest.mark.parametrize("text", ["{}", "[]", "[{}]", "no JSON", "[1]"])
    def test_another_file_is_refused(self, tmp_path: Path, locomo_file: Path, text: str) -> None:
        """The error names the file and what it should be, that of corrections too."""
        path = tmp_path / "other.json"
        path.write_text(text)
        with pytest.raises(
            ValueError, match="has no questions of LoCoMo" if text in ("{}", "[]") else "is no LoCoMo file"
        ):
            locomo.read(path)
        if text not in ("{}", "[]"):
            with pytest.raises(ValueError, match="has no corrections"):
                locomo.read(locomo_file, path)

    def test_the_public_file_has_its_known_counts(self, eval_data: Path) -> None:
        """Ten conversations, 5,882 turns, 1,986 questions; the audit corrects some."""
        data = locomo.read(eval_data / "locomo/locomo10.json")
        parts = list(data.parts())
        assert (len(parts), sum(len(part.items) for part in parts), len(questions(data))) == (10, 5882, 1986)
        mended = locomo.read(eval_data / "locomo/locomo10.json", eval_data / "locomo/evidence-errors.json")
        changed = [id_ for id_, q in questions(mended).items() if q != questions(data)[id_]]
        assert 90 < len(changed) < 157


class TestBeam:
    def test_messages_become_items(self, tmp_path: Path) -> None:
        """A message has its role and its batch; a question its evidence, its rubric and whether nobody can know."""
        chat = {
            "id": "1",
            "messages": [{"id": 0, "role": "user", "batch": 1, "content": "hello"}],
            "questions": [
                {"cat": "abstention", "q": "x?", "answer": "no", "ev": []},
                {"cat": "summarization", "q": "y?", "answer": None, "ev": [0, 99], "rubric": ["says hello"]},
            ],
        }
        (tmp_path / "1.json").write_text(json.dumps(chat))
        data = beam.read(tmp_path)
        (part,) = data.parts()
        assert (part.ids, part.items[0]["session"], part.items[0]["role"]) == (("0",), "batch_1", "user")
        first, second = part.questions
        assert (first.abstains, second.abstains, second.gold, second.rubric) == (True, False, {"0": 1}, ("says hello",))
        with pytest.raises(ValueError, match="files; expected"):
            beam.read(tmp_path / "nothing")
        (tmp_path / "2.json").write_text("{}")
        with pytest.raises(ValueError, match="is no BEAM chat"):
            beam.read(tmp_path)


class TestLongMemEval:
    def test_each_question_has_its_history(self, longmemeval_file: Path) -> None:
        """A part a question, of its own scope; turns keep session, place, role and date, empty ones are left."""
        data = longmemeval.read(longmemeval_file)
        parts = list(data.parts())
        assert len({part.scope for part in parts}) == len(parts) == 6
        first = parts[0]
        assert len(first.items) == 9
        assert first.ids[2] == "move/0"
        assert first.items[2] == {
            "content": "I have moved, my new address is Harbour Street 9.", "scope": "project:longmemeval-q1",
            "role": "user", "session": "move", "position": 0,
            "event_time": datetime(2023, 5, 20, 2, 21, tzinfo=UTC),
        }  # fmt: skip

    def test_what_answers_is_known_by_session_and_by_turn(self, longmemeval_file: Path) -> None:
        """A question that nobody can answer has no evidence; an answer may be a number."""
        found = questions(longmemeval.read(longmemeval_file))
        assert found["q2"].sessions == {"old", "move"}
        assert found["q1"].answer == "3"
        assert found["q1"].asked_at == datetime(2023, 6, 1, 12, tzinfo=UTC)
        abstention = found["q4_abs"]
        assert (abstention.abstains, abstention.gold, abstention.sessions) == (True, {}, frozenset())

    def test_sessions_rank_by_their_best_turn(self) -> None:
        """A session that is found twice takes one place; without marked turns there are no metrics of turns."""
        question = Question(id="q", text="?", group="g", gold={"t2": 1.0}, sessions=frozenset({"b"}))
        found = longmemeval.metrics(["t1", "t3", "t2"], ["a", "a", "b"], question)
        assert found["session ndcg@5"] == 1
        assert found["turn ndcg@5"] == pytest.approx(0.6309, abs=1e-4)
        unmarked = Question(id="q", text="?", group="g", sessions=frozenset({"b"}))
        assert set(longmemeval.metrics(["t1"], ["a"], unmarked)) == {name for name in found if "session" in name}

    def test_a_large_file_is_read_piece_by_piece(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """However the pieces fall, the questions are the same."""
        path = tmp_path / "large.json"
        path.write_text(json.dumps(longmemeval_entries(), indent=1, ensure_ascii=False), "utf-8")
        whole = list(longmemeval.read(path).parts())
        for size in (1, 7, 1000):
            monkeypatch.setattr(longmemeval, "_CHUNK", size)
            assert list(longmemeval.read(path).parts()) == whole

    @pytest.mark.parametrize("text", ["{}", "[]", '[{"question_id": "x"}]', "", "[{", '[{"a": 1}'])
    def test_another_file_is_refused(self, tmp_path: Path, text: str) -> None:
        """A broken file, an empty one and one of another shape are named."""
        path = tmp_path / "other.json"
        path.write_text(text)
        with pytest.raises(ValueError, match="LongMemEval"):
            longmemeval.read(path)


class TestDocuments:
    def read(self, options: list[str]) -> Any:
        return documents.read(*map(Path, options[1::2]))

    def test_titles_gains_and_queries_without_judgements(self, documents: list[str]) -> None:
        """A title leads its text, gains are kept, what is judged 0 or unknown is no gold."""
        (part,) = self.read(documents).parts()
        assert part.ids == ("d1", "d2", "d3", "d4")
        assert part.items[0]["content"] == "Tea\nGreen tea is brewed at eighty degrees."
        assert {question.id: dict(question.gold) for question in part.questions} == {
            "a": {"d1": 2, "d2": 1},
            "b": {"d3": 1, "d4": 1},
            "c": {},
        }

    def test_four_columns_say_the_same(self, documents: list[str]) -> None:
        """TREC's columns, with any white space, are the other way to write it."""
        three = list(self.read(documents).parts())
        Path(documents[-1]).write_text("a 0 d1 2\na  Q0 d2 1\nb 0 d3 1\nb 0 d4 1\n")
        assert list(self.read(documents).parts()) == three

    @pytest.mark.parametrize(
        ("place", "text", "message"),
        [
            (1, '{"_id": "d1"}\n', "line 1"),
            (1, "no JSON\n", "line 1"),
            (3, "[]\n", "line 1"),
            (5, "a\td1\n", "line 1: expected query-id"),
            (5, "query-id\tcorpus-id\tscore\na\td1\tmany\n", "line 2"),
            (5, "a\td9\t1\n", "judges no document"),
        ],
    )
    def test_a_broken_line_is_named(self, documents: list[str], place: int, text: str, message: str) -> None:
        """The error has the file, the line and what is expected."""
        path = Path(documents[place])
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            self.read(documents)

    def test_what_is_no_text_is_named(self, documents: list[str]) -> None:
        """A file in another encoding is no JSON lines."""
        Path(documents[1]).write_bytes(b"\xff\xfe")
        with pytest.raises(ValueError, match="not UTF-8"):
            self.read(documents)
