"""k-means on a cluster: points stay with the workers, and only centres and sums travel."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.cluster.workers import TRIES, connected, plain_errors
from lexicloud.neighbours.table import Scores
from lexicloud.zipf.kmeans import ITERATIONS, Clustering, check_k, start_centres

if TYPE_CHECKING:
    from distributed import Client
    from numpy.typing import NDArray

    from lexicloud.cluster.workers import Where

    Points = NDArray[np.float32]

ROWS: Final = 100_000  # points of one part
_BLOCK: Final = 4_096  # points whose distances to all centres are held at once


class Assigned(NamedTuple):
    """Points with their nearest centres, and the sums and sizes from which new centres are computed."""

    labels: NDArray[np.int32]
    squared: Points
    sums: NDArray[np.float64]
    sizes: NDArray[np.int64]


def k_means(
    client: Where, points: Points, k: int, *, seed: int = 0, iterations: int = ITERATIONS, rows: int = ROWS
) -> Clustering:
    """Group points into k clusters on the workers, with the start and the steps of `lexicloud.zipf.kmeans.k_means`."""
    check_k(k, len(points))
    points = np.ascontiguousarray(points, dtype=np.float32)
    centres, before = start_centres(points, k, seed), np.full(len(points), -1, np.int32)
    with connected(client) as lent, plain_errors():
        held = _Held(lent, [points[i : i + rows] for i in range(0, len(points), rows)])
        for step in range(iterations + 1):
            found = held.assigned(centres)
            if step == iterations or bool((found.labels == before).all()):
                break
            centres, before = (
                (found.sums / np.maximum(found.sizes, 1)[:, None]).astype(np.float32),
                found.labels,
            )
            empty = np.flatnonzero(found.sizes == 0)
            if len(empty):
                centres[empty] = points[np.argsort(-found.squared, kind="stable")[: len(empty)]]
    return Clustering(centres, found.labels, found.squared)


class _Held:
    """Points that workers hold; they are sent again if they are lost."""

    def __init__(self, client: Client, parts: list[Points]) -> None:
        self.client, self.parts = client, parts
        self.sent: Any = None

    def assigned(self, centres: Points) -> Assigned:
        """Return the nearest centre of every point."""
        for tries in range(TRIES):
            if self.sent is None:
                self.sent = self.client.scatter(self.parts, hash=False)
            jobs = [self.client.submit(nearest_centres, part, centres, pure=False) for part in self.sent]
            try:
                return _together(self.client.gather(jobs))
            except (CancelledError, asyncio.CancelledError):
                if self.client.status != "running" or tries == TRIES - 1:
                    raise
                self.sent = None
        raise AssertionError("the last try returns or raises")


def nearest_centres(points: Points, centres: Points) -> Assigned:
    """Assign points to their nearest centres, and add up the points of each."""
    scores, k = Scores(centres), len(centres)
    labels, squared = np.empty(len(points), np.int32), np.empty(len(points), np.float32)
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        best = scores.of(block).argmin(axis=1)
        gaps = block - centres[best]
        labels[start : start + _BLOCK], squared[start : start + _BLOCK] = (
            best,
            np.einsum("ij,ij->i", gaps, gaps),
        )
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels, minlength=k)
    sums, some = np.zeros((k, points.shape[1])), np.flatnonzero(sizes)
    starts = (np.cumsum(sizes) - sizes)[some]
    sums[some] = np.add.reduceat(points[order].astype(np.float64), starts, axis=0)
    return Assigned(labels, squared, sums, sizes)


def _together(parts: list[Assigned]) -> Assigned:
    labels, squared, sums, sizes = zip(*parts, strict=True)
    return Assigned(
        np.concatenate(labels), np.concatenate(squared), np.sum(sums, axis=0), np.sum(sizes, axis=0)
    )
