"""What every verb works with: the plugs and the few choices of whoever put them together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import tzinfo

from cortex.engine.index import Index
from cortex.engine.rerank import Deadline
from cortex.model.layers import OFF, Layers, Thresholds
from cortex.model.layers import USUAL as USUAL_THRESHOLDS
from cortex.model.query import Fusion, Ranking
from cortex.model.ranking import (
    USUAL,
    USUAL_ASSISTANT,
    USUAL_DAYS,
    AssistantWeights,
    ConversationWeights,
    PriorityDays,
)
from cortex.model.redaction import Redaction
from cortex.model.single_user import SingleUserFile
from cortex.ports import Clock, Embedder, LLMProvider, Store, TextTraces


@dataclass(frozen=True, slots=True, kw_only=True)
class Deps:
    """The plugs of one engine.

    ``ready`` tells whether the embedder would answer without loading first, and ``prepare`` starts loading beside what
    else a call has to do; where ``wait`` is false, a call that finds it loading goes on without it and says so.
    ``zone`` is meant by times without one; ``top_k`` is how many hits a recall gives unless it says otherwise;
    ``ranking`` and ``fusion`` order them likewise, ``conversation`` and ``assistant`` weigh the signals of those
    rankings, ``priority_days`` are the scales of `engineering`.
    ``single_user`` opens a file of the earlier single-user program for reading, and gives None for any other.
    ``layers``: what is done to a memory beyond keeping it, from which cosines on (``thresholds``).
    ``redaction``: what happens to secrets in what is to be kept.
    ``patient``: the embedder for what nobody waits for; None where the usual one does that too. ``llm``: the language
    model of the write path, None for none; ``patient_llm`` likewise.
    ``reranking``: what puts hits in a better order; None for nothing, and then no recall asks a model.
    ``counts``: whether returned memories are counted by rankings that look at that; ``background``: in a thread beside,
    else at once, after the answer is made.
    ``traces``: what keeps something of texts beside the store and is told whose they are; None for nothing.
    """

    store: Store
    embedder: Embedder
    index: Index
    clock: Clock
    new_id: Callable[[], str]
    ready: Callable[[], bool]
    prepare: Callable[[], None] = lambda: None
    zone: tzinfo
    top_k: int = 5
    ranking: Ranking = Ranking.CONVERSATION
    fusion: Fusion = Fusion.CALIBRATED
    wait: bool = True
    conversation: ConversationWeights = USUAL
    assistant: AssistantWeights = USUAL_ASSISTANT
    priority_days: PriorityDays = USUAL_DAYS
    reranking: Deadline | None = None
    counts: bool = True
    background: bool = True
    single_user: Callable[[str], AbstractContextManager[SingleUserFile | None]] = lambda _: nullcontext(None)
    traces: TextTraces | None = None
    layers: Layers = OFF
    thresholds: Thresholds = USUAL_THRESHOLDS
    redaction: Redaction = Redaction.MASK
    patient: Embedder | None = None
    patient_llm: LLMProvider | None = None
    llm: LLMProvider | None = None
