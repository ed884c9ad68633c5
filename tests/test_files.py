"""New files: whole or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from cortex import files
from cortex.errors import StoreError, StoreFull, StoreReadOnly


def test_a_file_appears_whole(tmp_path: Path) -> None:
    """Until it is published nothing has its name; then it is there, private, and nothing lies beside it."""
    target = tmp_path / "new"
    with files.unfinished(target) as draft:
        draft.write_text("all of it")
        assert not target.exists()
        files.publish(draft, target)
    assert target.read_text() == "all of it"
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    """Neither the file nor what a database put beside it is left when the block fails."""
    with suppress(ZeroDivisionError), files.unfinished(tmp_path / "new") as draft:
        Path(f"{draft}-journal").touch()
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("links", [True, False])
def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    """A name that is taken stays with what has it, on file systems with hard links and without."""
    if not links:
        monkeypatch.setattr(os, "link", _no_links)
    target = tmp_path / "new"
    _write(target, "first")
    with pytest.raises(FileExistsError):
        _write(target, "second")
    assert target.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def _write(target: Path, text: str) -> None:
    with files.unfinished(target) as draft:
        draft.write_text(text)
        files.publish(draft, target)


def _no_links(source: Path, target: Path) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, StoreFull),
        (errno.EDQUOT, StoreFull),
        (errno.EFBIG, StoreFull),
        (errno.EACCES, StoreReadOnly),
        (errno.EROFS, StoreReadOnly),
        (errno.ENOENT, StoreError),
    ],
)
def test_what_the_system_says_is_named(number: int, kind: type[StoreError]) -> None:
    """Each refusal of the system is the error that tells what to do about it, with the path."""
    error = files.refused("some/file", OSError(number, os.strerror(number)))
    assert type(error) is kind
    assert "some/file" in str(error)
