"""The same request twice is one request: what an idempotency key stood for, and what it was answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from cortex.core.keep import request_digest
from cortex.core.redaction import refuse_secret_key
from cortex.engine.deps import Deps
from cortex.errors import IdempotencyConflict
from cortex.model.change import Idempotency, Outcome, Receipt
from cortex.model.policy import Caller
from cortex.model.redaction import Masked, SecretKind


def answered(deps: Deps, caller: Caller, verb: str, key: str | None, request: object) -> Receipt | None:
    """The receipt of an earlier call with this key; None for a new one.

    Raises `IdempotencyConflict` for the key of another call, `InvalidInput` for one that looks like a secret.
    """
    refuse_secret_key(key, deps.redaction)
    known = None if key is None else deps.store.ledger.known(caller, key)
    if known is None:
        return None
    if known.request != request_digest(verb, request) or not is_of(verb, known.outcome):
        raise IdempotencyConflict(f"idempotency_key {key!r} was used for another call; use a new key")
    return receipt(verb, known.outcome, {})


def claim(verb: str, key: str | None, request: object, now: datetime, facts: Mapping[str, Any]) -> Idempotency | None:
    """What the store shall keep of a request, with the facts of its receipt."""
    return None if key is None else Idempotency(key, request_digest(verb, request), now, {**facts, "verb": verb})


def is_of(verb: str, outcome: Outcome) -> bool:
    """Whether the request that an outcome answers was for this verb; its digest may have died with its text."""
    return bool((outcome.receipt or {}).get("verb", "memorize") == verb)


def receipt(verb: str, outcome: Outcome, facts: Mapping[str, Any]) -> Receipt:
    """The receipt of an outcome: its own facts if the request was known, else the ones given."""
    if outcome.conflict:
        raise IdempotencyConflict("the idempotency_key was used for another call a moment ago; use a new key")
    said = facts if outcome.receipt is None else outcome.receipt
    fields: dict[str, Any] = {"counts": outcome.counts, **said, "verb": verb}
    # As JSON has kept them.
    for name, read in _FROM_JSON.items():
        if name in fields:
            fields[name] = read(fields[name])
    return Receipt(id=outcome.id or None, **fields)


def _instants(given: Mapping[str, str]) -> dict[str, datetime]:
    return {name: datetime.fromisoformat(at) for name, at in given.items()}


def redacted(given: Iterable[Mapping[str, Any]]) -> tuple[Masked, ...]:
    """What was masked, as JSON has kept it."""
    return tuple(Masked(each["field"], SecretKind(each["kind"]), each["start"], each["end"]) for each in given)


_LISTS = ("remaining", "ids", "superseded", "conflicts", "linked", "notes")
_FROM_JSON: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_LISTS, tuple),
    "times": _instants,
    "redacted": redacted,
}
