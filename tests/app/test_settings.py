from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from cortex import Cortex
from cortex.app import build
from cortex.app.settings import SETTINGS, child_environment, load
from cortex.errors import ConfigurationError
from tests.docs.pages import read


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def user_file() -> Path:
    """The settings file in the user's configuration folder, its folder made."""
    folder = Path(platformdirs.user_config_dir("cortex", appauthor=False))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "cortex.toml"


def refusal(**overrides: str) -> str:
    """What is said when the settings are refused."""
    with pytest.raises(ConfigurationError) as caught:
        load(overrides)
    return str(caught.value)


def test_the_example_lists_every_variable_with_its_default() -> None:
    """`.env.example` names what there is, no more and no less, each with its default and its meaning."""
    text = read(".env.example")
    given = dict(re.findall(r"^# ([A-Z_]+)=(.*)$", text, re.MULTILINE))
    assert given == {setting.variables[0]: setting.default for setting in SETTINGS}
    ours = {name for setting in SETTINGS for name in setting.variables if name.startswith("CORTEX_")}
    assert set(re.findall(r"CORTEX_\w+", text)) == ours
    said = re.sub(r"\n# ", " ", text)
    assert [setting.name for setting in SETTINGS if setting.meaning not in said] == []


def test_the_example_uncommented_changes_nothing() -> None:
    """A copy of `.env.example` with every line switched on gives the defaults."""
    defaults = load()
    Path(".env").write_text(re.sub(r"^# (?=[A-Z_]+=)", "", read(".env.example"), flags=re.MULTILINE), "utf-8")
    assert load() == defaults


SOURCES = ("argument", "environment", ".env", "cortex.toml", "configuration folder", "default")


@pytest.mark.parametrize("first", range(len(SOURCES)), ids=SOURCES)
def test_the_first_source_wins(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Argument before environment before .env before ./cortex.toml before the user's before the default."""
    writers: tuple[Callable[[str], object], ...] = (
        str,  # an argument is no place to write to
        lambda value: monkeypatch.setenv("CORTEX_USER_ID", value),
        lambda value: Path(".env").write_text(f"CORTEX_USER_ID={value}\n", "utf-8"),
        lambda value: Path("cortex.toml").write_text(f'user = "{value}"\n', "utf-8"),
        lambda value: user_file().write_text(f'user = "{value}"\n', "utf-8"),
    )
    for number in range(first, len(writers)):
        writers[number](f"from-{number}")
    loaded = load({"user": "from-0"} if first == 0 else {})
    assert loaded.user == ("local" if SOURCES[first] == "default" else f"from-{first}")


def test_the_arguments_of_cortex_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is named in the call is opened, whatever the environment says."""
    monkeypatch.setenv("CORTEX_STORE", str(tmp_path / "environment.db"))
    with Cortex(tmp_path / "argument.db") as cortex:
        assert cortex.health().store.location == str(tmp_path / "argument.db")
    assert not (tmp_path / "environment.db").exists()


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable hides nothing that stands further down, and no default."""
    monkeypatch.setenv("CORTEX_TOP_K", "")
    assert load().top_k == 5
    Path(".env").write_text("CORTEX_TOP_K=7\nCORTEX_USER_ID=\n", "utf-8")
    assert (load().top_k, load().user) == (7, "local")


@pytest.mark.parametrize("names", [s.variables for s in SETTINGS if len(s.variables) > 1], ids=lambda names: names[0])
@pytest.mark.parametrize("place", ["the environment", ".env"])
def test_names_that_disagree_are_refused(names: tuple[str, ...], place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two names of one setting with different values in one place are refused, and both are named."""
    if place == ".env":
        Path(".env").write_text("".join(f"{name}=value-{name}\n" for name in names), "utf-8")
    else:
        for name in names:
            monkeypatch.setenv(name, f"value-{name}")
    said = refusal()
    assert all(name in said for name in (*names, place))


def test_names_that_agree_are_fine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two names of one setting with one value are no conflict, nor are two places."""
    monkeypatch.setenv("CORTEX_STORE", "a.db")
    monkeypatch.setenv("CORTEX_DB_PATH", "a.db")
    Path(".env").write_text("CORTEX_DB_PATH=b.db\n", "utf-8")
    assert load().store == str(tmp_path / "a.db")


WRONG = (
    ("CORTEX_TOP_K", "0", "1 to 1000"),
    ("CORTEX_TOP_K", "many", ""),
    ("CORTEX_EMBED_PROVIDER", "mistral", "local, openai"),
    ("CORTEX_EMBED_DIM", "-1", "1 to 65536"),
    ("CORTEX_EMBED_THREADS", "0", "1 to 256"),
    ("CORTEX_LLM_BACKEND", "gpt", "openrouter, ollama, openai, gemini, anthropic, none"),
    ("CORTEX_LLM_PROVIDER", "none", "openai"),
    ("CORTEX_LLM_TIMEOUT", "0", "0.1 to 3600"),
    ("CORTEX_LLM_PRICE_IN", "-1", "at least 0"),
    ("CORTEX_LLM_PRICE_OUT", "inf", "at least 0"),
    ("CORTEX_EMBED_WAIT", "maybe", "true or false"),
    ("CORTEX_VECTOR_CACHE_MB", "0", "1 to"),
    ("CORTEX_SQLITE_SYNCHRONOUS", "off", "full, normal"),
    ("CORTEX_BUSY_SECONDS", "nan", "0 to 3600"),
    ("CORTEX_BUSY_SECONDS", "-1", "0 to 3600"),
    ("CORTEX_TIMEZONE", "Mars/Olympus", "Europe/Paris"),
    ("CORTEX_TIMEZONE", "../../etc/passwd", ""),
    ("CORTEX_MCP_RESULT_CHARS", "10", "1000 to"),
    ("CORTEX_LOG_LEVEL", "loud", "debug, info, warning, error"),
    ("CORTEX_USER_ID", " padded ", "white space"),
)


@pytest.mark.parametrize(("variable", "value", "expected"), WRONG)
def test_a_wrong_value_is_refused(variable: str, value: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong value is refused with its variable, itself and what is expected."""
    monkeypatch.setenv(variable, value)
    said = refusal()
    assert variable in said
    assert repr(value) in said
    assert expected in said


def test_a_wrong_value_names_its_file() -> None:
    """Where the value stands in a file, the file is named."""
    Path("cortex.toml").write_text("top_k = 0\n", "utf-8")
    assert "top_k in cortex.toml='0'" in refusal()
    Path(".env").write_text("CORTEX_TOP_K=-3\n", "utf-8")
    assert "CORTEX_TOP_K in .env='-3'" in refusal()
    assert "argument top_k='x'" in refusal(top_k="x")


def test_a_wrong_value_in_the_users_file_names_its_path() -> None:
    """Of the two settings files the one with the error is named in full."""
    user_file().write_text('log_level = "loud"\n', "utf-8")
    assert str(user_file()) in refusal()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"topk = 3\n", "did you mean 'top_k'"),
        (b'time_zone = "UTC"\n', "did you mean 'timezone'"),
        (b'[graph]\nmode = "x"\n', "graph"),
        (b"top_k = \n", "cortex.toml"),
        (b"user = \xff\n", "cortex.toml"),
    ],
)
def test_a_bad_settings_file_is_refused(content: bytes, expected: str) -> None:
    """An unknown key is refused with the nearest one, a broken file with its name."""
    Path("cortex.toml").write_bytes(content)
    said = refusal()
    assert said.startswith("cortex.toml")
    assert expected in said


def test_a_settings_file_has_types() -> None:
    """Numbers, true and false need no quotes in the file."""
    Path("cortex.toml").write_text("embed_wait = true\ntop_k = 9\nbusy_seconds = 1.5\n", "utf-8")
    settings = load()
    assert (settings.embed_wait, settings.top_k, settings.busy_seconds) == (True, 9, 1.5)


TYPES = (
    ("store = 5", "store is a whole number, 5; expected text in quotes"),
    ('store = ["a"]', "store is an array, ['a']; expected text in quotes"),
    ("store = true", "store is true or false, True; expected text in quotes"),
    ("user = 2026-05-31", "user is a date or time, "),
    ("[user]\nname = 'ada'", "user is a table, {'name': 'ada'}; expected text in quotes"),
    ('top_k = "5"', "top_k is text in quotes, '5'; expected a whole number"),
    ("top_k = 5.0", "top_k is a number, 5.0; expected a whole number"),
    ("top_k = true", "top_k is true or false, True; expected a whole number"),
    ("embed_dim = [384]", "embed_dim is an array, [384]; expected a whole number"),
    ("embed_wait = 1", "embed_wait is a whole number, 1; expected true or false"),
    ('embed_wait = "yes"', "embed_wait is text in quotes, 'yes'; expected true or false"),
    ('busy_seconds = "30"', "busy_seconds is text in quotes, '30'; expected a number"),
)


@pytest.mark.parametrize(("content", "expected"), TYPES)
@pytest.mark.parametrize("place", ["here", "in the user's folder"])
def test_a_value_of_another_type_is_refused(content: str, expected: str, place: str) -> None:
    """Each setting wants its own type of TOML: the file, the name, what was given and what is expected are told."""
    file = Path("cortex.toml") if place == "here" else user_file()
    file.write_text(content + "\n", "utf-8")
    assert refusal().startswith(f"{file}: {expected}")


def test_every_setting_takes_its_own_type() -> None:
    """Every default can be written in the file in the type that its setting wants."""
    defaults = load()
    quoted = {s.name: f'"{s.default}"' if s.toml == "text in quotes" else s.default for s in SETTINGS if s.default}
    Path("cortex.toml").write_text("".join(f"{name} = {value}\n" for name, value in quoted.items()), "utf-8")
    assert load() == defaults


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "f" * 5000, "[" * 5000])
def test_a_value_that_python_cannot_read_is_refused(value: str) -> None:
    """A number of thousands of digits and arrays of thousands of levels are wrong settings, not tracebacks."""
    Path("cortex.toml").write_text(f"top_k = {value}\n", "utf-8")
    assert refusal().startswith("cortex.toml: ")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('CORTEX_STORE="a.db\n', 1),
        ("A=1\n\n\nCORTEX_STORE='a.db\n", 4),
        ("CORTEX_STORE a.db\n", 1),
        ("# ours\nCORTEX_STORE: a.db\n", 2),
        ("CORTEX_STORE:a.db\n", 1),
        ("A=1\r\nexport CORTEX_STORE a.db\r\n", 2),
        ('A="\nCORTEX_STORE="a.db"\n', 1),
    ],
)
def test_a_malformed_line_of_ours_is_refused(content: str, line: int) -> None:
    """A line of `.env` that names us and cannot be read is refused with its number, so that no data goes elsewhere."""
    Path(".env").write_bytes(content.encode())
    assert refusal() == f".env, line {line}: expected NAME=value, every quote closed"


def test_malformed_lines_of_others_are_theirs(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """What cannot be read and does not name us is passed over in silence; what stands around it holds."""
    Path(".env").write_text(
        "OTHER 'x\nCORTEX_TOP_K=7\n = 3\n\"\nCORTEX_USER_ID=ada\nplain words\nCORTEX_STORE\n", "utf-8"
    )
    settings = load()
    assert (settings.top_k, settings.user) == (7, "ada")
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", [".env", "cortex.toml"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "loop"])
def test_only_regular_files_are_read(name: str, kind: str) -> None:
    """A folder, a pipe that would never end and a link to nothing are no settings files."""
    defaults = load()
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "folder":
        Path(name).mkdir()
    else:
        Path(name).symlink_to(name)
    assert load() == defaults


@pytest.mark.parametrize("name", [".env", "cortex.toml"])
def test_a_file_that_is_not_utf8_is_refused(name: str) -> None:
    """The file is named, and where it stops being UTF-8."""
    Path(name).write_bytes(b"A=caf\xe9\n")
    assert refusal() == f"{name}: not UTF-8 (invalid continuation byte at byte 5)"


@pytest.mark.parametrize("name", [".env", "cortex.toml"])
def test_a_file_that_cannot_be_read_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is named with the reason of the system."""

    def denied(path: Path, *_: object) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    Path(name).touch()
    monkeypatch.setattr(Path, "read_text", denied)
    assert refusal() == f"{name}: cannot be read (Permission denied)"


@pytest.mark.parametrize("name", ["store", "embed_model"])
def test_a_path_that_is_none_is_refused(name: str) -> None:
    """A NUL and a home of nobody are refused with the setting's name, in a file as in an argument."""
    assert f"argument {name}='a\\x00b': expected a path without NUL" in refusal(**{name: "a\0b"})
    assert "~nobody-of-that-name has no home" in refusal(**{name: "~nobody-of-that-name/x"})
    Path("cortex.toml").write_text(f'{name} = "a\\u0000b"\n', "utf-8")
    assert refusal().startswith(f"{name} in cortex.toml=")


@pytest.mark.parametrize(("value", "meant"), [("1", True), ("YES", True), ("on", True), ("0", False), ("Off", False)])
def test_a_switch_has_several_spellings(value: str, meant: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """1, true, yes and on switch on, 0, false, no and off switch off, in any case."""
    monkeypatch.setenv("CORTEX_EMBED_WAIT", value)
    assert load().embed_wait is meant


def test_other_variables_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of another program, or a name that only the settings file uses, changes nothing."""
    defaults = load()
    monkeypatch.setenv("CORTEX_SOMETHING_ELSE", "1")
    monkeypatch.setenv("user", "somebody")
    monkeypatch.setenv("store", "elsewhere.db")
    assert load() == defaults


def test_the_dimension_must_be_the_models() -> None:
    """A dimension that the model does not have is refused with both numbers, before anything is loaded."""
    assert build.choose_embedder(load({"embed_dim": "384"})).signature.dim == 384
    with pytest.raises(ConfigurationError, match=r"CORTEX_EMBED_DIM=100.*384"):
        build.choose_embedder(load({"embed_dim": "100"}))


def test_a_home_is_expanded(tmp_path: Path) -> None:
    """`~` is the home of whoever runs it, in a setting as well as in an argument and a URL."""
    assert load().store == str(tmp_path / ".cortex/memory.db")
    assert load({"store": "~/a.db"}).store == str(tmp_path / "a.db")
    for location in ("~/b.db", "sqlite:///~/b.db"):
        store = build.open_store(location, load())
        assert store.info().location == str(tmp_path / "b.db")
        store.close()


@pytest.mark.parametrize(
    ("url", "place"), [("sqlite:///a.db", "a.db"), ("sqlite:///:memory:", None), ("sqlite:///", None)]
)
def test_a_store_may_be_a_url(url: str, place: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`sqlite:///` takes a path, relative to the working directory; without one the store is in memory."""
    monkeypatch.setenv("CORTEX_STORE", url)
    store = build.open_store(load().store, load())
    assert store.info().location == (":memory:" if place is None else str(tmp_path / place))
    store.close()


def test_an_absolute_url_is_absolute(tmp_path: Path) -> None:
    """Four slashes begin an absolute path."""
    store = build.open_store(f"sqlite:///{tmp_path}/deep/a.db", load())
    assert store.info().location == f"{tmp_path}/deep/a.db"
    store.close()


@pytest.mark.parametrize(
    "url", ["postgresql://ada:secret@db.example/cortex", "postgres://db", "redis://db", "sqlite://"]
)
def test_a_store_of_another_kind_is_refused(url: str) -> None:
    """A URL that this release cannot open is refused with what it can, and no password is repeated."""
    with pytest.raises(ConfigurationError) as caught:
        Cortex(url)
    said = str(caught.value)
    assert url.partition(":")[0] in said
    assert "sqlite:///" in said
    assert "secret" not in said


def test_a_child_starts_without_our_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment for a child has what it is given and none of our own settings."""
    monkeypatch.setenv("CORTEX_USER_ID", "ada")
    monkeypatch.setenv("CORTEX_TOP_K", "9")
    monkeypatch.setenv("UNRELATED", "kept")
    environment = child_environment(CORTEX_USER_ID="grace")
    assert environment["CORTEX_USER_ID"] == "grace"
    assert "CORTEX_TOP_K" not in environment
    assert environment["UNRELATED"] == "kept"
