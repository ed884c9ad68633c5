"""What is done to a memory when it is written, beyond keeping it: each its own switch, all off by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """Which layers are on.

    ``classify``: kind, importance and tags that nobody said. ``emotion``: how strongly felt. ``episodic``: when it
    happened, who, where. ``graph``: entities and their relations. ``dedup``: what says the same as a memory that is
    there is not kept again. ``soft_update``: what says almost the same may take the other's place. ``link``: what is
    near is linked both ways. ``conflict``: what contradicts a memory supersedes it, or waits for somebody to decide.
    """

    classify: bool = False
    emotion: bool = False
    episodic: bool = False
    graph: bool = False
    dedup: bool = False
    soft_update: bool = False
    link: bool = False
    conflict: bool = False

    def __iter__(self) -> Iterator[str]:
        """The names of those that are on."""
        return (field.name for field in fields(self) if getattr(self, field.name))

    @property
    def on(self) -> bool:
        """Whether any is."""
        return self.reads or self.compares

    @property
    def reads(self) -> bool:
        """Whether a text is taken apart."""
        return self.classify or self.emotion or self.episodic or self.graph

    @property
    def compares(self) -> bool:
        """Whether a text is held against its neighbours."""
        return self.dedup or self.soft_update or self.link or self.conflict


OFF = Layers()
ALL = Layers(**dict.fromkeys((field.name for field in fields(Layers)), True))
PRESETS: Mapping[str, Layers] = {"none": OFF, "engineering": ALL, "assistant": ALL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Cosines from which on the layers act, which mean something for one embedder only.

    ``dedup``: below, two texts are not looked at for being the same. ``soft_update``: from here on one may take the
    other's place. ``link``: from here on they are linked. ``merge``: from here on `consolidate` looks at them.
    ``sure`` and ``likely`` are no cosines: the confidence from which on a contradiction is settled without asking
    anybody, the second where one text may take the other's place.
    """

    dedup: float = 0.95
    soft_update: float = 0.83
    link: float = 0.75
    merge: float = 0.92
    sure: float = 0.8
    likely: float = 0.6


# For an embedder that nobody measured: those of the systems that Cortex unites.
USUAL = Thresholds()
# Measured for the embedder that ships: texts that say the same have a cosine of .85 and more; those that give the same
# thing another value .45 to .98. What is taken for the same, or for a new value, is judged by words.
THRESHOLDS: Mapping[str, Thresholds] = {"all-MiniLM-L6-v2": Thresholds(dedup=0.8, soft_update=0.58, link=0.6)}


def thresholds_for(model: str) -> Thresholds:
    """Those that were measured for an embedding model, by its name, or the usual ones."""
    return THRESHOLDS.get(model, USUAL)
