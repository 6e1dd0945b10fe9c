"""The API under /api/v1: a route for each operation, and routes for state, texts, the shelf and a study."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from lexicloud.operations import OPERATIONS, Operation
from lexicloud.say.blocks import as_data
from lexicloud.web.api import shelf, state, survey, texts
from lexicloud.web.faults import errors, job_or_result
from lexicloud.web.service import Served, Service, answer, client_of

if TYPE_CHECKING:
    from lexicloud.result import Result

PREFIX = "/api/v1"


def router(*, study: bool) -> APIRouter:
    """Return all routes; those of a study only where there is one."""
    whole = APIRouter(prefix=PREFIX)
    for part in (state.router, _of_operations(), texts.router, shelf.router):
        whole.include_router(part)
    if study:
        whole.include_router(survey.router)
    return whole


def _of_operations() -> APIRouter:
    """Return the routes of all operations."""
    made = APIRouter()
    for operation in OPERATIONS:
        made.add_api_route(
            f"/{operation.path}",
            _endpoint(operation),
            methods=[operation.verb],
            name=operation.path.replace("/", "_"),
            tags=[operation.heading],
            description=operation.__doc__,
            responses=errors(404) if operation.quick else job_or_result(),
        )
    return made


def _endpoint(operation: type[Operation]) -> Callable[..., Any]:
    """Return the function of a route, which runs an operation and answers."""

    async def endpoint(wanted: Any, service: Served, request: Request) -> Response:
        work = partial(told, service, wanted, client_of(request))
        if wanted.is_quick:
            return answer(await service.quick(work))
        wanted.check(service.library)
        # A write changes the server's own index; everything else runs in a process that can be killed.
        return await service.long(request, operation.doing, work, apart=not operation.writes)

    asked: Any = Annotated[operation, Query()] if operation.verb == "GET" else operation
    endpoint.__annotations__ = {"wanted": asked, "service": Served, "request": Request, "return": Response}
    return endpoint


def told(service: Service, wanted: Operation, client: str) -> dict[str, Any]:
    """Run an operation and return its result, and the result in words; a write is logged."""
    found = wanted.run(service.library)
    if wanted.writes:
        service.wrote(wanted.path.rpartition("/")[2], found.source, found.number, client)  # type: ignore[attr-defined]
    return said(found)


def said(found: Result) -> dict[str, Any]:
    """Return a result as plain values and in words, the form of every answer."""
    return {"result": found.to_dict(), "say": as_data(found.blocks())}
