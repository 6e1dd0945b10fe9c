"""Word Mover's Distance, exact: the cheapest way to move the query's words onto the sentence's.

Solving every transport problem would take minutes, so sentences are ruled out by bounds that are never
above the distance and cost far less: the distance between the two means; moving every word to the nearest
word of the other side, in either direction (relaxed); and the same with no word receiving more than its own
mass from any other. What is left is solved in the order of its bound, until the bound exceeds the worst
distance among the best found.
"""

from __future__ import annotations

from heapq import heappush, heapreplace
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.candidates import Hit, candidates, in_order, is_copy, plain
from lexicloud.search.methods.transport import (
    Cloud,
    centroids,
    cloud_words,
    plan,
    query_cloud,
    sentence_cloud,
    solve,
)
from lexicloud.search.suggestion import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.options import SearchOptions
    from lexicloud.search.query import Database, Query

    Rows = NDArray[np.int64]
    Clouds = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]

# The bounds are computed in float32: their relative error is below this, and a bound must never exceed the distance.
_ROUNDING: Final = 1e-5
_SCOUTS: Final = 1_000  # sentences that are looked at first, for an early idea of how near the best will be
_WORDS: Final = 2_000  # distinct words of a query: the table of distances to 100,000 words is then 0.8 GB


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
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
    return [Hit(row, distance, flows(cloud, sentence_cloud(database, row))) for distance, row in found]


class _Nearest:
    """The search for the sentences nearest to one query: cheap bounds for all, the exact distance for few."""

    def __init__(self, database: Database, query: Query, options: SearchOptions, cloud: Cloud) -> None:
        from lexicloud.search.methods import wmd_numba as kernel

        self.kernel = kernel
        self.database, self.query, self.options, self.cloud = database, query, options, cloud
        self.vectors = plain(database.vectors, np.float32)
        self.clouds = _clouds(database)
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
        """Return the distances between the means, which no transport undercuts."""
        from lexicloud.search.methods.postings_numba import distances_to

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


def _clouds(database: Database) -> Clouds:
    """Return the clouds of all sentences by rows, gathered once."""
    if "clouds" not in database.cache:
        from lexicloud.search.methods.wmd_numba import gather

        rows = (
            plain(database.indptr, np.int64),
            plain(database.indices, np.int32),
            plain(database.counts, np.uint16),
        )
        database.cache["clouds"] = gather(*rows, cloud_words(database))
    clouds: Clouds = database.cache["clouds"]
    return clouds


def _distance_table(database: Database, cloud: Cloud) -> NDArray[np.float32]:
    """Return the distance of every word of the vocabulary to every query word, never above the true one."""
    vectors = plain(database.vectors, np.float32)
    if "squares" not in database.cache:
        database.cache["squares"] = np.einsum("ij,ij->i", vectors, vectors)
    squares, points = database.cache["squares"][:, None], cloud.vectors.astype(np.float32)
    own = np.einsum("ij,ij->i", points, points)
    # Cancellation leaves an error in proportion to the squares, not to their difference: it is taken off first.
    squared = (squares + own) * np.float32(1 - _ROUNDING) - 2 * (vectors @ points.T)
    table: NDArray[np.float32] = np.sqrt(np.maximum(squared, 0))
    return table


def flows(query: Cloud, sentence: Cloud) -> tuple[Match, ...]:
    """Explain a distance by what is moved where: each pair costs the mass moved times the distance."""
    T, D = plan(query, sentence)
    found = [
        Match(query.words[i], sentence.words[j], float(D[i, j]), float(T[i, j] * D[i, j]))
        for i, j in zip(*np.nonzero(T), strict=True)
    ]
    return tuple(sorted(found, key=lambda m: (m.distance, m.query_word, m.word)))
