"""`Cortex`: the verbs with their plugs chosen."""

from __future__ import annotations

import reprlib
from dataclasses import replace
from os import PathLike, fspath

from cortex.app import build
from cortex.app.models import choose_llm
from cortex.app.settings import Settings, load
from cortex.engine.facade import Engine
from cortex.errors import InvalidInput
from cortex.model.layers import PRESETS, Layers, Thresholds
from cortex.model.memory import Clearance
from cortex.model.policy import Caller
from cortex.model.ranking import AssistantWeights, ConversationWeights
from cortex.model.scope import check_name
from cortex.ports import Embedder, LLMProvider, Reranker


class Cortex(Engine):
    """Long-term memory in one SQLite file.

        with Cortex() as cortex:
            cortex.memorize("Ada prefers tea", tags=["drinks"])
            cortex.recall("what does Ada drink?").hits[0].memory.content

    ``store``: a path, ``:memory:`` or a URL; None means the settings' (``~/.cortex/memory.db``).
    ``user``: whose memories; the default scope is ``user:<user>``. ``embedder``: anything with
    ``embed(texts)`` and ``signature``; None means the settings' (the local model). ``llm``: anything with
    ``generate(prompt)`` and ``name``; None means the settings' (none). Raises `StoreError` when the file
    cannot be used and `ConfigurationError` when a setting is wrong. ``conversation``: other weights of the ranking
    of that name, to measure them; the usual ones were chosen on data. ``layers``: what is done to a memory when it is
    written, beyond keeping it: `Layers`, or the name of a preset; None means the settings' (none of them).
    ``thresholds``: other cosines from which on they act; the usual ones were measured for the embedder.
    ``assistant``: other weights of that ranking. ``reranker``: anything with ``rerank(query, texts)``, which every
    recall then asks for a better order; None means the settings' (none). ``count_accesses``: whether the rankings
    `assistant` and `engineering` count what they return; None means the settings' (they do).
    """

    def __init__(
        self,
        store: str | PathLike[str] | None = None,
        *,
        user: str = "local",
        embedder: Embedder | None = None,
        llm: LLMProvider | None = None,
        conversation: ConversationWeights | None = None,
        layers: Layers | str | None = None,
        thresholds: Thresholds | None = None,
        assistant: AssistantWeights | None = None,
        reranker: Reranker | None = None,
        count_accesses: bool | None = None,
    ) -> None:
        settings = load()
        location = settings.store if store is None else _named(store)
        if "\0" in location:
            raise InvalidInput("store", f"{location!r} is no path; expected text without NUL")
        _expect("conversation", conversation, ConversationWeights)
        _expect("assistant", assistant, AssistantWeights)
        _expect("count_accesses", count_accesses, bool)
        if not isinstance(reranker, Reranker | None):
            raise InvalidInput("reranker", f"{type(reranker).__name__} has no rerank(query, texts)")
        caller, embedder = Caller(user, clearance=Clearance.RESTRICTED), embedder or build.choose_embedder(settings)
        _expect("thresholds", thresholds, Thresholds)
        plugs = build.Plugs(
            embedder, llm, conversation, _layers(layers), thresholds, assistant, reranker, count_accesses
        )
        _prepare(self, location, caller, plugs, settings, wait=True)


def _expect(name: str, given: object, kind: type) -> None:
    if given is not None and not isinstance(given, kind):
        raise InvalidInput(name, f"expected {kind.__name__}, got {type(given).__name__}")


def _layers(given: object) -> Layers | None:
    if isinstance(given, Layers | None):
        return given
    if not isinstance(given, str) or given not in PRESETS:
        raise InvalidInput("layers", f"{reprlib.repr(given)}: expected Layers, or one of {', '.join(PRESETS)}")
    return PRESETS[given]


def _named(store: object) -> str:
    found = fspath(store) if isinstance(store, (str, PathLike)) else store
    if not isinstance(found, str):
        raise InvalidInput("store", f"expected a path, :memory: or a URL, got {type(store).__name__}")
    return found


def from_settings(settings: Settings, embedder: Embedder | None = None, *, wait: bool = True) -> Cortex:
    """A `Cortex` just as the settings say. ``wait`` false: go on without the model while it loads."""
    cortex = Cortex.__new__(Cortex)
    caller = Caller(settings.user, clearance=Clearance.RESTRICTED)
    plugs = build.Plugs(embedder or build.choose_embedder(settings))
    _prepare(cortex, settings.store, caller, plugs, settings, wait=wait)
    return cortex


def _prepare(
    cortex: Cortex, location: str, caller: Caller, plugs: build.Plugs, settings: Settings, *, wait: bool
) -> None:
    check_name("user", caller.user)
    if not isinstance(plugs.embedder, Embedder):
        raise InvalidInput("embedder", f"{type(plugs.embedder).__name__} has no embed(texts) or no signature")
    plugs = plugs if plugs.llm is not None else replace(plugs, llm=choose_llm(settings))
    if not isinstance(plugs.llm, LLMProvider | None):
        raise InvalidInput("llm", f"{type(plugs.llm).__name__} has no generate(prompt) or no name")
    place = build.place(location)
    if build.is_of_the_earlier_program(place):
        from cortex.app import takeover  # wanted once in the life of a file, and read as slowly as a hundred recalls

        takeover.take_over(place, Caller(caller.user), plugs.embedder, settings)
    store = build.open_store(place, settings)
    Engine.__init__(cortex, build.assemble(store, plugs, settings, settings.timezone, wait=wait), caller)
