"""Sources of texts, and files dropped onto a page."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Body, Query, Request
from fastapi import Path as InPath
from starlette.responses import Response

from lexicloud.operations.asked import SourceId, named_apart
from lexicloud.web import schemas
from lexicloud.web.faults import Fault
from lexicloud.web.schemas import errors, job_or_result
from lexicloud.web.service import Served, answer, client_of
from lexicloud.web.sources import Intake, year_in

if TYPE_CHECKING:
    from lexicloud.web.settings import Limits

router = APIRouter(tags=["texts"])
# Formats that are text themselves. Archives (.epub, .docx, .gz) and .pdf are left to the command line: what has to be
# unpacked can be a thousand times its size.
KINDS: Final = (".txt", ".md", ".html", ".htm", ".csv", ".tsv", ".jsonl")


@router.get("/sources", responses=errors())
async def sources(service: Served) -> Response:
    """List what can be searched and explored."""
    return answer({"sources": [source.to_dict() for source in service.library]})


@router.post("/sources", responses=job_or_result())
async def add_source(given: schemas.NewSource, service: Served, request: Request) -> Response:
    """Take texts in, to search and explore them; they stay in memory, for the browser that brought them alone."""
    source = service.library.add_texts(given.title, named_apart(given.texts))
    intake = Intake(service.library, source)

    def then(answer: Any) -> dict[str, Any]:
        intake.then(answer)
        service.wrote("take texts", source.id, len(source.opened or ()), client_of(request))
        return source.to_dict()

    return await service.long(request, "reading your texts", intake.work, then=then, failed=intake.failed)


@router.post("/sources/{source}/texts", responses=job_or_result())
async def source_texts(source: Annotated[SourceId, InPath()], service: Served, request: Request) -> Response:
    """List the texts of a source, its authors and years; those of an index are put together from its sentences."""
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
    data: Annotated[bytes, Body(media_type="application/octet-stream")],
) -> Response:
    """Return the text of a file (.txt .md .html .csv .tsv .jsonl), sent as it is; nothing is kept."""
    work = partial(read_upload, name, data, service.settings.limits)
    return await service.long(request, "reading a file", work)


def read_upload(name: str, data: bytes, limits: Limits) -> dict[str, Any]:
    """Return the documents of one file, as plain values, with what reading did to it."""
    from lexicloud.text import read_documents

    kind = checked_kind(name, data, limits)
    with tempfile.TemporaryDirectory(prefix="lexicloud-") as folder:
        # The file's own name never becomes a path.
        path = Path(folder, f"upload{kind}")
        path.write_bytes(data)
        documents = read_documents(path)
    if len(documents) > limits.rows:
        raise Fault(413, f"{len(documents):,} rows, but {limits.rows:,} are taken", "send a shorter table")
    stem = name.replace("\\", "/").rpartition("/")[2].removesuffix(Path(name).suffix) or "text"
    alone = len(documents) == 1 and kind not in {".csv", ".tsv", ".jsonl"}
    found = []
    for number, document in enumerate(documents, 1):
        own = stem if alone else f"{stem} {document.name.removeprefix('upload').strip(' #-') or number}"
        if len(document.text) > limits.text:
            raise Fault(
                413,
                f"{own} has {len(document.text):,} characters, but {limits.text:,} are taken",
                "cut it in two",
            )
        found.append({"name": own, "text": document.text, "author": document.label, "year": year_in(own)})
    notes = [note.replace("upload" + kind, name) for document in documents for note in document.notes]
    return {"documents": found, "notes": notes}


def checked_kind(name: str, data: bytes, limits: Limits) -> str:
    """Return a file's ending if it may be read."""
    kind = Path(name.replace("\\", "/")).suffix.lower()
    if kind not in KINDS:
        raise Fault(
            415,
            f"{name[:80]!r} is not a text file",
            f"drop {', '.join(KINDS)}; the command line reads .epub, .docx, .pdf and .gz",
        )
    if len(data) > limits.upload:
        raise Fault(
            413,
            f"{name[:80]!r} has {len(data):,} bytes, but {limits.upload:,} are taken",
            "cut it, or start the server with --folder",
        )
    if not data.strip():
        raise Fault(422, f"{name[:80]!r} is empty", "drop a file with text in it")
    return kind
