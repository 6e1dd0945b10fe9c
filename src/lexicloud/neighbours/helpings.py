"""How many of a word's neighbours to look at before all documents have met their k of them.

Sorting all points for each word would be a waste, since the nearest few thousand decide; too few, and another helping
has to be fetched. A word in a dense region needs many more points than one in a sparse region, but about as many
*holdings* (a point counted once for each document that holds it): where it needs few points, those are in many
documents. So limits are quantiles of a word's scores over a sample of holdings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

# Holdings looked at for each word. For books and k = 100 the first limit is about the 40th of them, which places it
# to within 1/√40, a sixth.
SAMPLE: Final = 512
# If a document's points lay about a word like everyone's, its share k / size of all holdings would do. On books, in
# 50 dimensions, the document that waits longest needs 1.4 times that on average and twice that for one word in twenty.
MARGIN: Final = 1.6
GROWTH: Final = 1.6  # of one helping to the next


@dataclass(frozen=True)
class Helpings:
    """A sample of points, drawn by how many documents hold them, and the ranks in it that are the limits."""

    columns: NDArray[np.intp]
    ranks: NDArray[np.intp]

    @classmethod
    def of(cls, holds: sparse.csr_array, sizes: NDArray[np.int32], ks: NDArray[np.int32]) -> Helpings:
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
