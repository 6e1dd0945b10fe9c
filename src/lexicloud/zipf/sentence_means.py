"""The mean vectors of sentences, and null models: points without themes, to compare cluster sizes with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.corpus import require_corpus, require_vectors
from lexicloud.errors import EstimateError, OptionError
from lexicloud.progress import stage, track
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many, signed
from lexicloud.say.figures import CATEGORICAL, new_axes
from lexicloud.zipf.kmeans import ITERATIONS, k_means
from lexicloud.zipf.ranks import size_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Points = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SentenceMeans:
    """The distinct sentences that have a vector: `means[i]` belongs to row `rows[i]` of `sentences`.

    `vectors` and `mask` are the word vectors that were averaged and the words that took part.
    """

    sentences: Corpus
    means: NDArray[np.float32]
    rows: NDArray[np.int64]
    vectors: NDArray[np.float32]
    mask: NDArray[np.bool_]
    n_duplicates: int
    n_unembeddable: int

    def __len__(self) -> int:
        return len(self.rows)

    def text(self, i: int) -> str:
        """Return the i-th distinct sentence as in its document, or its words if the corpus has no texts."""
        row = int(self.rows[i])
        if self.sentences.texts is not None:
            return self.sentences.texts[row]
        return " ".join(self.sentences.vocabulary[w] for w in self.sentences.tokens(row))

    @cached_property
    def gaussian(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The mean of the means, and the matrix that gives standard normal points their covariance."""
        means = self.means.astype(np.float64)
        variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(means, rowvar=False)))
        scale = axes * np.sqrt(np.maximum(variances, 0))
        return means.mean(axis=0).astype(np.float32), scale.astype(np.float32)

    def counts(self) -> sparse.csr_array:
        """Return distinct sentences × vocabulary."""
        return token_rows(self.sentences)[self.rows]


def token_rows(sentences: Corpus) -> sparse.csr_array:
    """Return sentences × vocabulary straight from the token stream; a word that occurs twice is stored twice.

    SciPy adds such entries up in every product, so it is not worth merging them first.
    """
    ones = np.ones(len(sentences.stream), dtype=np.float32)
    shape = (len(sentences), len(sentences.vocabulary))
    return sparse.csr_array((ones, sentences.stream, sentences.bounds), shape=shape)


def mean_vectors(
    rows: sparse.csr_array, vectors: NDArray[np.float32], mask: NDArray[np.bool_], chosen: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the mean vector of each chosen row over its words of `mask`; each must have at least one.

    >>> rows = sparse.csr_array(np.array([[1, 1, 0], [0, 0, 2], [0, 1, 1]], dtype=np.float32))
    >>> vectors = np.array([[0, 2], [2, 0], [9, 9]], dtype=np.float32)
    >>> mean_vectors(rows, vectors, np.array([True, True, False]), np.array([0, 2])).tolist()
    [[1.0, 1.0], [2.0, 0.0]]
    """
    rows = rows[chosen]
    sums = rows @ np.where(mask[:, None], vectors, np.float32(0))
    return np.asarray(sums / (rows @ mask.astype(np.float32))[:, None])


def sentence_means(
    corpus: Corpus, *, mask: NDArray[np.bool_] | None = None, refined: bool = False
) -> SentenceMeans:
    """Return the mean vectors of the distinct sentences of a corpus of documents or sentences.

    A mean is over all tokens with a vector, with stop words and punctuation as in the paper (or over those of `mask`).
    Repeated sentences are kept once; sentences without any vector are counted and left out.

    >>> from lexicloud.corpus import Corpus
    >>> found = sentence_means(Corpus.from_texts(["The cat sat. The dog ran. The cat sat. Zzyzxq!?"]))
    >>> len(found), found.n_duplicates
    (3, 1)
    """
    require_corpus(corpus)
    require_vectors(corpus, "a cluster of sentences")
    sentences = corpus if corpus.parents is not None else corpus.sentences()
    vectors = sentences.refined if refined else sentences.vectors
    first = _first_of_each(sentences)
    with stage("averaging sentences"):
        words = sentences.embedded & (True if mask is None else mask)
        rows = token_rows(sentences)
        kept = first[(rows @ words.astype(np.float32))[first] > 0]
        means = mean_vectors(rows, vectors, words, kept)
    if not len(kept):
        raise EstimateError(
            f"none of the {len(first):,} sentences has a word with a vector: try other vectors"
        )
    return SentenceMeans(
        sentences,
        means,
        kept,
        vectors,
        words,
        n_duplicates=len(sentences) - len(first),
        n_unembeddable=len(first) - len(kept),
    )


def _first_of_each(sentences: Corpus) -> NDArray[np.int64]:
    """Return the first row of each distinct sentence, by text or, without texts, by tokens."""
    keys = sentences.texts
    if keys is None:
        keys = [sentences.tokens(i).tobytes() for i in range(len(sentences))]  # type: ignore[misc]
    # Filling a dictionary backwards leaves every key with its first row.
    first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    return np.sort(np.fromiter(first.values(), dtype=np.int64, count=len(first)))


# How texts for the user call each null model.
NULL_NAMES: Final = {"gaussian": "a Gaussian cloud", "shuffled": "the same words dealt out at random"}


@dataclass(frozen=True, eq=False)
class NullModel(Result):
    """The slopes of cluster sizes under a null model, one for each seed; each row of `sizes` is largest first."""

    _left_out = ("name", "sizes")
    _derived = ("slope", "spread")

    name: str
    slopes: NDArray[np.float64]
    sizes: NDArray[np.int64]

    @property
    def slope(self) -> float:
        """The mean slope."""
        return float(self.slopes.mean())

    @property
    def spread(self) -> float:
        """The standard deviation of the slopes over seeds (0 for a single seed)."""
        return float(self.slopes.std(ddof=1)) if len(self.slopes) > 1 else 0.0

    def blocks(self) -> list[Block]:
        """Return the slope of sizes without themes."""
        what = NULL_NAMES.get(self.name, self.name)
        said = f"Clusters of {what} have sizes with a slope of {signed(self.slope)} ± {self.spread:.2f}."
        return [
            Sentence(said, "answer"),
            Sentence(f"Clustered {many(len(self.slopes), 'time')}, drawn afresh."),
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw cluster size against rank, a line for each seed."""
        ax = new_axes(ax)
        ranks = np.arange(1, self.sizes.shape[1] + 1)
        for sizes in self.sizes:
            ax.plot(ranks, np.maximum(sizes, 0.5), color=CATEGORICAL[7], alpha=0.6)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel("rank of the cluster")
        ax.set_ylabel(f"sentences ({self.name})")
        return ax


def gaussian_points(found: SentenceMeans, rng: np.random.Generator) -> Points:
    """Draw as many points as there are sentences from a Gaussian with their mean and covariance."""
    centre, scale = found.gaussian
    return np.asarray(rng.standard_normal(found.means.shape, dtype=np.float32) @ scale.T + centre)


def shuffled_points(found: SentenceMeans, rng: np.random.Generator) -> Points:
    """Shuffle all words among the sentences, which keep their lengths, and return the means.

    Only the effect of length is left: short sentences scatter, long ones are near the mean.
    """
    rows = found.counts()
    rows = sparse.csr_array((rows.data, rng.permutation(rows.indices), rows.indptr), shape=rows.shape)
    kept = np.flatnonzero(rows @ found.mask.astype(np.float32))
    return mean_vectors(rows, found.vectors, found.mask, kept)


NULLS: Final[dict[str, Callable[[SentenceMeans, np.random.Generator], Points]]] = {
    "gaussian": gaussian_points,
    "shuffled": shuffled_points,
}


def null_model(
    found: SentenceMeans, name: str, k: int, *, seeds: int = 5, seed: int = 0, iterations: int = ITERATIONS
) -> NullModel:
    """Draw and cluster a null model's points `seeds` times.

    >>> from lexicloud.corpus import Corpus
    >>> from lexicloud.zipf.sentence_means import sentence_means
    >>> found = sentence_means(Corpus.from_texts(["Cats purr. Dogs bark. Birds sing. Fish swim. Cows moo."]))
    >>> null_model(found, "gaussian", k=3, seeds=2).sizes.sum(axis=1).tolist()
    [5, 5]
    """
    if name not in NULLS:
        raise OptionError(f"unknown null model {name!r}: choose {' or '.join(NULLS)}")
    if seeds < 1:
        raise OptionError(f"a null model needs at least one seed, not {seeds}")
    sizes = []
    for i in track(range(seeds), f"clustering the {name} null model"):
        points = NULLS[name](found, np.random.default_rng([seed, i]))
        sizes.append(np.sort(k_means(points, k, seed=seed + i, iterations=iterations).sizes)[::-1])
    slopes = np.array([size_line(row).slope for row in sizes])
    return NullModel(name, slopes, np.array(sizes))
