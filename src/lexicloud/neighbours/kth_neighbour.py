"""The distance from each word to its k-th nearest other word in each document (`reach`), exactly.

A word's points are visited from near to far until every document has k of them. To sort all points would be wasteful,
because the nearest few thousand suffice, so points are taken in portions with rising limits on the score. How many
points a word needs differs widely, but the number of *holdings* among them (a point counted once for each document that
holds it) hardly does. So the limits are quantiles of a word's scores over a sample of holdings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import OptionError
from lexicloud.neighbours.nearest import distinct
from lexicloud.neighbours.table import Scores, checked_vectors, in_threads, row_blocks
from lexicloud.progress import stage

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Holdings in the sample. For books and k = 100 the first limit is about the 40th of them, so it is accurate to 1/√40, a
# sixth.
SAMPLE: Final = 512
# If all documents were spread alike around a word, a share k / size of all holdings would suffice. On books, in 50
# dimensions, the last document needs 1.4 times that on average, and twice that for one word in twenty.
MARGIN: Final = 1.6
GROWTH: Final = 1.6  # from one portion to the next
# The share of holdings that one look at the scores takes, for two portions at least. For words that need more, all
# scores are computed once again.
FIRST: Final = 1 / 8
SPARE: Final = 2.5  # times the room that the points of the first look take on average


@dataclass(frozen=True)
class LookAhead:
    """A sample of holdings (`columns` are their points), and the ranks in it that give the limits."""

    columns: NDArray[np.intp]
    ranks: NDArray[np.intp]

    @classmethod
    def of(cls, holds: sparse.csr_array, sizes: NDArray[np.int32], ks: NDArray[np.int32]) -> LookAhead:
        """Choose the sample and the ranks for points × documents, the documents' sizes, and ascending ks."""
        size = min(SAMPLE, holds.nnz)
        chosen = np.arange(size) * holds.nnz // max(size, 1)
        columns = np.searchsorted(holds.indptr, chosen, side="right") - 1
        return cls(columns, _ranks(_share(sizes, ks), size))

    def limits(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return ascending limits for each row of scores of the sample, the last infinite."""
        sample = np.sort(scores, axis=1)
        last = np.full((len(scores), 1), np.inf, dtype=np.float32)
        return np.concatenate([sample[:, self.ranks], last], axis=1)

    @property
    def first(self) -> int:
        """How many limits the first look serves."""
        return max(2, int(np.searchsorted(self.ranks, FIRST * len(self.columns), side="right")))

    def room(self, points: int) -> int:
        """Return how many points to make room for in the first look."""
        if len(self.ranks) < self.first:
            return points
        return min(points, int(SPARE * points * self.ranks[self.first - 1] / len(self.columns)))


def _share(sizes: NDArray[np.int32], ks: NDArray[np.int32]) -> float:
    """Return the largest share of its points that any document needs."""
    most = ks[np.maximum(np.searchsorted(ks, sizes, side="right") - 1, 0)]
    answering = sizes >= ks[0]
    return float(np.max(most[answering] / sizes[answering], initial=0.0))


def _ranks(share: float, size: int) -> NDArray[np.intp]:
    """Return growing ranks in a sample of `size`, up to half of it; after them all other points are taken at once."""
    ranks, rank = [], 3 + MARGIN * share * size
    while rank < size / 2:
        ranks.append(int(rank))
        rank *= GROWTH
    return np.array(ranks, dtype=np.intp)


# Rough times to visit a point: for each word of bits, or for a list and each document in it. They affect speed only.
_NS_PER_WORD: Final = 7
_NS_PER_POINT: Final = 16
_NS_PER_HOLDING: Final = 4


def reach(
    vectors: NDArray[np.float32],
    members: sparse.csr_array,
    ks: Sequence[int],
    words: NDArray[np.int32] | None = None,
) -> NDArray[np.float32]:
    """Return the distance from each word to its k-th nearest other word in each document, for each k.

    The shape is (len(ks), len(words), documents); inf where a document has fewer than k other words.

    `members` is a CSR matrix of documents × vocabulary; its stored entries say which words a document has. Words with
    the same vector count as one point, because a distance of zero says nothing about density. A word is never its own
    neighbour. `words` defaults to the whole vocabulary.
    """
    words = np.arange(len(vectors), dtype=np.int32) if words is None else np.asarray(words, dtype=np.int32)
    out = np.full((len(ks), len(words), members.shape[0]), np.inf, dtype=np.float32)
    for block, distances in iter_reach(vectors, members, ks, words):
        out[:, block] = distances
    return out


def iter_reach(
    vectors: NDArray[np.float32],
    members: sparse.csr_array,
    ks: Sequence[int],
    words: NDArray[np.int32],
) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Yield the distances of `reach` for one block of `words` after the other, so that memory stays bounded."""
    from lexicloud.neighbours.kth_neighbour_numba import reach_rows

    sorted_ks, places = _checked_ks(ks)
    cloud = _Cloud.build(checked_vectors(vectors), members, words)
    scores, look_ahead = Scores(cloud.points), LookAhead.of(cloud.holds, cloud.sizes, sorted_ks)
    held, room = (*_lists(cloud.holds), _bits(cloud.holds), cloud.sizes), look_ahead.room(len(cloud.points))

    def work(block: slice) -> NDArray[np.float32]:
        queries, own = np.ascontiguousarray(cloud.queries[block]), cloud.own[block]
        limits = look_ahead.limits(scores.of_some(queries, look_ahead.columns))
        out = np.full((len(queries), len(sorted_ks), members.shape[0]), np.inf, dtype=np.float32)

        def visit(rows: NDArray[np.intp], limits: NDArray[np.float32], room: int) -> NDArray[np.intp]:
            """Visit the points below the limits, and return the rows that need more."""
            asked = queries[rows]
            near = scores.below(asked, limits[:, -1], room)
            squares = scores.squares_of(asked)
            answered = reach_rows(
                *near, limits, squares, own[rows], asked, cloud.points, *held, sorted_ks, rows, out
            )
            return np.asarray(rows[~answered])

        rest = visit(np.arange(len(queries)), limits[:, : look_ahead.first], room)
        for part in row_blocks(len(rest), 2 * len(cloud.points)):
            visit(rest[part], limits[rest[part]], len(cloud.points))
        return out[:, places].transpose(1, 0, 2)

    with stage("measuring how far words reach", len(words)) as advance:
        for block, distances in in_threads(work, row_blocks(len(words), 2 * room)):
            yield block, distances
            advance(block.stop - block.start)


def _checked_ks(ks: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the distinct ks in ascending order, and the place of each given k among them."""
    if not len(ks) or min(ks) < 1:
        raise OptionError(f"k must be at least 1, not {min(ks, default=0)}")
    distinct, places = np.unique(np.asarray(ks, dtype=np.int32), return_inverse=True)
    return distinct, places


@dataclass(frozen=True)
class _Cloud:
    """The distinct points of all documents, and which documents hold each."""

    points: NDArray[np.float32]
    queries: NDArray[np.float32]
    own: NDArray[np.int32]  # the number of the query word's own point, or -1
    holds: sparse.csr_array  # points × documents
    sizes: NDArray[np.int32]  # distinct points of each document

    @classmethod
    def build(
        cls, vectors: NDArray[np.float32], members: sparse.csr_array, words: NDArray[np.int32]
    ) -> _Cloud:
        needed = _marked(len(vectors), members.indices, words)
        first, point_of_needed = distinct(vectors[needed])
        point_of_word = np.full(len(vectors), -1, dtype=np.int32)
        point_of_word[needed] = point_of_needed
        # Only points of some document are columns; a query word that is in no document has none.
        columns = _marked(len(first), point_of_word[members.indices])
        column_of_point = np.full(len(first), -1, dtype=np.int32)
        column_of_point[columns] = np.arange(len(columns), dtype=np.int32)
        holds = _holdings(members, column_of_point[point_of_word[members.indices]], len(columns))
        return cls(
            np.ascontiguousarray(vectors[needed[first[columns]]]),
            vectors[words],
            column_of_point[point_of_word[words]],
            holds,
            np.bincount(holds.indices, minlength=members.shape[0]).astype(np.int32),
        )


def _marked(size: int, *numbers: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the numbers below `size` that occur, in ascending order."""
    marks = np.zeros(size, dtype=bool)
    for some in numbers:
        marks[some] = True
    return np.flatnonzero(marks)


def _holdings(members: sparse.csr_array, columns: NDArray[np.int32], n: int) -> sparse.csr_array:
    """Return points × documents, each pair once."""
    documents = np.repeat(np.arange(members.shape[0], dtype=np.int32), np.diff(members.indptr))
    ones = np.ones(len(columns), dtype=np.int8)
    holds = sparse.coo_array((ones, (columns, documents)), shape=(n, members.shape[0])).tocsr()
    holds.sum_duplicates()
    return holds


def _lists(holds: sparse.csr_array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return starts and documents as int32, whatever SciPy chose: another type would be compiled again."""
    return holds.indptr.astype(np.int32, copy=False), holds.indices.astype(np.int32, copy=False)


def _bits(holds: sparse.csr_array) -> NDArray[np.uint64]:
    """Return for each point the documents that hold it, as bits in words of 64; no words if lists are faster."""
    points, documents = holds.shape
    words = -(-documents // 64)
    if words * _NS_PER_WORD > _NS_PER_POINT + _NS_PER_HOLDING * holds.nnz / max(points, 1):
        return np.zeros((points, 0), dtype=np.uint64)
    bits = np.zeros((points, words), dtype=np.uint64)
    point = np.repeat(np.arange(points), np.diff(holds.indptr))
    bit = np.uint64(1) << (holds.indices % 64).astype(np.uint64)
    np.bitwise_or.at(bits, (point, holds.indices // 64), bit)
    return bits
