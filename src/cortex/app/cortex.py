"""`Cortex`: the verbs with their plugs chosen."""

from __future__ import annotations

from os import PathLike, fspath

from cortex.app import build
from cortex.app.models import choose_llm
from cortex.app.settings import Settings, load
from cortex.engine.facade import Engine
from cortex.errors import InvalidInput
from cortex.model.memory import Clearance
from cortex.model.policy import Caller
from cortex.model.ranking import ConversationWeights
from cortex.model.scope import check_name
from cortex.ports import Embedder, LLMProvider


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
    of that name, to measure them; the usual ones were chosen on data.
    """

    def __init__(
        self,
        store: str | PathLike[str] | None = None,
        *,
        user: str = "local",
        embedder: Embedder | None = None,
        llm: LLMProvider | None = None,
        conversation: ConversationWeights | None = None,
    ) -> None:
        settings = load()
        location = settings.store if store is None else _named(store)
        if "\0" in location:
            raise InvalidInput("store", f"{location!r} is no path; expected text without NUL")
        if not isinstance(conversation, ConversationWeights | None):
            raise InvalidInput("conversation", f"expected ConversationWeights, got {type(conversation).__name__}")
        caller, embedder = Caller(user, clearance=Clearance.RESTRICTED), embedder or build.choose_embedder(settings)
        _prepare(self, location, caller, embedder, settings, wait=True, llm=llm, conversation=conversation)


def _named(store: object) -> str:
    found = fspath(store) if isinstance(store, (str, PathLike)) else store
    if not isinstance(found, str):
        raise InvalidInput("store", f"expected a path, :memory: or a URL, got {type(store).__name__}")
    return found


def from_settings(settings: Settings, embedder: Embedder | None = None, *, wait: bool = True) -> Cortex:
    """A `Cortex` just as the settings say. ``wait`` false: go on without the model while it loads."""
    cortex = Cortex.__new__(Cortex)
    caller = Caller(settings.user, clearance=Clearance.RESTRICTED)
    _prepare(cortex, settings.store, caller, embedder or build.choose_embedder(settings), settings, wait=wait)
    return cortex


def _prepare(
    cortex: Cortex,
    location: str,
    caller: Caller,
    embedder: Embedder,
    settings: Settings,
    *,
    wait: bool,
    llm: LLMProvider | None = None,
    conversation: ConversationWeights | None = None,
) -> None:
    check_name("user", caller.user)
    if not isinstance(embedder, Embedder):
        raise InvalidInput("embedder", f"{type(embedder).__name__} has no embed(texts) or no signature")
    llm = choose_llm(settings) if llm is None else llm
    if not isinstance(llm, LLMProvider | None):
        raise InvalidInput("llm", f"{type(llm).__name__} has no generate(prompt) or no name")
    place = build.place(location)
    if build.is_of_the_earlier_program(place):
        from cortex.app import takeover  # wanted once in the life of a file, and read as slowly as a hundred recalls

        takeover.take_over(place, Caller(caller.user), embedder, settings)
    store = build.open_store(place, settings)
    deps = build.assemble(store, embedder, settings, settings.timezone, wait=wait, llm=llm, conversation=conversation)
    Engine.__init__(cortex, deps, caller)
