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
    scores, exact = np.empty(len(heads) * TOGETHER, np.float32), np.empty(len(table), np.float32)
    found, counts = np.empty((len(queries), len(table)), np.int32), np.zeros(len(queries), np.int64)
    best = np.empty(take, np.float32)
    for i in range(len(queries)):
        best[:] = np.inf
        limit, count = np.float32(np.inf), np.int64(0)
        least = _begin_scores(scores, heads, squares, queries[i], scales[i], tails[i], table_tails)
        order = np.arange(len(least))
        sort_pairs(least, order)  # from the most likely rows on, so that the limit falls at once
        for at in range(len(order)):
            if least[at] > limit:
                break
            first = order[at] * TOGETHER
            for row in range(first, min(first + TOGETHER, len(table))):
                if scores[row] - tails[i] * table_tails[row] > limit or row == own[i]:
                    continue
                score = scores[row] - scales[i] * np.float32(_rest(table[row], queries[i]))
                found[i, count], exact[count] = row, score
                count += 1
                if score < best[take - 1]:
                    _put_in(best, score)
                    limit = best[take - 1] + slacks[i]
        counts[i] = _keep_below(found[i], exact, count, limit)
    out = np.full((len(queries), counts.max()), -1, np.int32)
    for i in range(len(queries)):
        copy(found[i], out[i], counts[i])
    return out


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _begin_scores(scores, heads, squares, query, scale, tail, table_tails):  # type: ignore[no-untyped-def]
    """Set scores by the first HEAD coordinates, TOGETHER rows at a time: row by row takes twice as long.

    It returns the least that the whole score of any of them can be.
    """
    sums, flat, least = (
        np.empty(TOGETHER, np.int32),
        heads.reshape(-1),
        np.full(len(heads), np.inf, np.float32),
    )
    for block in range(len(heads)):
        sums[:] = 0
        # Four coordinates at a time: sums are read and written a quarter as often.
        for j in range(0, HEAD, 4):
            a, b, c, d = (
                np.int32(query[j]),
                np.int32(query[j + 1]),
                np.int32(query[j + 2]),
                np.int32(query[j + 3]),
            )
            at = np.uint64((block * HEAD + j) * TOGETHER)
            to, on, up = at + np.uint64(TOGETHER), at + np.uint64(2 * TOGETHER), at + np.uint64(3 * TOGETHER)
            for i in range(np.uint64(TOGETHER)):
                one = np.int32(flat[at + i]) * a + np.int32(flat[to + i]) * b
                sums[i] += one + (np.int32(flat[on + i]) * c + np.int32(flat[up + i]) * d)
        first, low = np.uint64(block * TOGETHER), np.float32(np.inf)
        for i in range(np.uint64(min(TOGETHER, len(squares) - block * TOGETHER))):
            scores[first + i] = squares[first + i] - scale * np.float32(sums[i])
            low = min(low, scores[first + i] - tail * table_tails[first + i])
        least[block] = low
    return least


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
