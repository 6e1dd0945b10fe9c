"""The exact table of nearest words: built once per corpus, shared by all three pillars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.errors import OptionError, VectorsError
from lexicloud.neighbours.blocks import Scores, in_threads, row_blocks
from lexicloud.progress import stage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus


@dataclass(frozen=True, eq=False)
class Neighbours:
    """For every word its nearest other words with Euclidean distances, nearest first.

    Row w of `ids` holds word numbers, padded with -1; `distances` is padded with inf. Rows of words outside `mask` are
    all padding, and no row names such a word. Words at equal distance stand in the order of their numbers.

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

        A vocabulary with fewer than k others gives shorter rows, padded.
        """
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
    def of(
        cls, corpus: Corpus, k: int = 256, *, mask: NDArray[np.bool_] | None = None, refined: bool = False
    ) -> Neighbours:
        """Return the table of a corpus over its embedded words (or `mask`), built once and shared.

        A table that was already built for a larger k serves a smaller one.
        """
        _check_k(k)
        mask = corpus.embedded if mask is None else mask
        key = ("neighbours", refined, mask.tobytes())
        cache = corpus.lexicon.cache
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
    """Return vectors as contiguous float32, or say why they cannot be used."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if vectors.ndim != 2:
        raise VectorsError(
            f"vectors must be a table of words × dimensions, not an array of shape {vectors.shape}"
        )
    if not np.isfinite(vectors).all():
        raise VectorsError("a vector holds nan or infinity: load the vectors again, or mask that word out")
    return vectors


def _fill(points: NDArray[np.float32], k: int, near: NDArray[np.int32], far: NDArray[np.float32]) -> None:
    from lexicloud.neighbours.kernels import nearest_rows

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
    """Turn a table over points into one over all words; nothing is copied when all words are points."""
    if len(words) == size and near.shape[1] == k:
        return near, far
    ids = np.full((size, k), -1, dtype=np.int32)
    distances = np.full((size, k), np.inf, dtype=np.float32)
    ids[words, : near.shape[1]] = np.where(near >= 0, words[near], -1) if near.size else near
    distances[words, : far.shape[1]] = far
    return ids, distances
