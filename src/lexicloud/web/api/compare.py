"""Comparing texts: how far, which words, and a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.api.texts import named_apart
from lexicloud.web.faults import Fault
from lexicloud.web.schemas import job_or_result
from lexicloud.web.service import Served, Service
from lexicloud.web.sources import corpus_of

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

router = APIRouter(tags=["compare"])


@router.post("/compare", responses=job_or_result())
async def compare(wanted: schemas.Compare, service: Served, request: Request) -> Response:
    """Compare two texts word by word, or map several."""
    if (wanted.texts is None) == (wanted.names is None):
        raise Fault(
            422, "give either texts or names", "send texts, or names of texts of a source", where="texts"
        )
    return await service.long(request, "comparing", lambda: compared(service, wanted))


def compared(service: Service, wanted: schemas.Compare) -> dict[str, Any]:
    """Measure one pair, or all pairs."""
    corpus = _corpus(service, wanted)
    if len(corpus) == 2:
        return {"pair": _pair(corpus, corpus.names[0], corpus.names[1], wanted), "names": list(corpus.names)}
    return _map(corpus, wanted)


def _corpus(service: Service, wanted: schemas.Compare) -> Corpus:
    if wanted.texts is not None:
        return corpus_of(named_apart(wanted.texts), service.library.vectors)
    assert wanted.names is not None
    if len(set(wanted.names)) < 2:
        raise Fault(422, "all names are the same", "name at least two different texts", where="names")
    return service.library.get(wanted.source).corpus.subset(list(dict.fromkeys(wanted.names)))


def _pair(corpus: Corpus, a: str, b: str, wanted: schemas.Compare) -> dict[str, Any]:
    import lexicloud as lc

    found: dict[str, Any] = lc.divergence(corpus, a, b, method=wanted.method, top=wanted.top).to_dict()
    return found


def _map(corpus: Corpus, wanted: schemas.Compare) -> dict[str, Any]:
    import lexicloud as lc

    matrix: Any = lc.divergence_matrix(corpus, method=wanted.method, skip_bad=True)
    if len(matrix) < 2:
        raise Fault(422, "fewer than two of the texts can be measured", "send longer texts")
    distances = matrix.distances()
    pairs = sorted(
        (float(distances[i, j]), a, b)
        for i, a in enumerate(matrix.names)
        for j, b in enumerate(matrix.names[:i])
    )
    nearest = pairs[0]
    return {
        "names": list(matrix.names),
        "labels": list(matrix.labels or ()),
        "values": matrix.values.tolist(),
        "distances": distances.tolist(),
        "points": matrix.coordinates().tolist(),
        "method": matrix.method,
        "skipped": [skipped.to_dict() for skipped in matrix.skipped],
        "nearest": {"a": nearest[1], "b": nearest[2], "distance": nearest[0]},
        "pair": _pair(corpus, nearest[1], nearest[2], wanted),
    }
