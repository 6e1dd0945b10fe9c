"""Searching: one query, many, why, suggestions for writers, and the nearest words."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.faults import Fault
from lexicloud.web.schemas import errors, job_or_result
from lexicloud.web.service import Served, answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.search import SentenceIndex, Suggestion
    from lexicloud.search.items import Suggestions
    from lexicloud.vectors import WordVectors
    from lexicloud.web.schemas import Suggest

router = APIRouter(tags=["search"])
EXPLAINED = 1000  # how far down the list a sentence is looked for
NOTICED: Final = 1.0  # standard errors from usual words
_MORE: Final = 8  # times as many are looked at when a mood has to be met


@router.post("/search", responses=errors(404))
async def search(wanted: schemas.Search, service: Served) -> Response:
    """Find sentences that resemble a query, with the reasons for each."""
    source = service.library.get(wanted.source)
    return answer(await service.quick(partial(find, source.id, source.index, wanted.query, wanted)))


@router.post("/search_many", responses=job_or_result())
async def search_many(wanted: schemas.SearchMany, service: Served, request: Request) -> Response:
    """Answer many queries, in their order."""
    source = service.library.get(wanted.source)
    index = source.index

    def work() -> dict[str, Any]:
        found = index.search_many(wanted.queries, workers=service.settings.threads, **wanted.chosen())
        return {
            "source": source.id,
            "answers": [_told(answered, index, wanted.context) for answered in found],
        }

    return await service.long(request, "search", work)


@router.post("/explain", responses=errors(404))
async def explain(wanted: schemas.Explain, service: Served) -> Response:
    """Tell which words of a query lead to one sentence; their weights add up to its score."""
    source = service.library.get(wanted.source)
    return answer(await service.quick(partial(explained, source.index, wanted)))


@router.post("/suggest", responses=errors(404))
async def suggestions(wanted: schemas.Suggest, service: Served) -> Response:
    """Suggest sentences to a writer: close or surprising, bright or dark, short or long."""
    source = service.library.get(wanted.source)
    index = source.index

    def work() -> dict[str, Any]:
        start = time.perf_counter()
        found, notes = suggest(index, wanted, service.library.vectors)
        return {
            "sentence": wanted.sentence,
            "source": source.id,
            "suggestions": shown(index, found, wanted.context),
            "notes": notes,
            "milliseconds": 1e3 * (time.perf_counter() - start),
        }

    return answer(await service.quick(work))


@router.get("/neighbours", responses=errors(404))
async def neighbours(
    service: Served,
    word: Annotated[str, Query(min_length=1, max_length=100, pattern=r"\S")],
    k: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """Return the words nearest to a word in all the vectors."""
    return answer(await service.quick(partial(nearest, word, k, service.library.refined)))


def nearest(word: str, k: int, vectors: WordVectors) -> dict[str, Any]:
    """Look the nearest words up."""
    found = vectors.nearest(word.strip(), k, "euclidean")
    return {"word": word.strip(), "neighbours": [{"word": other, "distance": far} for other, far in found]}


def find(source: str, index: SentenceIndex, query: str, wanted: schemas.SearchOptions) -> dict[str, Any]:
    """Search and return the answer as plain values."""
    start = time.perf_counter()
    found = index.search(query, **wanted.chosen())
    return {
        **_told(found, index, wanted.context),
        "source": source,
        "milliseconds": 1e3 * (time.perf_counter() - start),
    }


def _told(found: Suggestions, index: SentenceIndex, context: int) -> dict[str, Any]:
    return {
        "query": found.query,
        "method": found.method,
        "suggestions": shown(index, found, context),
        "notes": found.notes,
        "unknown": found.unknown,
    }


def explained(index: SentenceIndex, wanted: schemas.Explain) -> dict[str, Any]:
    """Look for one sentence among the answers and return it with its rank and reasons."""
    # With keep=1 no sentence depends on those before it, so its reasons are its own.
    options: dict[str, Any] = {"keep": 1.0} if wanted.method == "setcover" else {}
    found = index.search(wanted.query, method=wanted.method, top=EXPLAINED, near_copy=0, **options)
    for rank, suggestion in enumerate(found, 1):
        if suggestion.id == wanted.id:
            return {"query": wanted.query, "rank": rank, **shown(index, [suggestion], 1)[0]}
    raise Fault(
        404,
        f"{wanted.id!r} is not among the first {EXPLAINED:,} sentences for this query",
        "check the id, or ask with words that the sentence has",
    )


def shown(index: SentenceIndex, found: Sequence[Suggestion], context: int) -> list[dict[str, Any]]:
    """Return suggestions as pages show them: with where the matched words stand, whose they are, and what is around."""
    return [
        {
            **suggestion.to_dict(),
            "highlights": suggestion.highlights,
            "title": _first(suggestion.metadata, "title", "document") or suggestion.title or None,
            "author": _first(suggestion.metadata, "author", "label"),
            **(around(index, suggestion, context) if context else {}),
        }
        for suggestion in found
    ]


def _first(metadata: dict[str, Any], *keys: str) -> Any:
    return next((metadata[key] for key in keys if metadata.get(key)), None)


def around(index: SentenceIndex, suggestion: Suggestion, n: int) -> dict[str, list[str]]:
    """Return the sentences before and after one, as far as they come from the same text."""
    database, row = index.database, suggestion.row
    own = suggestion.metadata.get("document")
    if own is None or row < 0:
        return {"before": [], "after": []}

    def same(other: int) -> bool:
        return 0 <= other < len(database) and str(database.identifiers[other]).rpartition("#")[0] == str(own)

    before = [other for other in range(row - n, row) if same(other)]
    after = [other for other in range(row + 1, row + n + 1) if same(other)]
    return {"before": [database.texts[i] for i in before], "after": [database.texts[i] for i in after]}


def suggest(
    index: SentenceIndex, wanted: Suggest, vectors: WordVectors
) -> tuple[list[Suggestion], list[str]]:
    """Return suggestions for a sentence, and what the writer should know about them."""
    top = wanted.top * (1 if wanted.mood == "any" else _MORE)
    answer = index.search(wanted.sentence, top=top, distinct=True, **wanted.chosen())
    found, notes = list(answer), [note for note in answer.notes if "asked for" not in note]
    if wanted.mood != "any":
        found = in_mood(found, wanted.mood, vectors)
        if not found:
            notes.append(f"no {wanted.mood} sentence among the {top} nearest: try another mood")
    return found[: wanted.top], notes


def in_mood(found: Sequence[Suggestion], mood: str, vectors: WordVectors) -> list[Suggestion]:
    """Keep the suggestions of one mood, in their order."""
    from lexicloud.corpus.explore import moods

    sign = 1 if mood == "bright" else -1
    values = moods([s.text for s in found], vectors)
    return [s for s, value in zip(found, values, strict=True) if sign * value > NOTICED]
