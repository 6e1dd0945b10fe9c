"""The inner loops of hybrid search: texts near by their signs, cosines of bytes, the best by words and embedding."""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit
from lexicloud.neighbours.bits_numba import population
from lexicloud.neighbours.table_numba import kth_smallest, sort_pairs
from lexicloud.search.methods.related_numba import lift_of, longer, put, topic_of

BITS = 1_024  # texts whose signs are compared together
FEW = 64  # numbers that are looked at together; a divisor of BITS
LINE = 64  # bytes that the processor reads at once
ROUNDING = 1e-9  # more than a sum is off by the order of its parts
AHEAD = 16  # rows that are asked for before the first of them is needed


@njit(cache=True, nogil=True)
def signs_apart(signs, own):  # type: ignore[no-untyped-def]
    """Return in how many bits each row of 64-bit numbers differs from `own`."""
    far = np.empty(len(signs), np.int16)
    _differ(signs, 0, len(signs), own, far)
    return far


@njit(cache=True, nogil=True)
def _differ(signs, low, high, own, far):  # type: ignore[no-untyped-def]
    """Count in how many bits some rows differ from `own`."""
    # A constant number of steps, at places that cannot be negative, becomes vector instructions.
    if signs.shape[1] == 4:
        flat, a, b, c, d = signs.reshape(-1), own[0], own[1], own[2], own[3]
        for i in range(high - low):
            at = np.uint64(4 * (low + i))
            one = population(flat[at] ^ a) + population(flat[at + np.uint64(1)] ^ b)
            two = population(flat[at + np.uint64(2)] ^ c) + population(flat[at + np.uint64(3)] ^ d)
            far[i] = one + two
        return
    for i in range(high - low):
        count = np.int32(0)
        for j in range(signs.shape[1]):
            count += population(signs[low + i, j] ^ own[j])
        far[i] = count


@njit(cache=True, nogil=True)
def near_signs(signs, own, allowed, counts, limit, count):  # type: ignore[no-untyped-def]
    """Return the rows that differ from `own` in so few bits that they may be among the `count` nearest, and how many.

    It also returns the limit to which that has come. `counts` says how many rows so far differ in 0, 1, 2 … bits, and
    goes on from one segment to the next, as the limit does. With `count` 0 the limit stays. `allowed`, if not empty,
    says which rows count.
    """
    found, far = np.empty(16 * BITS, np.int32), np.empty(16 * BITS, np.int16)
    differ = np.empty(BITS, np.int16)
    within, n = counts[: limit + 1].sum(), np.int64(0)
    for low in range(0, len(signs), BITS):
        high = min(len(signs), low + BITS)
        for i in range(high - low, BITS):
            differ[i] = 2**15 - 1
        _differ(signs, low, high, own, differ)
        if n + BITS > len(found):
            found, far = longer(found, n), longer(far, n)
        for first in range(0, high - low, FEW):
            if not _any_at_most(differ, first, limit):
                continue
            for i in range(first, min(first + FEW, high - low)):
                if differ[i] <= limit and (not len(allowed) or allowed[low + i]):
                    found[n], far[n] = low + i, differ[i]
                    n += 1
                    counts[differ[i]] += 1
                    within += 1
                    while count and within - counts[limit] >= count:
                        within -= counts[limit]
                        limit -= 1
    return found[:n].copy(), far[:n].copy(), limit


@njit(cache=True, nogil=True)
def _any_at_most(far, first, limit):  # type: ignore[no-untyped-def]
    some, most = np.int16(0), np.int16(limit)
    for i in range(FEW):  # a constant number of steps becomes vector instructions
        some |= np.int16(far[np.uint64(first + i)] <= most)
    return some


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def byte_cosines(rows, table, asked):  # type: ignore[no-untyped-def]
    """Return the cosine of each of some rows of bytes with a vector of unit length, 0 for a row of zeros."""
    flat, width, touched = table.reshape(-1), np.uint64(table.shape[1]), np.int64(0)
    out = np.zeros(len(rows) + 1)
    for first in range(0, len(rows), AHEAD):
        last = min(len(rows), first + AHEAD)
        # All rows come from memory at once: one by one takes three times as long.
        for i in range(first, last):
            start = np.uint64(rows[i]) * width
            for at in range(np.uint64(0), width, np.uint64(LINE)):
                touched += flat[start + at]
        for i in range(first, last):
            start = np.uint64(rows[i]) * width
            dot, square = 0.0, np.int32(0)
            for j in range(width):
                dot += np.float64(flat[start + j]) * asked[j]
            for j in range(width):
                square += np.int32(flat[start + j]) * np.int32(flat[start + j])
            if square:
                out[i] = dot / np.sqrt(np.float64(square))
    out[len(rows)] = touched  # or the compiler would leave it out
    return out[: len(rows)]


@njit(cache=True, nogil=True)
def best_of_both(found, near, texts, dense, query, embedded, count):  # type: ignore[no-untyped-def]
    """Return the best texts by words and embedding, as `hybrid._best` does.

    `found` holds texts that share words with the query, their scores, and how many of them count at most; `near` holds
    other texts and their scores, which count in any case; both ascend. It returns rows, what the terms add to each,
    what the topic adds, and cosines.
    """
    unit, ids, times, foreign, most = query
    asked, mean, factor, floor = embedded
    begins, words, counts, vectors, weighs = texts
    rows, scores = united(*found, *near)
    cosines = np.rint(byte_cosines(rows, dense, asked) * 1e9) / 1e9
    lexical = scores / unit
    likely = (lexical > 0) | (cosines >= floor)
    rows, lexical, cosines = rows[likely], lexical[likely], cosines[likely]
    lifts = factor * (cosines - mean)
    base = lexical + lifts
    if len(rows) > count:  # a topic adds `most` at most, and only to a text that shares a word with the query
        limit = kth_smallest(base.copy(), len(base) - count)
        good = base + most * (lexical > 0) >= limit - ROUNDING
        rows, lexical, cosines = rows[good], lexical[good], cosines[good]
        lifts, base = lifts[good], base[good]
    topic = topic_of(ids, times, vectors, weighs, foreign)
    order = np.arange(len(rows))
    sort_pairs(-base, order)
    kept = np.full(min(count, len(rows)), -1, np.int32)  # places in `rows`
    totals, topics = np.full(len(kept), -np.inf), np.zeros(len(kept))
    total = np.empty(vectors.shape[1], np.float32)
    for i in order:
        if base[i] + most < totals[-1] - ROUNDING:
            break
        adds = 0.0
        if lexical[i] > 0:
            adds = lift_of(rows[i], begins, words, counts, vectors, weighs, topic, most, total)
        put(kept, totals, topics, rows, i, lexical[i] + adds + lifts[i], adds)
    return rows[kept], lexical[kept], topics, cosines[kept]


@njit(cache=True, nogil=True)
def united(found, values, most, near, of_near):  # type: ignore[no-untyped-def]
    """Join the texts `found` and those that are `near`: each once, with its score.

    If more than `most` are found, the last of those with the lowest score, which many have, are left out.
    """
    # So many of the lowest scores, which are all equal, are left out, the last first.
    spare = len(found) - most
    lowest_score = values.min() if len(values) else 0
    rows, scores = np.empty(len(found) + len(near), np.int32), np.empty(len(found) + len(near), np.int32)
    equal = (values == lowest_score).sum() - max(spare, 0)
    i, j, n = 0, 0, 0
    while i < len(found) or j < len(near):
        if i < len(found) and (j == len(near) or found[i] <= near[j]):
            row, score = found[i], values[i]
            if score == lowest_score:
                equal -= 1
            taken = score > lowest_score or equal >= 0
            i += 1
        else:
            row, score, taken = near[j], of_near[j], True
            j += 1
        if taken and (n == 0 or rows[n - 1] != row):
            rows[n], scores[n] = row, score
            n += 1
    return rows[:n], scores[:n]
