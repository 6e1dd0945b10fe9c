"""Work that takes longer than a moment: done in threads, watched by its progress, stopped on request.

A job stops where the library next tells its progress; work between two such places is finished first, and what
it found is dropped.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import secrets
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Final, Literal

from lexicloud.progress import reporting
from lexicloud.web.faults import Fault, fault_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lexicloud.web.settings import Limits

log = logging.getLogger("lexicloud.web")
KEPT: Final = 64  # finished jobs whose results can still be fetched
State = Literal["waiting", "running", "done", "failed", "stopped"]


class Stopped(Exception):
    """Raised inside a job that was told to stop."""


@dataclass
class Job:
    """One piece of work and how far it has come."""

    kind: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: State = "waiting"
    stage: str = ""
    done: int = 0
    total: int | None = None
    result: Any = None
    fault: Fault | None = None
    future: Future[None] | None = None
    cancelled: Event = field(default_factory=Event)
    deadline: float = float("inf")

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in {"done", "failed", "stopped"}

    def to_dict(self) -> dict[str, Any]:
        """Return what a page shows while it waits."""
        plain: dict[str, Any] = {
            "job": self.id,
            "kind": self.kind,
            "state": self.state,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
        }
        return plain if self.fault is None else {**plain, **self.fault.to_dict()}


class _Watch:
    """Writes a job's progress down, and ends it where it should stop."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def start(self, description: str, total: int | None) -> int:
        self._check()
        self._job.stage, self._job.done, self._job.total = description, 0, total
        return 0

    def advance(self, bar: int, steps: int) -> None:  # noqa: ARG002 — the shape of a reporter
        self._check()
        self._job.done += steps

    def finish(self, bar: int) -> None:
        """Nothing to close: the next stage writes over this one."""

    def _check(self) -> None:
        if time.monotonic() > self._job.deadline:
            raise Fault(503, "the work took longer than this server allows", "send shorter or fewer texts")
        if self._job.cancelled.is_set():
            raise Stopped


class Jobs:
    """The work of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.jobs, thread_name_prefix="lexicloud-job")
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self._closed = False

    def submit(self, kind: str, work: Callable[[], Any]) -> Job:
        """Begin a piece of work, or put it in the queue; 503 where the queue is full."""
        with self._lock:
            waiting = sum(job.state == "waiting" for job in self._jobs.values())
            if self._closed or waiting >= self._limits.queued:
                raise Fault(
                    503,
                    f"{waiting} jobs are waiting already",
                    "try again in a minute",
                    headers={"retry-after": "30"},
                )
            job = Job(kind)
            self._jobs[job.id] = job
            self._forget()
        # The context carries the reporter into the thread, and nothing out of it.
        job.future = self._pool.submit(contextvars.copy_context().run, self._run, job, work)
        return job

    def _run(self, job: Job, work: Callable[[], Any]) -> None:
        if job.cancelled.is_set():
            job.state = "stopped"
            return
        job.state, job.deadline = "running", time.monotonic() + self._limits.job_seconds
        try:
            with reporting(_Watch(job)):
                result = work()
        except Stopped:
            job.state = "stopped"
        except Exception as error:  # whatever it was, the page must learn of it
            job.fault = fault_of(error)
            job.state = "failed"
        else:
            job.result = None if job.cancelled.is_set() else result
            job.state = "stopped" if job.cancelled.is_set() else "done"

    def get(self, identifier: str) -> Job:
        """Return a job by its id."""
        job = self._jobs.get(identifier)
        if job is None:
            raise Fault(404, "there is no such job; results are kept for a while only", "start it again")
        return job

    def stop(self, identifier: str) -> Job:
        """Tell a job to stop; one that waits never starts."""
        job = self.get(identifier)
        job.cancelled.set()
        if job.future is not None and job.future.cancel():
            job.state = "stopped"
        return job

    async def wait(self, job: Job, seconds: float) -> Any:
        """Return a job's result, or stop it after a time and say how to wait for longer."""
        assert job.future is not None
        try:
            await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(job.future)), seconds)
        except TimeoutError:
            self.stop(job.id)
            raise Fault(
                503,
                f"this takes longer than {seconds:g} s",
                "send it with 'Prefer: respond-async' and ask for the job, or send shorter texts",
            ) from None
        return self.result(job)

    def result(self, job: Job) -> Any:
        """Return what a finished job found."""
        if job.fault is not None:
            raise job.fault
        if job.state == "stopped":
            raise Fault(410, "the job was stopped", "start it again")
        if not job.finished:
            raise Fault(409, f"the job is {job.state}", "ask again when its state is done")
        return job.result

    def _forget(self) -> None:
        """Let the oldest finished jobs go."""
        finished = [identifier for identifier, job in self._jobs.items() if job.finished]
        for identifier in finished[: max(0, len(finished) - KEPT)]:
            del self._jobs[identifier]

    @property
    def active(self) -> int:
        """How many jobs are waiting or running."""
        return sum(not job.finished for job in list(self._jobs.values()))

    def close(self) -> None:
        """Take no more work, let what waits go, and finish what runs."""
        with self._lock:
            self._closed = True
        for job in list(self._jobs.values()):
            if job.state == "waiting":
                self.stop(job.id)
        if self.active:
            log.info("finishing %d jobs before stopping", self.active)
        self._pool.shutdown(wait=True)
