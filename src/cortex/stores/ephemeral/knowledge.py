"""What the layers made of memories, in the plainest way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from cortex.model.conflict import Conflict, ConflictState
from cortex.model.knowledge import Name
from cortex.model.memory import Memory, Status
from cortex.model.query import Selection
from cortex.model.scope import Scope
from cortex.model.understanding import Edge, EntityType, Mention, Reading
from cortex.stores.ephemeral.select import selected
from cortex.stores.ephemeral.tables import Shared, copied


class EphemeralKnowledge:
    """A `Knowledge`."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def readings(self, seqs: Sequence[int]) -> Mapping[int, Reading]:
        """What was read from these memories, where anything was."""
        kept = self._shared.now().readings
        return {seq: kept[seq] for seq in seqs if seq in kept}

    def names(self, selection: Selection, containing: str) -> list[Name]:
        """The entities that the chosen memories mention and whose norm has this in it, by norm."""
        mentions: dict[str, list[Mention]] = {}
        for _, reading in self._chosen(selection):
            for mention in reading.mentions:
                mentions.setdefault(mention.norm, []).append(mention)
        return [_name(norm, mentions[norm]) for norm in sorted(mentions) if containing in norm]

    def named(self, selection: Selection, norms: Sequence[str]) -> list[Name]:
        """The entities with these norms that the chosen memories mention, by norm."""
        return [name for name in self.names(selection, "") if name.norm in norms]

    def mentioning(self, selection: Selection, norm: str, limit: int | None = None) -> list[int]:
        """The seqs of the chosen memories that mention an entity, the newest ones first."""
        chosen = self._chosen(selection)
        return sorted(
            (seq for seq, reading in chosen if any(mention.norm == norm for mention in reading.mentions)), reverse=True
        )[:limit]

    def edges(self, selection: Selection, norms: Sequence[str]) -> list[tuple[int, Edge]]:
        """What the chosen memories state of these entities, each with the seq of the memory, in the order written."""
        found = [
            (seq, edge)
            for seq, reading in self._chosen(selection)
            for edge in reading.edges
            if edge.source in norms or edge.target in norms
        ]
        return sorted(found, key=lambda item: (item[0], item[1].label, item[1].target))

    def conflicts(
        self, scopes: Sequence[Scope], states: Sequence[ConflictState], clearance: int, prefix: str = ""
    ) -> list[Conflict]:
        """The conflicts of these scopes in these states whose id begins so, the newest first."""
        tables = self._shared.now()
        by_id = {row.memory.id: row.memory for row in tables.rows.values()}
        found = []
        for conflict in tables.conflicts.values():
            older, newer = by_id[conflict.older], by_id[conflict.newer]
            cleared = max(older.clearance_min, newer.clearance_min) <= clearance
            if newer.scope in scopes and conflict.state in states and cleared and conflict.id.startswith(prefix):
                found.append(replace(conflict, scope=newer.scope))
        by_number = sorted(found, key=lambda conflict: conflict.id)
        return sorted(by_number, key=lambda conflict: conflict.found_at, reverse=True)

    def unread(self, scopes: Sequence[Scope], layers: Sequence[str], after: int, limit: int) -> list[Memory]:
        """Active memories of these scopes, by seq, that not all of these layers have read; seqs above ``after``."""
        tables = self._shared.now()
        found = []
        for seq, row in sorted(tables.rows.items()):
            done = tables.readings.get(seq)
            lacks = done is None or not set(layers) <= set(done.layers)
            if seq > after and lacks and row.memory.status is Status.ACTIVE and row.memory.scope in scopes:
                found.append(copied(row.memory))
        return found[:limit]

    def _chosen(self, selection: Selection) -> Iterator[tuple[int, Reading]]:
        tables = self._shared.now()
        for form in tables.forms(selection.now if selection.past else None):
            seq = form.memory.seq
            if seq in tables.readings and selected(form.memory, selection):
                yield seq, tables.readings[seq]


def _name(norm: str, mentions: Sequence[Mention]) -> Name:
    """Of several ways to write a name, or several types, the one that most memories have; then the first."""
    counts = Counter(mentions)
    first = {mention: place for place, mention in reversed(list(enumerate(mentions)))}
    best = min(counts, key=lambda mention: (mention.type is EntityType.THING, -counts[mention], first[mention]))
    return Name(norm, best.name, best.type, len(mentions))
