"""Every setting, declared once, and where its value comes from.

Order, first found wins: an argument, the environment, ``.env`` in the working directory,
``cortex.toml`` in the working directory, ``cortex.toml`` in the user's configuration folder, the default.
An empty variable counts as not set. In the file a setting is written by its name and in its own type
(``store = "…"``, ``top_k = 8``).
"""

from __future__ import annotations

import os
import re
import reprlib
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import platformdirs
from dotenv import dotenv_values
from dotenv.parser import Binding, parse_stream

from cortex.app.layer_settings import LAYER_SETTINGS
from cortex.app.model_settings import EMBEDDER_SETTINGS, LLM_SETTINGS
from cortex.app.ranking_settings import RANKING_SETTINGS
from cortex.app.setting import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Setting,
    full_path,
    one_of,
    seconds,
    store_place,
    user_name,
    whole,
    zone,
)
from cortex.errors import ConfigurationError, InvalidInput
from cortex.model.closest import refuse_unknown

__all__ = [
    "SETTINGS",
    "Effective",
    "Setting",
    "Settings",
    "child_environment",
    "effective",
    "full_path",
    "load",
    "store_place",
]

CONFIG_FILE = "cortex.toml"
ENV_FILE = ".env"
_DEFAULT = "default of {}"

# What a value of cortex.toml is called, and what a setting may be written as. A boolean is an int to Python.
_TOML_KINDS: Mapping[type, str] = {
    str: TEXT, bool: TRUTH, int: WHOLE, float: NUMBER, list: "an array", dict: "a table",
}  # fmt: skip
_TOML_FITS = {(kind, kind) for kind in (TEXT, WHOLE, NUMBER, TRUTH)} | {(WHOLE, NUMBER)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values in force; `SETTINGS` says what each means.

    ``given``: the names of those that were set somewhere, for settings that would contradict a default.
    """

    store: str
    user: str
    top_k: int
    ranking: str
    fusion: str
    retrieval_similarity_weight: float
    retrieval_recency_weight: float
    retrieval_emotion_weight: float
    retrieval_reinforcement_weight: float
    priority_days: float
    priority_fading_days: float
    count_accesses: bool
    reranker_enabled: bool
    reranker_seconds: float
    embed_provider: str
    embed_model: str
    embed_dim: int | None
    embed_api_key: str = field(repr=False)
    embed_base_url: str
    embed_threads: int
    embed_wait: bool
    token_vectors: bool
    preset: str
    classify: bool | None
    emotion: bool | None
    episodic: bool | None
    graph: bool | None
    dedup: bool | None
    soft_update: bool | None
    link: bool | None
    conflict: bool | None
    redact: str
    vector_cache_mb: int
    sqlite_synchronous: str
    busy_seconds: float
    timezone: ZoneInfo
    llm_backend: str
    llm_model: str
    extract_model: str
    llm_api_key: str = field(repr=False)
    llm_provider: str
    llm_base_url: str
    llm_timeout: float
    llm_price_in: float | None
    llm_price_out: float | None
    openrouter_api_key: str = field(repr=False)
    openrouter_model: str
    openrouter_base_url: str
    ollama_url: str
    openai_api_key: str = field(repr=False)
    gemini_api_key: str = field(repr=False)
    google_api_key: str = field(repr=False)
    anthropic_api_key: str = field(repr=False)
    mcp_result_chars: int
    log_level: str
    given: frozenset[str] = field(compare=False)


SETTINGS = (
    Setting("store", ("CORTEX_STORE", "CORTEX_DB_PATH"), "~/.cortex/memory.db", store_place,
            "Where memories are kept: a file, :memory:, or sqlite:///file."),
    Setting("user", ("CORTEX_USER_ID",), "local", user_name,
            "Whose memories these are: the default scope is user:<id>."),
    *RANKING_SETTINGS,
    *EMBEDDER_SETTINGS,
    *LAYER_SETTINGS,
    Setting("redact", ("CORTEX_REDACT",), "mask", one_of("off", "mask", "refuse"),
            "What happens to secrets in what is to be kept: nothing, they are masked, or the text is refused."),
    Setting("vector_cache_mb", ("CORTEX_VECTOR_CACHE_MB",), "512", whole(1, 1_048_576),
            "Memory for search arrays; scopes used longest ago are dropped first.", WHOLE),
    Setting("sqlite_synchronous", ("CORTEX_SQLITE_SYNCHRONOUS",), "full", one_of("full", "normal"),
            "full survives power loss; normal is faster and may lose the last commits then."),
    Setting("busy_seconds", ("CORTEX_BUSY_SECONDS",), "30", seconds,
            "How long a write waits for other processes before it gives up.", NUMBER),
    Setting("timezone", ("CORTEX_TIMEZONE",), "UTC", zone, "What times and dates without a zone mean."),
    *LLM_SETTINGS,
    Setting("mcp_result_chars", ("CORTEX_MCP_RESULT_CHARS",), "20000", whole(1000, 10_000_000),
            "The most characters one MCP tool answers with; what is cut is said.", WHOLE),
    Setting("log_level", ("CORTEX_LOG_LEVEL",), "warning", one_of("debug", "info", "warning", "error"),
            "How much is logged, on stderr."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Effective:
    """A setting in force: its usual variable, its value, and where that comes from."""

    variable: str
    value: str
    origin: str


def effective(overrides: Mapping[str, str] | None = None) -> list[Effective]:
    """Every setting as it is in force; secrets are not shown, only that they are set."""
    from cortex.core.understanding.secrets import concealed  # a secret may stand in the wrong place, too

    sources = _sources()
    found = [(setting, *_find(setting, overrides or {}, sources)) for setting in SETTINGS]
    return [
        Effective(setting.variables[0], concealed(_masked(setting, value)), origin) for setting, value, origin in found
    ]


def load(overrides: Mapping[str, str] | None = None) -> Settings:
    """The settings in force; `ConfigurationError` names the source of a wrong value."""
    sources = _sources()
    values: dict[str, Any] = {}
    set_somewhere = set()
    for setting in SETTINGS:
        given, origin = _find(setting, overrides or {}, sources)
        if origin != _DEFAULT.format(setting.name):
            set_somewhere.add(setting.name)
        try:
            values[setting.name] = setting.read(given)
        except (ValueError, TypeError) as error:
            from cortex.core.understanding.secrets import concealed  # as above

            problem = error.problem if isinstance(error, InvalidInput) else str(error)
            shown = f"{origin}={_masked(setting, _shown(given))}: {problem}. {setting.meaning}"
            raise ConfigurationError(concealed(shown)) from (None if setting.secret else error)
    return Settings(**values, given=frozenset(set_somewhere))


def child_environment(**variables: str) -> dict[str, str]:
    """The environment for a child process: ours without its Cortex settings, and these."""
    ours = {name for setting in SETTINGS for name in setting.variables}
    return {name: value for name, value in os.environ.items() if name not in ours} | variables


def _find(
    setting: Setting, overrides: Mapping[str, str], sources: list[tuple[str, Mapping[str, str]]]
) -> tuple[str, str]:
    if setting.name in overrides:
        return overrides[setting.name], f"argument {setting.name}"
    for where, mapping in sources:
        found = {name: mapping[name] for name in (*setting.variables, setting.name) if mapping.get(name)}
        if len(set(found.values())) > 1:
            raise ConfigurationError(f"{' and '.join(found)} disagree in {where}: set one of them")
        for name, value in found.items():
            return value, name if where == "the environment" else f"{name} in {where}"
    return setting.default, _DEFAULT.format(setting.name)


def _shown(value: str) -> str:
    scheme, url, _ = value.partition("://")
    return repr(f"{scheme}://…") if url and scheme != "sqlite" else repr(value)  # a URL may hold a password


def _masked(setting: Setting, value: str) -> str:
    """The value as it may be shown: no secret, and no password of an address."""
    if setting.secret:
        return "(set, not shown)" if value else ""
    return re.sub(r"(?<=://)[^/@\s]*@", "…@", value)


def _sources() -> list[tuple[str, Mapping[str, str]]]:
    variables = {name for setting in SETTINGS for name in setting.variables}
    given = {"the environment": dict(os.environ), ENV_FILE: _read_env(Path(ENV_FILE))}
    sources = [(name, {k: v for k, v in found.items() if k in variables}) for name, found in given.items()]
    folder = Path(platformdirs.user_config_dir("cortex", appauthor=False))
    files = (Path(CONFIG_FILE), folder / CONFIG_FILE)
    return [*sources, *((str(path), _read_toml(path)) for path in files)]


def _read(path: Path) -> str:
    """The text of a file; nothing where there is no regular file, since a pipe would never end."""
    try:
        return path.read_text("utf-8-sig") if path.is_file() else ""
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 ({error.reason} at byte {error.start})") from error
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({error.strerror})") from error


def _read_env(path: Path) -> Mapping[str, str]:
    bindings = list(parse_stream(StringIO(_read(path))))
    for binding in bindings:
        if "CORTEX_" in binding.original.string and _malformed(binding):
            text = binding.original.string
            line = binding.original.line + text[: len(text) - len(text.lstrip())].count("\n")
            raise ConfigurationError(f"{path}, line {line}: expected NAME=value, every quote closed")
    # Other programs' malformed lines are theirs: left out, so that nobody warns of them.
    good = "".join(binding.original.string for binding in bindings if not binding.error)
    return {name: value for name, value in dotenv_values(stream=StringIO(good)).items() if value is not None}


def _malformed(binding: Binding) -> bool:
    """Whether the line gives no value to a name: ``CORTEX_STORE:x`` is to the parser a name without one."""
    return binding.error or (binding.key is not None and binding.value is None and not binding.key.isidentifier())


def _read_toml(path: Path) -> Mapping[str, str]:
    text = _read(path)
    try:
        content = tomllib.loads(text)
        refuse_unknown(content, [setting.name for setting in SETTINGS])
        _refuse_shared_secrets(path, content)
        return {s.name: _as_text(s, content[s.name]) for s in SETTINGS if s.name in content}
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        raise ConfigurationError(f"{path}: {error}") from error


def _refuse_shared_secrets(path: Path, content: Mapping[str, object]) -> None:
    """A file of settings is often copied and committed: one with a key has to be its owner's alone."""
    secrets = [setting.name for setting in SETTINGS if setting.secret and content.get(setting.name)]
    if secrets and os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ValueError(
            f"{' and '.join(secrets)} may stand only in a file that nobody else can read: chmod 600 {path}"
        )


def _as_text(setting: Setting, value: object) -> str:
    kind = _TOML_KINDS.get(type(value), "a date or time")
    if (kind, setting.toml) not in _TOML_FITS:
        shown = _masked(setting, reprlib.repr(value))
        raise ValueError(f"{setting.name} is {kind}, {shown}; expected {setting.toml}. {setting.meaning}")
    return str(value).lower() if isinstance(value, bool) else str(value)
