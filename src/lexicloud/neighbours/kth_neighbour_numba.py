"""Compiled loops of `reach`; they release Python's lock, so that threads run side by side.

Scores are those of `table_numba`: they order points by distance, and the distances reported are measured exactly.
Points are visited in this order, 64 at a time. A row of bits says which documents hold a point. Transposed, 64 such
rows say for each document which of the 64 points it holds, and a population count adds them up without a loop over
points. If there are many small documents, most bits are zero, and lists of documents are used instead.

Indices are unsigned, which saves a test for negative ones at each step. All functions that `reach_rows` calls are in
this file, but for those of `bits_numba`, because numba recompiles a cached function only when its own file has changed.
"""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit
from lexicloud.neighbours.bits_numba import less, lowest, place, population

_I, _U, _W = np.uintp, np.uint32, np.uint64
_ONE = _W(1)
_NEVER = 2**31 - 1  # no document has that many points
_HIGHEST = _U(2**31)
_FINE = np.float32(2**24)  # steps from nothing to a limit: one is as fine as single precision is there
_NEAR = 32  # points measured together: 300 dimensions of them fit into the first cache


@njit(cache=True, nogil=True, inline="always")
def _key(bits):  # type: ignore[no-untyped-def]
    """Return the bits of a float as an unsigned number that sorts alike: negative ones inverted, others raised."""
    return _U(bits ^ (_HIGHEST | (_U(0) - (bits >> _U(31)))))


@njit(cache=True, nogil=True)
def _portion(near, scores, total, low, limit, own, pairs):  # type: ignore[no-untyped-def]
    """Collect the points with scores from `low` to below the limit, but not the query's own; return how many.

    They become pairs of a key, which sorts as the score does, and the point's number. A pair is written before the
    test, and the test only moves the end, so that nothing is mispredicted.
    """
    count, bits = _I(0), scores.view(np.uint32)
    for i in range(_I(total)):
        pairs[count] = (_W(_key(bits[i])) << _W(32)) | _W(near[i])
        count += _I((scores[i] >= low) & (scores[i] < limit) & (near[i] != own))
    return count


@njit(cache=True, nogil=True)
def _near_portion(near, scores, total, low, limit, own, square, pairs):  # type: ignore[no-untyped-def]
    """Do as `_portion` does below a finite limit, with keys that are steps of the squared distance: score + square."""
    count, step = _I(0), _FINE / max(limit + square, np.float32(1e-30))
    for i in range(_I(total)):
        key = min(max((scores[i] + square) * step, np.float32(0)), _FINE - np.float32(1))
        pairs[count] = (_W(key) << _W(32)) | _W(near[i])
        count += _I((scores[i] >= low) & (scores[i] < limit) & (near[i] != own))
    return count


@njit(cache=True, nogil=True)
def _sort(pairs, count, spare, digit, sizes):  # type: ignore[no-untyped-def]
    """Sort pairs by their keys, of as many digits as `sizes` has rows, then by number; return the sorted array.

    It is a radix sort, which has no branch to mispredict. A digit has few enough bits that the counts of its values fit
    into the first cache.
    """
    digits, low = sizes.shape[0], _W(sizes.shape[1] - 1)
    sizes[:] = 0
    for i in range(count):
        key = pairs[i] >> _W(32)
        for j in range(digits):
            sizes[j, (key >> _W(j * digit)) & low] += _U(1)
    for j in range(digits):
        _pass(pairs, count, _W(32 + j * digit), low, sizes[j], spare)
        pairs, spare = spare, pairs
    return pairs


@njit(cache=True, nogil=True, inline="always")
def _pass(pairs, count, shift, low, sizes, to):  # type: ignore[no-untyped-def]
    """Sort by one digit of the keys, given how often each of its values occurs."""
    begin = _U(0)
    for b in range(sizes.shape[0]):
        size = sizes[b]
        sizes[b] = begin
        begin += size
    for i in range(count):
        b = (pairs[i] >> shift) & low
        at = sizes[b]
        to[at] = pairs[i]
        sizes[b] = at + _U(1)


@njit(cache=True, nogil=True, inline="always")
def _exchange(words, step, mask, to):  # type: ignore[no-untyped-def]
    """Exchange the off-diagonal quarters of squares of 2·step × 2·step bits, whose rows are 32 words apart.

    The words are interleaved on the way, so that the next ones to exchange are 32 apart again. All six steps thus have
    the same form, which compilers can do eight words at a time, and after the sixth the words are in order.
    """
    shift = _W(step)
    for i in range(_I(32)):
        upper, lower = words[i], words[i + _I(32)]
        swapped = ((upper >> shift) ^ lower) & mask
        to[_I(2) * i] = upper ^ (swapped << shift)
        to[_I(2) * i + _I(1)] = lower ^ swapped


@njit(cache=True, nogil=True)
def _turn(words, spare):  # type: ignore[no-untyped-def]
    """Transpose 64 words of 64 bits in place: bit j of word i becomes bit i of word j."""
    _exchange(words, 32, _W(0x00000000FFFFFFFF), spare)
    _exchange(spare, 16, _W(0x0000FFFF0000FFFF), words)
    _exchange(words, 8, _W(0x00FF00FF00FF00FF), spare)
    _exchange(spare, 4, _W(0x0F0F0F0F0F0F0F0F), words)
    _exchange(words, 2, _W(0x3333333333333333), spare)
    _exchange(spare, 1, _W(0x5555555555555555), words)


@njit(cache=True, nogil=True)
def _begin(own, starts, documents, sizes, ks, others, missing, stage):  # type: ignore[no-untyped-def]
    """Let every document wait for its first k, and return how many documents have so many points.

    `others` becomes the number of a document's points other than the query, which never counts as its own neighbour.
    """
    _copy(sizes, others)
    if own >= 0:
        for p in range(starts[own], starts[own + 1]):
            others[documents[p]] -= 1
    waiting = 0
    for d in range(missing.shape[0]):
        missing[d] = _NEVER
    for d in range(sizes.shape[0]):
        stage[d] = 0
        if others[d] >= ks[0]:
            missing[d] = ks[0]
            waiting += 1
    return waiting


@njit(cache=True, nogil=True)
def _meet_dense(pairs, count, holders, ks, others, missing, stage, found, waiting):  # type: ignore[no-untyped-def]
    """Visit points in order, 64 at a time, by the bits of their documents; return how many documents still wait.

    A document that meets its k-th point notes it, and waits for its next k. That is written out here and below: arrays
    that are handed to a function in so small a loop are counted at each call, which took as long as all the rest.
    """
    last = _I(ks.shape[0])
    words, spare, one = np.zeros(64, np.uint64), np.zeros(64, np.uint64), np.ones(64, np.int32)
    for first in range(_I(0), count, _I(64)):
        many = min(_I(64), count - first)
        for group in range(_I(holders.shape[1])):
            for i in range(many):
                words[i] = holders[_U(pairs[first + i]), group]
            words[many:] = 0
            _turn(words, spare)
            base = _I(64) * group
            for i in range(_I(64)):
                missing[base + i] -= population(words[i])
            met = less(missing, base, one, _I(0))
            while met:
                i = lowest(met)
                d, j = base + i, stage[base + i]
                found[j, d] = _U(pairs[first + place(words[i], missing[d] + population(words[i]))])
                j = stage[d] = j + _I(1)
                more = j < last and ks[j] <= others[d]
                missing[d] = missing[d] + ks[j] - ks[j - _I(1)] if more else _NEVER
                waiting -= not more
                if missing[d] > 0:
                    met &= met - _ONE
        if waiting == 0:
            break
    return waiting


@njit(cache=True, nogil=True)
def _meet_sparse(pairs, count, starts, documents, ks, others, missing, stage, found, waiting):  # type: ignore[no-untyped-def]
    """Do as `_meet_dense` does by lists: `documents[starts[p] : starts[p + 1]]` hold point p."""
    last = _I(ks.shape[0])
    for i in range(count):
        column = _U(pairs[i])
        for p in range(_I(starts[column]), _I(starts[column + _U(1)])):
            d = documents[p]
            missing[d] -= 1
            if missing[d] == 0:
                j = stage[d]
                found[j, d] = column
                j = stage[d] = j + _I(1)
                more = j < last and ks[j] <= others[d]
                missing[d] = ks[j] - ks[j - _I(1)] if more else _NEVER
                waiting -= not more
        if waiting == 0:
            break
    return waiting


@njit(cache=True, nogil=True)
def _distinct(found, stage, seen, columns):  # type: ignore[no-untyped-def]
    """List the points that were noted, each once, because documents share many; return how many there are."""
    count = _I(0)
    for d in range(found.shape[1]):
        for j in range(stage[d]):
            column = found[j, d]
            columns[count] = column
            count += _I(not seen[column])
            seen[column] = True
    for i in range(count):
        seen[columns[i]] = False
    return count


@njit(cache=True, nogil=True, inline="always")
def _copy(source, target):  # type: ignore[no-untyped-def]
    for i in range(source.shape[0]):
        target[i] = source[i]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _measure(query, points, columns, count, near, distances):  # type: ignore[no-untyped-def]
    """Write the distance of each column to its place in `distances`.

    Points are copied together first: copies wait for memory in parallel, sums would wait one by one. Sums are in double
    precision; their order is lost in rounding to single precision.
    """
    size = _I(points.shape[1])
    for first in range(_I(0), count, _I(_NEAR)):
        many = min(_I(_NEAR), count - first)
        for i in range(many):
            column = columns[first + i]
            for x in range(size):
                near[i, x] = points[column, x]
        for i in range(many):
            total = 0.0
            for x in range(size):
                difference = np.float64(query[x]) - np.float64(near[i, x])
                total += difference * difference
            distances[columns[first + i]] = np.float32(np.sqrt(total))


@njit(cache=True, nogil=True)
def reach_rows(  # type: ignore[no-untyped-def]
    columns,
    scores,
    counts,
    limits,
    squares,
    own,
    queries,
    points,
    starts,
    documents,
    holders,
    sizes,
    ks,
    places,
    out,
):
    """Write the distance from each row to the ks[j]-th nearest other point of every document to out[row, j, document].

    Row r of `columns` and `scores` holds the counts[r] points with scores below its last limit, and is answered in row
    places[r] of `out`; a score and squares[r] make a squared distance. `documents[starts[p] : starts[p + 1]]` hold
    point p, and for each of them bit d % 64 of holders[p, d // 64] is set. If `holders` has no columns, the lists are
    used. Points are taken in portions: those with scores below limits[row, 0], then those below the next limit, until
    no document waits any more. Returned is which rows were answered: the others need points with higher scores.
    """
    most, n = columns.shape[1] + 1, points.shape[0]
    some, pairs, spare = np.empty(most, np.uint32), np.empty(most, np.uint64), np.empty(most, np.uint64)
    two_digits, three_digits = np.empty((2, 2**12), np.uint32), np.empty((3, 2**11), np.uint32)
    seen, near = np.zeros(n, np.bool_), np.empty((_NEAR, points.shape[1]), np.float32)
    distances, answered = np.empty(n, np.float32), np.zeros(len(counts), np.bool_)
    others, stage = np.empty(sizes.shape[0], np.int32), np.empty(sizes.shape[0], np.uintp)
    missing = np.empty(max(64 * holders.shape[1], sizes.shape[0]), np.int32)
    found = np.empty((ks.shape[0], sizes.shape[0]), np.uint32)
    for r in range(len(counts)):
        if counts[r] < 0:
            continue
        low = np.float32(-np.inf)
        waiting = _begin(own[r], starts, documents, sizes, ks, others, missing, stage)
        for limit in limits[r]:
            if waiting == 0:
                break
            one = columns[r], scores[r], counts[r], low, limit, own[r]
            if np.isinf(limit):
                count = _portion(*one, pairs)
                order = _sort(pairs, count, spare, 11, three_digits)
            else:
                count = _near_portion(*one, squares[r], pairs)
                order = _sort(pairs, count, spare, 12, two_digits)
            if holders.shape[1]:
                waiting = _meet_dense(order, count, holders, ks, others, missing, stage, found, waiting)
            else:
                waiting = _meet_sparse(
                    order, count, starts, documents, ks, others, missing, stage, found, waiting
                )
            low = limit
        if waiting > 0:
            continue
        answered[r] = True
        count = _distinct(found, stage, seen, some)
        _measure(queries[r], points, some, count, near, distances)
        for d in range(sizes.shape[0]):
            for j in range(stage[d]):
                out[places[r], j, d] = distances[found[j, d]]
    return answered
