"""The compiled loop over tokens that adds up word vectors; it holds no lock, so that threads run side by side."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def write_means(chosen, bounds, words, weights, vectors, mask, means):  # type: ignore[no-untyped-def]
    """Write the mean vector of each chosen row over its words of `mask`; without any it is zero.

    Row r has the words words[bounds[r]:bounds[r + 1]], each as often as its weight says.
    """
    d = vectors.shape[1]
    total = np.empty(d, np.float32)
    for i in range(len(chosen)):
        total[:] = 0
        size = np.float32(0)
        for t in range(bounds[chosen[i]], bounds[chosen[i] + 1]):
            word, weight = words[t], weights[t]
            if mask[word]:
                size += weight
                for j in range(d):
                    total[j] += weight * vectors[word, j]
        size = max(size, np.float32(1))
        for j in range(d):
            means[i, j] = total[j] / size
