"""The statements of a message: sentences without code, questions and requests."""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_END: Final = re.compile(
    r"(?<!\b[DMS][rst]\.)(?<!\bMrs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<=[.!?])[\"')\]]*\s+|\n+|(?<=[。！？])"
)
# A comma before a list item is none of these.
_JOINT: Final = re.compile(
    r"[,;:]?\s+(?=(?:and|but|so|because|although|though|while|which|considering|since|especially)\s)|[;:]\s+|,\s+"
)
_LEAD: Final = re.compile(r"(?:and|but|so|also|then|because|well|yeah|yes|sure|okay|ok|hey|hi)[,\s]+", re.IGNORECASE)
_AUXILIARY: Final = r"(?:can|could|would|should|do|does|did|is|are|was|were|will|have|has|am|shall|may|might)(?:n't)? "
_BEFORE_MARK: Final = re.compile(_AUXILIARY, re.IGNORECASE)
_ASKS: Final = re.compile(
    rf"{_AUXILIARY}(?:i|you|we|it|they|he|she|there|this|that|these|those|any\w*|some\w*|the|my|our|your|an?)\b"
    r"|(?:how|what|why|which|where|who|when)(?:'s)? (?:can|could|should|would|is|are|do|does|did|will|to|about|if|kind|"
    r"was|were|the|a)\b|what's|how's|who's|where's|(?:please|let|suppose|imagine|help|perhaps|maybe|whether|if) ",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"(?:how (?!would|could|about)|what(?:'s| is| are| kind) |why |where |when |who )", re.IGNORECASE
)
# What begins so states something, also behind a question.
_STATES: Final = re.compile(
    r"(?:considering|since|because|especially|given|and i(?:'m|'ve)|i(?:'m|'ve)|my|but i)\b", re.IGNORECASE
)
MAX_CHARACTERS = 8_000


def sentences(text: str) -> list[str]:
    """Sentences in order, code left out; only the beginning of a very long text."""
    plain = _CODE.sub("\n", text[:MAX_CHARACTERS]) if "```" in text or "~~~" in text else text[:MAX_CHARACTERS]
    return [found for part in _END.split(plain) if (found := " ".join(part.split()))]


def stated(sentence: str) -> str:
    """What a sentence states, without what it asks; empty where it only asks."""
    asks = sentence.endswith("?")
    if not asks and not _ASKS.match(sentence):
        return sentence
    parts = [part for part in _JOINT.split(sentence) if part]
    asked = [_asks(part, marked=asks) for part in parts]
    if not any(asked):
        return ", ".join(parts[:-1])
    kept: list[str] = []
    asking = False
    for part, here in zip(parts, asked, strict=True):
        asking = here or (asking and not _STATES.match(part))
        if not asking:
            kept.append(part)
    return ", ".join(kept).rstrip("?")


def presumes(sentence: str) -> bool:
    """Whether a sentence that asks takes the rest of it for granted, as one that asks for yes or no does not."""
    return _OPEN.match(sentence) is not None or not _asks(sentence, marked=sentence.endswith("?"))


def clauses(sentence: str) -> list[str]:
    """Its clauses, where it has more than one."""
    return [part for part in _JOINT.split(sentence) if part and " " in part]


def _asks(part: str, *, marked: bool) -> bool:
    """Whether a part of a sentence asks; ``marked``: the sentence has a question mark, so less must tell."""
    bare = _LEAD.sub("", part, count=1)
    return _ASKS.match(bare) is not None or (marked and _BEFORE_MARK.match(bare) is not None)
