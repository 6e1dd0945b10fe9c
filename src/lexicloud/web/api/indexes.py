"""Writing to an index that was named at the start: every write is logged, and on disk before it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.faults import Fault
from lexicloud.web.schemas import job_or_result
from lexicloud.web.service import Served, Service, client_of

if TYPE_CHECKING:
    from lexicloud.web.sources import Source

router = APIRouter(prefix="/index", tags=["index"])


@router.post("/add", responses=job_or_result())
async def add(wanted: schemas.IndexAdd, service: Served, request: Request) -> Response:
    """Add sentences; ids that are there already are refused, unless `overwrite` is set."""
    return await service.long(request, "adding sentences", lambda: added(service, wanted, client_of(request)))


@router.post("/remove", responses=job_or_result())
async def remove(wanted: schemas.IndexRemove, service: Served, request: Request) -> Response:
    """Remove sentences by their ids, or all sentences of documents by theirs."""
    return await service.long(
        request, "removing sentences", lambda: removed(service, wanted, client_of(request))
    )


def added(service: Service, wanted: schemas.IndexAdd, client: str) -> dict[str, Any]:
    """Add sentences, one writer at a time."""
    source = _writable(service, wanted.source)
    items = [_item(item) for item in wanted.items]
    with source.writing:
        source.index.add(items, overwrite=wanted.overwrite, workers=1)
    source.changed()
    service.wrote("add", source.id, len(items), client)
    return {"source": source.id, "added": len(items), "sentences": len(source.index)}


def removed(service: Service, wanted: schemas.IndexRemove, client: str) -> dict[str, Any]:
    """Remove sentences, one writer at a time."""
    source = _writable(service, wanted.source)
    with source.writing:
        gone = source.index.remove(wanted.ids)
    source.changed()
    service.wrote("remove", source.id, gone, client)
    return {"source": source.id, "removed": gone, "sentences": len(source.index)}


def _writable(service: Service, identifier: str) -> Source:
    source = service.library.get(identifier)
    if source.kind != "index":
        raise Fault(
            403, f"{source.title!r} is not an index", "start the server with --index INDEX to write to one"
        )
    return source


def _item(item: schemas.Item) -> Any:
    metadata = {key: value for key, value in (item.metadata or {}).items() if value is not None}
    if item.id is None:
        return {"text": item.text, "metadata": metadata or None}
    return item.id, item.text, metadata
