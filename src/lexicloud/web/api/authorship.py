"""Who wrote it: one of several hands or none of them, and whether one hand wrote two texts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.api.texts import named_apart
from lexicloud.web.faults import Fault
from lexicloud.web.schemas import job_or_result
from lexicloud.web.service import Served, Service
from lexicloud.web.sources import Text, corpus_of

if TYPE_CHECKING:
    from lexicloud.divergences import Answer, AttributionModel
    from lexicloud.vectors import WordVectors

router = APIRouter(tags=["authorship"])
_SHOWN: Final = 5  # authors that a rolling view draws


@router.post("/attribute", responses=job_or_result())
async def attribute(wanted: schemas.Attribute, service: Served, request: Request) -> Response:
    """Say how likely each known author wrote each unknown text, with the words that speak for the first."""
    known = known_texts(service, wanted)
    return await service.long(
        request, "reading the hands", lambda: attributed(known, wanted, service.library.vectors)
    )


@router.post("/verify", responses=job_or_result())
async def verify(wanted: schemas.Verify, service: Served, request: Request) -> Response:
    """Say whether the writer of the known texts wrote the unknown one."""
    return await service.long(request, "comparing the hands", lambda: verified(wanted))


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


def attributed(known: list[Text], wanted: schemas.Attribute, vectors: WordVectors) -> dict[str, Any]:
    """Learn the hands and judge the unknown texts."""
    import lexicloud as lc

    texts = {text.name: text.text for text in named_apart(wanted.unknown)}
    model = lc.train(corpus_of(known, vectors))
    answers = [_answer(found) for found in model.attribute(texts, evidence=24)]
    if wanted.rolling:
        for answer, text in zip(answers, texts.values(), strict=True):
            answer["rolling"] = _rolling(model, text)
    return {"authors": list(model.classes), "answers": answers}


def _answer(found: Answer) -> dict[str, Any]:
    return {
        "name": found.name,
        "label": found.label,
        "chances": found.probabilities,
        "none": found.none,
        "nearest": list(found.nearest),
        "tokens": found.tokens,
        "evidence_for": found.first,
        "evidence_against": found.second,
        "evidence": [
            {"word": e.feature, "value": e.value, "kind": e.kind, "passages": list(e.passages)}
            for e in found.evidence
        ],
        "notes": list(found.notes),
    }


def _rolling(model: AttributionModel, text: str) -> dict[str, Any] | None:
    """Go along a text; None where it is too short for two windows."""
    import lexicloud as lc
    from lexicloud.errors import EstimateError

    try:
        found = lc.rolling(text, model)
    except EstimateError:
        return None
    shares = found.probabilities.mean(axis=0)[: len(found.candidates)]
    chosen = sorted(range(len(found.candidates)), key=lambda i: -shares[i])[:_SHOWN]
    return {
        "positions": [window.start + found.window // 2 for window in found.windows],
        "authors": [found.candidates[i] for i in chosen],
        "chances": [found.probabilities[:, i] for i in chosen],
        "window": found.window,
        "seams": found.seams,
    }


def verified(wanted: schemas.Verify) -> dict[str, Any]:
    """Compare the hands."""
    import lexicloud as lc

    found: dict[str, Any] = lc.verify(wanted.known, wanted.unknown).to_dict()
    return found
