"""What cluster sizes look like where there are no themes to find.

k-means gives unequal clusters on any cloud of points, so a slope means something only beside the slope of
such a cloud.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import OptionError
from lexicloud.progress import track
from lexicloud.result import Result
from lexicloud.zipf.kmeans import ITERATIONS, k_means
from lexicloud.zipf.lines import size_line
from lexicloud.zipf.sentence_means import mean_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lexicloud.zipf.sentence_means import SentenceMeans

    Points = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class NullModel(Result):
    """The slopes of cluster sizes under a null model, one per seed; rows of `sizes` are largest first."""

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


def gaussian_points(found: SentenceMeans, rng: np.random.Generator) -> Points:
    """Draw as many points as there are sentences from a Gaussian with their mean and covariance."""
    means = found.means.astype(np.float64)
    centre = means.mean(axis=0)
    variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(means, rowvar=False)))
    scale = axes * np.sqrt(np.maximum(variances, 0))
    drawn = rng.standard_normal(means.shape, dtype=np.float32)
    return np.asarray(drawn @ scale.T.astype(np.float32) + centre.astype(np.float32), dtype=np.float32)


def shuffled_points(found: SentenceMeans, rng: np.random.Generator) -> Points:
    """Deal all the corpus's words out to its sentences again, each keeping its length, and take the means.

    What is left is the effect of length: short sentences scatter, long ones gather round the mean.
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
    """Draw and cluster a null model's points, `seeds` times afresh.

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
