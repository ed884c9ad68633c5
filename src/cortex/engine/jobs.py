"""Doing what commits promised: the vectors that are still owed.

Any number of processes may run jobs of one store: a lease gives each job to one of them, and a job
whose holder died is free again when the lease ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from cortex.core import keep
from cortex.core.backoff import next_try
from cortex.engine import guard, layered, traces, vectors
from cortex.engine.deps import Deps
from cortex.errors import StoreBusy, StoreFull, StoreReadOnly
from cortex.model.change import Batch, SetEmbedding
from cortex.model.job import UNDERSTAND, Job, JobReport, Retry
from cortex.model.memory import EmbeddingState
from cortex.model.policy import Action, Caller, Grant

LEASE = timedelta(minutes=2)
_BATCH = 32
_DRAIN = 10_000


def drain(deps: Deps, caller: Caller) -> None:
    """Before closing: do what is due now, unless that would wait for a model to load; what cannot be stays owed."""
    with suppress(StoreBusy, StoreFull, StoreReadOnly):
        scrub(deps)
        if deps.wait or deps.ready():
            brief = replace(deps, patient=None, patient_llm=deps.llm)  # somebody waits for the end
            run_jobs(brief, caller, owner=deps.new_id(), most=_DRAIN)


def scrub(deps: Deps) -> None:
    """Try again what an erasure had to put off."""
    if deps.store.archive.unscrubbed():
        deps.store.archive.scrub()


def requeue(deps: Deps, caller: Caller) -> int:
    """Queue work for memories that lack vectors and have no job; how many."""
    guard.authorise(caller, Action.ADMIN, deps.store.known_scopes(caller.org_id))
    return deps.store.jobs.requeue(deps.clock.now())


def run_jobs(deps: Deps, caller: Caller, *, owner: str, most: int) -> JobReport:
    """Run due jobs until none is left or ``most`` were tried, and remove what an erasure had to leave behind."""
    scrub(deps)
    done = failed = 0
    errors: dict[str, None] = {}
    while done + failed < most:
        now = deps.clock.now()
        jobs = deps.store.jobs.lease(owner, now, now + LEASE, min(_BATCH, most - done - failed))
        if not jobs:
            break
        finished, retries = _run(deps, caller, jobs)
        done += finished
        failed += len(retries)
        errors |= dict.fromkeys(retry.error for retry in retries)
    waits = tuple(deps.store.jobs.waits())
    waiting = sum(wait.jobs for wait in waits)
    return JobReport(done=done, failed=failed, waiting=waiting, errors=tuple(errors), waits=waits)


def _run(deps: Deps, caller: Caller, jobs: Sequence[Job]) -> tuple[int, list[Retry]]:
    now = deps.clock.now()
    memories = {memory.seq: memory for memory in deps.store.read([job.seq for job in jobs])}
    owed = {seq for seq, memory in memories.items() if memory.embedding is EmbeddingState.PENDING}
    current = [job for job in jobs if job.seq in owed]
    embedded = vectors.embed_owed(deps, [memories[job.seq] for job in current])
    changes: list[SetEmbedding] = []
    retries: list[Retry] = []
    for job, embedding in zip(current, embedded.vectors, strict=True):
        memory = memories[job.seq]
        if embedding is None:
            retries.append(Retry(job.job_id, next_try(now, job.attempts), embedded.problem))
        else:
            changes.append(SetEmbedding(memory.seq, memory.version, embedding, keep.embedded_chars(memory.content)))
    grant = guard.authorise(caller, Action.WRITE, [memory.scope for memory in memories.values()])
    failed = {retry.job_id for retry in retries}
    done = [job for job in jobs if job.job_id not in failed]
    looked = [job for job in done if job.seq in memories and _is_looked_at(deps, job)]
    finished = tuple(job.job_id for job in done if job not in looked)
    applied = deps.store.apply(Batch(grant=grant, changes=tuple(changes), finished=finished, retries=tuple(retries)))
    written = zip(applied.outcomes, changes, strict=True)
    traces.own(deps, ((outcome, memories[change.seq]) for outcome, change in written if outcome.applied))
    if not all(outcome.applied for outcome in applied.outcomes):
        deps.store.jobs.requeue(now)  # a memory that changed meanwhile is still owed its vectors
    retries += _look(deps, grant, looked)
    return len(jobs) - len(retries), retries


def _is_looked_at(deps: Deps, job: Job) -> bool:
    """Whether layers wait for what the job brings: an answer of the model, or vectors to compare."""
    return deps.layers.compares or (job.kind == UNDERSTAND and deps.layers.on)


def _look(deps: Deps, grant: Grant, jobs: Sequence[Job]) -> list[Retry]:
    """Have the layers look at these memories, then end the jobs; those that the model did not answer come again."""
    if not jobs:
        return []
    patient = replace(deps, llm=deps.patient_llm or deps.llm)
    seen = {each.seq: each for each in layered.again(patient, grant, deps.store.read([job.seq for job in jobs]))}
    now = deps.clock.now()
    unanswered = [job for job in jobs if job.kind == UNDERSTAND and job.seq in seen and seen[job.seq].problem]
    retries = [Retry(job.job_id, next_try(now, job.attempts), seen[job.seq].problem) for job in unanswered]
    finished = tuple(job.job_id for job in jobs if job not in unanswered)
    deps.store.apply(Batch(grant=grant, finished=finished, retries=tuple(retries)))
    return retries
