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
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import platformdirs
from dotenv import dotenv_values
from dotenv.parser import Binding, parse_stream

from cortex.errors import ConfigurationError, InvalidInput
from cortex.model.closest import refuse_unknown
from cortex.model.scope import check_name

CONFIG_FILE = "cortex.toml"
ENV_FILE = ".env"

_SQLITE = "sqlite:///"
_TEXT, _WHOLE, _NUMBER, _TRUTH = "text in quotes", "a whole number", "a number", "true or false"
# What a value of cortex.toml is called, and what a setting may be written as. A boolean is an int to Python.
_TOML_KINDS: Mapping[type, str] = {
    str: _TEXT, bool: _TRUTH, int: _WHOLE, float: _NUMBER, list: "an array", dict: "a table",
}  # fmt: skip
_TOML_FITS = {(kind, kind) for kind in (_TEXT, _WHOLE, _NUMBER, _TRUTH)} | {(_WHOLE, _NUMBER)}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name, its variables (the first is the usual one), default, reader, meaning, type in TOML."""

    name: str
    variables: tuple[str, ...]
    default: str
    read: Callable[[str], Any]
    meaning: str
    toml: str = _TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values in force; `SETTINGS` says what each means."""

    store: str
    user: str
    top_k: int
    ranking: str
    fusion: str
    embed_provider: str
    embed_model: str
    embed_dim: int | None
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
    vector_cache_mb: int
    sqlite_synchronous: str
    busy_seconds: float
    timezone: ZoneInfo
    mcp_result_chars: int
    log_level: str


def full_path(value: str) -> Path:
    """The absolute path that a text names, ``~`` being a home; `ValueError` says why it names none."""
    if "\0" in value:
        raise ValueError("expected a path without NUL")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:  # the locale knows fewer characters than the text has: files are named in UTF-8
        value = os.fsdecode(value.encode("utf-8", "surrogateescape"))
    try:
        return Path(value).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(f"{value.partition('/')[0]} has no home that is known; write the path in full") from error
    except OSError as error:
        raise ValueError(f"the working directory cannot be told ({error.strerror}); write the path in full") from error


def store_place(value: str) -> str:
    """``:memory:`` or the absolute path of a path or URL; `ValueError` says why it is none and repeats no password."""
    scheme = re.match(r"(?i)(\w[\w+.-]+)://|(file|sqlite):", value)
    if value.startswith(_SQLITE):
        if set("?#") & set(value):
            raise ValueError("sqlite:/// takes only a path, no '?' and no '#'; name such a file by its path")
        value = value.removeprefix(_SQLITE) or ":memory:"
    elif scheme:
        raise ValueError(f"{scheme[0]} cannot be opened; expected a path, :memory: or sqlite:///path")
    return value if value == ":memory:" else str(full_path(value))


def _model(value: str) -> str:
    full_path(value)
    return value


def _name(value: str) -> str:
    with suppress(UnicodeError):  # in a locale that knows only ASCII the environment's UTF-8 arrives as escapes
        value = value.encode("utf-8", "surrogateescape").decode("utf-8")
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


def _optional_switch(value: str) -> bool | None:
    return _switch(value) if value.strip() else None


def _layer(name: str, meaning: str) -> Setting:
    said = f"Layer: {meaning} Empty: as in the preset."
    return Setting(name, (f"CORTEX_{name.upper()}",), "", _optional_switch, said, _TRUTH)


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
    Setting("store", ("CORTEX_STORE", "CORTEX_DB_PATH"), "~/.cortex/memory.db", store_place,
            "Where memories are kept: a file, :memory:, or sqlite:///file."),
    Setting("user", ("CORTEX_USER_ID",), "local", _name,
            "Whose memories these are: the default scope is user:<id>."),
    Setting("top_k", ("CORTEX_TOP_K",), "5", _whole(1, 1000),
            "How many hits recall gives when no limit is named.", _WHOLE),
    Setting("ranking", ("CORTEX_RANKING",), "conversation", _one_of("conversation", "relevance"),
            "How recall orders hits when no ranking is named; the two differ only among turns of a session."),
    Setting("fusion", ("CORTEX_FUSION",), "calibrated", _one_of("calibrated", "rrf", "minmax"),
            "How relevance joins its legs when none is named: by what scores mean, by ranks, or by scaled scores."),
    Setting("embed_provider", ("CORTEX_EMBED_PROVIDER", "CORTEX_EMBEDDING_PROVIDER"), "local", _one_of("local"),
            "What makes vectors: local is the model that is installed with Cortex."),
    Setting("embed_model", ("CORTEX_EMBED_MODEL",), "all-MiniLM-L6-v2", _model,
            "The local model: all-MiniLM-L6-v2, or the path of a folder with model.onnx and tokenizer.json."),
    Setting("embed_dim", ("CORTEX_EMBED_DIM",), "", _optional_dim,
            "The dimension the model must have; empty means whatever it has.", _WHOLE),
    Setting("embed_threads", ("CORTEX_EMBED_THREADS",), "1", _whole(1, 256), "Processor threads for embedding.",
            _WHOLE),
    Setting("embed_wait", ("CORTEX_EMBED_WAIT",), "false", _switch,
            "MCP only: wait for the model when it is still loading, instead of answering by words and saying so.",
            _TRUTH),
    Setting("token_vectors", ("CORTEX_TOKEN_VECTORS",), "true", _switch,
            "Keep a vector of each token too, 64 bytes each; the ranking conversation finds less without.",
            _TRUTH),
    Setting("preset", ("CORTEX_PRESET",), "none", _one_of("none", "engineering", "assistant"),
            "Which layers look at a memory when it is written: none of them, or all."),
    _layer("classify", "kind, importance and tags that nobody said are read from the text."),
    _layer("emotion", "how strongly felt a text is."),
    _layer("episodic", "when it happened, who did it and where, for the timeline."),
    _layer("graph", "entities and their relations, for recall_about."),
    _layer("dedup", "what says the same in other words is not kept again."),
    _layer("soft_update", "an almost equal text that says otherwise takes the place of the other."),
    _layer("link", "memories that are near are linked both ways."),
    _layer("conflict", "what contradicts a memory takes its place, or waits for somebody to decide."),
    Setting("vector_cache_mb", ("CORTEX_VECTOR_CACHE_MB",), "512", _whole(1, 1_048_576),
            "Memory for search arrays; scopes used longest ago are dropped first.", _WHOLE),
    Setting("sqlite_synchronous", ("CORTEX_SQLITE_SYNCHRONOUS",), "full", _one_of("full", "normal"),
            "full survives power loss; normal is faster and may lose the last commits then."),
    Setting("busy_seconds", ("CORTEX_BUSY_SECONDS",), "30", _seconds,
            "How long a write waits for other processes before it gives up.", _NUMBER),
    Setting("timezone", ("CORTEX_TIMEZONE",), "UTC", _zone, "What times and dates without a zone mean."),
    Setting("mcp_result_chars", ("CORTEX_MCP_RESULT_CHARS",), "20000", _whole(1000, 10_000_000),
            "The most characters one MCP tool answers with; what is cut is said.", _WHOLE),
    Setting("log_level", ("CORTEX_LOG_LEVEL",), "warning", _one_of("debug", "info", "warning", "error"),
            "How much is logged, on stderr."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Effective:
    """A setting in force: its usual variable, its value, and where that comes from."""

    variable: str
    value: str
    origin: str


def effective(overrides: Mapping[str, str] | None = None) -> list[Effective]:
    """Every setting as it is in force."""
    sources = _sources()
    found = [(setting, *_find(setting, overrides or {}, sources)) for setting in SETTINGS]
    return [Effective(setting.variables[0], value, origin) for setting, value, origin in found]


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
            raise ConfigurationError(f"{origin}={_shown(given)}: {problem}. {setting.meaning}") from error
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


def _shown(value: str) -> str:
    scheme, url, _ = value.partition("://")
    return repr(f"{scheme}://…") if url and scheme != "sqlite" else repr(value)  # a URL may hold a password


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
        refuse_unknown(content, [field.name for field in fields(Settings)])
        return {s.name: _as_text(s, content[s.name]) for s in SETTINGS if s.name in content}
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        raise ConfigurationError(f"{path}: {error}") from error


def _as_text(setting: Setting, value: object) -> str:
    kind = _TOML_KINDS.get(type(value), "a date or time")
    if (kind, setting.toml) not in _TOML_FITS:
        raise ValueError(f"{setting.name} is {kind}, {reprlib.repr(value)}; expected {setting.toml}. {setting.meaning}")
    return str(value).lower() if isinstance(value, bool) else str(value)
