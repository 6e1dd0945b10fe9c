"""Who wrote it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.api.described import job_or_result
from lexicloud.web.api.texts import named_apart
from lexicloud.web.faults import Fault
from lexicloud.web.service import Served, Service
from lexicloud.web.sources import Text

router = APIRouter(tags=["authorship"])


@router.post("/attribute", responses=job_or_result())
async def attribute(wanted: schemas.Attribute, service: Served, request: Request) -> Response:
    """Say how likely each known author wrote each unknown text, with the words that speak for the first."""
    known = known_texts(service, wanted)
    return await service.long(request, "reading the hands", lambda: attributed(known, wanted))


def known_texts(service: Service, wanted: schemas.Attribute) -> list[Text]:
    """Return the known texts that name an author; at least two authors are needed."""
    if (wanted.known is None) == (wanted.source is None):
        raise Fault(422, "give either known texts or a source", "send known, or source", where="known")
    found = (
        named_apart(wanted.known) if wanted.known is not None else service.library.get(wanted.source).texts
    )
    named = [text for text in found if text.author]
    authors = Counter(text.author for text in named)
    if len(authors) < 2:
        raise Fault(
            422,
            f"the known texts have {len(authors)} author(s)",
            "give texts by at least two authors",
            where="known",
        )
    return named


def attributed(known: list[Text], wanted: schemas.Attribute) -> dict[str, Any]:
    """Learn the hands and judge the unknown texts."""
    import lexicloud as lc

    labels = [text.author or "" for text in known]
    model = lc.DivergenceClassifier().fit([text.text for text in known], labels)
    chances = model.predict_proba([text.text for text in wanted.unknown])
    return {
        "authors": [str(c) for c in model.classes_],
        "answers": [
            {"name": text.name, "chances": dict(zip(map(str, model.classes_), row, strict=True))}
            for text, row in zip(wanted.unknown, chances.tolist(), strict=True)
        ],
    }
