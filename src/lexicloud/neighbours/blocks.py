"""Blocks of rows of the all-pairs product, shared out to threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import local
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

# Scores of one block: 36 MiB of float32 per thread. In 300 dimensions a product with half as many rows took a tenth to
# a fifth longer. With more than 14 threads blocks shrink, to 512 MiB in all.
BLOCK_SCORES: Final = 9 * 2**20
ALL_SCORES: Final = 128 * 2**20
# Rows of a block come in whole tiles of the product's inner loops.
TILE: Final = 16


class Scores:
    """Computes |y|² − 2 x·y for blocks of rows x against all points y, in one product.

    Vectors are centred first: small numbers round to small errors.
    """

    def __init__(self, points: NDArray[np.float32]) -> None:
        self.mean = points.mean(axis=0, dtype=np.float64).astype(np.float32)
        centred = points - self.mean
        squares = np.einsum("ij,ij->i", centred, centred, dtype=np.float64)
        self.columns = np.empty((points.shape[1] + 1, len(points)), dtype=np.float32)
        self.columns[:-1] = -2 * centred.T
        self.columns[-1] = squares
        self.largest = float(np.sqrt(squares.max(initial=0)))
        self._mine = local()

    def of(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the scores of all points seen from each query; this thread's next call writes over them.

        One buffer per thread: asking the system for fresh pages took seven times as long as the product.
        """
        rows = np.ones((len(queries), queries.shape[1] + 1), dtype=np.float32)
        rows[:, :-1] = queries - self.mean
        buffer = getattr(self._mine, "buffer", None)
        if buffer is None or len(buffer) < len(queries):
            buffer = self._mine.buffer = np.empty((len(queries), self.columns.shape[1]), dtype=np.float32)
        scores: NDArray[np.float32] = np.matmul(rows, self.columns, out=buffer[: len(queries)])
        return scores

    def error(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Bound the rounding error of each query's scores.

        A sum of d + 1 products errs by at most (d + 2) half-ulps of the sum of their magnitudes, which is
        at most 2|x||y| + |y|²; centring and the squares add one rounding each.
        """
        norms = np.linalg.norm(queries - self.mean, axis=1)
        magnitude = 2 * norms * self.largest + self.largest**2
        bound = (queries.shape[1] + 6) * float(np.finfo(np.float32).eps) * magnitude
        return np.asarray(bound, dtype=np.float32)


def row_blocks(rows: int, columns: int) -> list[slice]:
    """Cut rows into blocks of bounded size."""
    scores = min(BLOCK_SCORES, ALL_SCORES // (os.cpu_count() or 1))
    size = max(1, min(64, scores // max(columns, 1) // TILE)) * TILE
    return [slice(a, min(a + size, rows)) for a in range(0, rows, size)]


def in_threads(work: Callable[[slice], T], blocks: list[slice]) -> Iterator[tuple[slice, T]]:
    """Run `work` on every block with all cores, yielding results in order.

    Each thread multiplies alone (one BLAS thread): blocks are independent, so this divides the work evenly and
    keeps a block's scores in that core's reach. At most two blocks per thread are in flight.
    """
    from threadpoolctl import threadpool_limits

    workers = min(os.cpu_count() or 1, len(blocks))
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(max(workers, 1)) as pool:
        waiting: list[tuple[slice, Future[T]]] = []
        for block in blocks:
            waiting.append((block, pool.submit(work, block)))
            if len(waiting) > 2 * workers:
                done, future = waiting.pop(0)
                yield done, future.result()
        for done, future in waiting:
            yield done, future.result()
