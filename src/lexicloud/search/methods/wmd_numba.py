"""Lower bounds of Word Mover's Distance for many sentences at once (compiled)."""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit


@njit(cache=True, nogil=True)
def gather(indptr, indices, counts, kept):  # type: ignore[no-untyped-def]
    """Return the sentences' clouds by rows: where each begins, its words of `kept`, and their share of its tokens."""
    starts = np.zeros(len(indptr), np.int64)
    words = np.empty(len(indices), np.int32)
    mass = np.empty(len(indices), np.float64)
    at = 0
    for i in range(len(indptr) - 1):
        first, tokens = at, 0
        for p in range(indptr[i], indptr[i + 1]):
            if kept[indices[p]]:
                words[at] = indices[p]
                mass[at] = counts[p]
                tokens += counts[p]
                at += 1
        mass[first:at] /= max(tokens, 1)
        starts[i + 1] = at
    return starts, words[:at].copy(), mass[:at].copy()


@njit(cache=True, nogil=True)
def relaxed(starts, words, mass, nearest):  # type: ignore[no-untyped-def]
    """Return each sentence's cost of moving its words to the nearest word of the query; inf where it has
    none.

    `nearest` is, for every word of the vocabulary, the distance to the nearest query word.
    """
    bounds = np.full(len(starts) - 1, np.inf, np.float32)
    for i in range(len(bounds)):
        if starts[i] < starts[i + 1]:
            total = 0.0
            for p in range(starts[i], starts[i + 1]):
                total += mass[p] * nearest[words[p]]
            bounds[i] = total
    return bounds


@njit(cache=True, nogil=True)
def tighten(starts, words, mass, rows, query_mass, table, bounds, worst):  # type: ignore[no-untyped-def]
    """Raise the bounds of some rows, leaving off as soon as one exceeds `worst`.

    First the query's words move to the nearest word of the sentence; then, both ways, no more than a word's
    own mass may arrive at it from any other word. `table` is vocabulary × query words.
    """
    out = np.empty(len(rows), np.float64)
    nearest = np.empty(len(query_mass), np.float32)
    for k in range(len(rows)):
        low, high = starts[rows[k]], starts[rows[k] + 1]
        nearest[:] = np.inf
        for p in range(low, high):
            far = table[words[p]]
            for j in range(len(nearest)):
                nearest[j] = min(nearest[j], far[j])
        back = 0.0
        for j in range(len(nearest)):
            back += query_mass[j] * nearest[j]
        out[k] = max(bounds[rows[k]], back)
        if out[k] <= worst:
            D = table[words[low:high]]
            out[k] = max(out[k], _capped(D, mass[low:high], query_mass))
            if out[k] <= worst:
                out[k] = max(out[k], _capped(D.T, query_mass, mass[low:high]))
    return out


@njit(cache=True, nogil=True)
def _capped(D, supply, capacity):  # type: ignore[no-untyped-def]
    """Return the cost when every supplier fills the nearest capacities, each as if it were alone."""
    total = 0.0
    used = np.empty(len(capacity), np.bool_)
    for i in range(len(supply)):
        used[:] = False
        left = supply[i]
        for _ in range(len(capacity)):
            best = -1
            for j in range(len(capacity)):
                if not used[j] and (best < 0 or D[i, j] < D[i, best]):
                    best = j
            amount = min(left, capacity[best])
            total += amount * D[i, best]
            left -= amount
            used[best] = True
            if left <= 1e-12:
                break
    return total


@njit(cache=True, nogil=True)
def distances(points, vectors, words):  # type: ignore[no-untyped-def]
    """Return the exact Euclidean distance of every point to the vector of every word."""
    out = np.empty((len(points), len(words)), np.float64)
    for i in range(len(points)):
        for j in range(len(words)):
            total = 0.0
            for k in range(points.shape[1]):
                gap = points[i, k] - np.float64(vectors[words[j], k])
                total += gap * gap
            out[i, j] = np.sqrt(total)
    return out
