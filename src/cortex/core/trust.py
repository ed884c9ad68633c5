"""How far a memory is to be trusted: text that reads like orders to a model gets a mark, and may be set apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from cortex.core.redaction import texts
from cortex.core.understanding.injection import SUSPICIOUS, suspicion_of
from cortex.model.memory import LOW_TRUST, TRUST, Draft, Role

_SUSPICION: Final = "suspicion"  # beside the mark, how much; whoever marks by hand leaves it out

# `source.type` of what nobody in the conversation said: text from elsewhere that an agent only carries.
UNTRUSTED: Final = frozenset(
    "import tool web document file email mail page url search attachment api feed crawl derived external".split()
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


def is_untrusted(draft: Draft) -> bool:
    """Whether it comes from elsewhere: a tool said it, or its source is no person of the conversation."""
    given = draft.source.get("type")
    return draft.role is Role.TOOL or (isinstance(given, str) and given.strip().casefold() in UNTRUSTED)


def _unmarked(draft: Draft) -> Draft:
    source: Mapping[str, Any] = draft.source
    if _SUSPICION not in source:
        return draft
    return replace(draft, source={k: v for k, v in source.items() if k not in (TRUST, _SUSPICION)})
