"""Whether hybrid retrieval brings the older of two statements before a judge who knows the newer one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Row:
    """One pair: whether its scope is larger than what is asked for, and whether the older statement was found."""

    is_large: bool
    is_found: bool
    is_found_in_own_words: bool


def candidates(
    kinds: Mapping[str, Sequence[Messages]],
    beam: Path | None,
    embedder: Embedder,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """By kind of pair and half, the share whose older statement is among the first 20 that the newer one recalls.

    Each chat is a scope of its own with the messages of its pairs and, where ``beam`` has the chat, all others. Told
    are all pairs, those in scopes of more than 40 memories, and these among memories of the user's own words only.
    """
    chats = sorted({pair.chat for pairs in kinds.values() for pair in pairs})
    found: dict[str, dict[str, list[Row]]] = {kind: {half: [] for half in HALVES} for kind in kinds}
    for done, chat in enumerate(chats, start=1):
        own = {kind: [pair for pair in pairs if pair.chat == chat] for kind, pairs in kinds.items()}
        part = _part(chat, [pair for pairs in own.values() for pair in pairs], beam)
        with Cortex(":memory:", embedder=embedder) as cortex:
            ids = ingest(cortex, part)
            for kind, pairs in own.items():
                for pair in pairs:
                    if not pair.is_one:
                        hits = [_is_found(cortex, part.scope, pair, ids, only) for only in (None, {"role": "user"})]
                        found[kind][pair.half].append(Row(len(ids) > 2 * AMONG, *hits))
        tell(f"{done}/{len(chats)} {part.scope}, {len(part.items)} messages")
    return {kind: {half: _shares(rows) for half, rows in halves.items()} for kind, halves in found.items()}


def _shares(rows: Sequence[Row]) -> dict[str, Any]:
    large = [row for row in rows if row.is_large]
    return {
        "n": len(rows),
        "share": _share([row.is_found for row in rows]),
        "n_whole_chat": len(large),
        "share_whole_chat": _share([row.is_found for row in large]),
        "n_own_words": len(large),
        "share_own_words": _share([row.is_found_in_own_words for row in large]),
    }


def _share(hits: Sequence[bool]) -> float:
    return round(sum(hits) / max(1, len(hits)), 4)


def _part(chat: str, pairs: Sequence[Messages], beam: Path | None) -> Part:
    said = _whole_chat(chat, beam)
    for pair in pairs:
        said |= {id_: ("user", text) for id_, text in {**pair.older, **pair.newer}.items() if id_ not in said}
    scope = f"project:beam-{chat}"
    items = tuple({"content": text, "scope": scope, "metadata": {"role": role}} for role, text in said.values())
    return Part(scope, items, tuple(said), ())


def _whole_chat(chat: str, beam: Path | None) -> dict[str, tuple[str, str]]:
    size, _, number = chat.partition("-")
    path = beam / f"{number}.json" if beam is not None and size == "100K" else None
    if path is None or not path.exists():
        return {}
    try:
        messages = [each for each in json.loads(path.read_text("utf-8"))["messages"] if each["content"].strip()]
        return {str(each["id"]): (str(each["role"]), each["content"]) for each in messages}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no chat of BEAM ({type(error).__name__}: {error})") from error


def _is_found(
    cortex: Cortex, scope: str, pair: Messages, ids: Mapping[str, Sequence[str]], only: Mapping[str, str] | None
) -> bool:
    for text in pair.newer.values():
        recalled = cortex.recall(text[:_ASKED], scope=scope, limit=AMONG, ranking="relevance", metadata=only)
        if recalled.degraded:
            raise EmbedderError(f"{scope} would be measured without vectors: {'; '.join(recalled.notes)}")
        if any(id_ in pair.older for hit in recalled.hits for id_ in ids[hit.memory.id]):
            return True
    return False
