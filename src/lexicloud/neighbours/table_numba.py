"""Compiled loops over rows of scores; they release Python's lock, so that threads run side by side.

The *score* of point j for point i is |y_j|² − 2 x_i·y_j: the squared distance without |x_i|², which gives the same
order. Scores come from one matrix product in single precision; the distances reported are computed again from the
coordinates.
"""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit


@njit(cache=True, nogil=True, inline="always")
def copy(source, target, count):  # type: ignore[no-untyped-def]
    """Copy the first values of an array: an assignment of slices takes numba a second and a half to compile."""
    for i in range(count):
        target[i] = source[i]


@njit(cache=True, nogil=True)
def kth_smallest(values, k):  # type: ignore[no-untyped-def]
    """Return the value at place `k` of the sorted `values`; their order is changed.

    This is Hoare's selection: split the rest at the median of three, and keep the side with place `k`.
    """
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if values[middle] < values[low]:
            values[middle], values[low] = values[low], values[middle]
        if values[high] < values[low]:
            values[high], values[low] = values[low], values[high]
        if values[high] < values[middle]:
            values[high], values[middle] = values[middle], values[high]
        split, i, j = values[middle], low, high
        while i <= j:
            while values[i] < split:
                i += 1
            while split < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@njit(cache=True, nogil=True)
def sort_pairs(keys, numbers):  # type: ignore[no-untyped-def]
    """Sort numbers in place by their keys, then by the number, with the keys (Shell's sort)."""
    n, gap = len(keys), 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key, number, j = keys[i], numbers[i], i
            while j >= gap and (key < keys[j - gap] or (key == keys[j - gap] and number < numbers[j - gap])):
                keys[j], numbers[j] = keys[j - gap], numbers[j - gap]
                j -= gap
            keys[j], numbers[j] = key, number
        gap //= 3


_SAMPLE = 256  # scores for guessing a limit for the nearest; more would cost more than a better guess saves


@njit(cache=True, nogil=True, inline="always")
def _squared(x, y):  # type: ignore[no-untyped-def]
    """Return the squared distance in double precision, by four sums in a fixed order, so that it is symmetric."""
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
    """Return an evenly spaced sample of a row of scores."""
    n = row.shape[0]
    size = min(n, _SAMPLE)
    out = np.empty(size, np.float32)
    for i in range(size):
        out[i] = row[(i * n) // size]
    return out


@njit(cache=True, nogil=True, inline="always")
def _gather(row, high, columns, scores):  # type: ignore[no-untyped-def]
    """Collect the columns whose score is below `high`, and return how many there are.

    A column is written before the test, and the test only moves the end: without a branch, the loop runs at memory
    speed.
    """
    count = 0
    for j in range(row.shape[0]):
        s = row[j]
        columns[count] = j
        scores[count] = s
        count += s < high
    return count


@njit(cache=True, nogil=True)
def nearest_rows(scores, first, points, k, slack, ids, distances):  # type: ignore[no-untyped-def]
    """Write the `k` nearest other points of rows first, first + 1, … of a table, nearest first, then by number.

    `slack` bounds the rounding error of a score: every point that may belong to the k nearest is measured exactly.
    """
    n = scores.shape[1]
    columns = np.empty(n + 1, np.int32)
    kept = np.empty(n + 1, np.float32)
    spare = np.empty(n + 1, np.float32)
    for r in range(scores.shape[0]):
        row, own = scores[r], first + r
        row[own] = np.inf
        high = _start(row, k)
        count = _gather(row, high, columns, kept)
        if count < k:  # the guess was too low; everything but the point itself is below infinity
            high = np.float32(np.inf)
            count = _gather(row, high, columns, kept)
        if count > k:
            copy(kept, spare, count)
            limit = kth_smallest(spare[:count], k - 1) + 2 * slack[r]
            if limit >= high:
                count = _gather(row, np.nextafter(limit, np.float32(np.inf)), columns, kept)
            else:
                count = _keep_below(columns, kept, count, limit)
        _write_nearest(points, own, columns, count, k, ids[own], distances[own])


@njit(cache=True, nogil=True)
def _start(row, k):  # type: ignore[no-untyped-def]
    """Guess a limit with a little more than `k` scores of a row below it."""
    sample = _sampled(row)
    n, size = row.shape[0], sample.shape[0]
    if size == n:
        return np.float32(np.inf)
    share = k / n * size
    at = np.int64(share + 3 * np.sqrt(share) + 2)
    return kth_smallest(sample, at) if at < size else np.float32(np.inf)


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
    for i in range(count):
        exact[i] = _squared(points[own], points[columns[i]])
    sort_pairs(exact, columns[:count])
    for i in range(min(k, count)):
        ids[i] = columns[i]
        distances[i] = np.float32(np.sqrt(exact[i]))


HEAD = 32  # coordinates that are multiplied before the others
TOGETHER = 128  # rows whose first coordinates lie together, coordinate after coordinate (`heads`)


@njit(cache=True, nogil=True)
def near_points(  # type: ignore[no-untyped-def]
    queries, scales, tails, slacks, table, heads, squares, table_tails, own, take
):
    """Return, for each query, the rows of a table of bytes that could be among its `take` nearest, padded with -1.

    The score of a row is squares − scale · product; rows count whose score is at most `slack` above the `take`-th
    lowest. The coordinates behind the first HEAD add at most `tail` · `table_tail`: where even that is not enough they
    are not looked at. A query that is itself a row (`own`, otherwise -1) is not its own neighbour.
    """
    scores, best = np.empty(len(table), np.float32), np.empty(take, np.float32)
    found, counts = np.empty((len(queries), len(table)), np.int32), np.zeros(len(queries), np.int64)
    for i in range(len(queries)):
        best[:] = np.inf
        tail, limit = tails[i], np.float32(np.inf)
        _begin_scores(scores, heads, squares, queries[i], scales[i])
        for row in range(len(table)):
            if scores[row] - tail * table_tails[row] > limit or row == own[i]:
                scores[row] = np.inf
                continue
            scores[row] -= scales[i] * np.float32(_rest(table[row], queries[i]))
            if scores[row] < best[take - 1]:
                _put_in(best, scores[row])
                limit = best[take - 1] + slacks[i]
        for row in range(len(table)):
            if scores[row] <= limit and scores[row] < np.inf:
                found[i, counts[i]] = row
                counts[i] += 1
    out = np.full((len(queries), counts.max()), -1, np.int32)
    for i in range(len(queries)):
        copy(found[i], out[i], counts[i])
    return out


@njit(cache=True, nogil=True)
def _begin_scores(scores, heads, squares, query, scale):  # type: ignore[no-untyped-def]
    """Set scores by the first HEAD coordinates, TOGETHER rows at a time: row by row takes twice as long."""
    sums = np.empty(TOGETHER, np.int32)
    for block in range(len(heads)):
        sums[:] = 0
        for j in range(HEAD):
            times, column = np.int32(query[j]), heads[block, j]
            for i in range(TOGETHER):
                sums[i] += np.int32(column[i]) * times
        first = block * TOGETHER
        for i in range(min(TOGETHER, len(scores) - first)):
            scores[first + i] = squares[first + i] - scale * np.float32(sums[i])


@njit(cache=True, nogil=True)
def _rest(x, y):  # type: ignore[no-untyped-def]
    total = np.int32(0)
    for j in range(HEAD, len(x)):
        total += np.int32(x[j]) * np.int32(y[j])
    return total


@njit(cache=True, nogil=True)
def _put_in(ascending, value):  # type: ignore[no-untyped-def]
    """Put a value in its place and drop the highest."""
    k = len(ascending) - 1
    while k > 0 and ascending[k - 1] > value:
        ascending[k] = ascending[k - 1]
        k -= 1
    ascending[k] = value
