"""What the routes share: sources, jobs, threads, counts for Prometheus, and how values become answers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from fastapi import Depends, Request
from starlette.responses import Response

from lexicloud.result import as_json
from lexicloud.web.faults import Fault
from lexicloud.web.jobs import Jobs
from lexicloud.web.security import Key
from lexicloud.web.sources import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from starlette.types import Scope

    from lexicloud.web.settings import Settings

T = TypeVar("T")
writes = logging.getLogger("lexicloud.web.writes")
_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(eq=False)
class Service:
    """One server's belongings."""

    settings: Settings
    library: Library
    jobs: Jobs
    metrics: Metrics
    key: Key
    pool: ThreadPoolExecutor
    study: Any = None
    waiting: int = field(default=0)

    @classmethod
    def of(cls, settings: Settings) -> Service:
        """Put a server together; nothing is read yet."""
        return cls(
            settings,
            Library(settings),
            Jobs(settings.limits),
            Metrics(),
            Key(settings.token),
            ThreadPoolExecutor(settings.threads, thread_name_prefix="lexicloud-search"),
        )

    async def quick(self, work: Callable[[], T]) -> T:
        """Run something short in a thread, so that nobody waits for anybody's numbers; 503 where too many wait."""
        limits = self.settings.limits
        if self.waiting >= limits.waiting:
            raise Fault(503, f"{self.waiting} requests are waiting already", headers={"retry-after": "1"})
        self.waiting += 1
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self.pool.submit(work)), timeout=limits.seconds)
        except TimeoutError:
            raise Fault(
                503, f"this takes longer than {limits.seconds:g} s", "ask for less, or with a shorter text"
            ) from None
        finally:
            self.waiting -= 1

    async def long(self, request: Request, kind: str, work: Callable[[], Any]) -> Response:
        """Run a job: waited for, or with `Prefer: respond-async` answered at once with where to ask for it."""
        job = self.jobs.submit(kind, work)
        if "respond-async" in request.headers.get("prefer", "").lower():
            headers = {"location": f"/api/v1/jobs/{job.id}", "preference-applied": "respond-async"}
            return answer(job.to_dict(), 202, headers)
        return answer(await self.jobs.wait(job, self.settings.limits.seconds))

    def wrote(self, action: str, source: str, n: int, client: str) -> None:
        """Log a write: what, where, how much, and from which address; a study's participants have none."""
        self.metrics.write(action, n)
        writes.info(json.dumps({"action": action, "source": source, "sentences": n, "client": client}))

    def close(self) -> None:
        """Finish what runs."""
        self.jobs.close()
        self.pool.shutdown(wait=True)


def service_of(request: Request) -> Service:
    """Return the server's belongings; for routes."""
    found: Service = request.app.state.service
    return found


def client_of(request: Request) -> str:
    """Return the address that a request came from."""
    return request.client.host if request.client else "unknown"


Served = Annotated[Service, Depends(service_of)]


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON; nan and infinity, which JSON lacks, become null."""
    return Response(
        as_json(value).encode("utf-8", "replace"), status, dict(headers or {}), "application/json"
    )


class Metrics:
    """Requests by route and status, how long they took, and the writes.

    >>> metrics = Metrics()
    >>> metrics.request({"method": "GET", "path": "/x"}, 200, 0.003)
    >>> [line for line in metrics.text({}).splitlines() if line.startswith("lexicloud_requests_total")]
    ['lexicloud_requests_total{method="GET",route="other",status="200"} 1']
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._writes: Counter[str] = Counter()

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one request under its route, not its path, so that ids do not become labels."""
        route = _route(scope)
        method = scope["method"] if scope["method"] in {"GET", "POST", "DELETE", "PUT", "HEAD"} else "other"
        with self._lock:
            self._requests[method, route, status] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]
            for bound in _BOUNDS:
                if seconds <= bound:
                    self._buckets[route, bound] += 1

    def write(self, action: str, n: int) -> None:
        """Count sentences written."""
        with self._lock:
            self._writes[action] += n

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return everything in Prometheus's format."""
        with self._lock:
            return "\n".join((*self._lines(), *_gauges({**gauges, **_memory()}))) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# HELP lexicloud_requests_total Requests answered."
        yield "# TYPE lexicloud_requests_total counter"
        for (method, route, status), n in sorted(self._requests.items()):
            yield f'lexicloud_requests_total{{method="{method}",route="{route}",status="{status}"}} {n}'
        yield "# HELP lexicloud_request_seconds Time from request to answer."
        yield "# TYPE lexicloud_request_seconds histogram"
        for route, total in sorted(self._seconds.items()):
            count = sum(n for (_, r, _), n in self._requests.items() if r == route)
            for bound in _BOUNDS:
                yield (
                    f'lexicloud_request_seconds_bucket{{route="{route}",le="{bound:g}"}} '
                    f"{self._buckets[route, bound]}"
                )
            yield f'lexicloud_request_seconds_bucket{{route="{route}",le="+Inf"}} {count}'
            yield f'lexicloud_request_seconds_sum{{route="{route}"}} {total:.6f}'
            yield f'lexicloud_request_seconds_count{{route="{route}"}} {count}'
        yield "# HELP lexicloud_writes_total Sentences written to indexes, taken in and forgotten; answers to a study."
        yield "# TYPE lexicloud_writes_total counter"
        for action, n in sorted(self._writes.items()):
            yield f'lexicloud_writes_total{{action="{action}"}} {n}'


def _route(scope: Scope) -> str:
    """Return the address that a request matched, with names in the place of what they stood for."""
    path: str = scope["path"]
    if path.startswith("/static/"):
        return "/static"
    if "endpoint" not in scope:
        return "other"
    for name, value in scope.get("path_params", {}).items():
        path = path.replace(f"/{value}", f"/{{{name}}}")
    return path


def _gauges(values: Mapping[str, float]) -> Iterator[str]:
    for name, value in sorted(values.items()):
        yield f"# TYPE lexicloud_{name} gauge"
        yield f"lexicloud_{name} {value:g}"


def _memory() -> dict[str, float]:
    """Resident memory, where the system tells it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return {}
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
    return {"resident_bytes": 1024.0 * int(lines["VmRSS"].split()[0])}
