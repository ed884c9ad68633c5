"""Every setting, declared once, and where its value comes from.

Order, first found wins: an argument, the environment, ``.env`` in the working directory,
``cortex.toml`` in the working directory, ``cortex.toml`` in the user's configuration folder, the default.
An empty variable counts as not set. In the file a setting is written by its name (``store = "…"``).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import platformdirs
from dotenv import dotenv_values

from cortex.errors import ConfigurationError, InvalidInput
from cortex.model.closest import refuse_unknown
from cortex.model.scope import check_name

CONFIG_FILE = "cortex.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name, its variables (the first is the usual one), default, reader, meaning."""

    name: str
    variables: tuple[str, ...]
    default: str
    read: Callable[[str], Any]
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values in force; `SETTINGS` says what each means."""

    store: str
    user: str
    top_k: int
    embed_provider: str
    embed_model: str
    embed_dim: int | None
    embed_threads: int
    embed_wait: bool
    vector_cache_mb: int
    sqlite_synchronous: str
    busy_seconds: float
    timezone: ZoneInfo
    mcp_result_chars: int
    log_level: str


def _path(value: str) -> str:
    return value if value == ":memory:" or "://" in value else str(Path(value).expanduser().absolute())


def _name(value: str) -> str:
    check_name("CORTEX_USER_ID", value)
    return value


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return number

    return read


def _seconds(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 3600:
        raise ValueError("expected a number of seconds from 0 to 3600")
    return number


def _switch(value: str) -> bool:
    if value.strip().lower() in ("1", "true", "yes", "on"):
        return True
    if value.strip().lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError("expected true or false")


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value.strip().lower() not in allowed:
            raise ValueError(f"expected one of {', '.join(allowed)}")
        return value.strip().lower()

    return read


def _zone(value: str) -> ZoneInfo:
    try:
        return ZoneInfo(value)
    except (LookupError, OSError) as error:
        raise ValueError(f"expected an IANA name such as Europe/Paris ({error})") from error


def _optional_dim(value: str) -> int | None:
    return _whole(1, 65_536)(value) if value else None


SETTINGS = (
    Setting("store", ("CORTEX_STORE", "CORTEX_DB_PATH"), "~/.cortex/memory.db", _path,
            "Where memories are kept: a file, :memory:, or sqlite:///file."),
    Setting("user", ("CORTEX_USER_ID",), "local", _name,
            "Whose memories these are: the default scope is user:<id>."),
    Setting("top_k", ("CORTEX_TOP_K",), "5", _whole(1, 1000), "How many hits recall gives when no limit is named."),
    Setting("embed_provider", ("CORTEX_EMBED_PROVIDER", "CORTEX_EMBEDDING_PROVIDER"), "local", _one_of("local"),
            "What makes vectors: local is the model that is installed with Cortex."),
    Setting("embed_model", ("CORTEX_EMBED_MODEL",), "all-MiniLM-L6-v2", str,
            "The local model: all-MiniLM-L6-v2, or the path of a folder with model.onnx and tokenizer.json."),
    Setting("embed_dim", ("CORTEX_EMBED_DIM",), "", _optional_dim,
            "The dimension the model must have; empty means whatever it has."),
    Setting("embed_threads", ("CORTEX_EMBED_THREADS",), "1", _whole(1, 256), "Processor threads for embedding."),
    Setting("embed_wait", ("CORTEX_EMBED_WAIT",), "false", _switch,
            "MCP only: wait for the model when it is still loading, instead of answering by words and saying so."),
    Setting("vector_cache_mb", ("CORTEX_VECTOR_CACHE_MB",), "512", _whole(1, 1_048_576),
            "Memory for search arrays; scopes used longest ago are dropped first."),
    Setting("sqlite_synchronous", ("CORTEX_SQLITE_SYNCHRONOUS",), "full", _one_of("full", "normal"),
            "full survives power loss; normal is faster and may lose the last commits then."),
    Setting("busy_seconds", ("CORTEX_BUSY_SECONDS",), "30", _seconds,
            "How long a write waits for other processes before it gives up."),
    Setting("timezone", ("CORTEX_TIMEZONE",), "UTC", _zone, "What times and dates without a zone mean."),
    Setting("mcp_result_chars", ("CORTEX_MCP_RESULT_CHARS",), "20000", _whole(1000, 10_000_000),
            "The most characters one MCP tool answers with; what is cut is said."),
    Setting("log_level", ("CORTEX_LOG_LEVEL",), "warning", _one_of("debug", "info", "warning", "error"),
            "How much is logged, on stderr."),
)  # fmt: skip


def load(overrides: Mapping[str, str] | None = None) -> Settings:
    """The settings in force; `ConfigurationError` names the source of a wrong value."""
    sources = _sources()
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        given, origin = _find(setting, overrides or {}, sources)
        try:
            values[setting.name] = setting.read(given)
        except (ValueError, TypeError) as error:
            problem = error.problem if isinstance(error, InvalidInput) else str(error)
            raise ConfigurationError(f"{origin}={given!r}: {problem}. {setting.meaning}") from error
    return Settings(**values)


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
    return setting.default, f"default of {setting.name}"


def _sources() -> list[tuple[str, Mapping[str, str]]]:
    dotenv = {name: value for name, value in dotenv_values(Path(".env")).items() if value is not None}
    variables = {name for setting in SETTINGS for name in setting.variables}
    sources = [(name, {k: v for k, v in found.items() if k in variables})
               for name, found in (("the environment", dict(os.environ)), (".env", dotenv))]  # fmt: skip
    folder = Path(platformdirs.user_config_dir("cortex", appauthor=False))
    files = (Path(CONFIG_FILE), folder / CONFIG_FILE)
    return [*sources, *((str(path), _read_toml(path)) for path in files if path.is_file())]


def _read_toml(path: Path) -> Mapping[str, str]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        refuse_unknown(content, [field.name for field in fields(Settings)])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, InvalidInput) as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in content.items()}
