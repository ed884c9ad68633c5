"""The knobs of reading and of retrieval for a reader: one table, by tier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

DEFAULT_TIER = "cheap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How many memories a reader gets, and how it is asked."""

    top_k: int
    preference_mode: bool = True
    answer_first: bool = True
    max_output_tokens: int = 8192


TIERS: Mapping[str, Profile] = {"cheap": Profile(top_k=50), "flagship": Profile(top_k=100)}
# Many short turns answer a question of LoCoMo, and none of its questions asks for a recommendation.
DELTAS: Mapping[str, Mapping[str, Any]] = {"locomo": {"top_k": 100, "preference_mode": False}}


def tier_of(name: str | None, warn: Callable[[str], None]) -> str:
    """The tier of this name, whatever its case and the space around it; the cheap one, with a warning, for another."""
    found = (name or "").strip().lower()
    if found in TIERS:
        return found
    if name is not None:
        warn(f"there is no tier {name!r}, so it is {DEFAULT_TIER}; tiers are {', '.join(TIERS)}")
    return DEFAULT_TIER


def profile(tier: str, data: str, **given: Any) -> Profile:
    """A profile of one's own: what is ``given`` and not None, else what the data set differs in, else the tier."""
    chosen = {name: value for name, value in given.items() if value is not None}
    return replace(TIERS[tier], **{**DELTAS.get(data, {}), **chosen})
