"""The side doors of the reference store: jobs, keys, the vectors of several models, memories whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from cortex.errors import StoreError
from cortex.model.change import Known
from cortex.model.embedding import EmbeddingSignature
from cortex.model.job import EMBED, Job, NewJob, Wait
from cortex.model.memory import Memory
from cortex.model.policy import Caller
from cortex.model.record import Record
from cortex.model.scope import Scope
from cortex.stores.ephemeral.tables import Shared, Tables, copied, plain, queue
from cortex.stores.ephemeral.write import signed


class EphemeralJobs:
    """A `JobQueue`."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def requeue(self, now: datetime) -> int:
        """Queue work for memories that lack vectors and have no job; how many."""

        def work(tables: Tables) -> int:
            busy = {job.seq for job in tables.jobs.values()}
            idle = [seq for seq, row in tables.rows.items() if row.form.embedding is None and seq not in busy]
            for seq in idle:
                queue(tables, seq, NewJob(EMBED, now, {}))
            return len(idle)

        return self._shared.write(work)

    def lease(self, owner: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Take up to ``limit`` due jobs that nobody holds; they are the owner's until then."""

        def work(tables: Tables) -> list[Job]:
            free = [job for job in tables.jobs.values() if job.held_until is None or job.held_until <= now]
            due = sorted((job for job in free if job.run_at <= now), key=lambda job: (job.run_at, job.job_id))
            taken = [replace(job, holder=owner, held_until=until, attempts=job.attempts + 1) for job in due[:limit]]
            tables.jobs |= {job.job_id: job for job in taken}
            return [Job(job.job_id, job.work.kind, job.seq, plain(job.work.payload), job.attempts) for job in taken]

        return sorted(self._shared.write(work), key=lambda job: job.job_id)

    def waits(self) -> list[Wait]:
        """What the jobs wait for, the most frequent reason first; one that is being done waits too."""
        tasks = [*self._shared.now().jobs.values()]
        counts = Counter(task.error for task in tasks)
        found = [Wait(why, n, min(task.run_at for task in tasks if task.error == why)) for why, n in counts.items()]
        return sorted(found, key=lambda wait: (-wait.jobs, wait.error))


class EphemeralLedger:
    """A `Ledger`."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def known(self, caller: Caller, key: str) -> Known | None:
        """The request of this caller under this key; None for a new key."""
        found = self._shared.now().keys.get((caller.org_id, caller.user, key))
        if found is None:
            return None
        return replace(found, outcome=replace(found.outcome, receipt=plain(found.outcome.receipt or {})))


class EphemeralReindexing:
    """A `Reindexing`."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def current(self) -> EmbeddingSignature | None:
        """What is searched by now; None while there are no vectors."""
        return self._shared.now().signature

    def missing(self, scopes: Sequence[Scope], signature: EmbeddingSignature, limit: int) -> list[Memory]:
        """Memories of these scopes without vectors of that signature, by seq."""
        tables = self._shared.now()
        forms = [form for form in tables.forms() if form.memory.scope in scopes]
        lacking = [form.memory for form in forms if signature not in tables.vectors(form)]
        return [copied(memory) for memory in sorted(lacking, key=lambda memory: memory.seq)[:limit]]

    def progress(self, signature: EmbeddingSignature) -> tuple[int, int]:
        """How many memories have vectors of that signature, and how many there are."""
        tables = self._shared.now()
        return sum(signature in tables.vectors(form) for form in tables.forms()), len(tables.rows)

    def switch(self, signature: EmbeddingSignature, *, complete: bool) -> bool:
        """Search by that signature from now on, in one step; false where it is not ``complete`` yet."""

        def work(tables: Tables) -> bool:
            vectors = {seq: tables.vectors(row.form) for seq, row in tables.rows.items()}
            if not any(signature in found for found in vectors.values()):
                raise StoreError(f"there are no vectors of {signature}")
            if complete and not all(signature in found for found in vectors.values()):
                return False
            for seq, row in tables.rows.items():
                tables.spare[seq, row.memory.version] = {s: v for s, v in vectors[seq].items() if s != signature}
                form = signed(replace(row.form, embedding=vectors[seq].get(signature)))
                tables.rows[seq] = replace(row, form=form)
            owed = {seq for seq, row in tables.rows.items() if signature not in vectors[seq]}
            for seq in sorted(owed - {job.seq for job in tables.jobs.values()}):
                queue(tables, seq, NewJob(EMBED, tables.rows[seq].memory.updated_at, {}))
            tables.signature = signature
            tables.change += 1
            tables.restart = tables.change
            return True

        return self._shared.write(work)

    def signatures(self) -> list[tuple[EmbeddingSignature, int]]:
        """Every signature with vectors, and how many memories have them."""
        tables = self._shared.now()
        counts = Counter(signature for form in tables.forms() for signature in tables.vectors(form))
        return sorted(counts.items(), key=lambda item: str(item[0]))

    def discard(self, signature: EmbeddingSignature) -> int:
        """Remove the vectors of a signature that is not searched by; how many."""

        def work(tables: Tables) -> int:
            if signature == tables.signature:
                raise StoreError(f"{signature} is what recall searches by; switch to another first")
            removed = 0
            for seq, row in tables.rows.items():
                if row.memory.signature == signature:
                    tables.rows[seq] = replace(row, form=signed(replace(row.form, embedding=None)))
                    removed += 1
                spare = tables.spare.get((seq, row.memory.version), {})
                removed += spare.pop(signature, None) is not None
            return removed

        return self._shared.write(work)


class EphemeralArchive:
    """An `Archive`."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def history(self, seq: int) -> list[Memory]:
        """Every version of a memory that is kept, oldest first, the current one last."""
        tables = self._shared.now()
        if seq not in tables.rows:
            return []
        record = tables.record(seq)
        return [form.memory for form in (*record.earlier, record.current)]

    def records(self, scopes: Sequence[Scope], after: int, limit: int) -> list[Record]:
        """Memories of these scopes whose seq is greater than ``after``, by seq, with all that belongs to them."""
        tables = self._shared.now()
        seqs = sorted(seq for seq, row in tables.rows.items() if seq > after and row.memory.scope in scopes)
        return [tables.record(seq) for seq in seqs[:limit]]

    def backup(self, target: str) -> None:
        """There is nothing to copy that would outlive the process: always `StoreError`."""
        self._shared.now()
        raise StoreError(f"{target} was not written: a store in this process has no file; export its memories instead")

    def restore(self, source: str) -> None:
        """There are no backups of such a store: always `StoreError`."""
        self._shared.now()
        raise StoreError(f"{source} was not read: a store in this process has no file; import an export instead")

    def backups(self) -> list[str]:
        """There are none."""
        self._shared.now()
        return []

    def scrub(self) -> bool:
        """Nothing is left behind: what is erased is nowhere."""
        self._shared.now()
        return True

    def unscrubbed(self) -> list[str]:
        """Nowhere."""
        self._shared.now()
        return []


class EphemeralMending:
    """A `Mending`."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def mend(self) -> list[str]:
        """Nothing is lost but everything."""
        self._shared.now()
        return []

    def wordless(self, after: int, limit: int) -> list[Memory]:  # noqa: ARG002 - what it would have
        """There are none."""
        self._shared.now()
        return []

    def put_words(self, words: Mapping[int, Sequence[str]]) -> None:  # noqa: ARG002 - what it would have
        """Nothing needs them."""
        self._shared.now()
