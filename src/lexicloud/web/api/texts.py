"""Sources of texts, and files dropped onto a page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi import Path as InPath
from pydantic import Field
from starlette.responses import Response

from lexicloud.operations.asked import TEXTS, Asked, Name, SourceId, TextItem, named_apart
from lexicloud.web.api.shelf import bounds
from lexicloud.web.faults import Fault, errors, job_or_result
from lexicloud.web.intake import Intake, read_file
from lexicloud.web.service import Served, answer, client_of

if TYPE_CHECKING:
    from lexicloud.web.settings import ServerLimits

router = APIRouter(tags=["texts"])


class NewSource(Asked):
    """Texts to search in, kept in memory until they are removed or the server stops."""

    title: Name = "Your texts"
    texts: list[TextItem] = Field(min_length=1, max_length=TEXTS)


@router.get("/sources", responses=errors())
async def sources(service: Served) -> Response:
    """List what can be searched and explored."""
    return answer({"sources": [source.to_dict() for source in service.library]})


@router.post("/sources", responses=job_or_result())
async def add_source(given: NewSource, service: Served, request: Request) -> Response:
    """Take texts to search and explore; they are kept in memory, only for the browser that brought them."""
    source = service.library.add_texts(given.title, named_apart(given.texts))
    intake = Intake(service.library, source)

    def then(answer: Any) -> dict[str, Any]:
        intake.then(answer)
        service.wrote("take texts", source.id, len(source.opened or ()), client_of(request))
        return source.to_dict()

    return await service.long(request, "reading your texts", intake.work, then=then, failed=intake.failed)


@router.post("/sources/{source}/texts", responses=job_or_result())
async def source_texts(source: Annotated[SourceId, InPath()], service: Served, request: Request) -> Response:
    """List the texts of a source, its authors and years; the texts of an index are joined from its sentences."""
    found = service.library.get(source)

    def work() -> dict[str, Any]:
        found.whole_texts()
        return found.to_dict()

    return await service.long(request, "reading the texts", work)


@router.delete("/sources/{source}", status_code=204, responses=errors(404))
async def remove_source(
    source: Annotated[str, InPath(min_length=1, max_length=120)], service: Served, request: Request
) -> Response:
    """Forget texts that were taken in."""
    n = len(service.library.get(source).opened or ())
    service.library.remove(source)
    service.wrote("forget texts", source, n, client_of(request))
    return Response(status_code=204)


@router.get("/sources/{source}/text", responses=errors(404))
async def one_text(
    source: Annotated[str, InPath(min_length=1, max_length=120)],
    name: Annotated[str, Query(min_length=1, max_length=200)],
    service: Served,
) -> Response:
    """Return one text of a source."""
    found = service.library.get(source)
    for text in await service.quick(found.whole_texts):
        if text.name == name:
            return answer({"name": text.name, "text": text.text, "author": text.author, "year": text.year})
    raise Fault(404, f"{found.title} has no text {name[:80]!r}", "choose one that /api/v1/sources lists")


@router.post("/read", responses=errors())
async def read(
    service: Served,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=255)],
    data: Annotated[bytes, Body(media_type="application/octet-stream")] = b"",
) -> Response:
    """Return the texts of a file of any kind that lexicloud reads, sent as raw bytes; nothing is kept."""
    work = partial(read_upload, name, data, service.settings.limits)
    return await service.long(request, "reading a file", work)


def read_upload(name: str, data: bytes, limits: ServerLimits) -> dict[str, Any]:
    """Return the texts of one file as plain values, with notes on how it was read."""
    if not data.strip():
        raise Fault(422, f"{name[:80]!r} is empty", "bring a file with text in it")
    found = read_file(name, data, {}, bounds(limits))
    if "choose" in found:
        columns = " or ".join(repr(one["name"]) for one in found["choose"]["columns"][:5])
        raise Fault(422, f"the text of {name[:80]!r} may be in {columns}", "put it on a shelf with `text`")
    documents = [
        {"name": one["name"], "text": one["text"], "author": one["label"], "year": one["year"]}
        for one in found["documents"]
    ]
    return {"documents": documents, "notes": found["notes"]}
