"""What the routes share: sources, jobs, threads, the form of answers, and counts for Prometheus."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from fastapi import Depends, Request
from starlette.responses import Response

from lexicloud.errors import MissingExtra
from lexicloud.result import as_json
from lexicloud.web.faults import Fault
from lexicloud.web.jobs import Job, Jobs, Work
from lexicloud.web.processes import Encoded, Gate
from lexicloud.web.security import InFlight, Key
from lexicloud.web.sources import Library

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client import Gauge
    from starlette.types import Scope

    from lexicloud.web.settings import ServerSettings

T = TypeVar("T")
writes = logging.getLogger("lexicloud.web.writes")


@dataclass(eq=False)
class Service:
    """Everything that the routes of one server share."""

    settings: ServerSettings
    library: Library
    gate: Gate
    jobs: Jobs
    metrics: Metrics
    key: Key
    in_flight: InFlight
    pool: ThreadPoolExecutor
    study: Any = None
    waiting: int = field(default=0)
    opened: bool = field(default=False)  # whether what was named at the start was

    @classmethod
    def of(cls, settings: ServerSettings) -> Service:
        """Make the service of a server; nothing is read yet."""
        library, gate = Library(settings), Gate()
        return cls(
            settings,
            library,
            gate,
            Jobs(settings.limits, gate, library.renew_locks),
            new_metrics(),
            Key(settings.token, settings.owner),
            InFlight(settings.limits.in_flight),
            ThreadPoolExecutor(settings.threads, thread_name_prefix="lexicloud-search"),
        )

    async def quick(self, work: Callable[[], T]) -> T:
        """Run something short in a thread, so that the event loop stays free; 503 if too many wait."""
        limits = self.settings.limits
        if self.waiting >= limits.waiting:
            raise Fault(503, f"{self.waiting} requests are waiting already", headers={"retry-after": "1"})
        self.waiting += 1
        context = copy_context()
        begun = asyncio.wrap_future(self.pool.submit(context.run, self.at_once, work))
        try:
            return await asyncio.wait_for(begun, timeout=limits.seconds)
        except TimeoutError:
            raise Fault(
                503, f"this takes longer than {limits.seconds:g} s", "ask for less, or with a shorter text"
            ) from None
        finally:
            self.waiting -= 1

    def at_once(self, work: Callable[[], T]) -> T:
        """Run something short in this thread, while nobody forks."""
        with self.gate.working():
            return work()

    async def long(
        self,
        request: Request,
        kind: str,
        work: Callable[[], Any],
        *,
        apart: bool = True,
        then: Callable[[Any], Any] | None = None,
        failed: Callable[[], None] | None = None,
    ) -> Response:
        """Run a job and wait for it, or, with `Prefer: respond-async`, answer at once with its address.

        `work` runs in a process of its own; then `then` runs in the server with its result, or `failed` after a
        failure. With `apart=False` all of it runs in the server: for work that changes the server, such as a write to
        an index. A client that waits and leaves ends the job.
        """
        waits = "respond-async" not in request.headers.get("prefer", "").lower()
        held = 0 if waits else self.in_flight.handed_over(request.scope)

        def settled(job: Job | None) -> None:
            self.in_flight.give_back(held)
            if failed is not None and (job is None or job.state != "done"):
                failed()

        try:
            job = self.jobs.submit(kind, Work(work, apart, then), settled)
        except Fault:
            settled(None)
            raise
        if waits:
            return answer(await self.jobs.wait(job, self.settings.limits.seconds, _departure(request)))
        headers = {"location": f"/api/v1/jobs/{job.id}", "preference-applied": "respond-async"}
        return answer(job.to_dict(), 202, headers)

    def wrote(self, action: str, source: str, n: int, client: str) -> None:
        """Log and count a write: what, where, how much, and from which address (none for participants of a study)."""
        self.metrics.write(action, n)
        writes.info(json.dumps({"action": action, "source": source, "sentences": n, "client": client}))

    def close(self) -> None:
        """Stop jobs, and wait for searches and writes."""
        self.jobs.close()
        self.pool.shutdown(wait=True)


def service_of(request: Request) -> Service:
    """Return the service of the app, for routes."""
    found: Service = request.app.state.service
    return found


def client_of(request: Request) -> str:
    """Return the address that a request came from."""
    return request.client.host if request.client else "unknown"


Served = Annotated[Service, Depends(service_of)]


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON; nan and infinity, which JSON lacks, become null."""
    data = value.data if isinstance(value, Encoded) else as_json(value).encode("utf-8", "replace")
    return Response(data, status, dict(headers or {}), "application/json")


async def _departure(request: Request) -> None:
    """Wait until the client leaves."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
_METHODS: Final = frozenset(("GET", "POST", "DELETE", "PUT", "HEAD"))


class Metrics:
    """What one server counts.

    >>> metrics = Metrics()
    >>> metrics.request({"method": "GET", "path": "/x"}, 200, 0.003)
    >>> [line for line in metrics.text({}).splitlines() if line.startswith("lexicloud_requests_total")]
    ['lexicloud_requests_total{method="GET",route="other",status="200"} 1.0']
    """

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "lexicloud_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "lexicloud_request_seconds",
            "Time from request to answer.",
            ("route",),
            buckets=_BOUNDS,
            registry=self._registry,
        )
        self._writes = Counter(
            "lexicloud_writes",
            "Sentences written to indexes, taken in and forgotten; answers to a study.",
            ("action",),
            registry=self._registry,
        )
        self._gauges: dict[str, Gauge] = {}

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one request under its route instead of its path, so that ids do not become labels."""
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def write(self, action: str, n: int) -> None:
        """Count sentences written."""
        self._writes.labels(action).inc(n)

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return everything in Prometheus's format; `gauges` are the current values."""
        from prometheus_client import Gauge, generate_latest

        for name, value in gauges.items():
            if name not in self._gauges:
                about = name.replace("_", " ").capitalize() + "."
                self._gauges[name] = Gauge(f"lexicloud_{name}", about, registry=self._registry)
            self._gauges[name].set(value)
        return generate_latest(self._registry).decode()


class NoMetrics(Metrics):
    """Counts nothing: for servers where prometheus_client is not installed."""

    def __init__(self) -> None:
        pass

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count nothing."""

    def write(self, action: str, n: int) -> None:
        """Count nothing."""

    def text(self, gauges: Mapping[str, float]) -> str:  # noqa: ARG002
        """Refuse, and say which package is missing."""
        raise MissingExtra("counts for Prometheus", "metrics")


def new_metrics() -> Metrics:
    """Return the metrics of a new server."""
    try:
        return Metrics()
    except ImportError:
        return NoMetrics()


def _route(scope: Scope) -> str:
    """Return the route that a request matched, with names of parameters in place of their values."""
    path: str = scope["path"]
    if path.startswith("/static/"):
        return "/static"
    if "endpoint" not in scope:
        return "other"
    for name, value in scope.get("path_params", {}).items():
        path = path.replace(f"/{value}", f"/{{{name}}}")
    return path
