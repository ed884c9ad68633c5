"""Putting it together: an own model that cannot be used is a wrong setting, and a store's place is told or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cortex_model_minilm as built_in
from cortex import Cortex
from cortex.app import build
from cortex.app.settings import load
from cortex.errors import ConfigurationError


def model_folder(folder: Path, *, model: bytes | None, tokenizer: bytes | None, config: bytes | None = None) -> Path:
    """A folder with these files; None leaves one out."""
    folder.mkdir()
    for name, content in (("model.onnx", model), ("tokenizer.json", tokenizer), ("config.json", config)):
        if content is not None:
            (folder / name).write_bytes(content)
    return folder


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "no model": ({"model": None, "tokenizer": b"{}"}, "model.onnx missing"),
    "no tokenizer": ({"model": b"x", "tokenizer": None, "config": b'{"hidden_size": 8}'}, "tokenizer.json missing"),
    "nothing": ({"model": None, "tokenizer": None}, "model.onnx and tokenizer.json missing"),
    "no such model": ({"model": b"x", "tokenizer": b"{}"}, "cannot load"),
    "a configuration that is none": ({"model": b"x", "tokenizer": b"{}", "config": b"{"}, "not JSON"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_own_model_that_is_broken_is_a_wrong_setting(name: str, tmp_path: Path) -> None:
    """The error names the setting, its value, what is wrong and what to do."""
    files, problem = BROKEN[name]
    folder = model_folder(tmp_path / "model", **files)
    with pytest.raises(ConfigurationError) as caught:
        build.choose_embedder(load({"embed_model": str(folder)}))
    said = str(caught.value)
    assert said.startswith(f"CORTEX_EMBED_MODEL={str(folder)!r}: ")
    assert problem in said
    assert "or leave it out for all-MiniLM-L6-v2" in said


def test_an_own_model_that_works_is_taken(tmp_path: Path) -> None:
    """A folder with both files is a model, by the name of the folder."""
    files = [(built_in.MODEL_DIR / name).read_bytes() for name in ("model.onnx", "tokenizer.json")]
    folder = model_folder(tmp_path / "mine", model=files[0], tokenizer=files[1], config=b'{"hidden_size": 384}')
    signature = build.choose_embedder(load({"embed_model": str(folder)})).signature
    assert (signature.model, signature.dim) == ("mine", 384)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("~nobody-of-that-name/x.db", "~nobody-of-that-name has no home"),
        ("sqlite:///~nobody-of-that-name/x.db", "has no home"),
        ("sqlite:///q.db?mode=ro", "no '?'"),
        ("sqlite:///q.db#part", "no '#'"),
        ("sqlite:///:memory:?cache=shared", "no '?'"),
        ("file:q.db?mode=ro", "expected a path, :memory: or sqlite:///path"),
        ("sqlite:q.db", "sqlite:///path"),
        ("sqlite://q.db", "sqlite:///path"),
        ("mongodb+srv://ada:secret@host", "mongodb+srv:// cannot be opened"),
    ],
)
def test_a_place_that_is_none_is_refused(
    location: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an argument and as a setting it is refused with what is expected, nothing is made, no password repeated."""
    monkeypatch.chdir(tmp_path)
    before = list(tmp_path.iterdir())
    with pytest.raises(ConfigurationError) as argument:
        Cortex(location)
    monkeypatch.setenv("CORTEX_STORE", location)
    with pytest.raises(ConfigurationError, match="CORTEX_STORE=") as setting:
        load()
    for said in (str(argument.value), str(setting.value)):
        assert expected in said
        assert "secret" not in said
    assert list(tmp_path.iterdir()) == before


def test_a_plain_path_may_have_any_character(tmp_path: Path) -> None:
    """What a URL may not have, a path may: the file is named so."""
    with Cortex(tmp_path / "a?b#c.db") as cortex:
        assert cortex.health().store.location == str(tmp_path / "a?b#c.db")
    assert (tmp_path / "a?b#c.db").exists()
