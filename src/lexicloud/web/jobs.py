"""Jobs: longer work in processes of their own, with progress, which can be stopped.

Work that changes the server itself, such as a write to an index, runs in a thread: it stops where the library next
reports its progress, and the server waits for it before it ends.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Literal

from lexicloud.progress import reporting
from lexicloud.web import processes
from lexicloud.web.faults import Fault, fault_of
from lexicloud.web.processes import Encoded, Gate, Stopped, Task

if TYPE_CHECKING:
    from lexicloud.web.settings import ServerLimits

log = logging.getLogger("lexicloud.web")
KEPT: Final = 64  # finished jobs whose results can still be fetched
KEPT_BYTES: Final = 64 << 20  # of their results together, without the last one
WARMING: Final = 8  # pieces of work that may wait to be repeated
State = Literal["waiting", "running", "done", "failed", "stopped"]


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
    apart: bool = True
    settled: Callable[[Job], None] = lambda _: None  # called once at the end

    @property
    def finished(self) -> bool:
        """Whether it is done, failed or stopped."""
        return self.state in {"done", "failed", "stopped"}

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Note the progress."""
        self.stage, self.done, self.total = stage, done, total

    def to_dict(self) -> dict[str, Any]:
        """Return the state and the progress, which a page shows while it waits."""
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
    """Records the progress of a job in a thread, and raises where the job should stop."""

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
        """Do nothing: the next stage replaces this one."""

    def _check(self) -> None:
        if time.monotonic() > self._job.deadline:
            raise processes.too_long()
        if self._job.cancelled.is_set():
            raise Stopped


@dataclass(frozen=True)
class Work:
    """The work of a job: `do`, in a process of its own if `apart`, and `then` in the server, with its result."""

    do: Callable[[], Any]
    apart: bool = True
    then: Callable[[Any], Any] | None = None


class Jobs:
    """The jobs of a server.

    `begin` runs first in every new process.
    """

    def __init__(
        self,
        limits: ServerLimits,
        gate: Gate | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self._limits = limits
        self._gate = gate or Gate()
        self._begin = begin
        self._warmer = Warmer(self._gate)
        self._pool = ThreadPoolExecutor(limits.jobs, thread_name_prefix="lexicloud-job")
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self._closed = False

    def submit(
        self, kind: str, work: Work | Callable[[], Any], settled: Callable[[Job], None] | None = None
    ) -> Job:
        """Start a job or put it in the queue; 503 if the queue is full. `settled` is called at its end."""
        whole = work if isinstance(work, Work) else Work(work)
        with self._lock:
            waiting = sum(job.state == "waiting" for job in self._jobs.values())
            if self._closed or waiting >= self._limits.queued:
                raise _closing() if self._closed else _full(waiting)
            job = Job(kind, apart=whole.apart)
            if settled is not None:
                job.settled = settled
            self._jobs[job.id] = job
            self._forget()
            # A copy of the context gives the thread the reporter and the browser; its changes do not come back.
            job.future = self._pool.submit(contextvars.copy_context().run, self._run, job, whole)
        return job

    def _run(self, job: Job, work: Work) -> None:
        job.deadline = time.monotonic() + self._limits.job_seconds
        try:
            if job.cancelled.is_set():
                raise Stopped
            job.state = "running"
            result = self._result(job, work)
            if job.cancelled.is_set() and work.apart:
                raise Stopped
        except Stopped:
            job.state = "stopped"
        except Exception as error:  # the page must learn of any error
            job.fault = fault_of(error)
            job.state = "failed"
        else:
            job.result, job.state = result, "done"
        finally:
            job.settled(job)

    def _result(self, job: Job, work: Work) -> Any:
        if not (work.apart and processes.AVAILABLE):
            with reporting(_Watch(job)):
                found = work.do()
            return found if work.then is None else work.then(found)
        task = Task(work.do, job.cancelled, job.deadline, self._limits.job_memory, job.report, self._begin)
        start = time.monotonic()
        answer = processes.run(task, self._gate)
        if work.then is not None:
            return work.then(answer.value)
        if time.monotonic() - start < self._limits.seconds:
            self._warmer.repeat(work.do, {job.kind, *task.notes})
        return answer

    def get(self, identifier: str) -> Job:
        """Return a job by its id."""
        job = self._jobs.get(identifier)
        if job is None:
            raise Fault(404, "there is no such job; results are kept for a while only", "start it again")
        return job

    def stop(self, identifier: str) -> Job:
        """Tell a job to stop; a waiting job never starts."""
        job = self.get(identifier)
        job.cancelled.set()
        if job.future is not None and job.state == "waiting" and job.future.cancel():
            job.state = "stopped"
            job.settled(job)
        return job

    async def wait(self, job: Job, seconds: float, gone: Awaitable[Any] | None = None) -> Any:
        """Return a job's result; stop the job after some seconds, or when the client leaves (`gone`)."""
        assert job.future is not None
        ended = asyncio.ensure_future(asyncio.shield(asyncio.wrap_future(job.future)))
        left = None if gone is None else asyncio.ensure_future(gone)
        try:
            done, _ = await asyncio.wait(
                {ended} if left is None else {ended, left},
                timeout=seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            if left is not None:
                left.cancel()
            if not ended.done():
                self.stop(job.id)
                ended.cancel()
            self._jobs.pop(job.id, None)  # nobody knows its id
        if ended in done:
            return self.result(job)
        if left in done:
            raise Fault(410, "the client left, so the work was stopped", "send it again")
        raise Fault(
            503,
            f"this takes longer than {seconds:g} s",
            "send it with 'Prefer: respond-async' and ask for the job, or send shorter texts",
        )

    def result(self, job: Job) -> Any:
        """Return what a finished job found."""
        if job.fault is not None:
            raise job.fault
        if job.state == "stopped":
            if self._closed:
                raise _closing()
            raise Fault(410, "the job was stopped", "start it again")
        if not job.finished:
            raise Fault(409, f"the job is {job.state}", "ask again when its state is done")
        return job.result

    def _forget(self) -> None:
        """Forget the oldest finished jobs."""
        size = 0
        for kept, job in enumerate([job for job in reversed(self._jobs.values()) if job.finished]):
            if kept >= KEPT or size > KEPT_BYTES:
                del self._jobs[job.id]
            size += len(job.result.data) if isinstance(job.result, Encoded) else 0

    @property
    def active(self) -> int:
        """How many jobs are waiting or running."""
        return sum(not job.finished for job in list(self._jobs.values()))

    def stop_all(self) -> None:
        """Take no more work, and end jobs in processes; writes are finished."""
        with self._lock:
            self._closed = True
        for job in list(self._jobs.values()):
            if job.apart or job.state == "waiting":
                self.stop(job.id)

    def close(self) -> None:
        """Stop everything, and wait for writes."""
        self.stop_all()
        if self.active:
            log.info("finishing %d jobs before stopping", self.active)
        self._pool.shutdown(wait=True)


class Warmer:
    """Repeats in the server, in the background, quick work that a process did for the first time.

    What the process imported, compiled and computed ended with it; after the repetition the server has it, too. Each
    kind of work has a name, and is repeated once.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._known: set[str] = set()
        self._queue: SimpleQueue[Callable[[], Any]] = SimpleQueue()
        self._thread: Thread | None = None

    def repeat(self, work: Callable[[], Any], names: set[str]) -> None:
        """Repeat some work if any of its names is new."""
        if names <= self._known or self._queue.qsize() >= WARMING:
            return
        self._known |= names
        if self._thread is None:
            # A daemon: stopping the server does not wait for it.
            self._thread = Thread(target=self._work, name="lexicloud-warmer", daemon=True)
            self._thread.start()
        self._queue.put(partial(contextvars.copy_context().run, work))

    def _work(self) -> None:
        while True:
            work = self._queue.get()
            try:
                with self._gate.behind:
                    work()
            except Exception as error:  # then the next job does it itself
                log.warning("could not be done again for the next job: %s", error)


def _full(waiting: int) -> Fault:
    return Fault(
        503, f"{waiting} jobs are waiting already", "try again in a minute", headers={"retry-after": "30"}
    )


def _closing() -> Fault:
    return Fault(503, "the server is stopping", "send it again when the server is back")
