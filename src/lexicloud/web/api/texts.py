"""Sources of texts, and files dropped onto a page."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.api.described import errors, job_or_result
from lexicloud.web.service import Served, answer
from lexicloud.web.sources import Text
from lexicloud.web.uploads import read_upload

router = APIRouter(tags=["texts"])


@router.get("/sources", responses=errors())
async def sources(service: Served) -> Response:
    """List what can be searched and explored."""
    return answer({"sources": [source.to_dict() for source in service.library]})


@router.post("/sources", responses=job_or_result())
async def add_source(given: schemas.NewSource, service: Served, request: Request) -> Response:
    """Take texts in, to search and explore them; they stay in memory and are never written to disk."""
    source = service.library.add_texts(given.title, named_apart(given.texts))

    def work() -> dict[str, Any]:
        source.prepare()
        if source.fault is not None:
            service.library.remove(source.id)
            raise source.fault
        return source.to_dict()

    return await service.long(request, "reading your texts", work)


@router.delete("/sources/{source}", status_code=204, responses=errors(404))
async def remove_source(
    source: Annotated[str, Path(min_length=1, max_length=120)], service: Served
) -> Response:
    """Forget texts that were taken in."""
    service.library.remove(source)
    return Response(status_code=204)


@router.post("/read", responses=errors())
async def read(
    service: Served,
    name: Annotated[str, Query(min_length=1, max_length=255)],
    data: Annotated[bytes, Body(media_type="application/octet-stream")],
) -> Response:
    """Return the text of a file (.txt .md .html .csv .tsv .jsonl), sent as it is; nothing is kept."""
    return answer(await service.quick(partial(read_upload, name, data, service.settings.limits)))


def named_apart(items: list[schemas.TextItem]) -> list[Text]:
    """Return texts whose names differ: a second "letter" becomes "letter (2)"."""
    taken: dict[str, int] = {}
    found = []
    for item in items:
        taken[item.name] = taken.get(item.name, 0) + 1
        name = item.name if taken[item.name] == 1 else f"{item.name} ({taken[item.name]})"
        found.append(Text(name, item.text, item.author, item.year))
    return found
