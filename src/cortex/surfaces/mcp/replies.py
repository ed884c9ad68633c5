"""Answers as a model reads them: compact text with ids, and the same facts as structured content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cortex.engine.facade import fit
from cortex.model.change import Receipt
from cortex.model.memory import Memory
from cortex.model.page import Page
from cortex.model.score import Hit, Recall

SHORT_ID = 12
_FRAME = 400  # what one entry costs besides its text, in the larger of the two forms


@dataclass(frozen=True, slots=True)
class Reply:
    """The two forms of one answer."""

    text: str
    data: Mapping[str, Any]


def recalled(answer: Recall, query: str, budget: int) -> Reply:
    """The hits, best first."""
    kept, note = _fitting([hit.memory for hit in answer.hits], budget)
    hits = [replace(hit, memory=memory) for hit, memory in zip(answer.hits, kept, strict=False)]
    head = f"{len(answer.hits)} memories for {query[:80]!r}" if hits else f"Nothing found for {query[:80]!r}."
    lines = [head, *(f"{i}. {_line(hit.memory, _why(hit))}" for i, hit in enumerate(hits, start=1)), *note]
    lines += [f"Degraded ({', '.join(answer.degraded)}): {reason}" for reason in answer.notes]
    lines += [f"{answer.pending} memories are found by their words only for now."] if answer.pending else []
    data = {
        "memories": [
            {**_facts(hit.memory, whole.memory), "score": hit.score, "parts": _parts(hit)}
            for hit, whole in zip(hits, answer.hits, strict=False)
        ],
        "legs": list(answer.legs),
        "degraded": list(answer.degraded),
        "notes": list(answer.notes),
        "pending": answer.pending,
    }
    return Reply("\n".join(lines), data | ({"cut": note[0]} if note else {}))


def listed(page: Page, budget: int) -> Reply:
    """A page of memories."""
    kept, note = _fitting(page.memories, budget)
    head = f"{len(page.memories)} of {page.total} memories" if page.memories else "No memories here."
    lines = [head, *(f"- {_line(memory)}" for memory in kept), *note]
    lines += [f"More: cursor {page.next_cursor}"] if page.next_cursor else []
    data: dict[str, Any] = {
        "memories": [_facts(memory, original) for memory, original in zip(kept, page.memories, strict=False)],
        "total": page.total,
    }
    for name, value in (("since", page.since), ("until", page.until)):
        data |= {name: value.isoformat()} if value else {}
    data |= {"next_cursor": page.next_cursor} if page.next_cursor else {}
    return Reply("\n".join(lines), data | ({"cut": note[0]} if note else {}))


def one(memory: Memory, start: int, budget: int) -> Reply:
    """One memory, its text from ``start`` as far as the budget goes."""
    stretch = memory.content[start : start + budget - _FRAME]
    end = start + len(stretch)
    more = f"\n[{end:,} of {len(memory.content):,} characters; go on with start {end}]"
    text = _line(replace(memory, content=stretch)) + (more if end < len(memory.content) else "")
    return Reply(text, {**_facts(replace(memory, content=stretch), memory), "start": start})


def done(receipt: Receipt, said: str) -> Reply:
    """What became of a write."""
    names = ("id", "scope", "deduplicated", "pending", "version", "content_chars", "embedded_chars", "counts")
    data = {name: getattr(receipt, name) for name in names}
    notes = [said]
    if receipt.pending:
        notes.append("It is found by its words now, by its meaning in a moment.")
    if 0 < receipt.embedded_chars < receipt.content_chars:
        notes.append(f"Its first {receipt.embedded_chars:,} characters are found by meaning, all by words.")
    return Reply(" ".join(notes), {k: dict(v) if k == "counts" else v for k, v in data.items() if v is not None})


def _fitting(memories: Sequence[Memory], budget: int) -> tuple[list[Memory], list[str]]:
    """The memories that the budget has room for, long texts cut; and a note of what was cut."""
    room = max(budget // (_FRAME + 80), 1)
    shown = list(memories[:room])
    texts = fit([memory.content for memory in shown], max(budget - _FRAME * len(shown), 80))
    cut = sum(text != memory.content for text, memory in zip(texts, shown, strict=True))
    notes = []
    if cut:
        notes.append(f"{cut} long texts are cut; get_memory gives them whole")
    if len(memories) > room:
        notes.append(f"{len(memories) - room} more are left out; ask for fewer, or narrow the question")
    kept = [replace(memory, content=text) for memory, text in zip(shown, texts, strict=True)]
    return kept, [f"Cut to fit: {'; '.join(notes)}."] if notes else []


def _line(memory: Memory, why: str = "") -> str:
    at = memory.event_time or memory.created_at
    facts = [memory.id[:SHORT_ID], at.date().isoformat(), memory.kind.value, memory.scope.key]
    facts += [why] if why else []
    facts += [memory.status.value] if memory.status.value != "active" else []
    facts += ["#" + " #".join(memory.tags)] if memory.tags else []
    speaker = f"{memory.speaker}: " if memory.speaker else ""
    return f"[{' | '.join(facts)}]\n   {speaker}{memory.content}"


def _why(hit: Hit) -> str:
    ranks = ", ".join(f"{leg} #{part.rank}" for leg, part in hit.parts.items())
    return f"score {hit.score:.4f}: {ranks}"


def _parts(hit: Hit) -> dict[str, dict[str, float]]:
    return {leg: {"rank": part.rank, "score": part.score} for leg, part in hit.parts.items()}


def _facts(memory: Memory, whole: Memory) -> dict[str, Any]:
    facts = {
        "id": memory.id,
        "content": memory.content,
        "content_chars": len(whole.content),
        "kind": memory.kind.value,
        "scope": memory.scope.key,
        "status": memory.status.value,
        "created_at": memory.created_at.isoformat(),
        "event_time": memory.event_time.isoformat() if memory.event_time else None,
        "speaker": memory.speaker,
        "author": memory.author,
        "importance": memory.importance,
        "tags": list(memory.tags) or None,
        "metadata": dict(memory.metadata) or None,
        "source": dict(memory.source) or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
