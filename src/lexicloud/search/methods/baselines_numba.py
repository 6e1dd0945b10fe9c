"""The inner loops of the peers (compiled): sums over posting lists and sentences, means, and bounds of transport."""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit

# Above the rounding error of a sum of some hundred squares: SLACK is relative, TINY is for sums near 0.
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
    """Return points, ascending, that include the `count` nearest to `centre`; those with nan are left out.

    Distances are in single precision; points that its error could place among the nearest are returned too.
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
    wide, wider = np.empty(2 * len(found), np.int32), np.empty(2 * len(found), np.float32)
    n = 0
    for i in range(len(found)):
        if squares[i] <= most:
            wide[n], wider[n] = found[i], squares[i]
            n += 1
    return n, wide, wider


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
        for p in range(first, at):
            mass[p] /= tokens
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
    """Return tighter lower bounds for some rows; the work on a row ends once its bound exceeds `worst`.

    First every word of the query moves to the nearest word of the sentence. Then, in both directions, no word may
    receive more than its own mass from any other word. `table` is vocabulary × query words.
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
    """Return the cost when each supplier fills its nearest capacities as if it were the only one."""
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
