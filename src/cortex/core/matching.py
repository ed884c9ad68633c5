"""Whether a memory passes a filter: the one meaning of every filter, whatever the store.

Comparison of metadata is type-aware: 2 equals 2.0, but neither "2" nor true. A missing key matches
nothing but ``exists: false`` and a negation; a key that is there with null matches ``eq: null``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, assert_never

from cortex.model.memory import Clearance, Memory
from cortex.model.query import AnyOf, Condition, Filter, Inside, Not, Operator, Test

_MISSING = object()


def passes(memory: Memory, wanted: Filter) -> bool:
    """Whether every field of the filter lets the memory through."""
    return (
        _one_of(memory.kind, wanted.kinds)
        and _one_of(memory.tier, wanted.tiers)
        and _one_of(memory.status, wanted.statuses)
        and _equal(memory.session, wanted.session)
        and _equal(memory.author, wanted.author)
        and _equal(memory.speaker, wanted.speaker)
        and (wanted.min_importance is None or memory.importance >= wanted.min_importance)
        and _between(memory.created_at, wanted.created_since, wanted.created_until)
        and _between(memory.event_time, wanted.event_since, wanted.event_until)
        and details_pass(memory.tags, memory.metadata, wanted)
    )


def details_pass(tags: Sequence[str], metadata: Mapping[str, Any], wanted: Filter) -> bool:
    """Whether tags and metadata, which stores do not look at, let a memory through."""
    return set(wanted.tags) <= set(tags) and _all_hold(metadata, wanted.metadata)


def hidden(memory: Memory, clearance: Clearance, now: datetime) -> str | None:
    """Why a memory of the right scope is not shown now; None when it is."""
    return "clearance" if memory.clearance_min > clearance else out_of_time(memory, now)


def out_of_time(memory: Memory, now: datetime) -> str | None:
    """Why a memory does not hold at an instant; None when it does."""
    if memory.expires_at is not None and memory.expires_at <= now:
        return "expired"
    if memory.valid_from is not None and memory.valid_from > now:
        return "not yet valid"
    if memory.valid_to is not None and memory.valid_to <= now:
        return "no longer valid"
    return None


def holds(metadata: Mapping[str, Any], test: Test) -> bool:
    """Whether one test of metadata is true."""
    match test:
        case Condition():
            return _is_so(metadata, test)
        case Inside():
            inner = metadata.get(test.key)
            return _all_hold(inner if isinstance(inner, Mapping) else {}, test.tests)
        case AnyOf():
            return any(_all_hold(metadata, group) for group in test.groups)
        case Not():
            return not _all_hold(metadata, test.tests)
        case _:
            assert_never(test)


def _all_hold(metadata: Mapping[str, Any], tests: Sequence[Test]) -> bool:
    return all(holds(metadata, test) for test in tests)


def _is_so(metadata: Mapping[str, Any], condition: Condition) -> bool:
    value = metadata.get(condition.key, _MISSING)
    if condition.operator is Operator.EXISTS:
        return (value is not _MISSING) is bool(condition.value)
    return value is not _MISSING and _compare(value, condition)


def _compare(value: Any, condition: Condition) -> bool:
    wanted = condition.value
    match condition.operator:
        case Operator.EQ:
            return same(value, wanted)
        case Operator.IN:
            return any(same(value, item) for item in wanted)
        case Operator.CONTAINS:
            if isinstance(value, str):
                return isinstance(wanted, str) and wanted in value
            return isinstance(value, (list, tuple)) and any(same(item, wanted) for item in value)
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return _in_order(value, condition.operator, wanted)
        case Operator.EXISTS:
            return True
        case _:
            assert_never(condition.operator)


def _in_order(value: Any, operator: Operator, wanted: Any) -> bool:
    if _family(value) != _family(wanted) or _family(value) not in ("number", "text"):
        return False
    match operator:
        case Operator.GT:
            return bool(value > wanted)
        case Operator.GTE:
            return bool(value >= wanted)
        case Operator.LT:
            return bool(value < wanted)
        case _:
            return bool(value <= wanted)


def same(left: Any, right: Any) -> bool:
    """Equality that tells true from 1 and "2" from 2, at any depth."""
    if _family(left) != _family(right):
        return False
    if isinstance(left, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def _family(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "object" if isinstance(value, Mapping) else "list"


def _one_of(value: Any, chosen: frozenset[Any]) -> bool:
    return not chosen or value in chosen


def _equal(value: str | None, wanted: str | None) -> bool:
    return wanted is None or value == wanted


def _between(at: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if since is None and until is None:
        return True
    return at is not None and (since is None or at >= since) and (until is None or at < until)
