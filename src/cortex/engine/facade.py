"""What one can ask: one short method a verb."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from cortex.core.budget import fit
from cortex.engine import forget, jobs, listing, memorize, recall, status, update
from cortex.engine.accesses import Accesses
from cortex.engine.deps import Deps
from cortex.engine.intake import Intake
from cortex.engine.spelled import spelled_out
from cortex.errors import IdempotencyConflict
from cortex.model.change import Receipt
from cortex.model.fields import (
    Changes,
    CountFields,
    ErasureFields,
    Item,
    ListFields,
    MemoryFields,
    RecallFields,
    TimelineFields,
)
from cortex.model.health import Health, Stats
from cortex.model.memory import Draft, Memory
from cortex.model.page import Page
from cortex.model.policy import Caller
from cortex.model.query import Order
from cortex.model.scope import Scope
from cortex.model.score import Recall

if TYPE_CHECKING:
    from cortex.engine.admin import Admin
    from cortex.engine.groups import Conflicts, Graph

__all__ = ["Engine", "fit"]


class Engine:
    """The verbs of Cortex for one caller.

    Errors are of the `CortexError` family. Every method may be called from any thread.
    """

    def __init__(self, deps: Deps, caller: Caller) -> None:
        self._deps = deps
        self._caller = caller
        self._intake = Intake(caller, deps.zone, deps.top_k, deps.ranking, deps.fusion)
        self._accesses = Accesses(deps, caller)
        self._closed = False

    @cached_property
    def admin(self) -> Admin:
        """What an administrator does with the whole store."""
        from cortex.engine.admin import Admin  # few calls need it, and every start would read it

        return Admin(self._deps, self._caller, self._intake)

    @cached_property
    def graph(self) -> Graph:
        """What memories say together of people and things."""
        from cortex.engine.groups import Graph  # as above

        return Graph(self._deps, self._caller, self._intake)

    @cached_property
    def conflicts(self) -> Conflicts:
        """Memories that contradict each other."""
        from cortex.engine.groups import Conflicts  # as above

        return Conflicts(self._deps, self._caller, self._intake)

    @spelled_out(MemoryFields)
    def memorize(self, content: str, **fields: Unpack[MemoryFields]) -> Receipt:
        """Keep a text. It is durable and can be recalled when this returns; equal texts are kept once."""
        draft = self._intake.draft({"content": content, **fields})
        receipt = memorize.memorize(self._deps, self._caller, [draft])[0]
        if receipt.error is not None:
            raise IdempotencyConflict(receipt.error)
        return receipt

    def memorize_many(self, items: Iterable[str | Item | Mapping[str, Any] | Draft]) -> list[Receipt]:
        """Keep many texts, one commit per 500; a refused item has its ``error`` in its receipt."""
        return memorize.memorize_items(self._deps, self._caller, self._intake.draft, items)

    @spelled_out(RecallFields)
    def recall(self, query: str, **options: Unpack[RecallFields]) -> Recall:
        """The memories that best answer a question; needs no network and no language model, unless one reranks."""
        question = self._intake.question(query, options)
        answer = recall.recall(self._deps, self._caller, self._intake.scopes(options.get("scope")), question)
        self._accesses.count(question, answer)
        return answer

    def get(self, memory_id: str) -> Memory | None:
        """The memory with this id or unique prefix, whatever its status; None when there is none."""
        return listing.get(self._deps, self._caller, memory_id)

    def history(self, memory_id: str) -> list[Memory]:
        """Every version of a memory, oldest first, the current one last."""
        return listing.history(self._deps, self._caller, memory_id)

    @spelled_out(ListFields)
    def list_memories(self, **options: Unpack[ListFields]) -> Page:
        """Memories in order, newest first unless said otherwise, a page at a time."""
        intake = self._intake
        asked = intake.listing(options, intake.filter(options), intake.order(options.get("order")))
        return listing.page(self._deps, self._caller, asked)

    @spelled_out(TimelineFields)
    def timeline(self, **options: Unpack[TimelineFields]) -> Page:
        """Memories that have an event time, in the order things happened; both ends are inclusive.

        With the layer episodic also those whose text tells of an event, undated ones last.
        """
        asked = self._intake.listing(options, self._intake.stretch(options), Order.EVENT)
        return listing.timeline(self._deps, self._caller, asked)

    @spelled_out(CountFields)
    def count(self, **options: Unpack[CountFields]) -> int:
        """How many memories there are, within the filter."""
        asked = self._intake.listing(options, self._intake.filter(options), Order.NEWEST)
        return listing.count(self._deps, self._caller, asked)

    @spelled_out(Changes)
    def update(self, memory_id: str, **changes: Unpack[Changes]) -> Receipt:
        """Change what is given and keep the rest; search finds the new text at once."""
        return update.update(self._deps, self._caller, memory_id, self._intake.edit(changes))

    def archive(self, memory_id: str, *, undo: bool = False, idempotency_key: str | None = None) -> Receipt:
        """Take a memory out of recall and keep it; ``undo`` puts it back."""
        key = self._intake.key(idempotency_key)
        return forget.archive(self._deps, self._caller, memory_id, undo=undo, key=key)

    def forget(self, memory_id: str, *, idempotency_key: str | None = None) -> Receipt:
        """Erase a memory with its history and every other trace; the receipt counts them."""
        return forget.forget(self._deps, self._caller, memory_id, self._intake.key(idempotency_key))

    @spelled_out(ErasureFields)
    def forget_all(
        self,
        scope: str | Scope,
        *,
        confirm: str | None = None,
        idempotency_key: str | None = None,
        **within: Unpack[ErasureFields],
    ) -> Receipt:
        """Erase everything in a scope, or what passes a filter; ``confirm`` repeats the scope, but for a dry run."""
        wish = self._intake.erasure(scope, confirm, within)
        return forget.forget_all(self._deps, self._caller, wish, self._intake.key(idempotency_key))

    def health(self) -> Health:
        """Whether everything works: the file, the vectors, what is still owed."""
        return status.health(self._deps, self._caller)

    def stats(self) -> Stats:
        """How many memories there are, by scope, kind, tier and status."""
        return status.stats(self._deps, self._caller)

    def close(self) -> None:
        """Do what is owed and can be done now, then release the store; closing twice is allowed."""
        if not self._closed:
            self._closed = True
            try:
                self._accesses.close()
                jobs.drain(self._deps, self._caller)
            finally:
                self._deps.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
