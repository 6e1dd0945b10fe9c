"""Sentences as clouds of word vectors, and the cheapest way to move one cloud onto another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import EstimateError
from lexicloud.search.candidates import ignored_words, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.query import Database, Query

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cloud:
    """Distinct words, their vectors, and the share of tokens that each has."""

    words: tuple[str, ...]
    vectors: NDArray[np.float64]
    mass: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean vector."""
        return self.mass @ self.vectors


def cloud_words(database: Database) -> NDArray[np.bool_]:
    """Return which words a cloud holds: those with a vector that are neither stop words nor punctuation."""
    if "cloud words" not in database.cache:
        database.cache["cloud words"] = database.embedded & ~ignored_words(database)
    words: NDArray[np.bool_] = database.cache["cloud words"]
    return words


def sentence_cloud(database: Database, row: int) -> Cloud:
    """Return the cloud of one sentence of the database."""
    start, stop = database.indptr[row], database.indptr[row + 1]
    ids, counts = database.indices[start:stop], database.counts[start:stop]
    return _cloud(database, ids, counts)


def query_cloud(database: Database, query: Query) -> Cloud:
    """Return the cloud of a query; words that the database lacks take part when they have a vector."""
    known = _cloud(database, query.ids, query.counts)
    keep = np.flatnonzero(query.unknown_embedded & query.unknown_content)
    if not len(keep):
        return known
    kept = cloud_words(database)[query.ids]
    counts = np.concatenate([query.counts[kept], query.unknown_counts[keep]]).astype(np.float64)
    vectors = np.vstack([known.vectors, query.unknown_vectors[keep].astype(np.float64)])
    return Cloud((*known.words, *(query.unknown[i] for i in keep)), vectors, counts / counts.sum())


def _cloud(database: Database, ids: NDArray[np.int32], counts: NDArray[np.integer]) -> Cloud:
    keep = cloud_words(database)[ids]
    ids, counts = ids[keep], counts[keep]
    mass = counts / counts.sum() if len(counts) else counts.astype(np.float64)
    return Cloud(tuple(database.words[w] for w in ids), database.vectors[ids].astype(np.float64), mass)


def centroids(database: Database) -> NDArray[np.float32]:
    """Return every sentence's mean vector, nan where it has no word with a vector; computed once."""
    if "centroids" not in database.cache:
        from lexicloud.search.methods.postings_numba import masked_centroids

        database.cache["centroids"] = masked_centroids(
            plain(database.indptr, np.int64),
            plain(database.indices, np.int32),
            plain(database.counts, np.uint16),
            cloud_words(database),
            plain(database.vectors, np.float32),
        )
    means: NDArray[np.float32] = database.cache["centroids"]
    return means


_STEPS: Final = 10_000_000  # of the network simplex; two sentences need a few dozen
_SOLVED: Final = 1  # the solver's code for an optimal plan


def distances_between(X: Floats, Y: Floats) -> Floats:
    """Return the Euclidean distance of every pair of rows, exactly 0 for equal rows."""
    gaps = X[:, None, :] - Y[None, :, :]
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps)))


def plan(P: Cloud, Q: Cloud) -> tuple[Floats, Floats]:
    """Return the optimal transport plan between two clouds and the distances it pays."""
    D = distances_between(P.vectors, Q.vectors)
    return solve(P.mass, Q.mass, D), D


def solve(a: Floats, b: Floats, D: Floats) -> Floats:
    """Return the plan of least cost with marginals `a` and `b`."""
    if len(a) == 1 or len(b) == 1:
        return np.outer(a, b)  # the only plan there is
    # The solver itself: the checks around it take seven times as long as a problem of this size.
    from ot.lp.emd_wrap import emd_c

    T, _, _, _, status = emd_c(a, b, np.ascontiguousarray(D), _STEPS, 1)
    if status != _SOLVED:
        raise EstimateError(
            f"a transport of {len(a)} × {len(b)} words was not solved within {_STEPS:,} steps"
        )
    return np.asarray(T)
