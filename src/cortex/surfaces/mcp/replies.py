"""Answers as a model reads them: compact text with ids, and the same facts as structured content.

The text and the compact JSON of the structured content keep to the budget of characters, each by itself.
What is left out is said in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cortex.errors import InvalidInput
from cortex.model.change import Receipt
from cortex.model.knowledge import About
from cortex.model.memory import Memory
from cortex.model.page import Page
from cortex.model.score import Recall
from cortex.surfaces.mcp.entry import Facts, dated, edge_of, facts_of, head, hit_of, lines, said_by
from cortex.surfaces.mcp.fence import SIZE, fenced
from cortex.surfaces.mcp.fitting import FRAME, LEAST, beginning, compact, fitted, less, slim

_NOTE = 240 + SIZE  # characters kept free for the first line, for what was cut, and for the fence
_MOST_RELATIONS = 20
_REASON = 160  # characters of a reason from elsewhere, such as an embedder's


@dataclass(frozen=True, slots=True)
class Reply:
    """The two forms of one answer."""

    text: str
    data: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The characters of the larger form."""
        return max(len(self.text), len(compact(self.data)))


def recalled(answer: Recall, budget: int, limit: int | None = None) -> Reply:
    """The hits, best first; ``limit`` is how many were asked for."""
    reasons = [beginning(note, _REASON) for note in answer.notes]
    without = f"Degraded ({', '.join(answer.degraded)}): " if answer.degraded else ""
    tail = [f"{without}{reason}" for reason in reasons]
    tail += [f"{_memories(answer.pending)} still found by words only."] if answer.pending else []
    tail += _asked_for(answer.times) + _capped(limit, answer.limit)
    data: Facts = {
        "limit": answer.limit,
        "found": len(answer.hits),
        "legs": list(answer.legs),
        "degraded": list(answer.degraded),
        "notes": reasons,
        "pending": answer.pending,
        **{name: at.isoformat() for name, at in answer.times.items()},
    }
    shown, cut = fitted([hit_of(hit) for hit in answer.hits], _room(tail, data, budget))
    if len(shown) < len(answer.hits):
        cut.append(f"{len(answer.hits) - len(shown)} more are left out, ask for fewer or narrow the question")
    said = [f"{_memories(len(answer.hits))}, best first:" if answer.hits else "Nothing found."]
    entries = [f"{i}. {lines(facts)}" for i, facts in enumerate(shown, start=1)]
    return _said(said, entries, [*_cut(cut), *tail], {"memories": shown, **data}, cut)


def listed(ask: Callable[..., Page], budget: int, limit: int | None = None) -> Reply:
    """A page of memories; where fewer fit, the page of that many, so that its cursor goes on after the last shown."""
    page = ask()
    asked = len(page.memories)
    capped = _capped(limit, page.limit)
    tail, data, shown, cut = _page(page, budget)
    while len(shown) < len(page.memories):
        page = ask(limit=len(shown))
        tail, data, shown, cut = _page(page, budget)
    if len(shown) < asked:
        cut.append(f"{len(shown)} of the {asked} asked for fit, go on with the cursor")
    said = [f"{len(shown)} of {_memories(page.total)}:" if shown else f"None here, of {_memories(page.total)}."]
    entries = [f"- {lines(facts)}" for facts in shown]
    return _said(said, entries, [*_cut(cut), *tail, *capped], {"memories": shown, **data}, cut)


def told_about(found: About, budget: int) -> Reply:
    """What is known of one entity."""
    candidates = [name.name for name in found.candidates]
    relations = [edge_of(each) for each in found.connections[:_MOST_RELATIONS]]
    tail = [found.note] if found.note else []
    names = ["Did you mean:", *candidates] if candidates else []
    data: Facts = {"total": found.total, "relations": relations, "candidates": candidates}
    data |= {"note": found.note} if found.note else {}
    if found.entity is None:
        return _said(["Nothing is known by that name."], names, tail, {"memories": [], **data}, ())
    data |= {"entity": found.entity.name, "type": found.entity.type.value}
    shown, cut = fitted(
        [facts_of(memory) for memory in found.memories], _room([*relations, *names, *tail], data, budget)
    )
    hidden = len(found.connections) - len(relations)
    cut += [f"{hidden} more relations"] if hidden else []
    said = [f"In {_memories(found.total)}:"]
    entries = [f"{found.entity.name} ({found.entity.type.value})", *relations]
    entries += [*(f"- {lines(facts)}" for facts in shown), *names]
    return _said(said, entries, [*_cut(cut), *tail], {"memories": shown, **data}, cut)


def one(memory: Memory, start: int, budget: int) -> Reply:
    """One memory, its text from ``start`` as far as the budget goes."""
    if not 0 <= start < len(memory.content):
        raise InvalidInput("start", f"{start} is outside of the text; expected 0 to {len(memory.content) - 1}")
    facts, left_out = slim(facts_of(memory), max(FRAME, budget // 2))
    rest = memory.content[start:]
    room = min(len(rest), budget)
    while True:
        reply = _stretch(facts, start, beginning(rest, room), left_out)
        over = reply.size - budget
        if over <= 0 or room <= LEAST:
            return reply
        room = less(room, over, LEAST)


def done(receipt: Receipt, said: str) -> Reply:
    """What became of a write."""
    names = ("id", "scope", "deduplicated", "pending", "version", "content_chars", "embedded_chars", "counts")
    data = {name: getattr(receipt, name) for name in names}
    notes = [said]
    data |= {name: list(getattr(receipt, name)) or None for name in ("superseded", "conflicts", "linked")}
    data["superseded_by"] = receipt.superseded_by
    if receipt.superseded:
        notes.append(f"It takes the place of {', '.join(receipt.superseded)}, which said otherwise.")
    if receipt.superseded_by:
        notes.append(f"It is not recalled, since {receipt.superseded_by} counts more and says otherwise.")
    if receipt.conflicts:
        notes.append(f"It contradicts {', '.join(receipt.conflicts)}; ask the user which holds.")
    masked = [
        f"masked what looks like a secret: {m.kind.value} in {m.field}, {m.start} to {m.end}" for m in receipt.redacted
    ]
    data["notes"] = [*masked, *receipt.notes] or None
    notes += data["notes"] or []
    if receipt.pending:
        notes.append("It is found by its words now, by its meaning in a moment.")
    if 0 < receipt.embedded_chars < receipt.content_chars:
        notes.append(f"Its first {receipt.embedded_chars:,} characters are found by meaning, all by words.")
    return Reply(" ".join(notes), {k: dict(v) if k == "counts" else v for k, v in data.items() if v is not None})


def _stretch(facts: Facts, start: int, text: str, left_out: Sequence[str]) -> Reply:
    end, whole = start + len(text), facts["content_chars"]
    cut = [f"{end:,} of {whole:,} characters, go on with start {end}"] if end < whole else []
    cut += [f"{' and '.join(left_out)} left out, too long"] if left_out else []
    data = {**facts, "content": text, "start": start} | ({"next_start": end} if end < whole else {})
    # The text as it is, so that stretches can be put together.
    said = text if start else said_by(data) + text
    return _said([], [head(data), said], _cut(cut), data, cut)


def _page(page: Page, budget: int) -> tuple[list[str], Facts, list[Facts], list[str]]:
    tail = [f"More: cursor {page.next_cursor}"] if page.next_cursor else []
    tail += [*_asked_for(page.times), *([f"Shown: {page.note}."] if page.note else [])]
    data: Facts = {"total": page.total, "limit": page.limit}
    data |= {"next_cursor": page.next_cursor} if page.next_cursor else {}
    data |= {name.removeprefix("event_"): at.isoformat() for name, at in page.times.items()}
    facts = [dated(facts_of(memory), page.events.get(memory.id)) for memory in page.memories]
    shown, cut = fitted(facts, _room(tail, data, budget))
    return tail, data, shown, cut


def _room(tail: Sequence[str], data: Facts, budget: int) -> int:
    return budget - Reply("\n".join(tail), data).size - _NOTE


def _said(
    before: Sequence[str], remembered: Sequence[str], after: Sequence[str], data: Facts, cut: Sequence[str]
) -> Reply:
    """The reply whose remembered lines stand between the two of the fence, and nothing else does."""
    inside = [fenced("\n".join(remembered))] if remembered else []
    return Reply("\n".join([*before, *inside, *after]), data | ({"cut": "; ".join(cut)} if cut else {}))


def _cut(cut: Sequence[str]) -> list[str]:
    return [f"[Cut to fit: {'; '.join(cut)}]"] if cut else []


def _asked_for(times: Mapping[str, datetime]) -> list[str]:
    """What the dates of a question meant."""
    ends = [f"{'from' if name.endswith('since') else 'before'} {at.isoformat()}" for name, at in times.items()]
    return [f"Asked for: {', '.join(ends)}."] if ends else []


def _capped(asked: int | None, limit: int) -> list[str]:
    return [f"The limit was brought down to {limit:,}."] if asked is not None and asked > limit else []


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count:,} memories"
