"""The shelf of a browser: bringing files, editing what is there, choosing, removing and putting back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from pydantic import Field
from starlette.responses import Response

from lexicloud.operations.asked import ROWS, Asked, Name, TextItem
from lexicloud.say.blocks import many
from lexicloud.web.faults import Fault, errors, job_or_result
from lexicloud.web.intake import Intake, read_file, shelved
from lexicloud.web.service import Served, Service, answer, client_of
from lexicloud.web.shelf import ReadTable, ShelvedText

if TYPE_CHECKING:
    from lexicloud.web.settings import ServerLimits

router = APIRouter(prefix="/shelf", tags=["shelf"])
Ids = Annotated[list[int] | None, Field(max_length=ROWS, description="Which texts; all by default.")]
Year = Annotated[int | None, Field(ge=-5000, le=9999)]
Column = Annotated[str | None, Query(max_length=200)]


class KeptText(TextItem):
    """A text that a browser kept, or one that was typed, with all that is known of it."""

    language: Name | None = None
    file: Annotated[str, Field(max_length=400)] = ""
    row: dict[str, Any] = Field(default_factory=dict)
    chosen: bool = True
    told: list[Name] = Field(default_factory=list, max_length=10)


class KeptTable(Asked):
    """How the columns of a table were taken."""

    file: Annotated[str, Field(min_length=1, max_length=400)]
    text: Name
    label: Annotated[str, Field(max_length=200)] | None = None
    name: Annotated[str, Field(max_length=200)] | None = None
    columns: list[Name] = Field(default_factory=list, max_length=1000)
    found: str = Field(default="", max_length=400)


class NewTexts(Asked):
    """Texts for the shelf; with `table`, they are rows of one."""

    texts: list[KeptText] = Field(min_length=1, max_length=ROWS)
    table: KeptTable | None = None


class Chosen(Asked):
    """Some texts of the shelf."""

    ids: Ids = None
    file: Annotated[str, Field(max_length=400)] | None = None


class Change(Asked):
    """The values to set; those left out stay as they are."""

    ids: Ids = None
    name: Name | None = None
    author: Name | None = None
    year: Year = None
    chosen: bool | None = None

    def values(self) -> dict[str, Any]:
        """Return the values that were sent; null removes an author or a year, but no name or choice."""
        given = {key: getattr(self, key) for key in self.model_fields_set - {"ids"}}
        return {key: v for key, v in given.items() if v is not None or key in {"author", "year"}}


@router.get("", responses=errors())
async def look(service: Served) -> Response:
    """List the texts that this browser brought: name, author, year, language, words, and whether they are chosen."""
    return answer(await service.quick(service.library.shelf().listing))


@router.post("/files", responses=job_or_result())
async def bring(
    service: Served,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=400)],
    data: Annotated[bytes, Body(media_type="application/octet-stream")] = b"",
    text: Column = None,
    label: Column = None,
    title: Column = None,
) -> Response:
    """Put a file on the shelf, sent as raw bytes; for a table, `text`, `label` and `title` name its columns.

    Where it is not clear which column holds the text, nothing is kept and `choose` lists the columns.
    """
    shelf, limits = service.library.shelf(), service.settings.limits
    if not data.strip():
        raise Fault(422, f"{name[-80:]!r} is empty", "bring a file with text in it")
    wanted = {"text": text, "label": label, "name": title}
    work = partial(read_file, name, data, wanted, bounds(limits), shelf.files)

    def then(found: dict[str, Any]) -> dict[str, Any]:
        if "choose" in found:
            return found
        if "describes" in found:
            n = shelf.describe(found["describes"])
            told = f"describes {many(n, 'text')} by its column {found['key']!r}"
            return {"ids": [], "notes": [told], "table": None}
        ids = shelf.put(*shelved(found))
        service.library.make_room(shelf)
        service.wrote("bring texts", "shelf", len(ids), client_of(request))
        return {"ids": ids, "notes": found["notes"], "table": found.get("table")}

    return await service.long(request, f"reading {name.rpartition('/')[2][:80]}", work, then=then)


def bounds(limits: ServerLimits) -> Callable[[int, int], None]:
    """Return a function that refuses too many texts of one file, or too long ones."""

    def most(texts: int, characters: int) -> None:
        if texts > limits.rows:
            raise Fault(413, f"{texts:,} texts, but {limits.rows:,} are taken", "bring a shorter table")
        if characters > limits.text:
            raise Fault(
                413, f"a text has {characters:,} characters, but {limits.text:,} are taken", "cut it in two"
            )

    return most


@router.post("/texts", responses=errors())
async def put(given: NewTexts, service: Served, request: Request) -> Response:
    """Put texts on the shelf that were typed, or that a browser kept from an earlier visit."""
    shelf = service.library.shelf()
    texts = [
        ShelvedText(
            0, one.name, one.text, one.author, one.author, one.year, one.language, one.file, one.row,
            one.chosen, frozenset(one.told),
        )
        for one in given.texts
    ]  # fmt: skip
    table = (given.table.file, _table(given.table)) if given.table is not None else None

    def work() -> dict[str, Any]:
        ids = shelf.put(texts, table)
        service.library.make_room(shelf)
        return {"ids": ids}

    found = await service.quick(work)
    service.wrote("bring texts", "shelf", len(texts), client_of(request))
    return answer(found)


def _table(given: KeptTable) -> ReadTable:
    return ReadTable(tuple(given.columns), given.text, given.label, given.name, given.found)


@router.post("/change", responses=errors(404))
async def change(given: Change, service: Served) -> Response:
    """Set the name, author, year or choice of texts."""
    return await _done(service, lambda shelf: shelf.change(given.ids, given.values()))


@router.post("/columns", responses=errors(404))
async def columns(given: KeptTable, service: Served) -> Response:
    """Take other columns of a table for its text, labels and names."""
    return await _done(service, lambda shelf: shelf.take_columns(given.file, _table(given)))


@router.post("/remove", responses=errors(404))
async def remove(given: Chosen, service: Served) -> Response:
    """Take texts off the shelf; `undo` puts the last ones back."""
    return await _done(service, lambda shelf: shelf.remove(given.ids))


@router.post("/undo", responses=errors())
async def undo(service: Served) -> Response:
    """Put back what was removed last."""
    return await _done(service, lambda shelf: shelf.undo())


@router.post("/rows", responses=errors(404))
async def rows(given: Chosen, service: Served) -> Response:
    """Return texts whole, with the other columns of their table."""
    shelf = service.library.shelf()
    return answer({"rows": await service.quick(lambda: shelf.rows(given.ids, given.file))})


@router.post("/prepare", responses=job_or_result())
async def prepare(service: Served, request: Request) -> Response:
    """Index the sentences of the chosen texts, so that they can be searched."""
    shelf = service.library.shelf()
    shelf.whole_texts()  # raises if there is nothing to index
    intake = Intake(service.library, shelf)

    def then(found: Any) -> dict[str, Any]:
        intake.then(found)
        return shelf.to_dict()

    return await service.long(request, "reading your texts", intake.work, then=then, failed=intake.failed)


async def _done(service: Service, act: Any) -> Response:
    """Change the shelf and answer with its listing."""
    shelf = service.library.shelf()

    def work() -> dict[str, Any]:
        act(shelf)
        return shelf.listing()

    return answer(await service.quick(work))
