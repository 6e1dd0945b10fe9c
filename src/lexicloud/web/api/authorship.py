"""Who wrote it: one of several hands or none of them, and whether one hand wrote two texts."""

from __future__ import annotations

from collections.abc import Sequence
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

router = APIRouter(tags=["authorship"])
_SHOWN: Final = 5  # authors that a rolling view draws
WIDEST, NARROWEST = 2000, 250  # tokens of a window; under 300 words an answer is little more than a guess


@router.post("/attribute", responses=job_or_result())
async def attribute(wanted: schemas.Attribute, service: Served, request: Request) -> Response:
    """Say how likely each known author wrote each unknown text, with the words that speak for the first."""
    _check_known(service, wanted)
    return await service.long(request, "reading the hands", lambda: attributed(service, wanted))


@router.post("/verify", responses=job_or_result())
async def verify(wanted: schemas.Verify, service: Served, request: Request) -> Response:
    """Say whether the writer of the known texts wrote the unknown one."""
    return await service.long(request, "comparing the hands", lambda: verified(wanted))


def _check_known(service: Service, wanted: schemas.Attribute) -> None:
    """Refuse what cannot be answered before a job is begun."""
    if (wanted.known is None) == (wanted.source is None):
        raise Fault(422, "give either known texts or a source", "send known, or source", where="known")
    if wanted.known is not None:
        _check_authors(named_apart(wanted.known))
    else:
        assert service.library.get(wanted.source).index is not None  # 503 while it is being prepared


def _check_authors(known: Sequence[Text]) -> None:
    authors = {text.author for text in known if text.author}
    if len(authors) < 2:
        raise Fault(
            422,
            f"the known texts have {len(authors)} author(s)",
            "give texts by at least two authors",
            where="known",
        )


def attributed(service: Service, wanted: schemas.Attribute) -> dict[str, Any]:
    """Learn the hands and judge the unknown texts."""
    texts = {text.name: text.text for text in named_apart(wanted.unknown)}
    model, left_out = _hands(service, wanted, list(texts.values()))
    answers = [_answer(found) for found in model.attribute(texts, evidence=24)]
    if wanted.rolling:
        for answer, text in zip(answers, texts.values(), strict=True):
            answer["rolling"] = _rolling(model, text)
    return {"authors": list(model.classes), "left_out": left_out, "answers": answers}


def _hands(
    service: Service, wanted: schemas.Attribute, unknown: Sequence[str]
) -> tuple[AttributionModel, list[str]]:
    """Return the known hands, and which known texts were left out because they hold an unknown one.

    A text that is compared with itself would always find its author.
    """
    import lexicloud as lc

    source = None if wanted.known is not None else service.library.get(wanted.source)
    known = source.whole_texts() if source is not None else named_apart(wanted.known or [])
    known = [text for text in known if text.author]
    asked = [_squeezed(text) for text in unknown]
    left_out = {text.name for text in known if any(one in _squeezed(text.text) for one in asked)}
    kept = [text for text in known if text.name not in left_out]
    _check_authors(kept)
    if source is not None:
        return source.hands(frozenset(left_out)), sorted(left_out)
    return lc.train(corpus_of(kept, service.library.vectors)), sorted(left_out)


def _squeezed(text: str) -> str:
    """Return a text without what copying changes: blanks, line ends, case.

    >>> _squeezed("The  ship sailed. ")
    'theshipsailed.'
    """
    return "".join(text.split()).casefold()


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
    """Go along a text, with smaller windows where it is short; None where even those would say nothing."""
    import lexicloud as lc

    tokens = len(lc.text.tokenize(text, model.rules))
    window = min(WIDEST, tokens // 4)
    if window < NARROWEST:
        return None
    found = lc.rolling(text, model, window=window, step=max(1, window // 8))
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
