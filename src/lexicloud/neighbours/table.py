"""The exact table of nearest words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus


@dataclass(frozen=True, eq=False)
class Neighbours:
    """For every word its nearest other words with Euclidean distances, nearest first.

    Row w of `ids` holds word numbers, padded with -1; `distances` is padded with inf. Rows of words outside `mask` are
    all padding, and no row names such a word. Words at equal distance stand in the order of their numbers.
    """

    ids: NDArray[np.int32]
    distances: NDArray[np.float32]
    mask: NDArray[np.bool_]

    @classmethod
    def build(cls, vectors: NDArray[np.float32], k: int = 256, mask: NDArray[np.bool_] | None = None) -> Neighbours:
        """Build the table of the `k` nearest other words among the words of `mask`."""
        import faiss

        mask = np.ones(len(vectors), dtype=bool) if mask is None else mask
        words = np.flatnonzero(mask)
        points = np.ascontiguousarray(vectors[words], dtype=np.float32)
        ids = np.full((len(vectors), k), -1, dtype=np.int32)
        distances = np.full((len(vectors), k), np.inf, dtype=np.float32)
        index = faiss.IndexFlatL2(points.shape[1])
        index.add(points)
        take = min(k, len(words) - 1)
        squared, found = index.search(points, take + 1)
        for i, w in enumerate(words):
            others = found[i] != i
            row = np.flatnonzero(others)[:take]
            ids[w, :take] = words[found[i, row]]
            distances[w, :take] = np.sqrt(np.maximum(squared[i, row], 0))
        return cls(ids, distances, mask)

    @classmethod
    def of(
        cls, corpus: Corpus, k: int = 256, *, mask: NDArray[np.bool_] | None = None, refined: bool = False
    ) -> Neighbours:
        """Return the table of a corpus over its embedded words (or `mask`), built once and shared."""
        mask = corpus.embedded if mask is None else mask
        key = ("neighbours", k, refined, mask.tobytes())
        cache = corpus.lexicon.cache
        if key not in cache:
            cache[key] = cls.build(corpus.refined if refined else corpus.vectors, k, mask)
        table: Neighbours = cache[key]
        return table
