"""The exact table of nearest words: built once per corpus, and shared by divergences, Zipf's law and search."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import local
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.neighbours.any_array import is_foreign, require_table
from lexicloud.progress import stage

if TYPE_CHECKING:
    from numpy.typing import NDArray


T = TypeVar("T")

# Scores of one block: 36 MiB of float32 per thread. In 300 dimensions, products of half as many rows took a tenth to a
# fifth longer. With more than 14 threads blocks are smaller, so that all together take 512 MiB.
BLOCK_SCORES: Final = 9 * 2**20
ALL_SCORES: Final = 128 * 2**20
# Products of so many multiplications OpenBLAS does in one thread; a few words of a query take as long that way, and no
# second thread goes on spinning for milliseconds after each (7.7 ms of processor time a query became 1).
ONE_THREAD: Final = 2**18
FEW_ROWS: Final = 64
# Rows of a block come in whole tiles of the product's inner loops.
TILE: Final = 16
# Columns whose scores are looked at together, while they are in the second cache.
WIDTH: Final = 1024


class Below(NamedTuple):
    """For each query the points with scores below a limit and these scores, in the order of the points.

    Row i holds `counts[i]` of them, or is of no use where that is -1, because they did not fit.
    """

    columns: NDArray[np.uint32]
    scores: NDArray[np.float32]
    counts: NDArray[np.int64]


class Scores:
    """Computes |y|² − 2 x·y for blocks of rows x against all points y, in one product.

    Vectors are centred first, which makes rounding errors smaller.
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
        """Return the scores of all points for each query; the next call in this thread overwrites them.

        Each thread keeps one buffer: asking the system for new memory took seven times as long as the product.
        """
        rows = self._rows(queries)
        scores: NDArray[np.float32] = self._lent("whole", (len(queries), self.columns.shape[1]), np.float32)
        if len(queries) > FEW_ROWS:
            return np.asarray(np.matmul(rows, self.columns, out=scores))
        rows = np.vstack([rows, rows]) if len(rows) == 1 else rows  # one row is a product of another kind
        width = max(1, ONE_THREAD // rows.size)
        for start in range(0, scores.shape[1], width):
            some = slice(start, start + width)
            scores[:, some] = (rows @ self.columns[:, some])[: len(scores)]
        return scores

    def of_some(self, queries: NDArray[np.float32], points: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the scores of a few points for each query."""
        return np.asarray(self._rows(queries) @ self.columns[:, points])

    def below(self, queries: NDArray[np.float32], limits: NDArray[np.float32], room: int) -> Below:
        """Return for each query the points with scores below its limit; the next call in this thread overwrites them.

        Scores never leave the cache: a tile of `WIDTH` columns is multiplied, looked through and forgotten.
        """
        from lexicloud.neighbours.bits_numba import below

        rows, (count, size) = self._rows(queries), (len(queries), self.columns.shape[1])
        shape = (count, min(room, size) + WIDTH)
        found = Below(
            self._lent("columns", shape, np.uint32),
            self._lent("scores", shape, np.float32),
            np.zeros(count, np.int64),
        )
        for start in range(0, size, WIDTH):
            tile = self._lent("tile", (count, min(WIDTH, size - start)), np.float32)
            np.matmul(rows, self.columns[:, start : start + WIDTH], out=tile)
            below(tile, start, limits, *found)
        return found

    def squares_of(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what is missing from the scores of each query to be squared distances."""
        centred = queries - self.mean
        return np.asarray(np.einsum("ij,ij->i", centred, centred))

    def _rows(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        rows = np.ones((len(queries), queries.shape[1] + 1), dtype=np.float32)
        rows[:, :-1] = queries - self.mean
        return rows

    def _lent(self, name: str, shape: tuple[int, int], kind: type[Any]) -> NDArray[Any]:
        """Return an array of this thread that is used again for each block."""
        size, flat = shape[0] * shape[1], getattr(self._mine, name, None)
        if flat is None or len(flat) < size:
            flat = np.empty(size, dtype=kind)
            setattr(self._mine, name, flat)
        return flat[:size].reshape(shape)

    def error(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a bound on the rounding error of each query's scores.

        A sum of d + 1 products errs by at most (d + 2) half-ulps of the sum of their magnitudes, which is
        at most 2|x||y| + |y|²; centring and the squares add one rounding each.
        """
        norms = np.linalg.norm(queries - self.mean, axis=1)
        magnitude = 2 * norms * self.largest + self.largest**2
        bound = (queries.shape[1] + 6) * float(np.finfo(np.float32).eps) * magnitude
        return np.asarray(bound, dtype=np.float32)


def row_blocks(rows: int, columns: int) -> list[slice]:
    """Divide rows into blocks of bounded size."""
    scores = min(BLOCK_SCORES, ALL_SCORES // (os.cpu_count() or 1))
    size = max(1, min(64, scores // max(columns, 1) // TILE)) * TILE
    return [slice(a, min(a + size, rows)) for a in range(0, rows, size)]


def in_threads(work: Callable[[slice], T], blocks: list[slice]) -> Iterator[tuple[slice, T]]:
    """Run `work` on every block with all cores, and yield the results in order.

    Each thread multiplies with one BLAS thread: blocks are independent, so this divides the work evenly and keeps a
    block's scores in that core's cache. At most two blocks per thread are started at a time.
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


class WithVectors(Protocol):
    """The part of a corpus that its table of neighbours needs."""

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors, one row a word."""

    @property
    def refined(self) -> NDArray[np.float32]:
        """The refined vectors, one row a word."""

    @property
    def embedded(self) -> NDArray[np.bool_]:
        """Which words have a vector."""

    @property
    def cache(self) -> dict[Any, Any]:
        """Where tables are kept."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """For every word its nearest other words with Euclidean distances, nearest first.

    Row w of `ids` holds word numbers, padded with -1; `distances` is padded with inf. Words outside `mask` have only
    padding, and are no neighbours of others. Words at equal distance are in the order of their numbers.

    >>> table = Neighbours.build(np.array([[0.0], [1.0], [3.0]], dtype=np.float32), k=2)
    >>> table.ids.tolist(), table.distances.tolist()
    ([[1, 2], [0, 2], [1, 0]], [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]])
    """

    ids: NDArray[np.int32]
    distances: NDArray[np.float32]
    mask: NDArray[np.bool_]

    @classmethod
    def build(
        cls, vectors: NDArray[np.float32], k: int = 256, mask: NDArray[np.bool_] | None = None
    ) -> Neighbours:
        """Build the table of the `k` nearest other words among the words of `mask`.

        If there are fewer than k other words, rows are padded. Arrays of another library (torch, CuPy …) are multiplied
        on their own device; the table itself is always NumPy's.
        """
        if is_foreign(vectors):
            return cls._foreign(vectors, k, mask)
        vectors = checked_vectors(vectors)
        _check_k(k)
        mask = np.ones(len(vectors), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
        words = np.flatnonzero(mask).astype(np.int32)
        points = np.ascontiguousarray(vectors[words])
        take = min(k, max(len(words) - 1, 0))
        near = np.full((len(words), take), -1, dtype=np.int32)
        far = np.full((len(words), take), np.inf, dtype=np.float32)
        if take:
            _fill(points, take, near, far)
        return cls(*_spread(words, near, far, k, len(vectors)), mask)

    @classmethod
    def _foreign(cls, vectors: Any, k: int, mask: NDArray[np.bool_] | None) -> Neighbours:
        """Build from an array of another library, by the array API alone."""
        from lexicloud.neighbours.any_array import checked, namespace, nearest, to_numpy

        _check_k(k)
        vectors = checked(vectors)
        mask = np.ones(vectors.shape[0], dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
        words, xp = np.flatnonzero(mask).astype(np.int32), namespace(vectors)
        take = min(k, max(len(words) - 1, 0))
        near, far = np.zeros((len(words), 0), np.int32), np.zeros((len(words), 0), np.float32)
        if take:
            places = xp.asarray(words.astype(np.int64), device=vectors.device)
            ids, distances = nearest(xp.take(vectors, places, axis=0), take)
            near, far = to_numpy(ids).astype(np.int32), to_numpy(distances).astype(np.float32)
        return cls(*_spread(words, near, far, k, len(mask)), mask)

    @classmethod
    def of(
        cls,
        corpus: WithVectors,
        k: int = 256,
        *,
        mask: NDArray[np.bool_] | None = None,
        refined: bool = False,
    ) -> Neighbours:
        """Return the table of a corpus over its embedded words (or `mask`), built once and shared.

        A table that was built for a larger k is used for a smaller one.
        """
        _check_k(k)
        mask = corpus.embedded if mask is None else mask
        key = ("neighbours", refined, mask.tobytes())
        cache = corpus.cache
        if key not in cache or cache[key].k < k:
            cache[key] = cls.build(corpus.refined if refined else corpus.vectors, k, mask)
        table: Neighbours = cache[key]
        return table.first(k)

    @property
    def k(self) -> int:
        """How many neighbours a row can hold."""
        return int(self.ids.shape[1])

    def first(self, k: int) -> Neighbours:
        """Return the table cut to the `k` nearest, without copying."""
        return self if k == self.k else Neighbours(self.ids[:, :k], self.distances[:, :k], self.mask)

    def row(self, word: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return a word's neighbours and their distances, without padding."""
        size = int(np.count_nonzero(self.ids[word] >= 0))
        return self.ids[word, :size], self.distances[word, :size]


def _check_k(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise OptionError(f"a table needs a whole number k of at least 1, not {k!r}")


def checked_vectors(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors as contiguous float32; raise an error if they cannot be used."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    require_table(vectors.shape, finite=bool(np.isfinite(vectors).all()))
    return vectors


def _fill(points: NDArray[np.float32], k: int, near: NDArray[np.int32], far: NDArray[np.float32]) -> None:
    from lexicloud.neighbours.table_numba import nearest_rows

    scores = Scores(points)

    def work(block: slice) -> None:
        queries = points[block]
        nearest_rows(scores.of(queries), block.start, points, k, scores.error(queries), near, far)

    with stage("finding the nearest words", len(points)) as advance:
        for block, _ in in_threads(work, row_blocks(len(points), len(points))):
            advance(block.stop - block.start)


def _spread(
    words: NDArray[np.int32], near: NDArray[np.int32], far: NDArray[np.float32], k: int, size: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Turn a table over points into one over all words; nothing is copied if all words are points."""
    if len(words) == size and near.shape[1] == k:
        return near, far
    ids = np.full((size, k), -1, dtype=np.int32)
    distances = np.full((size, k), np.inf, dtype=np.float32)
    ids[words, : near.shape[1]] = np.where(near >= 0, words[near], -1) if near.size else near
    distances[words, : far.shape[1]] = far
    return ids, distances
