"""The distances that the paper's published code uses in place of υ, for `compat="authors"`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.neighbours import iter_reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    Reach = NDArray[np.float32]

# Squared distances in Q below this are passed over.
LEAST: Final = np.float32(1e-4)


def published_upsilons(
    vectors: Reach, Q: sparse.csr_array, ks: Sequence[int], words: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int32], Reach]]:
    """Yield squared distances to the k-th word of each document, the word itself being the first where it
    occurs.

    Where that is below `LEAST`, the nearest word beyond `LEAST` is taken; where there is none, infinity,
    which drops the term for α < 1 and is left to the caller otherwise.
    """
    ranks = sorted({r for k in ks for r in (k - 1, k)})
    member = (Q > 0).tocsc()
    for block, distances in iter_reach(vectors, Q, ranks, words):
        own = member[:, words[block]].T.toarray()
        chosen = [np.where(own, distances[ranks.index(k - 1)], distances[ranks.index(k)]) for k in ks]
        squared = np.stack(chosen) ** 2
        _look_farther(squared, vectors, Q, words[block])
        yield words[block], squared


def _look_farther(squared: Reach, vectors: Reach, Q: sparse.csr_array, words: NDArray[np.int32]) -> None:
    """Replace distances below `LEAST` by the next one above it, in place."""
    for j, i, q in zip(*np.nonzero(squared < LEAST), strict=True):
        theirs = Q.indices[Q.indptr[q] : Q.indptr[q + 1]]
        every = ((vectors[theirs] - vectors[words[i]]) ** 2).sum(axis=1)
        squared[j, i, q] = np.min(every[every > LEAST], initial=np.inf)
