"""Making entries fit into a budget of characters, in both forms, and saying what was cut."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cortex.engine.facade import fit
from cortex.model.memory import LOW_TRUST, TRUST
from cortex.surfaces.mcp.entry import Facts, is_low, lines

LEAST = 80  # characters, the beginning of a text that is always shown
FRAME = 400  # characters that one memory may always have for everything but its text
# Left out, in this order, where a memory has more of them than there is room for.
_DISPENSABLE = ("metadata", "source", "tags", "author", "speaker", "scope", "parts")


def fitted(entries: Sequence[Facts], room: int) -> tuple[list[Facts], list[str]]:
    """The first entries that there is room for, at least one, long texts cut; and what was cut."""
    share = max(FRAME, room // max(len(entries), 1))
    slimmed = [slim(facts, share) for facts in entries]
    shown: list[Facts] = []
    floor = 0
    for facts, _ in slimmed:
        floor += _cost({**facts, "content": facts["content"][:LEAST]})
        if shown and floor > room:
            break
        shown.append(facts)
    texts = _texts(shown, room)
    short = sum(text != facts["content"] for text, facts in zip(texts, shown, strict=True))
    bare = sum(bool(left_out) for _, left_out in slimmed[: len(shown)])
    cut = [f"{short} long {'text' if short == 1 else 'texts'}, get_memory gives them whole"] if short else []
    cut += [f"details of {bare}, get_memory has more"] if bare else []
    return [{**facts, "content": text} for facts, text in zip(shown, texts, strict=True)], cut


def _texts(shown: Sequence[Facts], room: int) -> list[str]:
    """The texts, cut until the entries fit: JSON spells some characters out, so lengths alone do not tell."""
    contents = [facts["content"] for facts in shown]
    left = room - sum(_cost({**facts, "content": ""}) for facts in shown)
    while True:
        texts = fit(contents, left)
        over = sum(_cost({**f, "content": text}) for f, text in zip(shown, texts, strict=True)) - room
        if over <= 0 or left <= LEAST * len(shown):
            return texts
        left = less(left, over, LEAST * len(shown))


def less(room: int, over: int, floor: int) -> int:
    """A smaller room: by what was over or, since a character may take several, half the way to the floor."""
    return room - over if room - over > floor else (room + floor) // 2


def slim(facts: Facts, room: int) -> tuple[Facts, list[str]]:
    """The facts without those that there is no room for beside the content; and their names."""
    kept, left_out = {**facts, "content": ""}, []
    for name in _DISPENSABLE:
        if _cost(kept) <= room:
            break
        marked = name == "source" and is_low(kept)
        if kept.pop(name, None) is not None:
            left_out.append(name)
        kept |= {"source": {TRUST: LOW_TRUST}} if marked else {}
    return {**kept, "content": facts["content"]}, left_out


def beginning(text: str, room: int) -> str:
    """As much of the text as there is room for, without a mark where it is cut."""
    shown = fit([text], room)[0]
    if shown == text:
        return text
    pairs = zip(text, shown, strict=False)
    return text[: next((i for i, (mine, theirs) in enumerate(pairs) if mine != theirs), len(shown))]


def _cost(facts: Facts) -> int:
    """The characters that an entry takes in the larger of the two forms, with what stands before and after it."""
    return max(len(lines(facts)) + 7, len(compact(facts)) + 1)


def compact(value: object) -> str:
    """JSON without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
