"""Exact Word Mover's Distance: bounds rule sentences out, the rest are solved. Also the mean vectors for `average`."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappush, heapreplace
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError
from lexicloud.search.arrays import derived
from lexicloud.search.candidates import ScoredRow, candidates, ignored_words, in_order, is_copy, plain
from lexicloud.search.items import match, matches_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.query import Query
    from lexicloud.words.reason import Reason

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]
    Clouds = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class SentenceCloud:
    """Distinct words, their vectors, and the share of tokens that each has."""

    words: tuple[str, ...]
    vectors: NDArray[np.float64]
    mass: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean vector."""
        return self.mass @ self.vectors


@derived
def cloud_words(database: Database) -> NDArray[np.bool_]:
    """Return which words a cloud holds: those with a vector that are neither stop words nor punctuation."""
    return database.embedded & ~ignored_words(database)


def sentence_cloud(database: Database, row: int) -> SentenceCloud:
    """Return the cloud of one sentence of the database."""
    ids, counts = database.counted(row)
    return _cloud(database, ids, counts)


def query_cloud(database: Database, query: Query) -> SentenceCloud:
    """Return the cloud of a query; words that the database lacks take part when they have a vector."""
    known = _cloud(database, query.ids, query.counts)
    keep = np.flatnonzero(query.unknown_embedded & query.unknown_content)
    if not len(keep):
        return known
    kept = cloud_words(database)[query.ids]
    counts = np.concatenate([query.counts[kept], query.unknown_counts[keep]]).astype(np.float64)
    vectors = np.vstack([known.vectors, query.unknown_vectors[keep].astype(np.float64)])
    return SentenceCloud((*known.words, *(query.unknown[i] for i in keep)), vectors, counts / counts.sum())


def _cloud(database: Database, ids: NDArray[np.int32], counts: NDArray[np.integer]) -> SentenceCloud:
    keep = cloud_words(database)[ids]
    ids, counts = ids[keep], counts[keep]
    mass = counts / counts.sum() if len(counts) else counts.astype(np.float64)
    return SentenceCloud(
        tuple(database.words[w] for w in ids), database.vectors_of(ids).astype(np.float64), mass
    )


@derived
def centroids(database: Database) -> NDArray[np.float32]:
    """Return every sentence's mean vector, nan where it has no word with a vector; computed once."""
    from lexicloud.search.methods.baselines_numba import masked_centroids

    means: NDArray[np.float32] = masked_centroids(
        plain(database.indptr, np.int64),
        plain(database.indices, np.int32),
        plain(database.counts, np.uint16),
        cloud_words(database),
        plain(database.vectors, np.float32),
    )
    return means


_STEPS: Final = 10_000_000  # of the network simplex; two sentences need a few dozen


def distances_between(X: Floats, Y: Floats) -> Floats:
    """Return the Euclidean distance of every pair of rows, exactly 0 for equal rows."""
    gaps = X[:, None, :] - Y[None, :, :]
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps)))


def plan(P: SentenceCloud, Q: SentenceCloud) -> tuple[Floats, Floats]:
    """Return the optimal transport plan between two clouds and the distances between their words."""
    D = distances_between(P.vectors, Q.vectors)
    return solve(P.mass, Q.mass, D), D


def solve(a: Floats, b: Floats, D: Floats) -> Floats:
    """Return the plan of least cost with marginals `a` and `b`."""
    if len(a) == 1 or len(b) == 1:
        return np.outer(a, b)  # the only plan there is
    from lexicloud.search.methods.transport_numba import transport

    T, solved = transport(a, b, np.ascontiguousarray(D), _STEPS)
    if not solved:
        raise EstimateError(
            f"a transport of {len(a)} × {len(b)} words was not solved within {_STEPS:,} steps"
        )
    return np.asarray(T)


# The bounds are computed in float32: their relative error is below this, and a bound must never exceed the distance.
_ROUNDING: Final = 1e-5
_SCOUTS: Final = 1_000  # sentences that are tried first, to find a low `worst` early
_WORDS: Final = 2_000  # distinct words of a query: the table of distances to 100,000 words is then 0.8 GB


def search(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
    """Return the sentences with the least Word Mover's Distance to the query."""
    cloud = query_cloud(database, query)
    if not len(cloud.mass):
        return []
    if len(cloud.mass) > _WORDS:
        raise OptionError(
            f"the query has {len(cloud.mass):,} distinct words, and wmd moves at most {_WORDS:,}: "
            "search for a passage of it, or use another method"
        )
    found = _Nearest(database, query, options, cloud).find()
    return [ScoredRow(row, distance, flows(cloud, sentence_cloud(database, row))) for distance, row in found]


class _Nearest:
    """The search for the sentences nearest to one query: cheap bounds for all, the exact distance for few."""

    def __init__(
        self, database: Database, query: Query, options: SearchOptions, cloud: SentenceCloud
    ) -> None:
        from lexicloud.search.methods import baselines_numba as kernel

        self.kernel = kernel
        self.database, self.query, self.options, self.cloud = database, query, options, cloud
        self.vectors = plain(database.vectors, np.float32)
        self.clouds = clouds(database)
        self.table = _distance_table(database, cloud)
        self.bounds = kernel.relaxed(*self.clouds, self.table.min(axis=1)) * np.float32(1 - _ROUNDING)
        self.solved: set[int] = set()
        self.best: list[tuple[float, int]] = []  # a heap of (-distance, -row): the worst of the best on top

    @property
    def worst(self) -> float:
        """The distance that a sentence must not exceed to be among the best."""
        return -self.best[0][0] if len(self.best) == self.options.top else np.inf

    def find(self) -> list[tuple[float, int]]:
        """Return (distance, row) of the `top` nearest sentences, nearest first."""
        rows = np.flatnonzero(candidates(self.database, self.options) & np.isfinite(self.bounds))
        scouts = min(_SCOUTS, len(rows))
        order = np.argpartition(self.bounds[rows], scouts - 1) if scouts else rows
        self.scout(rows[order[:scouts]])
        self.solve_in_order(rows[self.bounds[rows] <= self.worst])
        return sorted((-distance, -row) for distance, row in self.best)

    def scout(self, rows: Rows) -> None:
        """Solve the most promising of some rows, so that `worst` rules most others out."""
        relaxed = self.kernel.tighten(*self.clouds, rows, self.cloud.mass, self.table, self.bounds, -1.0)
        for row, _ in zip(
            in_order(relaxed, rows, 2 * self.options.top), range(2 * self.options.top), strict=False
        ):
            self.offer(row)

    def solve_in_order(self, rows: Rows) -> None:
        """Tighten the bounds of some rows, then solve them, the most promising first."""
        rows = rows[self.gaps(rows) <= self.worst]
        mass, worst = self.cloud.mass, self.worst
        bounds = self.kernel.tighten(
            *self.clouds, rows, mass, self.table, self.bounds, worst / (1 - _ROUNDING)
        )
        bounds *= 1 - _ROUNDING
        near = bounds <= worst
        by_row = dict(zip(rows[near].tolist(), bounds[near].tolist(), strict=True))
        for row in in_order(bounds[near], rows[near], 32):
            if by_row[row] > self.worst:
                return
            if row not in self.solved:
                self.offer(row)

    def gaps(self, rows: Rows) -> NDArray[np.float64]:
        """Return the distances between the means, a lower bound of the cost of any transport."""
        from lexicloud.search.methods.baselines_numba import distances_to

        return np.asarray(distances_to(centroids(self.database)[rows], self.cloud.mean)) * (1 - _ROUNDING)

    def offer(self, row: int) -> None:
        """Solve one row and keep it if it is among the best; the query itself is passed over."""
        starts, words, mass = self.clouds
        inside = slice(starts[row], starts[row + 1])
        D = self.kernel.distances(self.cloud.vectors, self.vectors, words[inside])
        self.solved.add(row)
        entry = (-float((solve(self.cloud.mass, mass[inside], D) * D).sum()), -row)
        if len(self.best) == self.options.top and entry < self.best[0]:
            return
        if is_copy(self.database.texts[row], self.query.text, self.options.own_edits):
            return
        (heappush if len(self.best) < self.options.top else heapreplace)(self.best, entry)


@derived
def clouds(database: Database) -> Clouds:
    """Return the clouds of all sentences by rows, gathered once."""
    from lexicloud.search.methods.baselines_numba import gather

    rows = (
        plain(database.indptr, np.int64),
        plain(database.indices, np.int32),
        plain(database.counts, np.uint16),
    )
    found: Clouds = gather(*rows, cloud_words(database))
    return found


@derived
def _squares(database: Database) -> NDArray[np.float32]:
    """Return the squared length of every word's vector."""
    vectors = plain(database.vectors, np.float32)
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors))


def _distance_table(database: Database, cloud: SentenceCloud) -> NDArray[np.float32]:
    """Return the distance of every word of the vocabulary to every query word, never above the true one."""
    vectors = plain(database.vectors, np.float32)
    squares, points = _squares(database)[:, None], cloud.vectors.astype(np.float32)
    own = np.einsum("ij,ij->i", points, points)
    # The rounding error is in proportion to the squares, not to their difference: it is taken off the squares.
    squared = (squares + own) * np.float32(1 - _ROUNDING) - 2 * (vectors @ points.T)
    table: NDArray[np.float32] = np.sqrt(np.maximum(squared, 0))
    return table


def flows(query: SentenceCloud, sentence: SentenceCloud) -> tuple[Reason, ...]:
    """Explain a distance by what is moved where: each pair costs the mass moved times the distance."""
    T, D = plan(query, sentence)
    found = [
        match(query.words[i], sentence.words[j], float(D[i, j]), float(T[i, j] * D[i, j]))
        for i, j in zip(*np.nonzero(T), strict=True)
    ]
    return matches_in_order(found)
