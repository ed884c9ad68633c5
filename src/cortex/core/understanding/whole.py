"""Everything that the layers want to know of a text, read without a model."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Final

from cortex.core.understanding.emotion import intensity_of
from cortex.core.understanding.entities import entities_of
from cortex.core.understanding.events import event_of
from cortex.core.understanding.importance import importance_of
from cortex.core.understanding.kinds import kind_of
from cortex.core.understanding.relations import relations_of
from cortex.core.understanding.tags import tags_of
from cortex.model.layers import Layers
from cortex.model.memory import Draft, Memory
from cortex.model.understanding import Understanding

OFFLINE: Final = "offline/1"


def only(found: Understanding, layers: Layers) -> Understanding:
    """As much of an understanding as the layers ask for."""
    return Understanding(
        kind=found.kind if layers.classify else None,
        importance=found.importance if layers.classify else None,
        tags=found.tags if layers.classify else (),
        emotion=found.emotion if layers.emotion else None,
        event=found.event if layers.episodic else None,
        entities=found.entities if layers.graph else (),
        relations=found.relations if layers.graph else (),
    )


def understand(source: Draft | Memory, layers: Layers, *, said_at: datetime, zone: tzinfo) -> Understanding:
    """What a text says, as far as the layers ask. ``said_at`` and ``zone`` are what "yesterday" is counted from."""
    text = source.content
    named = entities_of(text) if layers.graph or layers.classify else ()
    kind = kind_of(text) if layers.classify else None
    return Understanding(
        kind=kind,
        importance=importance_of(text, kind) if layers.classify else None,
        tags=tags_of(text, named) if layers.classify else (),
        emotion=intensity_of(text) if layers.emotion else None,
        event=event_of(text, said_at=said_at, zone=zone, speaker=source.speaker) if layers.episodic else None,
        entities=named if layers.graph else (),
        relations=relations_of(text, named) if layers.graph else (),
    )
