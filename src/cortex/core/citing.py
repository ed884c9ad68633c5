"""A citation: enough of a memory to name it as a source."""

from __future__ import annotations

from cortex.core.text import preview
from cortex.model.memory import Memory
from cortex.model.score import Citation

EXCERPT_CHARS = 200


def cite(memory: Memory, score: float) -> Citation:
    """The citation of a memory found with this score."""
    return Citation(
        id=memory.id,
        scope=memory.scope.key,
        author=memory.author,
        created_at=memory.created_at,
        clearance=memory.clearance_min.name.lower(),
        source=memory.source,
        score=score,
        excerpt=preview(memory.content, EXCERPT_CHARS),
    )
