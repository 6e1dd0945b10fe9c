"""Compiled loops over rows of scores; they hold no lock, so that threads run side by side.

A *score* of point j seen from point i is |y_j|² − 2 x_i·y_j: the squared distance less |x_i|², which orders
points alike. Scores come from one matrix product in single precision; whatever is reported is measured again from
the coordinates.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_NEVER = 2**31 - 1  # no document has that many points, so a count that starts here is never used up
_BITS = 11
_LEVELS = 2**_BITS
_SAMPLE = 256  # scores looked at to guess where a row's nearest end; sorting more costs more than a better guess saves


@njit(cache=True, nogil=True, inline="always")
def _squared(x, y):  # type: ignore[no-untyped-def]
    """Squared distance in double precision; four sums in a fixed order, the same for (x, y) and (y, x)."""
    a = b = c = d = 0.0
    n = x.shape[0]
    tail = n - n % 4
    for i in range(0, tail, 4):
        e = np.float64(x[i]) - np.float64(y[i])
        f = np.float64(x[i + 1]) - np.float64(y[i + 1])
        g = np.float64(x[i + 2]) - np.float64(y[i + 2])
        h = np.float64(x[i + 3]) - np.float64(y[i + 3])
        a += e * e
        b += f * f
        c += g * g
        d += h * h
    for i in range(tail, n):
        e = np.float64(x[i]) - np.float64(y[i])
        a += e * e
    return (a + b) + (c + d)


@njit(cache=True, nogil=True)
def _sampled(row):  # type: ignore[no-untyped-def]
    """Return an evenly spaced sample of a row of scores, sorted."""
    n = row.shape[0]
    size = min(n, _SAMPLE)
    out = np.empty(size, np.float32)
    for i in range(size):
        out[i] = row[(i * n) // size]
    out.sort()
    return out


@njit(cache=True, nogil=True, inline="always")
def _gather(row, low, high, columns, scores):  # type: ignore[no-untyped-def]
    """Collect the columns whose score lies in [low, high), and return how many there are.

    The slot is written before it is known whether it counts: no branch, so the loop runs at memory speed.
    """
    count = 0
    for j in range(row.shape[0]):
        s = row[j]
        columns[count] = j
        scores[count] = s
        count += (s >= low) & (s < high)
    return count


@njit(cache=True, nogil=True)
def _sort(columns, scores, count, keys, spare_columns, spare_keys):  # type: ignore[no-untyped-def]
    """Sort columns by score, equals by number: two passes of a radix sort over 22 bits, without a branch to mispredict.

    22 bits divide the range of the scores as finely as single precision measured them.
    """
    if count == 0:
        return
    low = high = scores[0]
    for i in range(count):
        low, high = min(low, scores[i]), max(high, scores[i])
    scale = np.float32(_LEVELS * _LEVELS - 1) / max(high - low, np.float32(1e-30))
    minor, major = np.zeros(_LEVELS + 1, np.int32), np.zeros(_LEVELS + 1, np.int32)
    for i in range(count):
        key = min(np.int32((scores[i] - low) * scale), np.int32(_LEVELS * _LEVELS - 1))
        keys[i] = key
        minor[(key & (_LEVELS - 1)) + 1] += 1
        major[(key >> _BITS) + 1] += 1
    for b in range(_LEVELS):
        minor[b + 1] += minor[b]
        major[b + 1] += major[b]
    for i in range(count):
        b = keys[i] & (_LEVELS - 1)
        spare_columns[minor[b]] = columns[i]
        spare_keys[minor[b]] = keys[i]
        minor[b] += 1
    for i in range(count):
        b = spare_keys[i] >> _BITS
        columns[major[b]] = spare_columns[i]
        major[b] += 1


@njit(cache=True, nogil=True)
def nearest_rows(scores, first, points, k, slack, ids, distances):  # type: ignore[no-untyped-def]
    """For rows first, first + 1, … of a table write the `k` nearest other points, nearest first, ties by number.

    `slack` bounds the rounding error of a score: everything that could belong to the k nearest is measured again.
    """
    n = scores.shape[1]
    columns = np.empty(n + 1, np.int32)
    kept = np.empty(n + 1, np.float32)
    for r in range(scores.shape[0]):
        row, own = scores[r], first + r
        row[own] = np.inf
        high = _start(row, k)
        count = _gather(row, -np.inf, high, columns, kept)
        if count < k:  # the guess was too low; everything but the point itself is below infinity
            high = np.float32(np.inf)
            count = _gather(row, -np.inf, high, columns, kept)
        if count > k:
            limit = np.partition(kept[:count], k - 1)[k - 1] + 2 * slack[r]
            if limit >= high:
                count = _gather(row, -np.inf, np.nextafter(limit, np.float32(np.inf)), columns, kept)
            else:
                count = _keep_below(columns, kept, count, limit)
        _write_nearest(points, own, columns, count, k, ids[own], distances[own])


@njit(cache=True, nogil=True)
def _start(row, k):  # type: ignore[no-untyped-def]
    """Guess a score below which a little more than `k` of a row lie."""
    sample = _sampled(row)
    n, size = row.shape[0], sample.shape[0]
    if size == n:
        return np.float32(np.inf)
    share = k / n * size
    at = np.int64(share + 3 * np.sqrt(share) + 2)
    return sample[at] if at < size else np.float32(np.inf)


@njit(cache=True, nogil=True)
def _keep_below(columns, scores, count, limit):  # type: ignore[no-untyped-def]
    kept = 0
    for i in range(count):
        if scores[i] <= limit:
            columns[kept] = columns[i]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _write_nearest(points, own, columns, count, k, ids, distances):  # type: ignore[no-untyped-def]
    exact = np.empty(count, np.float64)
    order = np.sort(columns[:count])  # by number first, so that a stable sort settles ties
    for i in range(count):
        exact[i] = _squared(points[own], points[order[i]])
    by_distance = np.argsort(exact, kind="mergesort")
    for i in range(min(k, count)):
        ids[i] = order[by_distance[i]]
        distances[i] = np.float32(np.sqrt(exact[by_distance[i]]))


@njit(cache=True, nogil=True)
def _begin(own, starts, documents, sizes, ks, others, stage, left):  # type: ignore[no-untyped-def]
    """Set every document to wait for its first k, and return how many documents can answer it.

    `others` becomes the number of a document's points other than the query, which never counts as its own neighbour.
    """
    others[:] = sizes
    if own >= 0:
        for p in range(starts[own], starts[own + 1]):
            others[documents[p]] -= 1
    waiting = 0
    for d in range(sizes.shape[0]):
        stage[d] = 0
        left[d] = ks[0] if others[d] >= ks[0] else _NEVER
        waiting += left[d] != _NEVER
    return waiting


@njit(cache=True, nogil=True)
def _walk(columns, count, starts, documents, ks, others, stage, left, waiting, query, points, out, r):  # type: ignore[no-untyped-def]
    """Meet points in order; return how many were met and how many documents still wait."""
    for i in range(count):
        column = columns[i]
        distance = np.float32(-1.0)
        for p in range(starts[column], starts[column + 1]):
            d = documents[p]
            left[d] -= 1
            if left[d] == 0:
                if distance < 0:
                    distance = np.float32(np.sqrt(_squared(query, points[column])))
                j = stage[d]
                out[j, r, d] = distance
                stage[d] = j + 1
                if j + 1 < ks.shape[0] and ks[j + 1] <= others[d]:
                    left[d] = ks[j + 1] - ks[j]
                else:
                    left[d] = _NEVER
                    waiting -= 1
        if waiting == 0:
            return i + 1, 0
    return count, waiting


@njit(cache=True, nogil=True)
def reach_rows(scores, own, queries, points, starts, documents, sizes, ks, out):  # type: ignore[no-untyped-def]
    """Write the distance from each row to the ks[j]-th nearest other point of every document to out[j, row, document].

    Points are met in the order of their scores; each brings the documents that hold it
    (`documents[starts[p] : starts[p + 1]]`) one step nearer to their next k. A row is done when no document waits
    any more. Points are taken in helpings: the first is sized by what the row before needed, the next ones double.
    """
    rows, n = scores.shape
    columns, kept = np.empty(n + 1, np.int32), np.empty(n + 1, np.float32)
    keys, spare, spare_keys = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    others, stage = np.empty(sizes.shape[0], np.int32), np.empty(sizes.shape[0], np.int32)
    left = np.empty(sizes.shape[0], np.int32)
    used = 0
    for r in range(rows):
        row = scores[r]
        if own[r] >= 0:
            row[own[r]] = np.inf
        waiting = _begin(own[r], starts, documents, sizes, ks, others, stage, left)
        sample = _sampled(row)
        take = 3 + (used + used // 2) * sample.shape[0] // n
        low = np.float32(-np.inf)
        used = 0
        while waiting > 0:
            high = sample[take] if take < sample.shape[0] else np.float32(np.inf)
            if high <= low:
                high = np.float32(np.inf)
            count = _gather(row, low, high, columns, kept)
            _sort(columns, kept, count, keys, spare, spare_keys)
            met, waiting = _walk(
                columns,
                count,
                starts,
                documents,
                ks,
                others,
                stage,
                left,
                waiting,
                queries[r],
                points,
                out,
                r,
            )
            used += met
            if high == np.inf:
                break
            low = high
            take *= 2
