"""Verbs that sit together: what memories say of things, and where they contradict each other."""

from __future__ import annotations

from collections.abc import Sequence

from cortex.core import intake
from cortex.engine import conflicts, graph
from cortex.engine.deps import Deps
from cortex.engine.intake import LIST_LIMIT, Intake
from cortex.model.change import Receipt
from cortex.model.conflict import Conflict, ConflictState, Resolution
from cortex.model.fields import Scopes
from cortex.model.knowledge import About, Connection
from cortex.model.policy import Caller

_MOST_HOPS = 4


class Graph:
    """What memories say together: `cortex.graph.recall_about("Redis")`."""

    def __init__(self, deps: Deps, caller: Caller, intake_: Intake) -> None:
        self._deps = deps
        self._caller = caller
        self._intake = intake_

    def recall_about(self, entity: str, *, limit: int | None = None, scope: Scopes | None = None) -> About:
        """Everything about a person, place, technology or other thing by name: its relations and newest memories.

        "me" is whose memories they are. A part of a name does; other names that fit are told.
        """
        most = LIST_LIMIT if limit is None else intake.limit(limit)
        name = intake.text("entity", entity)
        return graph.about(self._deps, self._caller, self._intake.scopes(scope), name, most)

    def neighbors(self, entity: str, *, limit: int | None = None, scope: Scopes | None = None) -> list[Connection]:
        """What an entity is connected with, those that most memories state first."""
        most = LIST_LIMIT if limit is None else intake.limit(limit)
        name = intake.text("entity", entity)
        return graph.neighbors(self._deps, self._caller, self._intake.scopes(scope), name, most)

    def path(
        self, source: str, target: str, *, max_hops: int = _MOST_HOPS, scope: Scopes | None = None
    ) -> list[Connection]:
        """The shortest way from one entity to another, an edge a step; nothing where there is none."""
        ends = intake.text("source", source), intake.text("target", target)
        hops = intake.whole("max_hops", max_hops, 1, 10)
        return graph.path(self._deps, self._caller, self._intake.scopes(scope), ends, hops)


class Conflicts:
    """Memories that contradict each other: `cortex.conflicts.list_conflicts()`."""

    def __init__(self, deps: Deps, caller: Caller, intake_: Intake) -> None:
        self._deps = deps
        self._caller = caller
        self._intake = intake_

    def list_conflicts(
        self,
        *,
        states: Sequence[ConflictState | str] | ConflictState | str | None = None,
        scope: Scopes | None = None,
    ) -> list[Conflict]:
        """Contradictions between memories, newest first; those that are open unless other states are named."""
        wanted = intake.members("states", states, ConflictState) or {ConflictState.OPEN}
        return conflicts.listed(self._deps, self._caller, self._intake.scopes(scope), sorted(wanted))

    def resolve_conflict(self, conflict_id: str, resolution: Resolution | str) -> Receipt:
        """Decide: keep_newer, keep_older or keep_both. Who loses is superseded, and can be brought back."""
        chosen = intake.member("resolution", resolution, Resolution)
        return conflicts.resolve(self._deps, self._caller, conflict_id, chosen)
