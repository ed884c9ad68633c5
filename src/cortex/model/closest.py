"""Refusing names nobody knows, with the nearest one that somebody does."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from cortex.errors import MESSAGES, InvalidInput

# What other memory systems call these things.
_ALIASES = {
    "text": "content",
    "memory": "content",
    "message": "content",
    "body": "content",
    "type": "kind",
    "memory_type": "kind",
    "category": "kind",
    "top": "limit",
    "top_k": "limit",
    "k": "limit",
    "n": "limit",
    "max_results": "limit",
    "q": "query",
    "question": "query",
    "search": "query",
    "user": "scope",
    "user_id": "scope",
    "project": "scope",
    "id": "memory_id",
    "labels": "tags",
}


def refuse_unknown(given: Iterable[object], known: Collection[str]) -> None:
    """Raise `InvalidInput` for the first name that is not known."""
    for name in given:
        if name not in known:
            names = ", ".join(known) if known else "no arguments"
            raise InvalidInput(
                MESSAGES.conceal(str(name))[:80], f"unknown argument{closest(str(name), known)}; expected {names}"
            )


def closest(name: str, known: Collection[str]) -> str:
    """A hint at the known name that is probably meant, or nothing."""
    alias = _ALIASES.get(name.lower())
    near = [alias] if alias in known else get_close_matches(name.lower(), known, n=1)
    return f", did you mean {near[0]!r}?" if near else ""
