"""The ball of a query: which words of the database stand for which of its words, and what each is worth."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.progress import track
from lexicloud.search.candidates import ignored_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.query import Database, Query


# Rounding in the product may swap near-equal neighbours: this many more than asked for are measured exactly.
_SPARE: Final = 8
_KEPT: Final = 10  # neighbours of a word that are remembered, and kept by an index that was prepared
_BLOCK: Final = 64  # query words a product: 64 rows of 100,000 floats are 25 MB


@dataclass(frozen=True)
class Ball:
    """The words that a query is looking for: its own, and the nearest words of each of them.

    A word that several query words lead to belongs to the nearest of them.
    """

    words: NDArray[np.int32]  # ascending
    distances: NDArray[np.float64]
    sources: NDArray[np.int32]  # position in `names`
    names: tuple[str, ...]  # the query's content words

    def __len__(self) -> int:
        return len(self.words)


class BallTable:
    """The nearest words of words, found when first asked for and remembered."""

    def __init__(self, database: Database, size: int, *, refined: bool) -> None:
        self.vectors = database.refined if refined else database.vectors
        self.size = size
        self.ids = np.full((len(database.words), size), -1, dtype=np.int32)
        self.distances = np.full((len(database.words), size), np.inf, dtype=np.float32)
        self.filled = np.zeros(len(database.words), dtype=bool)
        halves = 0.5 * np.einsum("ij,ij->i", self.vectors, self.vectors)
        # |q - v|² / 2 = |q|² / 2 + (|v|² / 2 - q·v); words that may not be offered are infinitely far.
        self.halves = np.where(database.embedded & (database.df > 0), halves, np.inf).astype(np.float32)

        if size == _KEPT and database.nearest:
            kind = "refined" if refined else "raw"
            self.ids = np.array(database.nearest[f"{kind}_ids"])
            self.distances = np.array(database.nearest[f"{kind}_distances"])
            self.filled = database.content.copy()

    @classmethod
    def of(cls, database: Database, r: int, *, refined: bool) -> BallTable:
        """Return the database's table, rebuilt only when a larger ball than ever is asked for."""
        key = ("balls", refined)
        table: BallTable | None = database.cache.get(key)
        if table is None or table.size < r:
            # Two threads may both build one; the later replaces the earlier and neither is wrong.
            table = cls(database, max(r, _KEPT), refined=refined)
            database.cache[key] = table
        return table

    def fill(self, words: NDArray[np.int32]) -> None:
        """Find the neighbours of those of `words` that were never asked for."""
        missing = words[~self.filled[words]]
        for start in range(0, len(missing), _BLOCK):
            some = missing[start : start + _BLOCK]
            self.ids[some], self.distances[some] = self.nearest(self.vectors[some], some)
            self.filled[some] = True

    def nearest(
        self, points: NDArray[np.float32], own: NDArray[np.int32] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the nearest words of some points and their distances, leaving each point's `own` word out."""
        far = self.halves - points @ self.vectors.T
        if own is not None:
            far[np.arange(len(own)), own] = np.inf
        ids = _smallest(far, min(self.size + _SPARE, far.shape[1]))
        return _measure(points, self.vectors, ids, self.size)


def nearest_words(database: Database) -> dict[str, NDArray[Any]]:
    """Return the nearest words of every word that a ball may be asked of, by refined and by raw vectors."""
    words, found = np.flatnonzero(database.content).astype(np.int32), dict[str, Any]()
    for kind in ("refined", "raw"):
        table = BallTable.of(database, _KEPT, refined=kind == "refined")
        for start in track(range(0, len(words), 16 * _BLOCK), f"nearest words ({kind})"):
            table.fill(words[start : start + 16 * _BLOCK])
        found |= {f"{kind}_ids": table.ids[:, :_KEPT], f"{kind}_distances": table.distances[:, :_KEPT]}
    return found


def _smallest(rows: NDArray[np.float32], count: int) -> NDArray[np.int32]:
    """Return the columns of the smallest finite entries of each row, padded with -1.

    Once is quicker in NumPy than the compiled loop is loaded; what follows puts both in the same order.
    """
    if "numba" in sys.modules:
        from lexicloud.search.methods.ball_numba import smallest

        return np.asarray(smallest(rows, count))
    ids = np.argpartition(rows, count - 1, axis=1)[:, :count].astype(np.int32)
    return np.where(np.isfinite(np.take_along_axis(rows, ids, axis=1)), ids, np.int32(-1))


def _measure(
    points: NDArray[np.float32], vectors: NDArray[np.float32], ids: NDArray[np.int32], size: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Measure the candidates exactly and keep the nearest, the lower number first among equals."""
    gaps = vectors[ids].astype(np.float64) - points[:, None, :]
    distances = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
    distances[ids < 0] = np.inf
    order = np.lexsort((ids, distances), axis=1)[:, :size]
    out_ids = np.full((len(points), size), -1, dtype=np.int32)
    out = np.full((len(points), size), np.inf, dtype=np.float32)
    out_ids[:, : order.shape[1]] = np.take_along_axis(ids, order, axis=1)
    out[:, : order.shape[1]] = np.take_along_axis(distances, order, axis=1)
    return out_ids, out


def ball(database: Database, query: Query, r: int, *, refined: bool) -> Ball:
    """Return U: the content words of the query and the `r` nearest words of each, minus stop words and
    punctuation.

    Query words that the database does not have, but that have a vector, still lead to their neighbours.
    """
    ignored = ignored_words(database)
    own = query.ids[~ignored[query.ids]]
    foreign = np.flatnonzero(query.unknown_embedded & query.unknown_content)
    names = [database.words[w] for w in own.tolist()] + [query.unknown[i] for i in foreign]
    near, far, origins = _neighbours(database, query, own, foreign, r, refined=refined)
    from lexicloud.search.methods.ball_numba import unite

    words, distances, sources = unite(own, near, far, origins, min(r, near.shape[1]), ignored)
    return Ball(words, distances, sources, tuple(names))


def _neighbours(
    database: Database,
    query: Query,
    own: NDArray[np.int32],
    foreign: NDArray[np.int64],
    r: int,
    *,
    refined: bool,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """Return the nearest words of the query's words that have a vector, their distances, and which words these are."""
    if r <= 0:
        return np.empty((0, 0), np.int32), np.empty((0, 0), np.float32), np.empty(0, np.int64)
    table = BallTable.of(database, r, refined=refined)
    origins = np.flatnonzero(database.embedded[own])
    with_vector = own[origins]
    table.fill(with_vector)
    near, far = table.ids[with_vector], table.distances[with_vector]
    if not len(foreign):
        return near, far, origins
    ids, distances = table.nearest((query.unknown_refined if refined else query.unknown_vectors)[foreign])
    origins = np.concatenate([origins, len(own) + np.arange(len(foreign))])
    return np.concatenate([near, ids]), np.concatenate([far, distances]), origins


# Large enough for the paper's example, small enough to stay above BM25 on relevance (docs/search.md).
LATENT: Final = 0.8  # what a neighbour at cosine 1 would count, where the word itself counts 1


class Worth(NamedTuple):
    """The weights of a ball's words, and the groups of which only the best word counts."""

    weights: NDArray[np.float64]
    groups: NDArray[np.int32]


def worth(database: Database, ball: Ball, weighting: str) -> Worth:
    """Return what each word of the ball is worth.

    "uniform": 1 each, and each word counts. "idf": idf × closeness, where a neighbour is never rarer than
    the query word it stands for, and of the words that stand for one query word the best counts.
    """
    if weighting == "uniform":
        return Worth(np.ones(len(ball)), np.arange(len(ball), dtype=np.int32))
    rarity = idf(database)
    top = np.log1p((database.n + 0.5) / 0.5)  # the idf of a word that no sentence has
    numbers = np.array([database.ids.get(name, -1) for name in ball.names], np.int64)
    own = np.where(numbers >= 0, rarity[numbers], top)
    # A compound that borrows the vector of its part is at distance 0 from it, and yet another word.
    same = ball.words == numbers[ball.sources]
    weights = np.minimum(rarity[ball.words], own[ball.sources]) * closeness(ball.distances, same)
    return Worth(weights, ball.sources)


def idf(database: Database) -> NDArray[np.float64]:
    """Return log(1 + (n − df + ½) / (df + ½)) of every word, BM25's (Lucene's) inverse document frequency."""
    if "idf" not in database.cache:
        df = np.asarray(database.df, dtype=np.float64)
        database.cache["idf"] = np.log1p((database.n - df + 0.5) / (df + 0.5))
    values: NDArray[np.float64] = database.cache["idf"]
    return values


def closeness(distances: NDArray[np.float64], same: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how much a word at a distance between refined vectors counts: 1 for the word itself (`same`),
    LATENT · cosine for others.
    """
    cosine = 1 - distances**2 / 2  # refined vectors have unit length
    return np.where(same, 1.0, LATENT * np.maximum(cosine, 0))
