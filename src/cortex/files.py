"""New files: whole or not at all, private, under a name that nothing had."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import mkstemp

from cortex.errors import StoreError, StoreFull, StoreReadOnly

UNFINISHED = ".unfinished-"
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_SIDE_FILES = ("", "-journal", "-wal", "-shm")


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """An empty file of its owner only, beside ``path``, to be filled and published; it is gone after the block."""
    handle, name = mkstemp(prefix=f"{path.name}{UNFINISHED}", dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for suffix in _SIDE_FILES:  # a database may have some
            Path(f"{name}{suffix}").unlink(missing_ok=True)


def publish(finished: Path, path: Path) -> None:
    """Give a finished file its name, durably; `FileExistsError` where something has it."""
    try:
        os.link(finished, path)
    except FileExistsError:
        raise
    except OSError:  # some file systems have no links: take the name first, then its place
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        finished.replace(path)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def publish_unused(finished: Path, name: str) -> str:
    """Publish under the first of name, name.1, name.2, … that nothing has, and tell it: an older one may be better."""
    for number in count():
        unused = name if number == 0 else f"{name}.{number}"
        with suppress(FileExistsError):
            publish(finished, Path(unused))
            return unused
    raise AssertionError("count() has no end")


def refused(path: str | Path, error: OSError) -> StoreError:
    """Our error for a file that the system would not let us write."""
    if is_full(error):
        return StoreFull(f"{path}: no space left ({error.strerror}); nothing was changed; free space and try again")
    if error.errno in _FORBIDDEN:
        return StoreReadOnly(f"{path}: {error.strerror}; check the permissions of the file and its folder")
    return StoreError(f"{path} cannot be written: {error.strerror}")


def is_full(error: OSError) -> bool:
    """Whether there was no space, or a limit of size or quota was met."""
    return error.errno in _FULL
