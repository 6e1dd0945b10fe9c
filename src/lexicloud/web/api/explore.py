"""Exploring texts: keywords, contexts, trends, Zipf's law, parts of speech, the map of words, clusters of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from lexicloud.web import schemas
from lexicloud.web.faults import Fault
from lexicloud.web.schemas import job_or_result
from lexicloud.web.service import Served

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

router = APIRouter(prefix="/explore", tags=["explore"])
_POINTS: Final = 200  # of a rank plot: more cannot be told apart on a screen


@router.post("/keywords", responses=job_or_result())
async def keywords(wanted: schemas.Keywords, service: Served, request: Request) -> Response:
    """The words that a group uses more than the rest does, or than another group."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        from lexicloud.corpus.explore import keywords as find

        corpus = source.corpus
        inside = members(corpus, wanted.group)
        outside = members(corpus, wanted.against) if wanted.against else None
        return find(corpus, inside, outside, top=wanted.top).to_dict()

    return await service.long(request, "looking for keywords", work)


@router.post("/texts", responses=job_or_result())
async def texts(wanted: schemas.Explore, service: Served, request: Request) -> Response:
    """The texts of a source, its authors and years; those of an index are put together from its sentences."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        source.whole_texts()
        return source.to_dict()

    return await service.long(request, "reading the texts", work)


@router.post("/contexts", responses=job_or_result())
async def contexts(wanted: schemas.Contexts, service: Served, request: Request) -> Response:
    """A word where it occurs, with what stands before and after it."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        from lexicloud.corpus.explore import contexts as find

        corpus = source.corpus
        if wanted.group is not None:
            corpus = corpus.subset(members(corpus, wanted.group))
        return find(corpus, wanted.word, width=wanted.width, top=wanted.top).to_dict()

    return await service.long(request, "looking up", work)


@router.post("/trends", responses=job_or_result())
async def trends(wanted: schemas.Trend, service: Served, request: Request) -> Response:
    """How often words are said, year by year or along one text."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        from lexicloud.corpus.explore import trends_along, trends_by_year

        if wanted.text is not None:
            return trends_along(source.corpus, wanted.text, wanted.words, wanted.bins).to_dict()
        return trends_by_year(source.corpus, wanted.words, source.years).to_dict()

    return await service.long(request, "counting", work)


@router.post("/zipf", responses=job_or_result())
async def zipf(wanted: schemas.Zipf, service: Served, request: Request) -> Response:
    """Words by rank, with the fitted law."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        import lexicloud as lc

        ranks = lc.rank_frequency(source.corpus, wanted.text)
        fit = ranks.fit()
        chosen = _spaced(len(ranks))
        words = ranks.words or ()
        return {
            "name": ranks.name,
            "tokens": ranks.tokens,
            "words": len(ranks),
            "ranks": [i + 1 for i in chosen],
            "counts": [int(ranks.counts[i]) for i in chosen],
            "shown": [words[i] if words else "" for i in chosen],
            "fit": fit.to_dict(),
            "predicted": fit.predict([i + 1 for i in chosen]).tolist(),
        }

    return await service.long(request, "fitting the law", work)


@router.post("/parts", responses=job_or_result())
async def parts(wanted: schemas.Explore, service: Served, request: Request) -> Response:
    """How many tokens and words each part of speech has."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        from lexicloud.zipf import part_of_speech_table

        found: dict[str, Any] = part_of_speech_table(source.corpus).to_dict()
        return found

    return await service.long(request, "tagging words", work)


@router.post("/map", responses=job_or_result())
async def word_map(wanted: schemas.WordMap, service: Served, request: Request) -> Response:
    """The most frequent words on a plane, near ones together."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        from lexicloud.zipf import project_words

        corpus = source.corpus
        found: dict[str, Any] = project_words(
            corpus, wanted.method, n=wanted.words, mask=corpus.content, refined=True
        ).to_dict()
        return found

    return await service.long(request, "drawing the map", work)


@router.post("/clusters", responses=job_or_result())
async def clusters(wanted: schemas.Clusters, service: Served, request: Request) -> Response:
    """Sentences grouped by what they are about, each group named by its own words."""
    source = service.library.get(wanted.source)

    def work() -> dict[str, Any]:
        import lexicloud as lc

        corpus = source.corpus
        found = lc.cluster_sizes(corpus, wanted.k, resamples=0, null=(), mask=corpus.content, refined=True)
        return {
            "k": wanted.k,
            "sentences": found.n_sentences,
            "clusters": [
                {**cluster.to_dict(), "words": [word for word in cluster.words if _is_content(word)]}
                for cluster in found.clusters
            ],
        }

    return await service.long(request, "grouping sentences", work)


def members(corpus: Corpus, group: str) -> list[str]:
    """Return the texts of an author, or the one text of that name."""
    labels = corpus.labels or (None,) * len(corpus)
    found = [name for name, label in zip(corpus.names, labels, strict=True) if label == group]
    if found:
        return found
    if group in corpus:
        return [group]
    raise Fault(
        404, f"no author and no text is called {group[:80]!r}", "choose one that /api/v1/sources lists"
    )


def _is_content(word: str) -> bool:
    from lexicloud.text import is_punctuation, is_stopword

    return not (is_punctuation(word) or is_stopword(word))


def _spaced(n: int) -> list[int]:
    """Return positions that are evenly spaced on a logarithmic scale.

    >>> _spaced(3), len(_spaced(50_000)) <= _POINTS
    ([0, 1, 2], True)
    """
    steps = (round(n ** (i / (_POINTS - 1))) for i in range(_POINTS))
    return sorted({min(n, step) - 1 for step in steps})
