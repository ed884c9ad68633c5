"""Files of lines: written whole or not at all, read a line at a time."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from cortex import files
from cortex.core.intake import shown
from cortex.errors import InvalidInput

LONGEST_LINE = 64 * 2**20


def named(path: object) -> Path:
    """The path, if the system can have a file of that name; else `InvalidInput`."""
    if not isinstance(path, (str, PathLike)):
        raise InvalidInput("path", f"expected the path of a file, got {type(path).__name__}")
    found = os.fspath(path)
    if not isinstance(found, str) or not found:
        raise InvalidInput("path", f"{shown(found)} is no name of a file; expected text that is not empty")
    try:
        Path(found).lstat()
    except ValueError as error:  # a NUL, or what is no Unicode
        raise InvalidInput("path", f"{shown(found)} is no name of a file ({error})") from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise InvalidInput("path", f"{shown(found)} is no name of a file ({error.strerror})") from None
    return Path(found)


def refuse_taken(path: Path) -> None:
    """Raise `InvalidInput` where no new file can be made under this name: something has it, or its folder is none."""
    if path.exists():
        raise InvalidInput("path", f"{path} exists already and is left as it is; give another name")
    if not path.parent.is_dir():
        raise InvalidInput(
            "path", f"{path} cannot be written: {path.parent} is no folder; make it, or give another name"
        )
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput("path", f"{path} cannot be written: its folder may not be changed; give another name")


def write_new(path: Path, lines: Iterable[str]) -> int:
    """Write the lines to a file that is not there yet, readable by its owner only; how many there were."""
    refuse_taken(path)
    count = 0
    try:
        with files.unfinished(path) as draft:
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                for line in lines:
                    file.write(f"{line}\n")
                    count += 1
                file.flush()
                os.fsync(file.fileno())
            files.publish(draft, path)
    except FileExistsError:
        raise InvalidInput("path", f"{path} exists already and is left as it is; give another name") from None
    except OSError as error:
        if files.is_full(error):
            raise files.refused(path, error) from error
        raise InvalidInput("path", f"{path} cannot be written: {error.strerror}") from error
    return count


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a regular file of UTF-8 text; `InvalidInput` for anything else."""
    if not path.is_file():
        raise InvalidInput("path", f"{path} is no file")
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            while line := file.readline(LONGEST_LINE):
                if len(line) == LONGEST_LINE:
                    raise InvalidInput("path", f"{path} has a line of more than {LONGEST_LINE} characters")
                yield line
    except UnicodeDecodeError as error:
        if _is_gzip(path):
            raise InvalidInput("path", f"{path} is packed with gzip; unpack it first with gunzip") from None
        raise InvalidInput("path", f"{path} is no UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise InvalidInput("path", f"{path} cannot be read: {error.strerror}") from error


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"
