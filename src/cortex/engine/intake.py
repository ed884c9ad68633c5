"""From the keywords of a verb to drafts, filters, scopes and questions, with the caller's defaults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any, get_type_hints

from cortex.core import intake, moments
from cortex.core.text import in_latin
from cortex.engine.update import Edit
from cortex.errors import InvalidInput
from cortex.model.closest import refuse_unknown
from cortex.model.fields import Changes, FilterFields, Item
from cortex.model.memory import Clearance, Draft, Kind, Role, Status, Tier
from cortex.model.policy import Caller
from cortex.model.query import Erasure, Filter, Fusion, Listing, Order, Question, Ranking
from cortex.model.scope import Scope
from cortex.model.transfer import Conflict

LIST_LIMIT = 20
_ACTIVE = frozenset({Status.ACTIVE})
_NO_FILTER = Filter()
_FILTER_KEYS = frozenset(FilterFields.__annotations__)


class Intake:
    """Reads what one caller hands in; times without a zone are in ``zone``.

    A recall gives ``top_k`` hits by ``ranking``, and fuses legs by ``fusion``.
    """

    def __init__(self, caller: Caller, zone: tzinfo, top_k: int, ranking: Ranking, fusion: Fusion) -> None:
        self._own = Scope.user(caller.user, caller.org_id)
        self._org_id = caller.org_id
        self._zone = zone
        self._top_k = top_k
        self._ranking = ranking
        self._fusion = fusion

    def draft(self, item: object) -> Draft:
        """A draft from a text, a mapping with ``content``, or a draft."""
        given = _as_mapping(item)
        if not isinstance(given, Mapping):
            raise InvalidInput("item", f"expected text or an object with content, got {type(item).__name__}")
        if given.get("content") is None:
            raise InvalidInput("content", "missing; give the text to remember")
        said = {name: value for name, value in given.items() if value is not None}
        return self._checked(Draft(**{"scope": self._own, **self._read(said)}), said)

    def edit(self, changes: Mapping[str, Any]) -> Edit:
        """How to put the given values into a draft; None clears what may be empty."""
        refuse_unknown(changes, get_type_hints(Changes))
        given = {name: value for name, value in changes.items() if name != "idempotency_key"}
        if not given:
            raise InvalidInput("changes", f"none given; expected at least one of {', '.join(_READERS)}")
        return Edit(
            lambda draft: self._checked(replace(draft, **self._read(given)), given),
            given,
            self.key(changes.get("idempotency_key")),
        )

    def scope(self, given: object) -> Scope:
        """One scope; None is the caller's own."""
        if given is None:
            return self._own
        if isinstance(given, Scope):
            return given
        if isinstance(given, str):
            return _scope(given, self._org_id)
        raise InvalidInput("scope", f"expected text, got {type(given).__name__}")

    def named_scope(self, given: object) -> Scope:
        """One scope, which must be named: without, an update would move a memory, an erasure take the caller's own."""
        if given is None:
            raise InvalidInput("scope", "missing; name one")
        return self.scope(given)

    def scopes(self, given: object) -> list[Scope]:
        """One scope or several; None is the caller's own."""
        if isinstance(given, (list, tuple, set, frozenset)):
            if not given:
                raise InvalidInput("scope", "an empty list; name a scope, or leave it out for your own")
            return list(dict.fromkeys(self.scope(item) for item in given))
        return [self.scope(given)]

    def filter(self, given: Mapping[str, Any]) -> Filter:
        """A filter; statuses default to active."""
        if given.keys().isdisjoint(_FILTER_KEYS):
            return _NO_FILTER
        created = self._range(given, "created")
        event = self._range(given, "event")
        least = given.get("min_importance")
        return Filter(
            kinds=intake.members("kinds", given.get("kinds"), Kind),
            tiers=intake.members("tiers", given.get("tiers"), Tier),
            statuses=intake.members("statuses", given.get("statuses"), Status) or _ACTIVE,
            tags=intake.tags(given.get("tags")),
            metadata=intake.conditions(given.get("metadata")),
            session=intake.label("session", given.get("session")),
            author=intake.label("author", given.get("author")),
            speaker=intake.label("speaker", given.get("speaker")),
            min_importance=None if least is None else intake.whole("min_importance", least, 1, 10),
            created_since=created[0],
            created_until=created[1],
            event_since=event[0],
            event_until=event[1],
        )

    def stretch(self, given: Mapping[str, Any]) -> Filter:
        """The filter of a timeline: since and until are event times."""
        since, until = moments.between(given.get("since"), given.get("until"), self._zone)
        narrow = {name: given.get(name) for name in ("kinds", "tags")}
        return replace(self.filter(narrow), event_since=since, event_until=until)

    def question(self, query: object, given: Mapping[str, Any]) -> Question:
        """A question with its options; naming a fusion of the legs means `relevance`, which has one."""
        text, limit, fusion = intake.text("query", query), given.get("limit"), given.get("fusion") or None
        diversity = given.get("diversity")
        usual = self._ranking if fusion is None else Ranking.RELEVANCE
        return Question(
            text=text,
            limit=self._top_k if limit is None else intake.limit(limit),
            filter=self.filter(given),
            ranking=intake.member("ranking", given.get("ranking") or usual, Ranking),
            fusion=intake.member("fusion", fusion or self._usual_fusion(text), Fusion),
            diversity=0.0 if diversity is None else intake.share("diversity", diversity),
            explain=intake.switch("explain", given.get("explain")),
            as_of=self.as_of(given.get("as_of")),
        )

    def _usual_fusion(self, text: str) -> Fusion:
        """What cosines mean was measured in Latin script; in others a model may know little, and ranks are safer."""
        return self._fusion if in_latin(text) or self._fusion is not Fusion.CALIBRATED else Fusion.RRF

    def listing(self, given: Mapping[str, Any], wanted: Filter, order: Order) -> Listing:
        """A page of a listing; 20 memories unless said otherwise."""
        limit = given.get("limit")
        return Listing(
            scopes=self.scopes(given.get("scope")),
            filter=wanted,
            order=order,
            limit=LIST_LIMIT if limit is None else intake.limit(limit),
            cursor=given.get("cursor"),
            as_of=self.as_of(given.get("as_of")),
        )

    def erasure(self, scope: object, confirm: object, given: Mapping[str, Any]) -> Erasure:
        """What to erase of a scope; an empty value is refused, since as a filter it would let everything through."""
        home, dry_run = self.named_scope(scope), intake.switch("dry_run", given.get("dry_run"))
        if not dry_run and confirm is None:
            raise InvalidInput("confirm", f"missing; to erase in {home.key!r}, repeat the scope: {home.key!r}")
        if not dry_run and confirm != home.key:
            raise InvalidInput("confirm", f"{confirm!r} is not the scope; repeat it to erase in it: {home.key!r}")
        narrow = {name: value for name, value in given.items() if name != "dry_run" and value is not None}
        for name, value in narrow.items():
            if isinstance(value, Collection) and not value:
                raise InvalidInput(name, "is empty and would choose everything; leave it out, or say what to erase")
        return Erasure(scope=home, filter=self.filter(narrow) if narrow else None, dry_run=dry_run)

    def as_of(self, given: object) -> datetime | None:
        """The instant to look back to; None is now."""
        return moments.as_of(given, self._zone)

    def conflict(self, given: object) -> Conflict:
        """What to do when an id is taken."""
        return intake.member("on_conflict", given, Conflict)

    def key(self, given: object) -> str | None:
        """An idempotency key."""
        return intake.label("idempotency_key", given)

    def order(self, given: object) -> Order:
        """The order of a listing; newest first unless said otherwise."""
        return Order.NEWEST if given is None else intake.member("order", given, Order)

    def _range(self, given: Mapping[str, Any], name: str) -> tuple[Any, Any]:
        return moments.between(given.get(f"{name}_since"), given.get(f"{name}_until"), self._zone, prefix=f"{name}_")

    def _read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        refuse_unknown(given, Item.__annotations__)
        return {name: _READERS[name](self, value) for name, value in given.items()}

    def _checked(self, draft: Draft, given: Mapping[str, Any]) -> Draft:
        if draft.valid_from and draft.valid_to and draft.valid_to <= draft.valid_from:
            raise InvalidInput("valid_to", f"{given.get('valid_to', draft.valid_to)} is not after valid_from")
        return draft

    def time(self, field: str, value: object) -> Any:
        """An instant in UTC, or None."""
        return moments.instant(field, value, self._zone)


_scope = lru_cache(maxsize=1024)(Scope)  # building one checks the name anew, and most calls name the same few


def _as_mapping(item: object) -> object:
    if isinstance(item, str):
        return {"content": item}
    if isinstance(item, Draft):
        return {field.name: getattr(item, field.name) for field in fields(Draft)}
    return item


def _or_default(value: object, default: Any, read: Callable[[object], Any]) -> Any:
    return default if value is None else read(value)


_READERS: Mapping[str, Callable[[Intake, Any], Any]] = {
    "content": lambda _, value: intake.text("content", value),
    "kind": lambda _, value: _or_default(value, Kind.FACT, lambda v: intake.member("kind", v, Kind)),
    "tags": lambda _, value: intake.tags(value),
    "scope": lambda self, value: self.named_scope(value),
    "speaker": lambda _, value: intake.label("speaker", value),
    "role": lambda _, value: _or_default(value, None, lambda v: intake.member("role", v, Role)),
    "session": lambda _, value: intake.label("session", value),
    "position": lambda _, value: _or_default(
        value, None, lambda v: intake.whole("position", v, 0, intake.LARGEST_STORED)
    ),
    "event_time": lambda self, value: self.time("event_time", value),
    "metadata": lambda _, value: intake.json_object("metadata", value),
    "idempotency_key": lambda _, value: intake.label("idempotency_key", value),
    "importance": lambda _, value: _or_default(value, 5, lambda v: intake.whole("importance", v, 1, 10)),
    "emotion": lambda _, value: _or_default(value, None, lambda v: intake.share("emotion", v)),
    "confidence": lambda _, value: _or_default(value, 1.0, lambda v: intake.share("confidence", v)),
    "tier": lambda _, value: _or_default(value, Tier.LONG_TERM, lambda v: intake.member("tier", v, Tier)),
    "agent": lambda _, value: intake.label("agent", value),
    "source": lambda _, value: intake.json_object("source", value),
    "clearance_min": lambda _, value: _or_default(value, Clearance.INTERNAL, intake.clearance),
    "valid_from": lambda self, value: self.time("valid_from", value),
    "valid_to": lambda self, value: self.time("valid_to", value),
    "expires_at": lambda self, value: self.time("expires_at", value),
}
