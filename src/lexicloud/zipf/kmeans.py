"""k-means with a seed and a fixed number of iterations.

It is Lloyd's algorithm (`kmeans_numba`), with the points divided among threads. faiss's k-means measures all distances
in every step, and its threads wait actively, which made it many times slower on busy cores.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError
from lexicloud.neighbours.any_array import checked, is_foreign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Points = NDArray[np.float32]
    Labels = NDArray[np.int32]
    Run = Callable[[Callable[[int], None], range], None]

# faiss's default: the first steps of Lloyd's algorithm do nearly all the work.
ITERATIONS: Final = 25
# faiss's rule: so many points are enough to find a centre.
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
        """The sum of squared distances, which k-means minimises."""
        return float(self.squared.sum(dtype=np.float64))


def k_means(points: Points, k: int, *, seed: int = 0, iterations: int = ITERATIONS) -> Clustering:
    """Cluster points into k groups; the same seed gives the same groups, whatever the number of threads.

    It starts with k-means++ on a sample, refined there (Bradley and Fayyad, 1998); then come `iterations` over all
    points. A cluster that loses its points moves to the point farthest from its own centre, so clusters stay empty only
    if there are fewer distinct points than clusters. Arrays of another library (torch, CuPy …) are clustered on their
    own device, from the same start.

    >>> points = np.array([[0, 0], [0, 1], [9, 9], [9, 8]], dtype=np.float32)
    >>> sorted(k_means(points, 2).sizes.tolist())
    [2, 2]
    """
    check_k(k, points.shape[0])
    if is_foreign(points):
        return _foreign(checked(points), k, seed, iterations)
    points = np.ascontiguousarray(points, dtype=np.float32)
    with _threads() as run:
        return Clustering(*lloyd(points, _start(points, k, seed, run), iterations, run))


def start_centres(points: Points, k: int, seed: int) -> Points:
    """Return the centres that `k_means` starts from."""
    with _threads() as run:
        return _start(points, k, seed, run)


@contextmanager
def _threads() -> Iterator[Run]:
    """Yield a function that runs jobs in threads."""
    from threadpoolctl import threadpool_limits

    # Each thread works on its own block, so a matrix product must not use further threads.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def run(job: Callable[[int], None], starts: range) -> None:
            list(pool.map(job, starts))

        yield run


def _start(points: Points, k: int, seed: int, run: Run) -> Points:
    rng, sample = np.random.default_rng(seed), points
    if len(points) > k * _POINTS_PER_CENTRE:
        sample = points[np.sort(rng.choice(len(points), k * _POINTS_PER_CENTRE, replace=False))]
    centres = _seeding(sample, k, rng)
    return centres if sample is points else lloyd(sample, centres, _START_ITERATIONS, run)[0]


def _foreign(points: Any, k: int, seed: int, iterations: int) -> Clustering:
    """Cluster an array of another library: the start with NumPy on a sample, the rest on the array's device."""
    from lexicloud.neighbours.any_array import k_means as of_any
    from lexicloud.neighbours.any_array import namespace, to_numpy

    xp, size, rng = namespace(points), points.shape[0], np.random.default_rng(seed)
    some = np.arange(size)
    if size > k * _POINTS_PER_CENTRE:
        some = np.sort(rng.choice(size, k * _POINTS_PER_CENTRE, replace=False))
    sample = xp.take(points, xp.asarray(some, device=points.device), axis=0)
    start = _seeding(np.ascontiguousarray(to_numpy(sample), dtype=np.float32), k, rng)
    centres = xp.asarray(start, dtype=points.dtype, device=points.device)
    if len(some) < size:
        centres = of_any(sample, centres, _START_ITERATIONS)[0]
    centres, labels, squared = map(to_numpy, of_any(points, centres, iterations))
    return Clustering(centres.astype(np.float32), labels.astype(np.int32), squared.astype(np.float32))


def check_k(k: int, n: int) -> None:
    """Refuse an impossible number of clusters."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise OptionError(f"k is a number of clusters, a whole number, not {k!r}")
    if k < 2:
        raise OptionError(f"k = {k}: the sizes of fewer than two clusters have no slope, choose k ≥ 2")
    if k > n:
        raise EstimateError(
            f"k = {k} clusters but only {n:,} distinct sentences with a vector: choose k ≤ {n:,}"
        )


def _seeding(points: Points, k: int, rng: np.random.Generator) -> Points:
    """Draw centres far from each other: each point with a chance in proportion to its squared distance (k-means++)."""
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


# The scores of a block for 100 centres take 800 kB, so they stay in a core's own cache.
_BLOCK: Final = 2048
# A bounded step over so many points takes about a millisecond, a hundred times the cost of starting it.
_STRETCH: Final = 8192
# Bounds take two bytes each; instead of using more than 2 GB, every step measures all distances.
_MOST_BOUNDS: Final = 2**30


def lloyd(points: Points, centres: Points, iterations: int, run: Run) -> tuple[Points, Labels, Points]:
    """Assign points and move centres in turn, until nothing changes or the iterations are used up.

    The last step assigns points. `run` calls a job for each start of a range, in any order. Return the centres, labels
    and squared distances.
    """
    from lexicloud.zipf.kmeans_numba import move

    k, d = centres.shape
    assignment = _Assignment(points, centres, run)
    before = np.full(len(points), -1, dtype=np.int32)
    sums, sizes = np.zeros((k, d)), np.zeros(k, dtype=np.int64)
    for step in range(iterations + 1):
        assignment.update(centres)
        if step == iterations or not move(points, before, assignment.labels, sums, sizes):
            break
        centres = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
        empty = np.flatnonzero(sizes == 0)
        if len(empty):
            centres[empty] = points[np.argsort(-assignment.squared, kind="stable")[: len(empty)]]
    return centres, assignment.labels, assignment.squared


class _Assignment:
    """Each point's nearest centre and its squared distance, updated as the centres move."""

    def __init__(self, points: Points, centres: Points, run: Run) -> None:
        from lexicloud.zipf.kmeans_numba import LONGEST

        n, k = len(points), len(centres)
        self.labels = np.empty(n, dtype=np.int32)
        self.squared = np.empty(n, dtype=np.float32)
        self._points, self._run = points, run
        # Single precision is finest around zero, so points are shifted; any point in their midst is good enough.
        self._middle = points[:: n // 10_000 + 1].mean(axis=0)
        self._norms = np.empty(n, dtype=np.float32)
        run(self._measure_norms, range(0, n, _BLOCK))
        # After the first step, centres are means of points, so no distance is longer than twice the radius.
        radius = np.sqrt(max(self._norms.max(), ((centres - self._middle) ** 2).sum(axis=1).max(), 1e-30))
        self._per_unit, self._limit = np.float32(0.49 * LONGEST / radius), LONGEST
        self._bounds = np.empty((n, k if n * k <= _MOST_BOUNDS else 0), dtype=np.uint16)
        self._centres: Points | None = None
        self._gone = np.zeros(k)

    def update(self, centres: Points) -> None:
        """Assign every point to the nearest of the moved centres."""
        if self._centres is not None:
            self._gone += np.linalg.norm(centres - self._centres.astype(np.float64), axis=1) * self._per_unit
        fresh = self._centres is None or not self._bounds.size or self._gone.max() > self._limit
        self._centres = centres
        if fresh:
            self._gone[:] = 0
            self._update_all(centres)
        else:
            self._update_bounded(centres)

    def _measure_norms(self, begin: int) -> None:
        block = self._points[begin : begin + _BLOCK] - self._middle
        self._norms[begin : begin + _BLOCK] = np.einsum("ij,ij->i", block, block)

    def _update_all(self, centres: Points) -> None:
        from lexicloud.zipf.kmeans_numba import bound_all

        weights = (centres - self._middle).T
        lengths = (weights**2).sum(axis=0)

        def assign(begin: int) -> None:
            # |x − c|² = |x|² − 2 (x·c − |c|²/2), so the nearest centre has the highest score.
            block = slice(begin, begin + _BLOCK)
            scores = (self._points[block] - self._middle) @ weights
            scores -= 0.5 * lengths
            best = scores.argmax(axis=1)
            self.labels[block] = best
            nearest = self._norms[block] - 2 * scores[np.arange(len(best)), best]
            self.squared[block] = np.maximum(nearest, 0)
            if self._bounds.size:
                bound_all(
                    scores, self._norms[block], lengths.max(), self._per_unit, best, self._bounds[block]
                )

        self._run(assign, range(0, len(self._points), _BLOCK))

    def _update_bounded(self, centres: Points) -> None:
        from lexicloud.zipf.kmeans_numba import assign_bounded

        gone = self._gone.astype(np.uint16)

        def assign(begin: int) -> None:
            part = slice(begin, begin + _STRETCH)
            assign_bounded(
                self._points[part],
                centres,
                gone,
                self._per_unit,
                self._bounds[part],
                self.labels[part],
                self.squared[part],
            )

        self._run(assign, range(0, len(self._points), _STRETCH))
