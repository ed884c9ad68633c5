"""What a draft has to pass before anything is made of it: secrets are taken out, orders to a model are marked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from cortex.core import redaction, trust
from cortex.core.understanding.injection import SUSPICIOUS
from cortex.engine.deps import Deps
from cortex.errors import InvalidInput
from cortex.model.memory import Draft
from cortex.model.quick import quickly_made
from cortex.model.redaction import Masked, Redaction

_LOW = "it reads like orders to a model and is kept with low trust"
_QUARANTINED = (
    "it reads like orders to a model and comes from an untrusted source: it is quarantined and not recalled until "
    "somebody puts it back"
)


@quickly_made
@dataclass(frozen=True, slots=True)
class Cleared:
    """A draft as it may be kept, what was masked in it, and whether it is to be kept out of recall."""

    draft: Draft
    masked: tuple[Masked, ...] = ()
    quarantined: bool = False
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> dict[str, Any]:
        """What the receipt says of it, as JSON has it; nothing where there is nothing to say."""
        redacted = {"redacted": [asdict(each) for each in self.masked]} if self.masked else {}
        return {**redacted, **({"notes": list(self.notes)} if self.notes else {})}


def clear(deps: Deps, draft: Draft, given: Collection[str] = redaction.FIELDS) -> Cleared:
    """The draft without secrets, by the policy of `Deps.redaction`; only the fields that are ``given`` are looked at.

    Raises `InvalidInput`, which names kind and place and never the secret, where the policy is to refuse.
    """
    redaction.refuse_secret_key(draft.idempotency_key, deps.redaction)
    masked: tuple[Masked, ...] = ()
    if deps.redaction is not Redaction.OFF:
        found, masked = redaction.masked(draft, given)
        if masked and deps.redaction is Redaction.REFUSE:
            raise refusal(masked[0])
        draft = found
    if not any(name in redaction.FIELDS for name in given):
        return Cleared(draft)
    suspicion = trust.suspicion(draft)
    draft = trust.marked(draft, suspicion)
    if suspicion < SUSPICIOUS:
        return Cleared(draft, masked)
    apart = trust.is_untrusted(draft)
    return Cleared(draft, masked, apart, (_QUARANTINED if apart else _LOW,))


def request(deps: Deps, value: object) -> object:
    """What is kept a digest of: a request without secrets, equal for equal requests."""
    return value if deps.redaction is Redaction.OFF else redaction.masked_value(value)


def refusal(masked: Masked) -> InvalidInput:
    """Why a text is not kept."""
    where = f"has what looks like a secret ({masked.kind.value}) at characters {masked.start} to {masked.end}"
    return InvalidInput(masked.field, f"{where}; take it out, or set CORTEX_REDACT=mask to have it masked")
