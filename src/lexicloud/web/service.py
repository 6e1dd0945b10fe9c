"""What the routes share: the sources, the jobs, the threads, and how values become answers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request
from starlette.responses import Response

from lexicloud.result import as_json
from lexicloud.web.faults import Fault
from lexicloud.web.jobs import Jobs
from lexicloud.web.metrics import Metrics
from lexicloud.web.security import Key
from lexicloud.web.sources import Library

if TYPE_CHECKING:
    from collections.abc import Callable

    from lexicloud.web.settings import Settings

T = TypeVar("T")
writes = logging.getLogger("lexicloud.web.writes")


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
        """Log a write: what, where, how much, and from which address."""
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


Served = Annotated[Service, Depends(service_of)]


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON; nan and infinity, which JSON lacks, become null."""
    return Response(
        as_json(value).encode("utf-8", "replace"), status, dict(headers or {}), "application/json"
    )
