"""Lloyd's algorithm, with the distances left out that cannot matter.

The first step measures all distances, by a matrix product over blocks of points. From then on each point has a lower
bound on its distance to every centre (Elkan, 2003), and only what may have come nearer is measured: for sentences and
k = 100 one distance in a hundred. The result is that of measuring them all, up to rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Points = NDArray[np.float32]
    Labels = NDArray[np.int32]
    Run = Callable[[Callable[[int], None], range], None]

# A block's scores for 100 centres fill 800 kB, and so stay in a core's own cache.
_BLOCK: Final = 2048
# A bounded step over as many points takes about a millisecond, a hundred times what it costs to hand out.
_STRETCH: Final = 8192
# Bounds take two bytes each: beyond 2 GB every step measures all distances instead.
_MOST_BOUNDS: Final = 2**30


def lloyd(points: Points, centres: Points, iterations: int, run: Run) -> tuple[Points, Labels, Points]:
    """Assign and move in turn, until nothing changes or the iterations are used up, and end with assigning.

    `run` calls a job for each start of a range, in any order. Returns centres, labels and squared distances.
    """
    from lexicloud.zipf.kmeans_kernel import move

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
    """Each point's nearest centre and squared distance to it, kept up to date as the centres move."""

    def __init__(self, points: Points, centres: Points, run: Run) -> None:
        from lexicloud.zipf.kmeans_kernel import LONGEST

        n, k = len(points), len(centres)
        self.labels = np.empty(n, dtype=np.int32)
        self.squared = np.empty(n, dtype=np.float32)
        self._points, self._run = points, run
        # Single precision is finest around zero; any point in the midst of the others will do for it.
        self._middle = points[:: n // 10_000 + 1].mean(axis=0)
        self._norms = np.empty(n, dtype=np.float32)
        run(self._measure_norms, range(0, n, _BLOCK))
        # After the first, centres are means of points: no distance is longer than twice the radius.
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
        from lexicloud.zipf.kmeans_kernel import bound_all

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
        from lexicloud.zipf.kmeans_kernel import assign_bounded

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
