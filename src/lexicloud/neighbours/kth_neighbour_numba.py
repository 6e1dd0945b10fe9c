"""Compiled loops of `reach`; they release Python's lock, so that threads run side by side.

Scores are those of `table_numba`: they order points by distance, and the distances reported are measured exactly.
Points are visited in this order, 64 at a time. A row of bits says which documents hold a point. Transposed, 64 such
rows say for each document which of the 64 points it holds, and a population count adds them up without a loop over
points. If there are many small documents, most bits are zero, and lists of documents are used instead.

Indices are unsigned, which saves a test for negative ones at each step. All functions that `reach_rows` calls are in
this file, because numba recompiles a cached function only when its own file has changed.
"""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit

_I, _U, _W = np.uintp, np.uint32, np.uint64
_ONE = _W(1)
_NEVER = 2**31 - 1  # no document has that many points
_DIGIT = _U(11)  # bits: three digits make a key, and the counts of a digit's values fit into the first cache
_LEVELS = 2**11
_LOW = _U(_LEVELS - 1)
_HIGHEST = _U(2**31)
_NEAR = 32  # points measured together: 300 dimensions of them fit into the first cache


@njit(cache=True, nogil=True, inline="always")
def _key(bits):  # type: ignore[no-untyped-def]
    """Return the bits of a float as an unsigned number that sorts alike: negative ones inverted, others raised."""
    return _U(bits ^ (_HIGHEST | (_U(0) - (bits >> _U(31)))))


@njit(cache=True, nogil=True, inline="always")
def _portion(near, scores, total, low, limit, own, columns, keys):  # type: ignore[no-untyped-def]
    """Collect the points with scores from `low` to below the limit, but not the query's own; return how many.

    A point is written before the test, and the test only moves the end, so that nothing is mispredicted.
    """
    count, bits = _I(0), scores.view(np.uint32)
    for i in range(_I(total)):
        columns[count], keys[count] = near[i], _key(bits[i])
        count += _I((scores[i] >= low) & (scores[i] < limit) & (near[i] != own))
    return count


@njit(cache=True, nogil=True)
def _sort(columns, keys, count, spare, spare_keys):  # type: ignore[no-untyped-def]
    """Sort columns by key, then by number, into `spare`: a radix sort, which has no branch to mispredict."""
    sizes = np.zeros((3, _LEVELS), np.uint32)
    for i in range(count):
        key = keys[i]
        sizes[0, key & _LOW] += _U(1)
        sizes[1, (key >> _DIGIT) & _LOW] += _U(1)
        sizes[2, key >> _U(22)] += _U(1)
    _pass(columns, keys, count, _U(0), sizes[0], spare, spare_keys)
    _pass(spare, spare_keys, count, _DIGIT, sizes[1], columns, keys)
    _pass(columns, keys, count, _U(22), sizes[2], spare, spare_keys)


@njit(cache=True, nogil=True, inline="always")
def _pass(columns, keys, count, shift, sizes, to_columns, to_keys):  # type: ignore[no-untyped-def]
    """Sort by one digit of the keys, given how often each of its values occurs."""
    begin = _U(0)
    for b in range(_LEVELS):
        size = sizes[b]
        sizes[b] = begin
        begin += size
    for i in range(count):
        b = (keys[i] >> shift) & _LOW
        at = sizes[b]
        to_columns[at], to_keys[at] = columns[i], keys[i]
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


@njit(cache=True, nogil=True, inline="always")
def _population(word):  # type: ignore[no-untyped-def]
    """Count the bits that are set, in the form that compilers know as one instruction."""
    word = word - ((word >> _ONE) & _W(0x5555555555555555))
    word = (word & _W(0x3333333333333333)) + ((word >> _W(2)) & _W(0x3333333333333333))
    word = (word + (word >> _W(4))) & _W(0x0F0F0F0F0F0F0F0F)
    return np.int32((word * _W(0x0101010101010101)) >> _W(56))


@njit(cache=True, nogil=True, inline="always")
def _place(word, rank):  # type: ignore[no-untyped-def]
    """Return the place of the `rank`-th set bit; the first has rank one."""
    for _ in range(rank - 1):
        word &= word - _ONE
    return _population((word & (~word + _ONE)) - _ONE)


@njit(cache=True, nogil=True)
def _begin(own, starts, documents, sizes, ks, others, met, stage, goal):  # type: ignore[no-untyped-def]
    """Let every document wait for its first k, and return how many documents have so many points.

    `others` becomes the number of a document's points other than the query, which never counts as its own neighbour.
    """
    _copy(sizes, others)
    if own >= 0:
        for p in range(starts[own], starts[own + 1]):
            others[documents[p]] -= 1
    waiting = 0
    for d in range(sizes.shape[0]):
        met[d] = stage[d] = 0
        goal[d] = ks[0] if others[d] >= ks[0] else _NEVER
        waiting += goal[d] != _NEVER
    return waiting


@njit(cache=True, nogil=True, inline="always")
def _note(d, column, ks, others, stage, goal, found):  # type: ignore[no-untyped-def]
    """Note the k-th point of a document and set its next k; return whether there is no further k."""
    j = stage[d]
    found[j, d] = column
    stage[d] = j + 1
    goal[d] = ks[j + 1] if j + 1 < ks.shape[0] and ks[j + 1] <= others[d] else _NEVER
    return goal[d] == _NEVER


@njit(cache=True, nogil=True)
def _meet_dense(columns, count, holders, ks, others, met, stage, goal, found, waiting):  # type: ignore[no-untyped-def]
    """Visit points in order, 64 at a time, by the bits of their documents; return how many documents still wait."""
    words, spare = np.zeros(64, np.uint64), np.zeros(64, np.uint64)
    for first in range(_I(0), count, _I(64)):
        many = min(_I(64), count - first)
        for group in range(_I(holders.shape[1])):
            for i in range(many):
                words[i] = holders[columns[first + i], group]
            words[many:] = 0
            _turn(words, spare)
            base = _I(64) * group
            for i in range(min(_I(64), _I(others.shape[0]) - base)):
                d, before = base + i, met[base + i]
                met[d] = before + _population(words[i])
                while met[d] >= goal[d]:
                    column = columns[first + _I(_place(words[i], goal[d] - before))]
                    waiting -= _note(d, column, ks, others, stage, goal, found)
        if waiting == 0:
            break
    return waiting


@njit(cache=True, nogil=True)
def _meet_sparse(columns, count, starts, documents, ks, others, met, stage, goal, found, waiting):  # type: ignore[no-untyped-def]
    """Do as `_meet_dense` does by lists: `documents[starts[p] : starts[p + 1]]` hold point p."""
    for i in range(count):
        column = columns[i]
        for p in range(_I(starts[column]), _I(starts[column + _U(1)])):
            d = documents[p]
            met[d] += 1
            if met[d] == goal[d]:
                waiting -= _note(d, column, ks, others, stage, goal, found)
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


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _squared(x, y):  # type: ignore[no-untyped-def]
    """Return the squared distance in double precision; the order of the sum is lost in rounding to single precision."""
    total = 0.0
    for i in range(x.shape[0]):
        difference = np.float64(x[i]) - np.float64(y[i])
        total += difference * difference
    return total


@njit(cache=True, nogil=True, inline="always")
def _copy(source, target):  # type: ignore[no-untyped-def]
    for i in range(source.shape[0]):
        target[i] = source[i]


@njit(cache=True, nogil=True)
def _measure(query, points, columns, count, near, row):  # type: ignore[no-untyped-def]
    """Replace the score of each column by its distance.

    Points are copied together first: copies wait for memory in parallel, sums would wait one by one.
    """
    for first in range(_I(0), count, _I(_NEAR)):
        many = min(_I(_NEAR), count - first)
        for i in range(many):
            _copy(points[columns[first + i]], near[i])
        for i in range(many):
            row[columns[first + i]] = np.float32(np.sqrt(_squared(query, near[i])))


@njit(cache=True, nogil=True)
def reach_rows(  # type: ignore[no-untyped-def]
    columns, scores, counts, limits, own, queries, points, starts, documents, holders, sizes, ks, places, out
):
    """Write the distance from each row to the ks[j]-th nearest other point of every document to out[row, j, document].

    Row r of `columns` and `scores` holds the counts[r] points with scores below its last limit, and is answered in
    row places[r] of `out`. `documents[starts[p] : starts[p + 1]]` hold point p, and for each of them bit d % 64 of
    holders[p, d // 64] is set. If `holders` has no columns, the lists are used. Points are taken in portions: those
    with scores below limits[row, 0], then those below the next limit, until no document waits any more. Returned is
    which rows were answered: the others need points with higher scores.
    """
    most, n = columns.shape[1] + 1, points.shape[0]
    some, keys = np.empty(most, np.uint32), np.empty(most, np.uint32)
    order, spare_keys = np.empty(most, np.uint32), np.empty(most, np.uint32)
    seen, near = np.zeros(n, np.bool_), np.empty((_NEAR, points.shape[1]), np.float32)
    distances, answered = np.empty(n, np.float32), np.zeros(len(counts), np.bool_)
    others, stage = np.empty(sizes.shape[0], np.int32), np.empty(sizes.shape[0], np.int32)
    goal, met = np.empty(sizes.shape[0], np.int32), np.empty(sizes.shape[0], np.int32)
    found = np.empty((ks.shape[0], sizes.shape[0]), np.uint32)
    for r in range(len(counts)):
        if counts[r] < 0:
            continue
        low = np.float32(-np.inf)
        waiting = _begin(own[r], starts, documents, sizes, ks, others, met, stage, goal)
        for limit in limits[r]:
            if waiting == 0:
                break
            count = _portion(columns[r], scores[r], counts[r], low, limit, own[r], some, keys)
            _sort(some, keys, count, order, spare_keys)
            if holders.shape[1]:
                waiting = _meet_dense(order, count, holders, ks, others, met, stage, goal, found, waiting)
            else:
                waiting = _meet_sparse(
                    order, count, starts, documents, ks, others, met, stage, goal, found, waiting
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
