"""How it is put together: from settings to an engine with its plugs."""

from __future__ import annotations

import logging
import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import tzinfo

from cortex.app.clock import SystemClock
from cortex.app.models import LOCAL_MODEL, remote_embedder
from cortex.app.settings import Settings, full_path, store_place
from cortex.engine.deps import Deps
from cortex.engine.index import Index
from cortex.engine.rerank import Deadline, LLMReranker
from cortex.engine.traces import join
from cortex.errors import ConfigurationError, EmbedderError, InvalidInput
from cortex.model.layers import PRESETS, Layers, Thresholds, thresholds_for
from cortex.model.query import Fusion, Ranking
from cortex.model.ranking import USUAL, AssistantWeights, ConversationWeights, PriorityDays
from cortex.model.redaction import Redaction
from cortex.ports import Embedder, LLMProvider, PatientEmbedder, PatientProvider, Reranker, Store, TextTraces
from cortex.providers.local import MODEL_FILE, TOKENIZER_FILE, LocalEmbedder
from cortex.stores.sqlite.replace import to_be_replaced
from cortex.stores.sqlite.single_user import open_single_user
from cortex.stores.sqlite.store import SQLiteStore

log = logging.getLogger(__name__)


def place(location: str) -> str:
    """``:memory:`` or the absolute path of a path or URL."""
    try:
        return store_place(location)
    except ValueError as error:
        raise ConfigurationError(f"store: {error}") from error


def is_of_the_earlier_program(place: str) -> bool:
    """Whether a store must first take the place of the file that is there."""
    return to_be_replaced(place)


def open_store(location: str, settings: Settings) -> Store:
    """The store at a path, ``:memory:`` or a URL."""
    return SQLiteStore(
        place(location), durability=settings.sqlite_synchronous.upper(), busy_seconds=settings.busy_seconds
    )


def choose_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; the built-in one is not loaded yet, and no service was asked."""
    remote = remote_embedder(settings)
    if remote is not None:
        return remote
    own = settings.embed_model != LOCAL_MODEL
    embedder = _own(settings) if own else LocalEmbedder(threads=settings.embed_threads, tokens=settings.token_vectors)
    if settings.embed_dim is not None and settings.embed_dim != embedder.signature.dim:
        raise ConfigurationError(
            f"CORTEX_EMBED_DIM={settings.embed_dim}, but {embedder.signature}: set the right one or leave it out"
        )
    return embedder


def _own(settings: Settings) -> LocalEmbedder:
    """The model of a folder; where its signature cannot be told, the setting is wrong."""
    folder = full_path(settings.embed_model)
    embedder = LocalEmbedder(folder, threads=settings.embed_threads, tokens=settings.token_vectors)
    try:
        missing = [name for name in (MODEL_FILE, TOKENIZER_FILE) if not (folder / name).is_file()]
        problem = f"{' and '.join(missing)} missing in '{folder}'" if missing else ""
        _ = missing or embedder.signature
    except (EmbedderError, OSError, RuntimeError) as error:
        problem = str(error)
    if problem:
        raise ConfigurationError(
            f"CORTEX_EMBED_MODEL={settings.embed_model!r}: {problem}. Name a folder with {MODEL_FILE} and "
            f"{TOKENIZER_FILE}, or leave it out for {LOCAL_MODEL}"
        )
    return embedder


@dataclass(frozen=True, slots=True)
class Plugs:
    """What a caller chose; None for what is usual."""

    embedder: Embedder
    llm: LLMProvider | None = None
    conversation: ConversationWeights | None = None
    layers: Layers | None = None
    thresholds: Thresholds | None = None
    assistant: AssistantWeights | None = None
    reranker: Reranker | None = None
    count_accesses: bool | None = None


def assemble(store: Store, plugs: Plugs, settings: Settings, zone: tzinfo, *, wait: bool) -> Deps:
    """The plugs of one engine."""
    embedder, llm = plugs.embedder, plugs.llm
    return Deps(
        store=store,
        embedder=embedder,
        index=Index(store, embedder.signature, settings.vector_cache_mb * 2**20),
        clock=SystemClock(),
        new_id=lambda: secrets.token_hex(16),
        ready=lambda: bool(getattr(embedder, "ready", True)),  # only who has something to load says so
        prepare=lambda: _prepare(embedder),
        zone=zone,
        top_k=settings.top_k,
        ranking=choose_ranking(settings),
        fusion=Fusion(settings.fusion),
        wait=wait,
        single_user=open_single_user,
        llm=llm,
        patient=embedder.patient if isinstance(embedder, PatientEmbedder) else None,
        patient_llm=_patient(llm),
        traces=_traces(embedder, llm),
        conversation=plugs.conversation or USUAL,
        assistant=plugs.assistant or choose_weights(settings),
        priority_days=PriorityDays(holding=settings.priority_days, fading=settings.priority_fading_days),
        reranking=_reranking(plugs, settings),
        counts=settings.count_accesses if plugs.count_accesses is None else plugs.count_accesses,
        layers=choose_layers(settings) if plugs.layers is None else plugs.layers,
        redaction=Redaction(settings.redact),
        thresholds=plugs.thresholds or thresholds_for(embedder.signature.model),
    )


def _patient(llm: object) -> LLMProvider | None:
    return llm.patient if isinstance(llm, PatientProvider) else None


def choose_ranking(settings: Settings) -> Ranking:
    """The one that is set, else that of the preset, if it has one."""
    named = "ranking" in settings.given or settings.preset == "none"
    return Ranking(settings.ranking if named else settings.preset)


def choose_weights(settings: Settings) -> AssistantWeights:
    """The weights of the ranking `assistant`; `ConfigurationError` names their sum where it is not 1."""
    names = [field.name for field in fields(AssistantWeights)]
    try:
        return AssistantWeights(**{name: getattr(settings, f"retrieval_{name}_weight") for name in names})
    except InvalidInput as error:
        variables = ", ".join(f"CORTEX_RETRIEVAL_{name.upper()}_WEIGHT" for name in names)
        raise ConfigurationError(f"{variables}: {error.problem}") from error


def _reranking(plugs: Plugs, settings: Settings) -> Deadline | None:
    """What puts hits in a better order: the caller's, or the language model where that is switched on."""
    reranker = plugs.reranker
    if reranker is None and settings.reranker_enabled:
        if plugs.llm is None:
            log.warning("CORTEX_RERANKER_ENABLED is on and no language model is configured: hits are not reranked")
            return None
        reranker = LLMReranker(plugs.llm)
    return None if reranker is None else Deadline(reranker, settings.reranker_seconds)


def choose_layers(settings: Settings) -> Layers:
    """Those of the preset, but for those that are switched one by one."""
    own = {field.name: getattr(settings, field.name) for field in fields(Layers)}
    return replace(PRESETS[settings.preset], **{name: on for name, on in own.items() if on is not None})


def _traces(*plugs: object) -> TextTraces | None:
    """What keeps something of texts among these plugs."""
    return join(*(plug for plug in plugs if isinstance(plug, TextTraces)))


def warm(embedder: Embedder) -> None:
    """Load a model that has to be loaded. Raises `EmbedderError`."""
    if isinstance(embedder, LocalEmbedder):
        embedder.load()


def _prepare(embedder: Embedder) -> None:
    """Load the model in a thread; whoever embeds waits for it, and is told there what failed."""
    if isinstance(embedder, LocalEmbedder) and not embedder.ready:
        threading.Thread(target=_load, args=[embedder], name="cortex-model").start()


def _load(embedder: LocalEmbedder) -> None:
    with suppress(EmbedderError):
        embedder.load()
