"""The bytes of a database file that belong to no row, and how they are overwritten.

`secure_delete` overwrites what is deleted, but not the copies that SQLite leaves in the unused middle of a page
when it moves rows to a neighbour; only `VACUUM`, which rewrites the whole file, would. A page of a b-tree has its
cell pointers at the beginning and its cells at the end; what lies between is read by nobody and may be set to zero
at any time, as long as nobody writes pages meanwhile. See https://www.sqlite.org/fileformat.html, "B-tree Pages".
"""

from __future__ import annotations

import errno
import os
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_CHUNK = 2**22
# Goes with the commit that erases, so that whoever opens the file next knows what is left to do.
OWE_A_SCRUB = "INSERT OR IGNORE INTO store (key, value) VALUES ('unscrubbed', '')"
OWES_A_SCRUB = "SELECT EXISTS (SELECT 1 FROM store WHERE key = 'unscrubbed')"
SCRUBBED = "DELETE FROM store WHERE key = 'unscrubbed'"
# Header bytes of index interior, table interior, index leaf and table leaf pages, by the byte they begin with.
_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}
# Any other page begins with a page number: its first byte is 0 in a file of fewer pages than this.
_MOST_PAGES = 2**24


@dataclass(slots=True)
class Held:
    """The open file behind a database, beside SQLite's own handles."""

    handle: int
    key: tuple[int, int]
    writable: bool
    users: int = 1


# Closing any handle of a file drops all POSIX locks that the process has on it, SQLite's too. So each file is
# opened once in a process, and closed when its last store is.
_held: dict[tuple[int, int], Held] = {}
_lock = threading.Lock()


def hold(path: Path) -> Held:
    """Open the file, made with mode 0600 if it is not there, or share what is open already; raises OSError.

    Where it cannot be written it is opened to be read.
    """
    with _lock:
        if path.exists():
            found = path.stat()
            held = _held.get((found.st_dev, found.st_ino))
            if held is not None:
                held.users += 1
                return held
        handle, writable = _open(path)
        found = os.fstat(handle)
        held = _held[found.st_dev, found.st_ino] = Held(handle, (found.st_dev, found.st_ino), writable)
        return held


def _open(path: Path) -> tuple[int, bool]:
    binary = getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, os.O_RDWR | binary), True
    except FileNotFoundError:
        return os.open(path, os.O_CREAT | os.O_RDWR | binary, 0o600), True
    except OSError as error:
        if error.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise
        return os.open(path, os.O_RDONLY | binary), False


def release(held: Held) -> None:
    """Close the file when nobody holds it any more; after SQLite has closed it."""
    with _lock:
        held.users -= 1
        if held.users == 0:
            _held.pop(held.key, None)
            os.close(held.handle)


def overwrite(held: Held) -> int:
    """Set the unused middle of every page to zero and tell how many were not.

    The caller holds the write lock, and the file has everything: there is no log to be copied into it.
    """
    with open(held.handle, "r+b", buffering=0, closefd=False) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(16)
        page_size = int.from_bytes(file.read(2), "big")
        page_size = 65536 if page_size == 1 else page_size
        if page_size < 512 or size // page_size >= _MOST_PAGES:
            return 0
        gaps = [gap for start in range(0, size, _CHUNK) for gap in _gaps(held.handle, start, page_size)]
        for offset, length in gaps:
            file.seek(offset)
            file.write(bytes(length))
        if gaps:
            os.fsync(held.handle)
        return len(gaps)


def _gaps(handle: int, start: int, page_size: int) -> list[tuple[int, int]]:
    """Offset and length of each unused middle that is not zero, in one part of the file."""
    os.lseek(handle, start, os.SEEK_SET)
    data = os.read(handle, _CHUNK)
    pages = np.frombuffer(data, dtype=np.uint8, count=len(data) // page_size * page_size).reshape(-1, page_size)
    found = []
    # The first page begins with the file's header and holds the schema only.
    for index in np.flatnonzero(np.isin(pages[:, 0], list(_HEADERS))):
        page = pages[index]
        first = _HEADERS[int(page[0])] + 2 * (int(page[3]) << 8 | int(page[4]))
        last = (int(page[5]) << 8 | int(page[6])) or 65536
        if first < last <= page_size and page[first:last].any():
            found.append((start + int(index) * page_size + first, last - first))
    return found
