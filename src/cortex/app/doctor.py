"""``cortex doctor``: how everything is set up, what is wrong with it, and mending what can be."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cortex.app.cortex import from_settings
from cortex.app.settings import Effective, Settings, effective, load
from cortex.model.health import Health

_LEAST_FREE = 256 * 2**20
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The settings in force, the health of the store, what is wrong beside it, and what was mended."""

    settings: tuple[Effective, ...]
    health: Health
    problems: tuple[str, ...]
    mended: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def examine(overrides: Mapping[str, str] | None = None, *, mend: bool = False) -> Diagnosis:
    """Look at everything; ``mend`` corrects permissions, makes again what was lost and does what is owed."""
    settings = load(overrides)
    mended = list(_mend_files(settings)) if mend else []
    with from_settings(settings) as cortex:
        if mend:
            mended += cortex.admin.mend()
            mended += _mend_work(cortex.admin.run_jobs().done)
        health = cortex.health()
    problems = (*health.problems, *_file_problems(settings))
    return Diagnosis(settings=tuple(effective(overrides)), health=health, problems=problems, mended=tuple(mended))


def _files(settings: Settings) -> list[Path]:
    own = Path(settings.store.removeprefix("sqlite:///"))
    return [
        path
        for path in (own, *own.parent.glob(f"{own.name}-*"), *own.parent.glob(f"{own.name}.backup-*"))
        if path.is_file()
    ]


def _file_problems(settings: Settings) -> Iterator[str]:
    for path in _files(settings):
        if stat.S_IMODE(path.stat().st_mode) & _OTHERS:
            yield f"{path} can be read by others; cortex doctor --fix makes it yours alone"
    for path in _files(settings)[:1]:
        free = shutil.disk_usage(path.parent).free
        if free < _LEAST_FREE:
            yield f"only {free:,} bytes are free beside {path}: writes will soon fail"


def _mend_files(settings: Settings) -> Iterator[str]:
    for path in _files(settings):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & _OTHERS:
            path.chmod(mode & ~_OTHERS)
            yield f"{path} is readable by you alone now"


def _mend_work(done: int) -> Iterator[str]:
    if done:
        yield f"{done:,} jobs were done"
