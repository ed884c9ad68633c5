"""Is an answer right: by its words, or by a model under rules for each kind of question."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cortex_bench.evaluation.chat import Chat, Completion, Message, ModelFailed
from cortex_bench.evaluation.parts import Question
from cortex_bench.evaluation.reader import Reading

_ARTICLES = frozenset({"a", "an", "the"})
_VERDICT_TOKENS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether an answer is right, the measures by words, and the calls that a model took."""

    correct: bool
    measures: dict[str, float] = field(default_factory=dict)
    votes: tuple[bool, ...] = ()
    completions: tuple[Completion, ...] = ()


class Judge(Protocol):
    """Says whether an answer is right."""

    def judge(self, question: Question, reading: Reading) -> Verdict:
        """The verdict; `ModelFailed` where there is none."""
        ...


class OfflineJudge:
    """By words: right is an answer that equals the gold or contains it, both in normal form.

    An abstention is right exactly where the question has no answer.
    """

    def judge(self, question: Question, reading: Reading) -> Verdict:
        """The verdict, with exact match, containment and token F1 for a question that has an answer."""
        if question.abstains or reading.abstained:
            return Verdict(correct=question.abstains and reading.abstained)
        if not words(question.answer):
            raise ModelFailed("there is no answer to compare with; a model can judge by the points of the question")
        measures = by_words(reading.answer, question.answer)
        return Verdict(correct=measures["contains"] == 1, measures=measures)


def by_words(answer: str, gold: str) -> dict[str, float]:
    """exact, contains and f1 of an answer, each from 0 to 1; a gold without words is met by nothing."""
    said, wanted = words(answer), words(gold)
    common = sum((Counter(said) & Counter(wanted)).values())
    inside = any(said[start : start + len(wanted)] == wanted for start in range(len(said) - len(wanted) + 1))
    return {
        "exact": float(bool(wanted) and said == wanted),
        "contains": float(bool(wanted) and inside),
        "f1": 2 * common / (len(said) + len(wanted)) if common else 0.0,
    }


def words(text: str) -> list[str]:
    """The words in normal form: no case, accents of width, punctuation or articles."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return [word for word in re.findall(r"[\w']+", plain) if word not in _ARTICLES]


_RULES = {
    "general": "It is right if it says what the correct answer says, or implies it, in whatever words. It is wrong if "
    "it has only a part of what is asked for, or something else.",
    "temporal": "It is right if it says what the correct answer says, or implies it. A count of days, weeks or months "
    "that is off by one is right as well. It is wrong if it has only a part of what is asked for.",
    "update": "What was true may have changed. It is right if it gives the newest state, which the correct answer "
    "names; that it mentions an older state beside it does no harm. It is wrong if it gives only an older one.",
    "preference": "The correct answer tells what a good one takes into account. It is right if it makes use of what is "
    "known of the person and fits it; it need not have every point.",
    "abstention": "The question cannot be answered from what was said. It is right if it says so, that the information "
    "is missing or that the question assumes something untrue. It is wrong if it gives an answer as if it were known.",
}


class ModelJudge:
    """A model's yes or no, asked ``votes`` times; the majority counts, and a tie is a yes."""

    def __init__(self, chat: Chat, votes: int = 1) -> None:
        self._chat = chat
        self._votes = votes

    def judge(self, question: Question, reading: Reading) -> Verdict:
        """The verdict; `ModelFailed` where a vote is neither yes nor no."""
        messages = instructions(question, reading.answer)
        completions = tuple(self._chat.complete(messages, _VERDICT_TOKENS) for _ in range(self._votes))
        votes = tuple(_vote(completion.text) for completion in completions)
        return Verdict(correct=2 * sum(votes) >= len(votes), votes=votes, completions=completions)


def rule_of(question: Question) -> str:
    """Which rules a question falls under, by its group."""
    if question.abstains:
        return "abstention"
    return next((kind for kind in ("temporal", "update", "preference") if kind in question.group), "general")


def instructions(question: Question, answer: str) -> Sequence[Message]:
    """What the judge is sent."""
    rule = rule_of(question)
    points = "".join(f"\n- {point}" for point in question.rubric)
    gold = f"Correct answer: {question.answer}\n" if question.answer and not question.abstains else ""
    return [
        Message(
            "system",
            f"You judge whether a given answer to a question is right. {_RULES[rule]} Reply with one word: yes or no.",
        ),
        Message(
            "user",
            f"Question: {question.text}\n{gold}"
            + (f"Points of a right answer:{points}\n" if points else "")
            + f"Given answer: {answer}\n\nIs it right?",
        ),
    ]


def _vote(text: str) -> bool:
    match words(text)[:1]:
        case ["yes"]:
            return True
        case ["no"]:
            return False
        case _:
            raise ModelFailed(f"the judge said neither yes nor no but {text[:80]!r}")
