"""Telling what keeps something of texts beside the store whose they are, and when these are erased.

The usual embedder keeps nothing: then `Deps.traces` is None, nobody is told and nothing is read for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from cortex.core import keep
from cortex.engine.deps import Deps
from cortex.model.change import Outcome
from cortex.model.memory import Draft, Memory
from cortex.ports import TextTraces

Texts = Mapping[str, Sequence[str]]


class Named(Protocol):
    """A memory by seq and id."""

    @property
    def seq(self) -> int:
        """By which the store orders it."""
        ...

    @property
    def id(self) -> str:
        """By which callers know it."""
        ...


def join(*traces: TextTraces) -> TextTraces | None:
    """One that tells each of them; None for none."""
    return _Several(traces) if len(traces) > 1 else next(iter(traces), None)


class _Several:
    def __init__(self, each: Sequence[TextTraces]) -> None:
        self._each = each

    def own(self, texts: Texts) -> None:
        """Tell each."""
        for traces in self._each:
            traces.own(texts)

    def disown(self, texts: Texts) -> Sequence[str]:
        """Tell each; the files of all, once each."""
        return tuple(dict.fromkeys(file for traces in self._each for file in traces.disown(texts)))


def own(deps: Deps, kept: Iterable[tuple[Outcome, Draft | Memory]]) -> None:
    """These texts were committed with vectors, as these outcomes say."""
    if deps.traces is not None:
        sound = [(outcome, source) for outcome, source in kept if outcome.id and not outcome.conflict]
        texts = {outcome.id: keep.pieces(source) for outcome, source in sound}
        deps.traces.own(texts)
        # Whoever erased one of them in between could not know of what has just been noted.
        there = {memory.id for memory in deps.store.read([outcome.seq for outcome, _ in sound])}
        disown(deps, {id_: group for id_, group in texts.items() if id_ not in there})


def held(deps: Deps, memories: Iterable[Named]) -> Texts:
    """Everything that was ever embedded of these memories, by id."""
    if deps.traces is None:
        return {}
    versions = ((memory.id, deps.store.archive.history(memory.seq)) for memory in memories)
    return {id_: [text for form in forms for text in keep.pieces(form)] for id_, forms in versions}


def disown(deps: Deps, texts: Texts) -> Sequence[str]:
    """These memories are erased; the files that may still hold something of them.

    To be called before the commit, so that a crash leaves nothing, and after it, since others write meanwhile.
    """
    return () if deps.traces is None or not texts else deps.traces.disown(texts)


def unfinished(deps: Deps) -> Sequence[str]:
    """Do what an earlier erasure could not; the files that may still hold something of it."""
    return () if deps.traces is None else deps.traces.disown({})
