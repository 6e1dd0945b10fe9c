"""The ball of a query: which words of the database stand for which of its words, and what each is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.errors import BrokenIndex
from lexicloud.neighbours.table import ONE_THREAD, Scores
from lexicloud.search.arrays import NO_NUMBER, derived, idf
from lexicloud.search.candidates import ignored_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.query import Query

    _Near = tuple[NDArray[np.int32], NDArray[np.float32]]

# Rounding in the product may swap near-equal neighbours: this many more than asked for are measured exactly.
_SPARE: Final = 8
COMPILED: Final[dict[str, Any]] = {}  # compiled loops that are ready, by name; see `setcover.kernel_of`
KEPT: Final = 10  # neighbours of a word that are remembered at least
_FOREIGN: Final = (
    2**14
)  # words that the database lacks whose neighbours are remembered, before it is begun anew
HEAD: Final = 32  # coordinates that the compiled loop looks at first, as bytes
TOGETHER: Final = 128  # words whose first coordinates it reads together
_SAMPLE: Final = 4_096  # words that tell how vectors are to be turned
_ROUNDING: Final = 1e-5  # more than single precision is off in a score
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


class NearestWords:
    """The nearest words of words, found when they are first asked for and remembered."""

    def __init__(self, database: Database, *, refined: bool) -> None:
        self.vectors = database.refined if refined else database.vectors
        self.offered = database.embedded & (database.df > 0)
        self.size = 0  # of the rows that are remembered
        self._lock = Lock()

    @classmethod
    def of(cls, database: Database, *, refined: bool) -> NearestWords:
        """Return the table of a database, by refined or by raw vectors."""
        return _by_refined(database) if refined else _by_raw(database)

    def of_words(self, words: NDArray[np.int32], r: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the `r` nearest words of each word, nearest first, and their distances; padded with -1 and inf."""
        with self._lock:
            if self.size < r:
                self._begin(max(r, KEPT))
            missing = words[~self.filled[words]]
            if len(missing):
                self.ids[missing], self.distances[missing] = self._nearest(
                    self.vectors[missing], self.size, missing
                )
                self.filled[missing] = True
        return self.ids[words, :r], self.distances[words, :r]

    def _begin(self, size: int) -> None:
        self.size = size
        self.ids = np.full((len(self.vectors), size), -1, dtype=np.int32)
        self.distances = np.full((len(self.vectors), size), np.inf, dtype=np.float32)
        self.filled = np.zeros(len(self.vectors), dtype=bool)

    def of_points(self, points: NDArray[np.float32], r: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the `r` nearest words of points that are no words of the database, as `of_words` does."""
        return self._nearest(points, r, None)

    def of_foreign(self, names: Sequence[str], points: NDArray[np.float32], r: int) -> list[_Near]:
        """Return the same for words that the database lacks, one by one, and remember it."""
        found = {name: self._foreign.get((name, r)) for name in names}
        new = [i for i, name in enumerate(names) if found[name] is None]
        if len(self._foreign) > _FOREIGN:
            self._foreign.clear()
        if new:
            for i, near, far in zip(new, *self._nearest(points[new], r, None), strict=True):
                found[names[i]] = self._foreign[names[i], r] = near, far
        return [near for name in names if (near := found[name]) is not None]

    @cached_property
    def _foreign(self) -> dict[tuple[str, int], _Near]:
        return {}

    @cached_property
    def _bytes(self) -> _Bytes:
        return _Bytes.of(self.vectors, np.flatnonzero(self.offered).astype(np.int32))

    @cached_property
    def _points(self) -> tuple[NDArray[np.int32], Scores]:
        words = np.flatnonzero(self.offered).astype(np.int32)
        return words, Scores(np.ascontiguousarray(self.vectors[words]))

    def _nearest(
        self, points: NDArray[np.float32], r: int, own: NDArray[np.int32] | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Find candidates by one product a block, measure them exactly, and keep the nearest."""
        ids = np.full((len(points), r), -1, dtype=np.int32)
        distances = np.full((len(points), r), np.inf, dtype=np.float32)
        if not self.offered.any():
            return ids, distances
        take = min(r, int(np.count_nonzero(self.offered)))
        for start in range(0, len(points), _BLOCK):
            some = slice(start, start + _BLOCK)
            near = self._likely(np.asarray(points[some]), take, None if own is None else own[some])
            found, far = _measured(points[some], self.vectors, near, r)
            ids[some, : found.shape[1]], distances[some, : found.shape[1]] = found, far
        return ids, distances

    def _likely(
        self, points: NDArray[np.float32], take: int, own: NDArray[np.int32] | None
    ) -> NDArray[np.integer]:
        """Return words among which the `take` nearest of each point are, padded with -1, in no order.

        NumPy does it until the compiled loop is ready.
        """
        if "near_points" in COMPILED:
            return self._bytes.near(points, take, own)
        words, scores = self._points
        far = scores.of(points)
        if own is not None:
            far[np.arange(len(far)), np.searchsorted(words, own)] = np.inf
        near = np.argpartition(far, min(take + _SPARE, len(words)) - 1, axis=1)[:, : take + _SPARE]
        return np.where(np.isfinite(np.take_along_axis(far, near, axis=1)), words[near], -1)


class _Bytes(NamedTuple):
    """The vectors of some words in bytes, a quarter of the memory to read: close enough to find candidates.

    They are turned first so that the first coordinates differ most.
    """

    words: NDArray[np.int32]
    turn: NDArray[np.float32]
    table: NDArray[np.int8]  # turned vectors / step, padded with zeros
    heads: NDArray[np.int8]  # its first coordinates, by blocks of rows, coordinate after coordinate
    squares: NDArray[np.float32]  # of the vectors' lengths
    tails: NDArray[np.float32]  # the lengths of what is behind the first coordinates of the table
    step: float
    gap: float  # the greatest distance of a vector from its bytes
    longest: float

    @classmethod
    def of(cls, vectors: NDArray[np.float32], words: NDArray[np.int32]) -> _Bytes:
        """Round the vectors of some words."""
        own = np.ascontiguousarray(vectors[words])
        if not np.isfinite(own).all():
            raise BrokenIndex(NO_NUMBER)
        sample = own[:: max(1, len(own) // _SAMPLE)].astype(np.float64)
        rows = max(1, ONE_THREAD // own.shape[1] ** 2)
        scatter = sum(sample[i : i + rows].T @ sample[i : i + rows] for i in range(0, len(sample), rows))
        turn = np.linalg.eigh(scatter)[1][:, ::-1].astype(np.float32)
        own = np.concatenate([own[:0], *(own[i : i + rows] @ turn for i in range(0, len(own), rows))])
        step = max(float(np.abs(own).max(initial=0)), 1e-12) / 127
        table = np.zeros((len(own), -(-own.shape[1] // HEAD) * HEAD), np.int8)
        table[:, : own.shape[1]] = np.rint(own / step)
        gaps = own - np.float32(step) * table[:, : own.shape[1]]
        squares = np.einsum("ij,ij->i", own, own)
        gap, longest = (
            float(np.sqrt(a.max(initial=0))) for a in (np.einsum("ij,ij->i", gaps, gaps), squares)
        )
        tails = np.float32(step) * np.linalg.norm(table[:, HEAD:].astype(np.float32), axis=1)
        heads = np.zeros((-(-len(own) // TOGETHER) * TOGETHER, HEAD), np.int8)
        heads[: len(own)] = table[:, :HEAD]
        heads = np.ascontiguousarray(heads.reshape(-1, TOGETHER, HEAD).transpose(0, 2, 1))
        return cls(words, turn, table, heads, squares, tails, step, gap, longest)

    def near(
        self, points: NDArray[np.float32], take: int, own: NDArray[np.int32] | None
    ) -> NDArray[np.integer]:
        """Return words among which the `take` nearest of each point are, padded with -1."""
        width, points = self.table.shape[1], points @ self.turn
        steps = np.maximum(np.abs(points).max(axis=1), 1e-12) / min(2**15 - 1, 2**30 // (127 * width))
        queries = np.zeros((len(points), width), np.int16)
        queries[:, : points.shape[1]] = np.rint(points / steps[:, None])
        # A product is off by what its two factors are off; a score by twice that, and so are two scores.
        rounded = steps[:, None] * queries
        lengths = np.linalg.norm(points, axis=1)
        off = np.linalg.norm(points - rounded[:, : points.shape[1]], axis=1)
        slacks = 4 * (off * (self.longest + self.gap) + lengths * self.gap)
        slacks += _ROUNDING * self.longest * (self.longest + lengths)
        places = np.full(len(points), -1) if own is None else np.searchsorted(self.words, own)
        found = COMPILED["near_points"](
            queries,
            (2 * self.step * steps).astype(np.float32),
            (2 * np.linalg.norm(rounded[:, HEAD:], axis=1)).astype(np.float32),
            slacks.astype(np.float32),
            self.table,
            self.heads,
            self.squares,
            self.tails,
            places,
            take,
        )
        return np.where(found >= 0, self.words[found], -1)


def compile_nearest(database: Database | None = None) -> None:
    """Compile the loop over bytes, or load it, and use it from now on; make the bytes of a database's words."""
    from lexicloud.neighbours import table_numba
    from lexicloud.neighbours.table_numba import near_points

    assert (table_numba.HEAD, table_numba.TOGETHER) == (HEAD, TOGETHER)
    if database is not None and (table := NearestWords.of(database, refined=True)).offered.any():
        _ = table._bytes  # noqa: SLF001 (our own class)
    few = np.eye(2, dtype=np.float32)
    COMPILED["near_points"] = near_points
    _Bytes.of(few, np.arange(2, dtype=np.int32)).near(few, 1, None)


@derived
def _by_refined(database: Database) -> NearestWords:
    return NearestWords(database, refined=True)


@derived
def _by_raw(database: Database) -> NearestWords:
    return NearestWords(database, refined=False)


def _measured(
    points: NDArray[np.float32], vectors: NDArray[np.float32], ids: NDArray[np.integer], size: int
) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
    """Measure the candidates exactly and keep the nearest, the lower number first among equals."""
    gaps = vectors[ids].astype(np.float64) - points[:, None, :]
    distances = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
    distances[ids < 0] = np.inf
    order = np.lexsort((ids, distances), axis=1)[:, :size]
    return np.take_along_axis(ids, order, axis=1), np.take_along_axis(distances, order, axis=1)


def ball(database: Database, query: Query, r: int, *, refined: bool, own_words: bool = True) -> Ball:
    """Return U: the content words of the query and the `r` nearest words of each, minus stop words and
    punctuation.

    Query words that the database does not have, but that have a vector, still lead to their neighbours. Without
    `own_words` a query word leads to its neighbours alone, as the paper's text has it.
    """
    ignored = ignored_words(database)
    own = query.ids[~ignored[query.ids]]
    foreign = np.flatnonzero(query.unknown_embedded & query.unknown_content)
    names = [database.words[w] for w in own.tolist()] + [query.unknown[i] for i in foreign]
    near, far, origins = _neighbours(database, query, own, foreign, r, refined=refined)
    words, distances, sources = _united(
        own if own_words else own[:0], near[:, :r], far[:, :r], origins, ignored
    )
    return Ball(words, distances, sources, tuple(names))


def _united(
    own: NDArray[np.int32],
    near: NDArray[np.int32],
    far: NDArray[np.float32],
    origins: NDArray[np.int64],
    ignored: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """Return the words `own` (at distance 0, each its own origin) and those of `near` that are not ignored, ascending.

    Each comes once: with its least distance, and the first origin that it has this from.
    """
    good = near >= 0
    good[good] = ~ignored[near[good]]
    words = np.concatenate([own, near[good]]).astype(np.int32)
    distances = np.concatenate([np.zeros(len(own)), far[good]]).astype(np.float64)
    from_near = np.broadcast_to(origins[:, None], near.shape)[good]
    sources = np.concatenate([np.arange(len(own)), from_near]).astype(np.int32)
    order = np.lexsort((sources, distances, words))
    words, first = np.unique(words[order], return_index=True)
    kept = order[first]
    return words, distances[kept], sources[kept]


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
    table = NearestWords.of(database, refined=refined)
    origins = np.flatnonzero(database.embedded[own])
    near, far = table.of_words(own[origins], r)
    if not len(foreign):
        return near, far, origins
    points = (query.unknown_refined if refined else query.unknown_vectors)[foreign]
    ids, distances = table.of_points(points, r)
    origins = np.concatenate([origins, len(own) + np.arange(len(foreign))])
    return np.concatenate([near, ids]), np.concatenate([far, distances]), origins


# Large enough for the paper's example, small enough to stay above BM25 on relevance (docs/search-measured.md).
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


def closeness(distances: NDArray[np.float64], same: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how much a word at a distance between refined vectors counts: 1 for the word itself (`same`),
    LATENT · cosine for others.
    """
    cosine = 1 - distances**2 / 2  # refined vectors have unit length
    return np.where(same, 1.0, LATENT * np.maximum(cosine, 0))
