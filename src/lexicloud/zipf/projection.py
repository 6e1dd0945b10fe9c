"""The vocabulary on a plane: words of similar meaning together, coloured by part of speech or by region."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, get_args

import numpy as np

from lexicloud.corpus import require_vectors
from lexicloud.errors import EstimateError, OptionError
from lexicloud.neighbours import Neighbours
from lexicloud.plane.layout import (
    LANDMARKS,
    NEIGHBOURS,
    PERPLEXITY,
    fit_said,
    landmark_mds,
    nearest_kept,
    nearest_points,
    principal_plane,
    tsne,
)
from lexicloud.plane.naming import distinct_words, named_regions
from lexicloud.progress import stage
from lexicloud.result import TabularResult, plain
from lexicloud.say.blocks import Block, Sentence, table
from lexicloud.say.figures import PARTS_OF_SPEECH
from lexicloud.say.map_block import Colouring, Map, Region, by_region, grouped
from lexicloud.text.tags import PARTS, Tagger, has_tagger
from lexicloud.zipf.parts_of_speech import UNTAGGED, Tags, part_codes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]


Method = Literal["tsne", "pca", "mds"]
METHODS: Final = get_args(Method)
# Three words always fit on a plane, so a projection needs more to show anything.
_FEWEST: Final = 4
_AMONG: Final = 10  # the nearest in meaning should be among so many nearest on the plane
_COARSE, _FINE = 14, 48  # regions
_NAMED_FROM: Final = 60  # with fewer words, regions need no names


@dataclass(frozen=True, eq=False)
class Projection(TabularResult):
    """Words on a plane: `coordinates`, `parts` and `counts` have an entry for each of `words`."""

    LISTED: ClassVar = 10
    _renamed: ClassVar = {"source": "vectors"}

    coordinates: NDArray[np.float64]
    words: tuple[str, ...]
    parts: tuple[str, ...]
    counts: NDArray[np.int64]
    method: str
    notes: tuple[str, ...]
    n_left_out: int
    tagger: str
    source: str
    seed: int
    regions: tuple[Region, ...] = ()
    theme: NDArray[np.int64] | None = None  # the large region of each word
    kept: float = 1.0  # the share of words whose nearest is among the ten nearest on the plane

    def __len__(self) -> int:
        return len(self.words)

    def to_columns(self) -> dict[str, Any]:
        """Return the words, most frequent first, with their places."""
        x, y = self.coordinates.T[:2]
        return {"word": self.words, "part": self.parts, "count": self.counts, "x": x, "y": y}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with coordinates to four decimals, which is more than a figure shows."""
        return {**super().to_dict(), "coordinates": plain(self.coordinates.round(4))}

    def block(self) -> Map:
        """Return the map, ready to be drawn, with colours for regions and for parts of speech."""
        themes = tuple(r for r in self.regions if r.level == 0)
        alt = "A cloud of words in which words of similar meaning stand together"
        alt += f". Its regions: {'; '.join(r.title for r in themes[: self.LISTED])}." if themes else "."
        told = tuple(f"{part}, {n:,} times" for part, n in zip(self.parts, self.counts.tolist(), strict=True))
        colourings: tuple[Colouring, ...] = (grouped("part of speech", self.parts, PARTS_OF_SPEECH),)
        if len(themes) > 1 and self.theme is not None:
            colourings = (by_region(themes, self.theme), *colourings)
        weights = np.log1p(self.counts) / max(1e-12, float(np.log1p(self.counts.max(initial=0))))
        fit = fit_said(self.kept, "word", _AMONG)
        return Map(
            "projection",
            alt,
            "word",
            self.coordinates,
            self.words,
            told,
            weights,
            colourings,
            self.regions,
            fit,
        )

    def plot(self, ax: Axes | None = None, *, theme: str = "light", colouring: int = 0) -> Axes:
        """Draw the words; many points are rasterised, so that an SVG of 50,000 words stays small."""
        from lexicloud.say.map_figure import draw_map

        return draw_map(self.block(), ax, theme=theme, colouring=colouring)

    def page(self, path: str | Path) -> Path:
        """Write the map as a page of its own, which needs no network."""
        from lexicloud.say.html import write_map_page

        return write_map_page(self.blocks(), path)

    def blocks(self) -> list[Block]:
        """Return a sentence on what the plane shows, how well it fits, the plane, and its most frequent words."""
        name = {"tsne": "t-SNE", "pca": "PCA", "mds": "MDS"}[self.method]
        said = f"The {len(self):,} most frequent words on a plane ({name}): words of similar meaning stand together."
        rows = zip(self.words, self.parts, map(int, self.counts), strict=True)
        return [
            Sentence(said, "answer"),
            Sentence(fit_said(self.kept, "word", _AMONG), "sure"),
            *(Sentence(f"Laid out by {note}.") for note in self.notes),
            self.block(),
            table(["word", "part of speech", "count"], rows, top=self.LISTED),
        ]

    def __str__(self) -> str:
        shares = Counter(self.parts)
        listed = ", ".join(f"{shares[part]:,} {part}" for part in PARTS if shares[part])
        return f"{self.method} of {len(self):,} words ({listed})"


def project_words(
    corpus: Corpus,
    method: Method = "tsne",
    *,
    n: int | None = None,
    seed: int = 0,
    tagger: Tagger = "textblob",
    tags: Tags | None = None,
    mask: NDArray[np.bool_] | None = None,
    refined: bool = False,
) -> Projection:
    """Lay the corpus's n most frequent embedded words out on a plane (all of them by default).

    `tsne` uses the exact neighbour table; `pca` is the plane of largest variance; `mds` is metric MDS over landmarks
    (see `lexicloud.plane.layout`). Punctuation is left out, unless a `mask` includes it.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts(["Cats and dogs ran slowly over the red hills."])
    >>> project_words(corpus, "pca", tags=["noun"] * len(corpus.vocabulary)).coordinates.shape
    (9, 2)
    """
    if method not in METHODS:
        raise OptionError(f"unknown projection {method!r}: choose from {', '.join(METHODS)}")
    require_vectors(corpus, "a projection")
    chosen, left_out = _chosen_words(corpus, n, mask)
    if tags is None and not has_tagger(corpus.rules.language):
        tags = {}  # drawn without colours
    codes = part_codes(corpus, tagger, tags)[chosen]
    with stage(f"projecting {len(chosen):,} words ({method})"):
        coordinates, notes = _lay_out(corpus, chosen, method, seed, refined=refined)
    return Projection(
        coordinates=coordinates,
        words=tuple(corpus.vocabulary[w] for w in chosen),
        parts=tuple("other" if code == UNTAGGED else PARTS[code] for code in codes),
        counts=corpus.totals[chosen],
        method=method,
        notes=notes,
        n_left_out=left_out,
        tagger="given tags" if tags is not None else tagger,
        source=corpus.lexicon.source,
        seed=seed,
        **_regions(corpus, chosen, coordinates),
    )


def _regions(corpus: Corpus, chosen: NDArray[np.int64], places: Floats) -> dict[str, Any]:
    """Return regions named by their central words, and how well the plane fits."""
    vectors = corpus.refined[chosen]
    near, _ = nearest_points(vectors, 1)
    kept = nearest_kept(near[:, 0], places, _AMONG)
    if len(chosen) < _NAMED_FROM:
        return {"kept": kept}
    name = _CentralWords(corpus, chosen, vectors)
    about = (min(_COARSE, len(chosen) // 20), min(_FINE, len(chosen) // 25))
    regions, theme = named_regions(places, about, name)
    return {"regions": regions, "theme": theme, "kept": kept}


class _CentralWords:
    """Names a group of words by frequent content words near the group's mean."""

    def __init__(self, corpus: Corpus, chosen: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        self.words = [corpus.vocabulary[w] for w in chosen]
        self.allowed = corpus.content[chosen] & np.array([word.isalpha() for word in self.words])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self.units = vectors / np.where(lengths > 0, lengths, 1)
        self.often = np.log1p(corpus.totals[chosen])

    def __call__(self, rows: NDArray[np.int64]) -> tuple[str, ...]:
        """Return the three words that name the group."""
        middle = self.units[rows].mean(axis=0)
        score = np.where(self.allowed[rows], (self.units[rows] @ middle) * self.often[rows], -np.inf)
        order = [int(rows[i]) for i in np.argsort(-score, kind="stable")[:20] if np.isfinite(score[i])]
        return distinct_words([self.words[i] for i in order], 3)


def _chosen_words(
    corpus: Corpus, n: int | None, mask: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int64], int]:
    """Return the allowed words, most frequent first, at most n of them, and how many were left out."""
    allowed = corpus.embedded & (corpus.totals > 0) & (~corpus.punctuation if mask is None else mask)
    words = np.flatnonzero(allowed)
    words = words[np.argsort(-corpus.totals[words], kind="stable")]
    if n is not None and n < _FEWEST:
        raise OptionError(f"n = {n}: a projection needs at least {_FEWEST} words")
    if len(words) < _FEWEST:
        raise EstimateError(
            f"only {len(words)} words with a vector: a projection needs at least {_FEWEST}, so give more text"
        )
    return words[:n], len(words) - len(words[:n])


def _lay_out(
    corpus: Corpus, chosen: NDArray[np.int64], method: Method, seed: int, *, refined: bool
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    points = (corpus.refined if refined else corpus.vectors)[chosen]
    if method == "pca":
        plane, shares = principal_plane(points)
        return plane, (f"principal components; the plane holds {100 * shares.sum():.1f} % of the variance",)
    if method == "mds":
        landmarks = min(LANDMARKS, len(points))
        note = f"metric MDS of {landmarks} landmark words; the others fit their distances to those"
        return landmark_mds(points, seed=seed), (note,)
    return _tsne(corpus, chosen, points, seed, refined=refined)


def _tsne(
    corpus: Corpus, chosen: NDArray[np.int64], points: NDArray[np.float32], seed: int, *, refined: bool
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    mask = np.zeros(len(corpus.vocabulary), dtype=bool)
    mask[chosen] = True
    k = min(NEIGHBOURS, len(chosen) - 1)
    table = Neighbours.of(corpus, k=k, mask=mask, refined=refined)
    position = np.zeros(len(corpus.vocabulary), dtype=np.int32)
    position[chosen] = np.arange(len(chosen))
    layout = tsne(points, position[table.ids[chosen, :k]], table.distances[chosen, :k], seed=seed)
    return layout, (f"t-SNE from {k} exact neighbours, perplexity {min(PERPLEXITY, (k - 1) / 3):.3g}",)
