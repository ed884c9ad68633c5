"""Answering a question from evidence: notes on what the blocks say, and an answer (Chain-of-Note, Yu et al., 2023)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cortex_bench.evaluation.chat import Chat, Completion, Message, ModelFailed
from cortex_bench.evaluation.evidence import Block, as_text
from cortex_bench.evaluation.parts import Question
from cortex_bench.evaluation.profile import Profile

SENTINEL = "I don't know"

_ASKS_FOR_ADVICE = re.compile(
    r"\b(recommend\w*|suggest\w*|tips?|advice|advise|ideas?|what should i|what would be (a )?good|any good|"
    r"which .{1,40} should i|help me (choose|pick|find|plan))\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[ \t*#_>]*(answer|notes)[ \t*_]*:[*_]*\s*", re.IGNORECASE | re.MULTILINE)

_TASK = (
    "You answer a question about earlier conversations. You get numbered blocks of them, the likeliest first; the "
    "heading of a block may tell its session, its date and who speaks. Use nothing but the blocks. Where they "
    "disagree, the later one holds. Work out dates from the date of the block in which something is said, and "
    "relative times from the day of the question."
)
_HONEST = f"If the blocks do not tell, the answer is exactly: {SENTINEL}"
_ADVISE = (
    "The question asks for advice. Base it on what the person is known to like, dislike, own or do: name the "
    "preferences that the blocks state, and answer in line with them. Where nothing fits exactly, go by the closest "
    "preference; there is always an answer."
)
_ANSWER_FIRST = (
    "Write the answer first, on a line that begins with 'Answer:', as short as it can be. Then write a line 'Notes:' "
    "and under it what each block that matters says, with its number."
)
_NOTES_FIRST = (
    "Write a line 'Notes:' and under it what each block that matters says, with its number. Then write the answer, on "
    "a line that begins with 'Answer:', as short as it can be."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader made of the evidence, and what it cost."""

    answer: str
    notes: str
    abstained: bool
    completion: Completion


class Reader:
    """A model that reads as a profile says."""

    def __init__(self, chat: Chat, profile: Profile) -> None:
        self._chat = chat
        self._profile = profile

    def read(self, question: Question, evidence: Sequence[Block]) -> Reading:
        """The answer to a question; `ModelFailed` where there is none."""
        completion = self._chat.complete(prompt(question, evidence, self._profile), self._profile.max_output_tokens)
        answer, notes = parse(completion.text)
        if not answer:
            cut = ", which was cut off" if completion.truncated else ""
            raise ModelFailed(f"there is no answer in what the reader wrote{cut}")
        return Reading(answer=answer, notes=notes, abstained=abstains(answer), completion=completion)


def prompt(question: Question, evidence: Sequence[Block], profile: Profile) -> list[Message]:
    """What the reader is sent."""
    advise = profile.preference_mode and asks_for_advice(question.text)
    order = _ANSWER_FIRST if profile.answer_first else _NOTES_FIRST
    asked = f" (asked on {question.asked_at:%Y-%m-%d %H:%M})" if question.asked_at else ""
    return [
        Message("system", "\n\n".join((_TASK, _ADVISE if advise else _HONEST, order))),
        Message("user", f"{as_text(evidence)}\n\nQuestion{asked}: {question.text}"),
    ]


def asks_for_advice(text: str) -> bool:
    """Whether a question wants a recommendation."""
    return _ASKS_FOR_ADVICE.search(text) is not None


def parse(text: str) -> tuple[str, str]:
    """Answer and notes, whichever came first; a text without labels is an answer."""
    found = [(match[1].lower(), match.start(), match.end()) for match in _LABEL.finditer(text)]
    if not any(label == "answer" for label, _, _ in found):
        notes = next((end for label, _, end in found if label == "notes"), None)
        return ("", text[notes:].strip()) if notes is not None else (text.strip(), "")
    starts = [start for _, start, _ in found] + [len(text)]
    sections: dict[str, str] = {}
    for (label, _, end), until in zip(found, starts[1:], strict=True):
        # Notes may quote the word; of several answers the first counts where it leads, else the last.
        if label == "notes" or found[0][0] == "notes" or label not in sections:
            sections[label] = text[end:until].strip()
    return sections.get("answer", ""), sections.get("notes", "")


def abstains(answer: str) -> bool:
    """Whether an answer is the sentinel, a last point and the form of the apostrophe aside."""
    return answer.strip().rstrip(".").replace("\u2019", "'") == SENTINEL
