"""What whoever runs a store does with it: work that is owed, exports, imports, copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from pathlib import Path

from cortex.core.intake import whole
from cortex.engine import files, jobs, mend, portability, reindex, reprocess, scan, single_user
from cortex.engine.deps import Deps
from cortex.engine.intake import Intake
from cortex.model.fields import Scopes, Time
from cortex.model.job import JobReport
from cortex.model.policy import Caller
from cortex.model.redaction import Scanned
from cortex.model.transfer import Conflict, Exported, Imported, Reindexed, Reprocessed


def _silent(done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


class Admin:
    """The verbs of administration: `cortex.admin.backup("copy.db")`."""

    def __init__(self, deps: Deps, caller: Caller, intake: Intake) -> None:
        self._deps = deps
        self._caller = caller
        self._intake = intake

    def run_jobs(self, most: int = 1000) -> JobReport:
        """Do follow-up work that is due, such as vectors that are still owed."""
        return jobs.run_jobs(self._deps, self._caller, owner=self._deps.new_id(), most=whole("most", most, 1))

    def requeue(self) -> int:
        """Queue work for memories that lack vectors and have no job; how many."""
        return jobs.requeue(self._deps, self._caller)

    def mend(self) -> list[str]:
        """Make again what a damaged store has lost and can be made, and queue the vectors that it lacks; what was done.

        What cannot be made again stays named by `health`.
        """
        return mend.mend(self._deps, self._caller)

    def export_memories(
        self, path: str | PathLike[str], *, scope: Scopes | None = None, as_of: Time | None = None
    ) -> Exported:
        """Write these scopes, or everything, to a new file of JSON lines: lossless, with vectors and versions.

        With ``scope`` a memory that was moved there comes without the versions that lived elsewhere. ``as_of`` leaves
        out what was not known or did not hold at that instant.
        """
        count = files.write_new(files.named(path), self.export_lines(scope=scope, as_of=as_of))
        return Exported(path=str(Path(path).absolute()), memories=count - 1)

    def export_lines(self, *, scope: Scopes | None = None, as_of: Time | None = None) -> Iterator[str]:
        """The lines of an export, one after the other."""
        scopes = None if scope is None else self._intake.scopes(scope)
        return portability.lines(self._deps, self._caller, scopes, self._intake.as_of(as_of))

    def import_memories(self, path: str | PathLike[str], *, on_conflict: Conflict | str = Conflict.SKIP) -> Imported:
        """Take over an export, or a file of the earlier single-user program, which stays as it is.

        Done again it changes nothing; broken off it goes on where it was.
        """
        source = files.named(path)
        with self._deps.single_user(str(source)) as file:
            if file is not None:
                return single_user.take_in(self._deps, self._caller, file, self._intake.conflict(on_conflict))
        return self.import_lines(files.read_lines(source), on_conflict=on_conflict)

    def import_lines(self, lines: Iterable[str], *, on_conflict: Conflict | str = Conflict.SKIP) -> Imported:
        """Take over the lines of an export."""
        rule = self._intake.conflict(on_conflict)
        return portability.take_over(self._deps, self._caller, lines, rule)

    def reindex(
        self,
        *,
        only: Scopes | None = None,
        skip: Scopes | None = None,
        dry_run: bool = False,
        report: Callable[[int, int], None] | None = None,
    ) -> Reindexed:
        """Make vectors with the embedder in use and search by them; goes on where it was broken off."""
        chosen = None if only is None else self._intake.scopes(only)
        left = [] if skip is None else self._intake.scopes(skip)
        if dry_run:
            return reindex.plan(self._deps, self._caller, chosen, left)
        return reindex.reindex(self._deps, self._caller, chosen, left, report or _silent)

    def reprocess(self, *, only: Scopes | None = None, report: Callable[[int, int], None] | None = None) -> Reprocessed:
        """Have the layers that are on look at memories they have not read; goes on where it was broken off."""
        chosen = None if only is None else self._intake.scopes(only)
        return reprocess.reprocess(self._deps, self._caller, chosen, report or _silent)

    def scan(
        self,
        *,
        scope: Scopes | None = None,
        fix: bool = False,
        report: Callable[[int, int], None] | None = None,
    ) -> Scanned:
        """Find secrets in what is kept, in earlier versions too; ``fix`` masks them there and removes every trace.

        Where they stand is told, never what they are. Masked memories get their vectors anew by follow-up work.
        """
        chosen = None if scope is None else self._intake.scopes(scope)
        return scan.scan(self._deps, self._caller, chosen, report or _silent, fix=fix)

    def roll_back(self) -> Reindexed:
        """Search by the vectors of the embedder in use again, which an earlier reindex left in place."""
        return reindex.roll_back(self._deps, self._caller)

    def restore(self, path: str | PathLike[str]) -> None:
        """Put a backup in the place of everything that is here; other processes see it at their next call."""
        self._deps.store.archive.restore(str(files.named(path)))

    def backup(self, path: str | PathLike[str]) -> None:
        """Write a consistent copy of the whole store to a new file, while others go on writing."""
        target = files.named(path)
        files.refuse_taken(target)
        self._deps.store.archive.backup(str(target))
