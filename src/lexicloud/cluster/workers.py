"""The workers of a Dask cluster: connecting to them, and giving them jobs.

`connected` takes a `distributed.Client`, the address of a scheduler, or "local", which starts one worker for each core
of this machine and stops them at the end. Errors are one line: a scheduler that cannot be reached or went away, workers
that are missing or of another version. A worker that dies only costs time: others do its jobs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cache
from logging import CRITICAL
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from lexicloud.errors import ClusterError, MissingExtra
from lexicloud.progress import stage
from lexicloud.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

    Where: TypeAlias = "Client | str"

J = TypeVar("J")
T = TypeVar("T")

LOCAL: Final = "local"
PATIENCE: Final = 10.0  # seconds within which a scheduler must answer, and a worker must connect
# Jobs given to each thread of a worker at a time: it never idles, and results do not pile up.
AHEAD: Final = 2
TRIES: Final = 3  # how often a job is given out again after its data were lost with a worker


@contextmanager
def connected(where: Where) -> Iterator[Client]:
    """Yield a client; one that was given stays open, one that was started here is closed at the end."""
    distributed = _distributed()
    if isinstance(where, distributed.Client):
        yield checked(where)
        return
    with _local(distributed) if where == LOCAL else _reached(distributed, str(where)) as client:
        yield checked(client)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MissingExtra("a cluster", "cluster") from error
    return distributed


@contextmanager
def _local(distributed: Any) -> Iterator[Client]:
    # Nothing listens but on the loopback, at ports that are free, no page is served, and nothing is said but by us.
    quiet: dict[str, Any] = {"host": "127.0.0.1", "silence_logs": CRITICAL}
    quiet |= {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
    with (
        distributed.LocalCluster(threads_per_worker=1, **quiet) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def _reached(distributed: Any, address: str) -> Iterator[Client]:
    try:
        client = distributed.Client(str(address), timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError, ImportError) as error:
        raise ClusterError(
            f"there is no Dask scheduler at {address}: start one (dask scheduler), or say local for this machine"
        ) from error
    try:
        yield client
    finally:
        with suppress(Exception):  # the scheduler may be gone
            client.close(timeout=2)


def checked(client: Client) -> Client:
    """Return a client that has workers, all with this version of lexicloud."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        told = client.run(_version, on_error="return").values()
    except TimeoutError:
        address = client.scheduler.address if client.scheduler else "that address"
        raise ClusterError(f"no worker has come within {PATIENCE:g} s: dask worker {address}") from None
    except OSError as error:
        raise ClusterError(
            f"the scheduler cannot be asked for its workers ({error}): start it again"
        ) from error
    # A worker that is just dying does not answer, and is no reason to give up.
    versions = {answer for answer in told if not isinstance(answer, OSError)}
    failed = next((answer for answer in versions if isinstance(answer, Exception)), None)
    if failed is not None:
        raise ClusterError(f"the workers cannot run lexicloud ({failed}): install it there too") from failed
    if versions - {__version__}:
        other = ", ".join(sorted(map(str, versions - {__version__})))
        raise ClusterError(
            f"workers have lexicloud {other}, this is {__version__}: install the same everywhere"
        )
    return client


def _version() -> str:
    from lexicloud.version import __version__ as version

    keep_freed_memory()
    return version


# mallopt's numbers, and what they are set to: pieces up to 32 MiB (the most that it takes) come from the heap, of which
# up to 256 MiB stay with the worker, and threads share one.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_KEPT: Final = ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, 2**25), (_TRIM_THRESHOLD, 2**28))


@cache
def keep_freed_memory() -> None:
    """Let this worker use freed memory again instead of giving it back to the system at once, as Dask's workers do.

    Pages that are asked for again are cleared each time, and took as long as the work.
    """
    import ctypes

    with suppress(OSError, AttributeError):  # not the GNU C library
        mallopt = ctypes.CDLL(None).mallopt
        for which, value in _KEPT:
            mallopt(which, value)


def _done(work: Callable[[Any, J], T], shared: Any, job: J) -> T:
    """Do a job, on a worker that may have come after the others."""
    keep_freed_memory()
    return work(shared, job)


def run_on(client: Client) -> Callable[..., Iterator[tuple[Any, Any]]]:
    """Return the function that does the jobs of a run on a cluster, to replace `lexicloud.divergences.tiles.here`."""

    def run(work: Callable[[Any, J], T], shared: Any, jobs: Sequence[J], what: str) -> Iterator[tuple[J, T]]:
        return done_by(client, work, shared, jobs, what)

    return run


def done_by(
    client: Client,
    work: Callable[[Any, J], T],
    shared: Any,
    jobs: Sequence[J],
    what: str,
    *,
    inline: bool = False,
) -> Iterator[tuple[J, T]]:
    """Yield each job with what `work(shared, job)` returned, as they are done; `shared` is sent to each worker once.

    With `inline`, `shared` (which must be small) is sent with each job, and a job always goes to the same worker: for
    work that keeps files open.
    """
    from distributed import as_completed

    with stage(what, len(jobs)) as advance, plain_errors():
        given = _Given(client, work, shared, inline=inline)
        waiting = list(reversed(jobs))
        ahead = AHEAD * max(1, sum(given.workers.values()))
        ready = as_completed([given.out(waiting.pop()) for _ in range(min(ahead, len(waiting)))])
        try:
            for future in ready:
                job, found = given.job(future), given.result(future)
                if found is _LOST:
                    ready.add(given.out(job))
                    continue
                if waiting:
                    ready.add(given.out(waiting.pop()))
                advance()
                yield job, found[0]
        finally:
            given.back()


_LOST: Final[Any] = object()


class _Given:
    """The jobs that workers have, and their shared data, which are sent again if they are lost with a worker."""

    def __init__(self, client: Client, work: Callable[[Any, Any], Any], shared: Any, *, inline: bool) -> None:
        self.client, self.work, self.shared, self.inline = client, work, shared, inline
        self.workers: dict[str, int] = client.nthreads()
        self.sent: Future | None = None
        self.jobs: dict[Any, Any] = {}
        self.lost = 0

    def out(self, job: Any) -> Future:
        """Give a job to some worker."""
        if self.inline:
            future = self._near(job)
        else:
            if self.sent is None or self.sent.cancelled():
                self.sent = self.client.scatter(self.shared, broadcast=True, hash=False)
            future = self.client.submit(_done, self.work, self.sent, job, pure=False)
        self.jobs[future.key] = job, future
        return future

    def _near(self, job: Any) -> Future:
        """Give a job to the worker that had it before, or to another if that one is gone."""
        workers, number = sorted(self.workers), job[0] if isinstance(job, tuple) else job
        chosen = [workers[number % len(workers)]] if workers else None
        return self.client.submit(
            _done, self.work, self.shared, job, pure=False, workers=chosen, allow_other_workers=True
        )

    def job(self, future: Future) -> Any:
        """Return the job of a future."""
        return self.jobs[future.key][0]

    def result(self, future: Future) -> Any:
        """Return a result in a tuple, or _LOST if the data of the job were lost with a worker."""
        try:
            found = (future.result(),)
        except (CancelledError, asyncio.CancelledError):
            self.lost += 1
            if self.client.status != "running" or self.lost > TRIES * max(1, len(self.jobs)):
                raise
            self.sent = None
            return _LOST
        finally:
            del self.jobs[future.key]
        return found

    def back(self) -> None:
        """Cancel all jobs that are not done."""
        with suppress(Exception):
            self.client.cancel([future for _, future in self.jobs.values()])


WIDTH: Final = 8  # results that are joined at a time


def joined_on(
    client: Client,
    work: Callable[[Any, J], T],
    join: Callable[[list[T]], T],
    shared: Any,
    jobs: Sequence[J],
) -> T:
    """Return the results of all jobs, joined by `join`, on the workers, a few at a time and in order."""
    with plain_errors():
        found = [client.submit(work, shared, job, pure=False) for job in jobs]
        while len(found) > 1:
            groups = [found[i : i + WIDTH] for i in range(0, len(found), WIDTH)]
            found = [client.submit(join, group, pure=False) for group in groups]
        whole: T = found[0].result()
        return whole


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of a cluster into one line; errors of the work itself pass as they are."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            "one piece of work ended several workers, one after the other: give workers more memory, or work in "
            "smaller pieces"
        ) from error
    except (CommClosedError, CancelledError, asyncio.CancelledError, TimeoutError) as error:
        raise ClusterError(
            "the scheduler went away: start it again and run the same; what a checkpoint holds is not done twice"
        ) from error
