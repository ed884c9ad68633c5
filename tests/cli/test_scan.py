"""`cortex scan`, and what the other commands say of secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_bench.evaluation.made_up import made_up
from tests.cli.conftest import Cli

TOKEN = made_up("github_token", 5)


@pytest.fixture
def unmasked(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A store with a secret in it."""
    path = tmp_path / "unmasked.db"
    monkeypatch.setenv("CORTEX_REDACT", "off")
    assert cli("--db", path, "memorize", f"Token {TOKEN}").code == 0
    monkeypatch.delenv("CORTEX_REDACT")
    return path


def test_it_finds_and_fixes(cli: Cli, unmasked: Path) -> None:
    """Found: told without the value, exit code 1. Masked: exit code 0, and found no more."""
    looked = cli("--db", unmasked, "scan")
    assert looked.code == 1
    assert "github_token  version 1  content  characters 6 to 46" in looked.out
    assert "1 memories read, 1 secrets found" in looked.out
    assert TOKEN not in looked.out + looked.err
    found = cli("--db", unmasked, "scan", "--json").json
    assert (found["memories"], found["masked"], found["findings"][0]["kind"]) == (1, 0, "github_token")
    fixed = cli("--db", unmasked, "scan", "--fix", "--json")
    assert (fixed.code, fixed.json["masked"]) == (0, 1)
    assert cli("--db", unmasked, "scan", "--scope", "user:local").code == 0
    assert TOKEN.encode() not in unmasked.read_bytes()


def test_memorize_tells_what_it_masked(cli: Cli, tmp_path: Path) -> None:
    """On stderr for a person, in the receipt for a program."""
    path = tmp_path / "masked.db"
    done = cli("--db", path, "memorize", f"Token {TOKEN}")
    assert "masked what looks like a secret (github_token) in content, characters 6 to 46" in done.err
    receipt = cli("--db", path, "memorize", f"Token {TOKEN}", "--json").json
    assert receipt["redacted"] == [{"field": "content", "kind": "github_token", "start": 6, "end": 46}]
    assert cli("--db", path, "list").out.count("[redacted: github_token]") == 1


def test_refusing(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wrong input, and the message does not repeat it."""
    monkeypatch.setenv("CORTEX_REDACT", "refuse")
    done = cli("--db", tmp_path / "refusing.db", "memorize", f"Token {TOKEN}")
    assert done.code == 2
    assert "github_token" in done.err
    assert TOKEN not in done.err
