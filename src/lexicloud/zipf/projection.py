"""The vocabulary on a plane, coloured by part of speech, and metric scaling of many points by way of landmarks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, get_args

import numpy as np

from lexicloud.corpus import require_vectors
from lexicloud.errors import EstimateError, OptionError
from lexicloud.neighbours import Neighbours
from lexicloud.progress import stage, track
from lexicloud.result import TabularResult, plain
from lexicloud.say.blocks import Block, Figure, Sentence, table
from lexicloud.store.files import replace_text
from lexicloud.text.tags import PARTS, Tagger, has_tagger
from lexicloud.zipf.parts_of_speech import UNTAGGED, Tags, part_codes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]


def principal_plane(points: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the points' first two principal components, and the share of the variance along each.

    Signs are fixed (the largest loading is positive), so that figures do not flip from run to run.

    >>> plane, shares = principal_plane(np.array([[0, 0], [2, 0], [4, 0]]))
    >>> plane[:, 0].tolist(), shares[0].item()
    ([-2.0, 0.0, 2.0], 1.0)
    """
    centred = np.asarray(points, dtype=np.float64) - np.mean(points, axis=0, dtype=np.float64)
    variances, axes = np.linalg.eigh(centred.T @ centred)
    top = axes[:, ::-1][:, :2]
    top = top * np.sign(top[np.abs(top).argmax(axis=0), np.arange(top.shape[1])])
    plane = centred @ top
    if plane.shape[1] < 2:  # one-dimensional vectors lie on a line
        plane = np.column_stack([plane[:, 0], np.zeros(len(plane))])
    shares = np.zeros(2)
    largest = np.maximum(variances[::-1][:2], 0)
    shares[: len(largest)] = largest / max(float(variances.sum()), np.finfo(float).tiny)
    return plane, shares


PERPLEXITY: Final = 30.0
# openTSNE's rule: a perplexity's Gaussian kernel has all but died away after three times as many neighbours.
NEIGHBOURS: Final = 90
# openTSNE's own rule: from here on, interpolation over a grid (linear in n) beats the Barnes–Hut tree.
_FFT_FROM: Final = 10_000
# Below this, threads wait for one another longer than they work.
_THREADS_FROM: Final = 5_000


def tsne(
    points: NDArray[np.float32],
    neighbours: NDArray[np.int32],
    distances: NDArray[np.float32],
    *,
    seed: int = 0,
    iterations: int = 500,
) -> NDArray[np.float64]:
    """Lay points out by t-SNE, from their nearest neighbours (rows of numbers and distances, nearest first).

    The start is the principal plane, so the large-scale order of the layout means something and the
    seed matters little.
    """
    import openTSNE
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    table = PrecomputedNeighbors(neighbours.astype(np.int64), distances.astype(np.float64))
    perplexity = min(PERPLEXITY, neighbours.shape[1] / 3)
    affinities = PerplexityBasedNN(
        perplexity=perplexity, knn_index=table, k_neighbors=neighbours.shape[1], random_state=seed
    )
    method = "fft" if len(points) >= _FFT_FROM else "bh"
    start, _ = principal_plane(points)
    # t-SNE starts from a cloud much smaller than its result.
    start *= 1e-4 / max(float(start[:, 0].std()), 1e-12)
    embedding = openTSNE.TSNEEmbedding(
        start,
        affinities,
        negative_gradient_method=method,
        random_state=seed,
        n_jobs=-1 if len(points) >= _THREADS_FROM else 1,
    )
    embedding = embedding.optimize(n_iter=250, exaggeration=12, momentum=0.5)
    embedding = embedding.optimize(n_iter=iterations, momentum=0.8)
    return np.array(embedding, dtype=np.float64)


Method = Literal["tsne", "pca", "mds"]
METHODS: Final = get_args(Method)
# Three words span a plane; fewer have nothing to show.
_FEWEST: Final = 4


@dataclass(frozen=True, eq=False)
class Projection(TabularResult):
    """Words on a plane: `coordinates` has a row per word, `parts` and `counts` follow `words`."""

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

    def __len__(self) -> int:
        return len(self.words)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per word, most frequent first."""
        import pandas as pd

        return pd.DataFrame(
            {
                "word": self.words,
                "part": self.parts,
                "count": self.counts,
                "x": self.coordinates[:, 0],
                "y": self.coordinates[:, 1],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; four decimals of a coordinate are more than a figure shows."""
        return {**super().to_dict(), "coordinates": plain(self.coordinates.round(4))}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the words as points; they are rasterised, so that an SVG of 50,000 words stays small."""
        from lexicloud.zipf.zipf_plots import plot_projection

        return plot_projection(self, ax)

    def to_html(self, *, script: bool = True) -> str:
        """Return an interactive figure with words on hover, to be put into a page.

        `script=False` leaves plotly's own script out, for pages that already carry it.
        """
        from lexicloud.zipf.zipf_plots import projection_html

        return projection_html(self, script=script, whole_page=False)

    def page(self, path: str | Path) -> Path:
        """Write the interactive figure as a page of its own, which needs no network."""
        from lexicloud.zipf.zipf_plots import projection_html

        path = Path(path)
        replace_text(path, projection_html(self, script=True, whole_page=True))
        return path

    def blocks(self) -> list[Block]:
        """Return what the plane shows, the plane, and its most frequent words."""
        name = {"tsne": "t-SNE", "pca": "PCA", "mds": "MDS"}[self.method]
        said = f"The {len(self):,} most frequent words on a plane ({name}): words of similar meaning stand together."
        alt = "A cloud of words coloured by part of speech, in which words of similar meaning stand together."
        rows = zip(self.words, self.parts, map(int, self.counts), strict=True)
        return [
            Sentence(said, "answer"),
            *(Sentence(f"{note[:1].upper()}{note[1:]}.") for note in self.notes),
            Figure("projection", alt, self.plot, f"{len(self):,} words ({name})"),
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

    `tsne` starts from the exact neighbour table; `pca` is the plane of largest variance; `mds` is metric MDS
    over landmarks (see `lexicloud.zipf.projection`). Punctuation is left out, unless `mask` says otherwise.

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
    )


def _chosen_words(
    corpus: Corpus, n: int | None, mask: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int64], int]:
    """Return the most frequent words that may take part, most frequent first, and how many were cut off."""
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
        return plane, (f"the plane holds {100 * shares.sum():.1f} % of the variance",)
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
    return layout, (f"t-SNE from {k} exact neighbours, perplexity {min(PERPLEXITY, k / 3):g}",)


LANDMARKS: Final = 400
_STEPS, _PLACING_STEPS = 200, 50
_TINY: Final = 1e-12
_BLOCK: Final = 512  # words placed at once; their distances to the landmarks stay in a core's cache


def landmark_mds(points: NDArray[np.float32], *, landmarks: int = LANDMARKS, seed: int = 0) -> Floats:
    """Lay points out in the plane so that distances to the landmarks are kept as well as they can be.

    With no more points than landmarks this is plain metric MDS.

    >>> square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
    >>> layout = landmark_mds(square)
    >>> float(np.linalg.norm(layout[0] - layout[3]).round(3))
    1.414
    """
    from threadpoolctl import threadpool_limits

    points64 = np.asarray(points, dtype=np.float64)
    start, _ = principal_plane(points64)
    n = len(points64)
    chosen = np.arange(n)
    if n > landmarks:
        chosen = np.sort(np.random.default_rng(seed).choice(n, landmarks, replace=False))
    with threadpool_limits(1, user_api="blas"):  # the products are small: threads would wait, not work
        layout = majorise(_distances(points64[chosen], points64[chosen]), start[chosen])
        if n > landmarks:
            _place_all(points64, chosen, layout, start)
    start[chosen] = layout
    return start


def majorise(distances: Floats, start: Floats) -> Floats:
    """Lower the stress Σ (d_ij − |x_i − x_j|)² step by step: x ← B(x) x / n, the Guttman transform."""
    x, n = start.copy(), len(start)
    for _ in range(_STEPS):
        ratio = distances / np.maximum(_distances(x, x), _TINY)
        np.fill_diagonal(ratio, 0)
        x = (ratio.sum(axis=1)[:, None] * x - ratio @ x) / n
    return x


def _place_all(points: Floats, chosen: NDArray[np.int64], layout: Floats, coordinates: Floats) -> None:
    """Move every point's coordinates to where they fit the landmarks best."""
    for begin in track(range(0, len(points), _BLOCK), "placing words among landmarks"):
        block = slice(begin, begin + _BLOCK)
        wanted = _distances(points[block], points[chosen])
        coordinates[block] = _place(wanted.astype(np.float32), coordinates[block], layout)


def _place(distances: NDArray[np.float32], start: Floats, layout: Floats) -> Floats:
    """Majorise the stress of single points against landmarks that stay where they are.

    Single precision is finer than a pixel.
    """
    x, marks = start.astype(np.float32), layout.astype(np.float32)
    middle = marks.mean(axis=0)
    for _ in range(_PLACING_STEPS):
        across, along = x[:, :1] - marks[:, 0], x[:, 1:] - marks[:, 1]
        ratio = distances / np.sqrt(across * across + along * along + np.float32(_TINY))
        x = middle + (ratio.sum(axis=1)[:, None] * x - ratio @ marks) / len(marks)
    return x.astype(np.float64)


def _distances(x: Floats, y: Floats) -> Floats:
    squared = (x**2).sum(axis=1)[:, None] - 2 * x @ y.T + (y**2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(squared, 0)))
