"""Which service runs a model: from settings to a provider, without asking anybody yet.

A key that is named after a vendor is sent to that vendor only; another server of the same API gets the key that was
given for it, or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cortex.errors import ConfigurationError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cortex.app.settings import Settings
    from cortex.ports import Embedder, LLMProvider
    from cortex.providers.metered import MeteredProvider
    from cortex.providers.openai import OpenAIProvider
    from cortex.providers.retrying import Persistence, Retrying

LOCAL_MODEL: Final = "all-MiniLM-L6-v2"
_JOB_SECONDS: Final = 60.0  # of one request for vectors: a job holds its lease for two minutes
_WRITE_SECONDS = 20.0  # how long a write waits for a language model before it is read without

# The seeds of the settings: what is taken where no model is named.
_LLM_MODELS: Final[Mapping[str, str]] = {
    "openai": "gpt-4o-mini",
    "ollama": "qwen3",
    "gemini": "gemini-2.5-flash-lite",
    "anthropic": "claude-haiku-4-5",
}
_EMBED_MODELS: Final[Mapping[str, str]] = {
    "openai": "text-embedding-3-small",
    "openrouter": "openai/text-embedding-3-small",
    "gemini": "gemini-embedding-001",
    "ollama": "nomic-embed-text",
}


@dataclass(frozen=True, slots=True)
class _Known:
    """A model of vectors: its usual dimension, up to which one it can be asked for, who alone serves it directly."""

    dim: int
    most: int = 0
    owner: str = ""


# Dimensions as their makers publish them; a signature needs one before anybody is asked.
_KNOWN: Final[Mapping[str, _Known]] = {
    "text-embedding-3-small": _Known(1536, most=1536, owner="openai"),
    "text-embedding-3-large": _Known(3072, most=3072, owner="openai"),
    "text-embedding-ada-002": _Known(1536, owner="openai"),
    "gemini-embedding-001": _Known(768, most=3072, owner="gemini"),
    "nomic-embed-text": _Known(768),
    "mxbai-embed-large": _Known(1024),
    "all-minilm": _Known(384),
    "bge-m3": _Known(1024),
    "embeddinggemma": _Known(768),
}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a service is, its key, and which variables name them."""

    service: str
    address: str
    address_variable: str
    key: str
    key_variable: str
    needs_key: bool = True


def choose_llm(settings: Settings) -> MeteredProvider | None:
    """The language model that the settings name; None where they name none.

    Raises `ConfigurationError` for settings that are wrong, disagree or lack something.
    """
    backend = _backend(settings)
    if backend == "none":
        return None
    from cortex.providers.metered import Meter, MeteredProvider, TokenPrices
    from cortex.providers.retrying import Persistence

    place = _llm_place(settings, backend)
    seconds = settings.llm_timeout
    model, variable = _llm_model(settings, backend)
    soon_enough = Persistence(attempts=2, seconds=min(seconds, _WRITE_SECONDS))
    brief, patient = _wires(place, variable, seconds, soon_enough, Persistence(seconds=seconds))
    prices = None
    if settings.llm_price_in is not None or settings.llm_price_out is not None:
        prices = TokenPrices(settings.llm_price_in or 0.0, settings.llm_price_out or 0.0)
    soon, later = (_adapter(backend, wire, model, place.address) for wire in (brief, patient))
    return MeteredProvider(soon, Meter(prices), patient=later)


def remote_embedder(settings: Settings) -> Embedder | None:
    """The embedder at a service that the settings name; None where they name the local one.

    Raises `ConfigurationError` for settings that are wrong, disagree or lack something.
    """
    provider = _embed_provider(settings)
    if provider == "local":
        return None
    from cortex.providers.gemini import GeminiEmbedder
    from cortex.providers.openai import OpenAIEmbedder
    from cortex.providers.retrying import BRIEF, Persistence

    name = settings.embed_model if "embed_model" in settings.given else _EMBED_MODELS[provider]
    dim, shorten = _dimension(settings, provider, name)
    place = _embed_place(settings, provider)
    seconds = min(settings.llm_timeout, _JOB_SECONDS)
    brief, patient = _wires(place, "CORTEX_EMBED_MODEL", seconds, BRIEF, Persistence(seconds=seconds))
    if provider == "gemini":
        return GeminiEmbedder(brief, name, dim, patient=patient)
    return OpenAIEmbedder(brief, name, dim, shorten=shorten, patient=patient)


def chat_model(
    address: str,
    model: str,
    *,
    key: str | None = None,
    seconds: float = 90.0,
    attempts: int = 5,
    first_pause_seconds: float = 1.0,
) -> OpenAIProvider:
    """A model behind an API of the OpenAI kind; nobody is asked yet.

    ``address``: where ``/chat/completions`` is below, such as ``http://127.0.0.1:1234/v1``. One request may take
    ``seconds``; a service that is busy is asked ``attempts`` times, with pauses that double. The key goes into the
    header and nowhere else. Raises `InvalidInput` for an address or a key that cannot be used.
    """
    from cortex.providers.openai import OpenAIProvider, tokens_field
    from cortex.providers.retrying import Persistence, Retrying
    from cortex.providers.wire import Wire

    wire = Wire("chat model", address, key=key, seconds=seconds)
    longest = attempts * (seconds + Persistence().longest_pause_seconds)
    persistence = Persistence(attempts=attempts, seconds=longest, first_pause_seconds=first_pause_seconds)
    return OpenAIProvider(Retrying(wire, persistence), model, tokens_field=tokens_field(wire.address))


def _backend(settings: Settings) -> str:
    """The backend that is named, or the first whose key or address is set."""
    chosen, owner = settings.llm_backend, settings.llm_provider
    if chosen and owner and chosen not in (owner, "none"):
        raise ConfigurationError(
            f"CORTEX_LLM_BACKEND={chosen} and CORTEX_LLM_PROVIDER={owner} disagree: set one of them"
        )
    if chosen:
        return chosen
    if settings.openrouter_api_key:
        return "openrouter"
    if settings.llm_api_key:
        return owner or "openai"
    if settings.gemini_api_key or settings.google_api_key:
        return "gemini"
    if settings.anthropic_api_key:
        return "anthropic"
    return "ollama" if "ollama_url" in settings.given else "none"


def _llm_model(settings: Settings, backend: str) -> tuple[str, str]:
    """The model, and the variable that names it or would."""
    if settings.extract_model:
        return settings.extract_model, "CORTEX_EXTRACT_MODEL"
    if backend == "openrouter" and ("openrouter_model" in settings.given or not settings.llm_model):
        return settings.openrouter_model, "OPENROUTER_MODEL"
    return settings.llm_model or _LLM_MODELS[backend], "CORTEX_LLM_MODEL"


def _llm_place(settings: Settings, backend: str) -> _Place:
    own = settings.llm_base_url
    if own and backend in ("openrouter", "ollama"):
        variable = "OPENROUTER_BASE_URL" if backend == "openrouter" else "OLLAMA_URL"
        raise ConfigurationError(f"CORTEX_LLM_BASE_URL is not for {backend}: set {variable} instead")
    vendor = _vendor_place(settings, backend)
    # Its own key comes first where it is said whose CORTEX_LLM_API_KEY is, and that is another's.
    given = settings.llm_api_key if (settings.llm_provider or "openai") == backend else ""
    spare = settings.llm_api_key if not settings.llm_provider else ""
    if own:
        return _Place(backend, own, "CORTEX_LLM_BASE_URL", settings.llm_api_key, "CORTEX_LLM_API_KEY", needs_key=False)
    key, variable = vendor.key, vendor.key_variable
    if given or not key:
        key, variable = given or spare, "CORTEX_LLM_API_KEY"
    if vendor.needs_key and not key:
        raise ConfigurationError(f"CORTEX_LLM_BACKEND={backend} needs a key: set {vendor.key_variable}")
    return _Place(backend, vendor.address, vendor.address_variable, key, variable, vendor.needs_key)


def _embed_place(settings: Settings, provider: str) -> _Place:
    own, key = settings.embed_base_url, settings.embed_api_key
    if own:
        return _Place(provider, own, "CORTEX_EMBED_BASE_URL", key, "CORTEX_EMBED_API_KEY", needs_key=False)
    vendor = _vendor_place(settings, provider)
    if not (key or vendor.key) and vendor.needs_key:
        raise ConfigurationError(
            f"vectors of {provider} need a key: set {vendor.key_variable} or CORTEX_EMBED_API_KEY, "
            "or CORTEX_EMBED_PROVIDER=local"
        )
    variable = "CORTEX_EMBED_API_KEY" if key else vendor.key_variable
    return _Place(provider, vendor.address, vendor.address_variable, key or vendor.key, variable, vendor.needs_key)


def _vendor_place(settings: Settings, name: str) -> _Place:
    """Where a vendor is, with the key that is named after it."""
    from cortex.providers import anthropic, gemini, openai

    match name:
        case "openrouter":
            address = settings.openrouter_base_url
            return _Place(name, address, "OPENROUTER_BASE_URL", settings.openrouter_api_key, "OPENROUTER_API_KEY")
        case "ollama":
            address = settings.ollama_url.rstrip("/").removesuffix("/v1") + "/v1"
            return _Place(name, address, "OLLAMA_URL", "", "CORTEX_LLM_API_KEY", needs_key=False)
        case "gemini":
            other = settings.google_api_key and not settings.gemini_api_key
            key = settings.google_api_key if other else settings.gemini_api_key
            return _Place(name, gemini.ADDRESS, "", key, "GOOGLE_API_KEY" if other else "GEMINI_API_KEY")
        case "anthropic":
            return _Place(name, anthropic.ADDRESS, "", settings.anthropic_api_key, "ANTHROPIC_API_KEY")
        case _:
            return _Place(name, openai.ADDRESS, "", settings.openai_api_key, "OPENAI_API_KEY")


def _wires(place: _Place, model_variable: str, seconds: float, *persistences: Persistence) -> list[Retrying]:
    """A wire to the place for each; they share the pauses that the service asks for."""
    from cortex.providers import anthropic, gemini
    from cortex.providers.retrying import Retrying, SharedPause
    from cortex.providers.wire import Names, Wire

    names = Names(place.key_variable, place.address_variable or place.address, model_variable)
    headers, key_header, prefix = {}, "Authorization", "Bearer "
    if place.service == "gemini":
        key_header, prefix = gemini.KEY_HEADER, ""
    if place.service == "anthropic":
        headers, key_header, prefix = dict(anthropic.HEADERS), anthropic.KEY_HEADER, ""
    with _named_by(place):
        wire = Wire(
            place.service, place.address, key=place.key, key_header=key_header, key_prefix=prefix, headers=headers,
            seconds=seconds, names=names,
        )  # fmt: skip
    pause = SharedPause()
    return [Retrying(wire, persistence, pause=pause) for persistence in persistences]


@contextmanager
def _named_by(place: _Place) -> Iterator[None]:
    """Say which setting an address or a key comes from."""
    try:
        yield
    except InvalidInput as error:
        variable = place.address_variable if error.field == "address" else place.key_variable
        raise ConfigurationError(f"{variable}: {error.problem}") from None


def _adapter(backend: str, wire: Retrying, model: str, address: str) -> LLMProvider:
    from cortex.providers.anthropic import AnthropicProvider
    from cortex.providers.gemini import GeminiProvider
    from cortex.providers.openai import OpenAIProvider, tokens_field

    match backend:
        case "gemini":
            return GeminiProvider(wire, model)
        case "anthropic":
            return AnthropicProvider(wire, model)
        case _:
            return OpenAIProvider(wire, model, tokens_field=tokens_field(address))


def _embed_provider(settings: Settings) -> str:
    """The provider that is named, or that the model's name implies."""
    named = settings.embed_provider if "embed_provider" in settings.given else ""
    known = _KNOWN.get(settings.embed_model)
    owner = known.owner if known else ""
    if settings.embed_base_url and named in ("", "local"):
        raise ConfigurationError(
            "CORTEX_EMBED_BASE_URL names a server, and vectors are made here: set CORTEX_EMBED_PROVIDER=openai too, "
            "if the server has that API"
        )
    elsewhere = owner and named not in ("", owner, "openrouter") and not settings.embed_base_url
    built_in = "embed_model" in settings.given and settings.embed_model == LOCAL_MODEL and named not in ("", "local")
    if elsewhere or (built_in and not settings.embed_base_url):
        raise ConfigurationError(
            f"CORTEX_EMBED_PROVIDER={named} and CORTEX_EMBED_MODEL={settings.embed_model} disagree: "
            f"{named} has no such model; set one of them"
        )
    return named or owner or "local"


def _dimension(settings: Settings, provider: str, name: str) -> tuple[int, bool]:
    """The dimension of the vectors, and whether it has to be asked for."""
    known = _KNOWN.get(name.rpartition("/")[2].partition(":")[0])
    wanted = settings.embed_dim
    if known is None:
        if wanted is None:
            raise ConfigurationError(
                f"CORTEX_EMBED_MODEL={name}: set CORTEX_EMBED_DIM, this model's dimension is not known"
            )
        return wanted, False
    if wanted is None or wanted == known.dim:
        return known.dim, False
    if wanted > known.most:
        most = f"at most {known.most}" if known.most else str(known.dim)
        raise ConfigurationError(
            f"CORTEX_EMBED_DIM={wanted}, but {provider}'s {name} has {most}: set that or leave it out"
        )
    return wanted, True
