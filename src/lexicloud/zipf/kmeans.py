"""k-means with a seed and a fixed number of iterations.

Lloyd's algorithm (`kmeans_lloyd`), its points shared out to threads that sleep when they have nothing to do. faiss's
k-means was tried first: it measures all distances in every step, and its threads spin, which on busy cores
made it many times slower.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf.kmeans_lloyd import lloyd

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Points = NDArray[np.float32]

# faiss's default: Lloyd's first steps do nearly all the work.
ITERATIONS: Final = 25
# faiss's rule for enough points to train a centre.
_POINTS_PER_CENTRE: Final = 256
_START_ITERATIONS: Final = 10


@dataclass(frozen=True, eq=False)
class Clustering:
    """Centres, each point's cluster and its squared distance to that cluster's centre."""

    centres: Points
    labels: NDArray[np.int32]
    squared: Points

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of points of each cluster, in the clusters' order; an empty cluster has 0."""
        return np.bincount(self.labels, minlength=len(self.centres))

    @property
    def objective(self) -> float:
        """The sum of squared distances that k-means makes small."""
        return float(self.squared.sum(dtype=np.float64))


def k_means(points: Points, k: int, *, seed: int = 0, iterations: int = ITERATIONS) -> Clustering:
    """Cluster points into k groups; the same seed gives the same groups, whatever the number of threads.

    The start is k-means++ on a sample, refined there (Bradley and Fayyad, 1998); then come `iterations` over
    all points. A cluster that loses its points moves to the point farthest from its own centre, so clusters
    stay empty only where there are fewer distinct points than clusters.

    >>> points = np.array([[0, 0], [0, 1], [9, 9], [9, 8]], dtype=np.float32)
    >>> sorted(k_means(points, 2).sizes.tolist())
    [2, 2]
    """
    check_k(k, len(points))
    from threadpoolctl import threadpool_limits

    points = np.ascontiguousarray(points, dtype=np.float32)
    rng = np.random.default_rng(seed)
    sample = points
    if len(points) > k * _POINTS_PER_CENTRE:
        sample = points[np.sort(rng.choice(len(points), k * _POINTS_PER_CENTRE, replace=False))]
    # Every thread has its own block; a matrix product that spread over threads again would fight with them.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def run(job: Callable[[int], None], starts: range) -> None:
            list(pool.map(job, starts))

        centres = _seeding(sample, k, rng)
        if sample is not points:
            centres, *_ = lloyd(sample, centres, _START_ITERATIONS, run)
        return Clustering(*lloyd(points, centres, iterations, run))


def check_k(k: int, n: int) -> None:
    """Refuse a number of clusters that has no answer."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise OptionError(f"k is a number of clusters, a whole number, not {k!r}")
    if k < 2:
        raise OptionError(f"k = {k}: the sizes of fewer than two clusters have no slope, choose k ≥ 2")
    if k > n:
        raise EstimateError(
            f"k = {k} clusters but only {n:,} distinct sentences with a vector: choose k ≤ {n:,}"
        )


def _seeding(points: Points, k: int, rng: np.random.Generator) -> Points:
    """Draw centres far from one another: each in proportion to its squared distance from them (k-means++)."""
    norms = np.einsum("ij,ij->i", points, points)
    chosen = [int(rng.integers(len(points)))]
    nearest = np.full(len(points), np.inf, dtype=np.float64)
    for _ in range(k - 1):
        last = chosen[-1]
        squared = norms - 2 * (points @ points[last]) + norms[last]
        squared[last] = 0  # rounding must not let a point be drawn twice
        np.minimum(nearest, np.maximum(squared, 0), out=nearest)
        upto = np.cumsum(nearest)
        drawn = int(np.searchsorted(upto, rng.random() * upto[-1], side="right"))
        chosen.append(min(drawn, len(points) - 1))
    return points[chosen]
