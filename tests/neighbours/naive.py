"""The slow, obvious versions of the table and of reach; tests hold the fast ones against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def naive_table(vectors: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Measure everything, sort everything."""
    exact = np.asarray(vectors, dtype=np.float64)
    distances = np.sqrt(((exact[:, None] - exact[None]) ** 2).sum(axis=-1))
    np.fill_diagonal(distances, np.inf)
    ids = np.argsort(distances, axis=1, kind="stable")[:, : min(k, len(exact) - 1)]
    return ids, np.take_along_axis(distances, ids, axis=1)


def naive_reach(
    vectors: NDArray[np.float32],
    documents: Sequence[Sequence[int]],
    k: int,
    words: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """For every word (or some) and document, sort the distances to the document's distinct other points."""
    exact = np.asarray(vectors, dtype=np.float64)
    queries = exact if words is None else exact[np.asarray(words)]
    out = np.full((len(queries), len(documents)), np.inf)
    for w, own in enumerate(queries):
        for d, theirs in enumerate(documents):
            others = {tuple(exact[j] + 0.0) for j in theirs} - {tuple(own + 0.0)}
            distances = sorted(float(np.linalg.norm(own - np.array(o))) for o in others)
            if len(distances) >= k:
                out[w, d] = distances[k - 1]
    return out
