"""Health, metrics, jobs, and the exchange of a token for a cookie."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import StringConstraints
from starlette.responses import PlainTextResponse, Response

from lexicloud.operations.asked import Asked
from lexicloud.version import __version__
from lexicloud.web.faults import Fault, errors
from lexicloud.web.security import COOKIE
from lexicloud.web.service import CONTENT_TYPE, Served, answer

router = APIRouter(tags=["server"])
JobId = Annotated[str, Path(min_length=1, max_length=64)]


class GivenToken(Asked):
    """A token, to be exchanged for a cookie."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=500)]


@router.get("/health", responses=errors())
async def health(service: Served) -> dict[str, Any]:
    """Tell whether the server is ready. It needs no token."""
    states = [source.state for source in service.library]
    status = "preparing" if "preparing" in states else "ready"
    return {"status": status, "version": __version__, "sources": len(states), "token": service.key.needed}


@router.get("/metrics", responses=errors())
async def metrics(service: Served) -> PlainTextResponse:
    """Counts in Prometheus's text format."""
    gauges = {
        "jobs_active": service.jobs.active,
        "requests_waiting": service.waiting,
        "sentences": sum(len(s.opened) for s in service.library.everything() if s.opened is not None),
    }
    return PlainTextResponse(service.metrics.text(gauges), media_type=CONTENT_TYPE)


@router.post("/session", status_code=204, responses=errors())
async def session(given: GivenToken, service: Served) -> Response:
    """Give a browser a cookie for the token, so that pages need not keep the token itself."""
    if not service.key.needed and service.settings.study is None:
        return Response(status_code=204)
    if not service.key.fits(given.token):
        raise Fault(401, "this is not the token", "copy it again from whoever started the server")
    found = Response(status_code=204)
    found.set_cookie(COOKIE, service.key.cookie(), httponly=True, samesite="strict", path="/")
    return found


@router.get("/jobs/{job}", responses=errors(404))
async def job_state(job: JobId, service: Served) -> Response:
    """Tell how far a job has come."""
    return answer(service.jobs.get(job).to_dict())


@router.get("/jobs/{job}/result", responses=errors(404, 409, 410, 501))
async def job_result(job: JobId, service: Served) -> Response:
    """Return what a finished job found; 409 while it runs."""
    return answer(service.jobs.result(service.jobs.get(job)))


@router.delete("/jobs/{job}", responses=errors(404))
async def stop_job(job: JobId, service: Served) -> Response:
    """Stop a job."""
    return answer(service.jobs.stop(job).to_dict())
