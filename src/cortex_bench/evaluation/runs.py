"""What a run leaves behind: a row a question, written as it is made, so that it can be broken off and resumed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from cortex.errors import ConfigurationError, InvalidInput

if sys.platform != "win32":
    import fcntl

SETTINGS = "run.json"
ROWS = "rows.jsonl"
TIMINGS = "timings.jsonl"
_UNFINISHED = ".unfinished"

Row = dict[str, Any]


class Run:
    """The rows of a run, by the id of their question, in a folder or (None) in memory only.

    A row has ``id``, its ``place`` among all, and ``failed`` where it is to be tried again. ``resume``: go on in a
    folder that has rows, with the same settings. Raises `ConfigurationError` for other settings, and `InvalidInput`
    for a folder that is not as it should be.
    """

    def __init__(self, folder: Path | None, settings: Mapping[str, Any], *, resume: bool = False) -> None:
        self.settings = dict(settings)
        self.rows: dict[str, Row] = {}
        self.timings: list[Row] = []
        self._folder = folder
        self._files: list[TextIO] = []
        self._lock: int | None = None
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _alone_in(folder)
        try:
            self._open(folder, resume=resume)
        except BaseException:
            self.close()
            raise

    def _open(self, folder: Path, *, resume: bool) -> None:
        if resume:
            self._take_up(folder)
        elif (folder / ROWS).exists():
            raise InvalidInput("out", f"{folder} has the rows of a run; resume it, or name another folder")
        _replace(folder / SETTINGS, json.dumps(self.settings, indent=2) + "\n")
        self._files = [(folder / name).open("a", encoding="utf-8") for name in (ROWS, TIMINGS)]

    def done(self, question_id: str) -> bool:
        """Whether there is a row that need not be tried again."""
        return question_id in self.rows and "failed" not in self.rows[question_id]

    def add(self, row: Row, timing: Row) -> None:
        """Keep a row and how long its parts took, in milliseconds; on its way to the disk when this returns."""
        self.rows[row["id"]] = row
        self.timings.append({"id": row["id"], **timing})
        for file, each in zip(self._files, (row, self.timings[-1]), strict=False):
            file.write(_line(each))
            file.flush()

    def finish(self) -> list[Row]:
        """All rows in their places; in the folder they then lie so, too."""
        rows = sorted(self.rows.values(), key=lambda row: row["place"])
        if self._folder is not None:
            for file in self._files:
                file.flush()
            _replace(self._folder / ROWS, "".join(map(_line, rows)))
        return rows

    def write(self, name: str, text: str) -> None:
        """Put a file beside the rows, if there is a folder."""
        if self._folder is not None:
            _replace(self._folder / name, text)

    def close(self) -> None:
        """Release the files; what was added is in them."""
        for file in self._files:
            file.close()
        self._files = []
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_up(self, folder: Path) -> None:
        try:
            before = json.loads((folder / SETTINGS).read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InvalidInput("out", f"{folder} has no run to resume ({error})") from error
        if not isinstance(before, dict):
            raise InvalidInput("out", f"{folder / SETTINGS} has no settings of a run; name another folder")
        now = json.loads(json.dumps(self.settings))
        if before != now:
            names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
            told = "; ".join(f"{name} was {before.get(name)!r} and is {now.get(name)!r}" for name in names)
            raise ConfigurationError(f"{folder} was begun with other settings: {told}; use the same or another folder")
        rows = _read(folder / ROWS, {"id": str, "place": int})
        self.rows = {row["id"]: row for row in rows if "failed" not in row}
        self.timings = [timing for timing in _read(folder / TIMINGS, {"id": str}) if timing["id"] in self.rows]
        # Without the line that was being written when it broke off, and without failures.
        _replace(folder / ROWS, "".join(map(_line, self.rows.values())))
        _replace(folder / TIMINGS, "".join(map(_line, self.timings)))


def _alone_in(folder: Path) -> int | None:
    """A lock on the folder, which ends with the process; `InvalidInput` where another process has it."""
    if sys.platform == "win32":  # whoever shares a folder there must take care
        return None
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(opened)
        raise InvalidInput(
            "out", f"another run is writing into {folder}; wait for it, or name another folder"
        ) from error
    return opened


def _line(row: Row) -> str:
    return json.dumps(row) + "\n"


def _read(path: Path, needed: Mapping[str, type]) -> list[Row]:
    if not path.exists():
        return []
    # A split at "\n" only: JSON leaves other line ends inside of texts as they are.
    *lines, rest = path.read_bytes().split(b"\n")
    del rest  # the line that was being written when it broke off
    try:
        read = [json.loads(line) for line in lines]
    except (ValueError, RecursionError) as error:
        raise InvalidInput("out", f"{path} has a line that is no JSON ({error}); name another folder") from error
    for number, row in enumerate(read, start=1):
        if not isinstance(row, dict) or not all(isinstance(row.get(name), type_) for name, type_ in needed.items()):
            names = " and ".join(needed)
            raise InvalidInput("out", f"{path}, line {number}: no row with {names}; name another folder")
    return read


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + _UNFINISHED)
    unfinished.write_bytes(text.encode("utf-8", "surrogatepass"))
    unfinished.replace(path)
