"""Reading a file that cannot be written, without leaving anything beside it.

SQLite reads a file in WAL mode under locks in its `-shm` file. Where somebody has the file open that is there and is
used. Where nobody has, it could not be made in a folder that cannot be written, and making it elsewhere would leave
a file that may shut its owner out. So the file is read as it lies, without locks, and what was read counts only if
the file is still as it was: otherwise the read is to be made again, in whichever way is right then.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_SIDE_FILES = ("", "-wal", "-shm", "-journal")
_FORMAT = 18  # the offset of the file format's version: 1 for a rollback journal, 2 for a write-ahead log

Stamp = tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """How to open the file; ``stamp`` is how it lay, None where SQLite's own locks guard it."""

    uri: str
    stamp: Stamp | None


def allowed(path: Path, *, writable: bool) -> bool:
    """Whether a store can be written there: its file, and its folder for the log."""
    return writable and os.access(path.parent, os.W_OK | os.X_OK)


def way(path: Path, handle: int) -> Way:
    """The way that is right as the file lies now; ``handle`` is open on it, and to close another would drop locks."""
    found = stamp(path)
    _, log, shared, journal = found
    locked = (
        shared is not None or any(side is not None and side[1] > 0 for side in (log, journal)) or _rolls_back(handle)
    )
    uri = f"{path.absolute().as_uri()}?mode=ro"
    return Way(uri, None) if locked else Way(f"{uri}&immutable=1", found)


def stamp(path: Path) -> Stamp:
    """What differs after anybody has written: time and size of the file and of those beside it."""
    return tuple(_stamp(Path(f"{path}{suffix}")) for suffix in _SIDE_FILES)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _rolls_back(handle: int) -> bool:
    os.lseek(handle, _FORMAT, os.SEEK_SET)
    return os.read(handle, 1) == b"\x01"
