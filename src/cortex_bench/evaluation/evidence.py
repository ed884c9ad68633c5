"""What a reader is shown of a recall: numbered blocks, each with its session, date and speaker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cortex import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One memory as evidence; ``index`` counts from 1, best first."""

    index: int
    session: str
    date: str
    speaker: str
    text: str

    def row(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)


def blocks(hits: Sequence[Hit]) -> list[Block]:
    """The hits in their order."""
    return [
        Block(
            index=number,
            session=hit.memory.session or "",
            date="" if hit.memory.event_time is None else f"{hit.memory.event_time:%Y-%m-%d %H:%M}",
            speaker=hit.memory.speaker or (hit.memory.role.value if hit.memory.role else ""),
            text=hit.memory.content,
        )
        for number, hit in enumerate(hits, start=1)
    ]


def as_text(found: Sequence[Block]) -> str:
    """The blocks as a reader gets them."""
    return "\n\n".join(f"{_heading(block)}\n{block.text}" for block in found) or "(nothing was found)"


def _heading(block: Block) -> str:
    facts = (f"session {block.session}" if block.session else "", block.date, block.speaker)
    return " | ".join((f"[{block.index}]", *(fact for fact in facts if fact)))
