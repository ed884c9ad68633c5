"""How far a memory is to be trusted: text that reads like orders to a model gets a mark, and may be set apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from cortex.core.redaction import texts
from cortex.core.understanding.injection import SUSPICIOUS, suspicion_of
from cortex.model.memory import LOW_TRUST, TRUST, Draft, Memory, Role, is_low_trust

_SUSPICION: Final = "suspicion"  # beside the mark, how much; whoever marks by hand leaves it out

# `source.type` of what nobody in the conversation said: text from elsewhere that an agent only carries.
UNTRUSTED: Final = frozenset(
    "import tool web webpage website browser html pdf document file email mail page url search attachment api feed rss "
    "crawl slack derived external".split()
)


def suspicion(draft: Draft) -> float:
    """How much the worst of its texts reads like orders to a model, 0 to 1."""
    return max(map(suspicion_of, texts(_unmarked(draft))), default=0.0)


def marked(draft: Draft, suspicion: float) -> Draft:
    """With the mark of low trust where a text is suspicious, and without the one that an earlier text had."""
    draft = _unmarked(draft)
    if suspicion < SUSPICIOUS:
        return draft
    return replace(draft, source={**draft.source, TRUST: LOW_TRUST, _SUSPICION: suspicion})


def still_low(before: Memory, after: Draft) -> Draft:
    """The edited draft with the mark that its memory had.

    A mark that somebody set stays until ``trust`` is said anew; one that was found in a text from elsewhere stays too,
    since nobody who is trusted has said the new text either.
    """
    untouched = after.content == before.content and after.source == before.source
    found = _SUSPICION in before.source
    lifted = TRUST in after.source and not is_low_trust(after.source)
    if untouched or lifted or not before.low_trust or (found and not is_untrusted(after)):
        return after
    kept = {name: value for name, value in after.source.items() if name != _SUSPICION}
    return replace(after, source={**kept, TRUST: LOW_TRUST})


def is_untrusted(draft: Draft) -> bool:
    """Whether it comes from elsewhere: a tool said it, or its source is no person of the conversation."""
    given = draft.source.get("type")
    return draft.role is Role.TOOL or (isinstance(given, str) and given.strip().casefold() in UNTRUSTED)


def _unmarked(draft: Draft) -> Draft:
    source: Mapping[str, Any] = draft.source
    if _SUSPICION not in source:
        return draft
    return replace(draft, source={k: v for k, v in source.items() if k not in (TRUST, _SUSPICION)})
