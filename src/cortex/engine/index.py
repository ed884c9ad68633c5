"""The search cache: one shelf a scope, kept fresh from the store and bounded in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime

from cortex.engine.shelf import Shelf, View
from cortex.errors import StoreError
from cortex.model.embedding import EmbeddingSignature
from cortex.model.feed import Feed
from cortex.model.scope import Scope
from cortex.ports import Store


class Index:
    """Views of scopes, fresh at every call.

    What any process wrote is seen at the next call, through the store's change numbers. The shelves
    used longest ago are dropped when all together exceed ``max_bytes``; the one in use always stays.
    """

    def __init__(self, store: Store, signature: EmbeddingSignature, max_bytes: int) -> None:
        self._store = store
        self._signature = signature
        self._max_bytes = max_bytes
        self._shelves: OrderedDict[Scope, tuple[Shelf, threading.Lock]] = OrderedDict()
        self._sizes: dict[Scope, int] = {}
        self._total = 0
        self._lock = threading.Lock()

    def stored_signature(self) -> EmbeddingSignature | None:
        """What made the vectors that are searched at this moment; None while there are none."""
        return self._store.reindexing.current()

    @property
    def nbytes(self) -> int:
        """Roughly how much memory all shelves take."""
        return self._total

    def views(self, scopes: Sequence[Scope], *, tokens: bool = False) -> list[View]:
        """The current view of each scope; ``tokens``: with the vectors of tokens, which are read when first wanted."""
        return [self._view(scope, tokens=tokens) for scope in scopes]

    def past(self, scopes: Sequence[Scope], at: datetime) -> list[View]:
        """Each scope as the store held it at an instant; made for the call and not kept."""
        return [self._past(scope, at) for scope in scopes]

    def _past(self, scope: Scope, at: datetime) -> View:
        shelf = Shelf(self._signature.dim)
        _put(shelf, self._store.past(scope, at, self._signature), scope)
        return shelf.view()

    def _view(self, scope: Scope, *, tokens: bool) -> View:
        shelf, lock = self._take(scope)
        with lock:
            if tokens and not shelf.with_tokens:
                shelf.with_tokens = True
                shelf.clear()
            feed = self._feed(scope, shelf)
            if _put(shelf, feed, scope) or feed.restart:
                if feed.restart or shelf.wasteful:
                    shelf.clear()
                    _put(shelf, self._feed(scope, shelf), scope)
                self._weigh(scope, shelf.nbytes)
            if shelf.change == 0:  # nothing was ever written there: any name may be asked for, none is kept
                self._drop(scope)
            return shelf.view()

    def _feed(self, scope: Scope, shelf: Shelf) -> Feed:
        return self._store.feed(scope, shelf.change, self._signature, tokens=shelf.with_tokens)

    def _take(self, scope: Scope) -> tuple[Shelf, threading.Lock]:
        with self._lock:
            entry = self._shelves.get(scope)
            if entry is None:
                entry = self._shelves[scope] = (Shelf(self._signature.dim), threading.Lock())
            self._shelves.move_to_end(scope)
            return entry

    def _drop(self, scope: Scope) -> None:
        with self._lock:
            self._shelves.pop(scope, None)

    def _weigh(self, scope: Scope, size: int) -> None:
        """Note the size of a shelf, and drop those used longest ago while all together are too large."""
        with self._lock:
            self._total += size - self._sizes.get(scope, 0)
            self._sizes[scope] = size
            while self._total > self._max_bytes and len(self._shelves) > 1:
                oldest, _ = self._shelves.popitem(last=False)
                self._total -= self._sizes.pop(oldest, 0)


def _put(shelf: Shelf, feed: Feed, scope: Scope) -> bool:
    """As `Shelf.put`; `StoreError` where a row holds what no memory can."""
    try:
        return shelf.put(feed)
    except (LookupError, ValueError, TypeError, ArithmeticError) as error:
        shelf.clear()
        raise StoreError(
            f"a memory of {scope.key!r} cannot be searched ({error!r}): cortex health names it; restore the store from "
            "a backup"
        ) from error
