"""How many of a word's neighbours to look at before all documents have met their k of them.

Sorting all points for each word would be a waste, since the nearest few thousand decide; too few, and another portion
has to be fetched. A word in a dense region needs many more points than one in a sparse region, but about as many
*holdings* (a point counted once for each document that holds it): where it needs few points, those are in many
documents. So limits are quantiles of a word's scores over a sample of holdings.
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

# Holdings looked at for each word. For books and k = 100 the first limit is about the 40th of them, which places it
# to within 1/√40, a sixth.
SAMPLE: Final = 512
# If a document's points lay about a word like everyone's, its share k / size of all holdings would do. On books, in
# 50 dimensions, the document that waits longest needs 1.4 times that on average and twice that for one word in twenty.
MARGIN: Final = 1.6
GROWTH: Final = 1.6  # of one portion to the next


@dataclass(frozen=True)
class LookAhead:
    """A sample of points, drawn by how many documents hold them, and the ranks in it that are the limits."""

    columns: NDArray[np.intp]
    ranks: NDArray[np.intp]

    @classmethod
    def of(cls, holds: sparse.csr_array, sizes: NDArray[np.int32], ks: NDArray[np.int32]) -> LookAhead:
        """Plan for points × documents of the given sizes and the ks in ascending order."""
        size = min(SAMPLE, holds.nnz)
        chosen = np.arange(size) * holds.nnz // max(size, 1)
        columns = np.searchsorted(holds.indptr, chosen, side="right") - 1
        return cls(columns, _ranks(_share(sizes, ks), size))

    def limits(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return ascending limits for each row of scores, the last infinite."""
        sample = np.sort(scores[:, self.columns], axis=1)
        last = np.full((len(scores), 1), np.inf, dtype=np.float32)
        return np.concatenate([sample[:, self.ranks], last], axis=1)


def _share(sizes: NDArray[np.int32], ks: NDArray[np.int32]) -> float:
    """Return the largest share of its points that a document needs."""
    most = ks[np.maximum(np.searchsorted(ks, sizes, side="right") - 1, 0)]
    answering = sizes >= ks[0]
    return float(np.max(most[answering] / sizes[answering], initial=0.0))


def _ranks(share: float, size: int) -> NDArray[np.intp]:
    """Return the ranks in a sample of `size` that grow from a first guess; beyond half of it all is taken at once."""
    ranks, rank = [], 3 + MARGIN * share * size
    while rank < size / 2:
        ranks.append(int(rank))
        rank *= GROWTH
    return np.array(ranks, dtype=np.intp)


# Roughly what it takes to meet a point: each word of bits, against a list and each document in it. They settle speed
# alone, and near the boundary the two are about equally fast.
_NS_PER_WORD: Final = 7
_NS_PER_POINT: Final = 16
_NS_PER_HOLDING: Final = 4


def reach(
    vectors: NDArray[np.float32],
    members: sparse.csr_array,
    ks: Sequence[int],
    words: NDArray[np.int32] | None = None,
) -> NDArray[np.float32]:
    """Return distances of shape (len(ks), len(words), documents); inf where a document has fewer than k others.

    `members` says which words (columns) belong to which document (rows): any CSR matrix whose stored entries are
    the members. Words with the same vector count as one point, since a distance of zero says nothing about
    density; a word never counts as its own neighbour. `words` defaults to the whole vocabulary.
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
    """Yield `reach` block by block of `words`, so that memory stays bounded however many documents there are."""
    from lexicloud.neighbours.kth_neighbour_numba import reach_rows

    sorted_ks, places = _checked_ks(ks)
    cloud = _Cloud.build(checked_vectors(vectors), members, words)
    scores, look_ahead = Scores(cloud.points), LookAhead.of(cloud.holds, cloud.sizes, sorted_ks)
    held = (*_lists(cloud.holds), _bits(cloud.holds), cloud.sizes)

    def work(block: slice) -> NDArray[np.float32]:
        queries, own = np.ascontiguousarray(cloud.queries[block]), cloud.own[block]
        rows = scores.of(queries)
        itself = np.flatnonzero(own >= 0)
        rows[itself, own[itself]] = np.inf
        out = np.full((len(queries), len(sorted_ks), members.shape[0]), np.inf, dtype=np.float32)
        reach_rows(rows, look_ahead.limits(rows), own, queries, cloud.points, *held, sorted_ks, out)
        return out[:, places].transpose(1, 0, 2)

    with stage("measuring how far words reach", len(words)) as advance:
        for block, distances in in_threads(work, row_blocks(len(words), len(cloud.points))):
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
    own: NDArray[np.int32]  # the point that a query word itself is, or -1
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
        # Only points of some document are columns; a query word that is in none has no column of its own.
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
    """Return starts and documents as one type, whichever scipy chose: another would be compiled for anew."""
    return holds.indptr.astype(np.int32, copy=False), holds.indices.astype(np.int32, copy=False)


def _bits(holds: sparse.csr_array) -> NDArray[np.uint64]:
    """Return which documents hold each point as bits, 64 documents to a word, or no words where lists are faster."""
    points, documents = holds.shape
    words = -(-documents // 64)
    if words * _NS_PER_WORD > _NS_PER_POINT + _NS_PER_HOLDING * holds.nnz / max(points, 1):
        return np.zeros((points, 0), dtype=np.uint64)
    bits = np.zeros((points, words), dtype=np.uint64)
    point = np.repeat(np.arange(points), np.diff(holds.indptr))
    bit = np.uint64(1) << (holds.indices % 64).astype(np.uint64)
    np.bitwise_or.at(bits, (point, holds.indices // 64), bit)
    return bits
