"""Whether hybrid retrieval brings the older of two statements before a judge who knows the newer one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cortex import Cortex
from cortex.errors import EmbedderError
from cortex.ports import Embedder
from cortex_bench.evaluation.contradiction import HALVES, Messages
from cortex_bench.evaluation.measure import ingest
from cortex_bench.evaluation.parts import Part

AMONG = 20
_ASKED = 2_000  # characters of a newer message that are asked with


def candidates(
    kinds: Mapping[str, Sequence[Messages]],
    beam: Path | None,
    embedder: Embedder,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """By kind of pair and half, the share whose older statement is among the first 20 that the newer one recalls.

    Each chat is a scope of its own with the messages of its pairs and, where ``beam`` has the chat, all others.
    """
    chats = sorted({pair.chat for pairs in kinds.values() for pair in pairs})
    found: dict[str, dict[str, list[tuple[int, bool]]]] = {kind: {half: [] for half in HALVES} for kind in kinds}
    for done, chat in enumerate(chats, start=1):
        own = {kind: [pair for pair in pairs if pair.chat == chat] for kind, pairs in kinds.items()}
        part = _part(chat, [pair for pairs in own.values() for pair in pairs], beam)
        with Cortex(":memory:", embedder=embedder) as cortex:
            ids = ingest(cortex, part)
            for kind, pairs in own.items():
                for pair in pairs:
                    if not pair.is_one:
                        found[kind][pair.half].append((len(ids), _is_found(cortex, part.scope, pair, ids)))
        tell(f"{done}/{len(chats)} {part.scope}, {len(part.items)} messages")
    return {kind: {half: _share(rows) for half, rows in halves.items()} for kind, halves in found.items()}


def _share(rows: Sequence[tuple[int, bool]]) -> dict[str, Any]:
    """Of all, and of those in a scope that has more than the candidates asked for."""
    large = [hit for size, hit in rows if size > 2 * AMONG]
    return {
        "n": len(rows),
        "share": round(sum(hit for _, hit in rows) / max(1, len(rows)), 4),
        "n_whole_chat": len(large),
        "share_whole_chat": round(sum(large) / max(1, len(large)), 4),
    }


def _part(chat: str, pairs: Sequence[Messages], beam: Path | None) -> Part:
    texts = _whole_chat(chat, beam)
    for pair in pairs:
        texts |= {**pair.older, **pair.newer}
    scope = f"project:beam-{chat}"
    items = tuple({"content": text, "scope": scope} for text in texts.values())
    return Part(scope, items, tuple(texts), ())


def _whole_chat(chat: str, beam: Path | None) -> dict[str, str]:
    size, _, number = chat.partition("-")
    path = beam / f"{number}.json" if beam is not None and size == "100K" else None
    if path is None or not path.exists():
        return {}
    try:
        messages = json.loads(path.read_text("utf-8"))["messages"]
        return {str(message["id"]): message["content"] for message in messages if message["content"].strip()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no chat of BEAM ({type(error).__name__}: {error})") from error


def _is_found(cortex: Cortex, scope: str, pair: Messages, ids: Mapping[str, Sequence[str]]) -> bool:
    for text in pair.newer.values():
        recalled = cortex.recall(text[:_ASKED], scope=scope, limit=AMONG, ranking="relevance")
        if recalled.degraded:
            raise EmbedderError(f"{scope} would be measured without vectors: {'; '.join(recalled.notes)}")
        if any(id_ in pair.older for hit in recalled.hits for id_ in ids[hit.memory.id]):
            return True
    return False
