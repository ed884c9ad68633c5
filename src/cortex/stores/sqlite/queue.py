"""Follow-up work and idempotency keys, beside the record in the same file."""

from __future__ import annotations

from datetime import datetime

from cortex.model.change import Known, Outcome
from cortex.model.job import EMBED, Job, Wait
from cortex.model.policy import Caller
from cortex.stores._sql import rows
from cortex.stores.sqlite.connect import Connections

_DUE = "SELECT EXISTS (SELECT 1 FROM jobs WHERE run_at <= ? AND (lease_until IS NULL OR lease_until <= ?))"
_WAITS = (
    "SELECT coalesce(error, '') AS why, count(*) AS jobs, min(run_at) FROM jobs GROUP BY why ORDER BY jobs DESC, why"
)
_LEASE = (
    "UPDATE jobs SET lease_owner = ?, lease_until = ?, attempts = attempts + 1 WHERE job_id IN ("
    "SELECT job_id FROM jobs WHERE run_at <= ? AND (lease_until IS NULL OR lease_until <= ?) "
    "ORDER BY run_at, job_id LIMIT ?) RETURNING job_id, kind, seq, payload, attempts"
)
_REQUEUE = (
    "INSERT INTO jobs (kind, seq, payload, run_at, attempts) SELECT ?, m.seq, '{}', ?, 0 FROM memories m "
    "WHERE m.signature_id IS NULL AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.seq = m.seq)"
)
_KNOWN = "SELECT request, id, applied, receipt FROM idempotency WHERE org_id = ? AND owner = ? AND key = ?"


class SQLiteJobs:
    """A `JobQueue`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def requeue(self, now: datetime) -> int:
        """Queue work for memories that lack vectors and have no job; how many."""
        with self._connections.write() as connection:
            queued: int = connection.execute(_REQUEUE, [EMBED, rows.micros(now)]).rowcount
            return queued

    def lease(self, owner: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Take up to ``limit`` due jobs that nobody holds; they are the owner's until then."""
        at = rows.micros(now)
        with self._connections.read() as connection:
            if not connection.execute(_DUE, [at, at]).fetchone()[0]:
                return []  # looking costs no write lock
        with self._connections.write() as connection:
            taken = connection.execute(_LEASE, [owner, rows.micros(until), at, at, limit]).fetchall()
        return sorted(
            (
                Job(job_id, kind, seq, rows.to_payload(payload), attempts)
                for job_id, kind, seq, payload, attempts in taken
            ),
            key=lambda job: job.job_id,
        )

    def waits(self) -> list[Wait]:
        """What the jobs wait for, the most frequent reason first; one that is being done waits too."""
        with self._connections.read() as connection:
            return [Wait(error, jobs, rows.instant(due)) for error, jobs, due in connection.execute(_WAITS)]


class SQLiteLedger:
    """A `Ledger`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def known(self, caller: Caller, key: str) -> Known | None:
        """The request of this caller under this key; None for a new key."""
        with self._connections.read() as connection:
            row = connection.execute(_KNOWN, [caller.org_id, caller.user, key]).fetchone()
        if row is None:
            return None
        return Known(row[0], Outcome(row[1], 0, applied=bool(row[2]), receipt=rows.to_receipt(row[3])))
