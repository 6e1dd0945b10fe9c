"""Sums over posting lists and over sentences (compiled)."""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit

# More than the rounding error of a sum of some hundred squares: in proportion to it, and where it is next to 0.
SLACK = np.float32(1 + 1e-4)
TINY = np.float32(1e-6)


@njit(cache=True, nogil=True)
def add_ones(postings_ptr, postings, words, counts):  # type: ignore[no-untyped-def]
    """Count, for every sentence, how many of the words it has."""
    for word in words:
        for row in postings[postings_ptr[word] : postings_ptr[word + 1]]:
            counts[row] += 1


@njit(cache=True, nogil=True)
def add_saturated(postings_ptr, postings, tf, words, weights, slack, scores):  # type: ignore[no-untyped-def]
    """Add weight · tf / (tf + slack of the sentence) for every word and every sentence that has it."""
    for j in range(len(words)):
        for p in range(postings_ptr[words[j]], postings_ptr[words[j] + 1]):
            scores[postings[p]] += weights[j] * tf[p] / (tf[p] + slack[postings[p]])


@njit(cache=True, nogil=True)
def masked_totals(indptr, indices, values, mask):  # type: ignore[no-untyped-def]
    """Return each sentence's sum of `values` over the words of `mask`."""
    totals = np.zeros(len(indptr) - 1, np.int64)
    for i in range(len(totals)):
        for p in range(indptr[i], indptr[i + 1]):
            if mask[indices[p]]:
                totals[i] += values[p]
    return totals


@njit(cache=True, nogil=True)
def masked_centroids(indptr, indices, counts, mask, vectors):  # type: ignore[no-untyped-def]
    """Return each sentence's mean vector over the tokens that are words of `mask`; nan where it has none."""
    n, d = len(indptr) - 1, vectors.shape[1]
    means = np.full((n, d), np.nan, np.float32)
    total = np.empty(d, np.float64)
    for i in range(n):
        total[:] = 0
        tokens = 0
        for p in range(indptr[i], indptr[i + 1]):
            if mask[indices[p]]:
                tokens += counts[p]
                for k in range(d):
                    total[k] += counts[p] * vectors[indices[p], k]
        if tokens:
            for k in range(d):
                means[i, k] = total[k] / tokens
    return means


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def distances_to(points, centre):  # type: ignore[no-untyped-def]
    """Return the Euclidean distance of every point to `centre`; nan where the point has nan."""
    out = np.empty(len(points), np.float64)
    for i in range(len(points)):
        total = 0.0
        for k in range(points.shape[1]):
            gap = np.float64(points[i, k]) - centre[k]
            total += gap * gap
        out[i] = np.sqrt(total)
    return out


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def near_points(points, centre, allowed, count):  # type: ignore[no-untyped-def]
    """Return, ascending, points among which the `count` nearest to `centre` are; those with nan are left out.

    Distances are taken in single precision, and points within its error of the farthest are kept too.
    """
    best = np.full(count, np.float32(np.inf))  # squared distances, the farthest first
    found = np.empty(4 * count, np.int32)
    squares = np.empty(4 * count, np.float32)
    n = 0
    for i in range(len(points)):
        total = np.float32(0)
        for k in range(points.shape[1]):
            gap = points[i, k] - centre[k]
            total += gap * gap
        if total <= best[0] * SLACK + TINY and allowed[i]:
            if n == len(found):
                n, found, squares = _drop_far(found, squares, best[0] * SLACK + TINY)
            found[n], squares[n] = i, total
            n += 1
            if total < best[0]:
                j = 0
                while j + 1 < count and best[j + 1] > total:
                    best[j] = best[j + 1]
                    j += 1
                best[j] = total
    return found[:n][squares[:n] <= best[0] * SLACK + TINY].copy()


@njit(cache=True, nogil=True)
def _drop_far(found, squares, most):  # type: ignore[no-untyped-def]
    """Keep the finds that are still near enough, with room for as many more."""
    near = squares <= most
    n = near.sum()
    wide, wider = np.empty(2 * max(n, len(found)), np.int32), np.empty(2 * max(n, len(found)), np.float32)
    wide[:n], wider[:n] = found[near], squares[near]
    return n, wide, wider
