"""The inner loops of set cover search (compiled, free of the GIL, and safe to run in many threads).

The words of U come in groups, and only the best word of each group counts: the mass of a sentence is the sum over
groups of the highest weight `left` among its words. Weights are whole numbers held in float32 and every sum
stays below 2^24, so sums are exact in any order.

`gather` gives every sentence an upper bound of its score in small whole numbers. Only the candidates, whose bounds
reach a threshold, are counted exactly; after that a round needs only `next_candidate`.
"""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit
from lexicloud.neighbours.table_numba import kth_smallest
from lexicloud.search.methods.setcover_plain import CLASSES, WHOLE

BLOCK = 512  # sentences that share one peak; 469 peaks for 240,000 sentences
STRETCH = 512 * BLOCK  # sentences: their bounds and classes take 768 KB, which the second-level cache holds


@njit(cache=True, nogil=True)
def gather(  # type: ignore[no-untyped-def]
    postings_ptr,
    postings,
    indptr,
    indices,
    lengths,
    words,
    left,
    classes,
    reach,
    norms,
    taken,
    width,
    bounds,
    place,
):
    """Return the candidates for the highest score under the weights `left`: the best of at least `width` blocks.

    Word -1 is in no sentence. Sentences of class 0 and `taken` ones are left out. It returns the threshold, the unit
    (the bounds of all other sentences are below threshold, and no bound is below score × unit), and of the candidates,
    by ascending row: rows, where the positions in U of each one's words begin, these positions, and norms.
    `bounds` is overwritten; `place` must be all -1, and is so again afterwards.
    """
    unit = (np.iinfo(bounds.dtype).max - len(words)) / max(left.sum(), 1)
    peaks = np.zeros((len(bounds) + BLOCK - 1) // BLOCK, bounds.dtype)
    _bound(postings_ptr, postings, words, left, unit, classes, reach, taken, bounds, peaks)
    threshold = np.int64(1)
    if width < len(peaks):
        threshold = max(threshold, np.int64(kth_smallest(peaks.copy(), len(peaks) - width)))
    rows = _reaching(bounds, peaks, bounds.dtype.type(threshold))
    first, found = _words_of(rows, indptr, indices, words, place)
    return threshold, unit, rows, first, found, norms[lengths[rows]]


@njit(cache=True, nogil=True)
def _bound(postings_ptr, postings, words, left, unit, classes, reach, taken, bounds, peaks):  # type: ignore[no-untyped-def]
    """Set every sentence's bound, and each block's peak, its highest bound.

    The database is walked in stretches that fit the processor's cache; each word's postings continue where
    the last stretch ended. All words of a group count, so that a bound may be too high, never too low.
    """
    at = postings_ptr[np.maximum(words, 0)]
    adds = np.empty(CLASSES, bounds.dtype)
    for low in range(0, len(bounds), STRETCH):
        high = min(len(bounds), low + STRETCH)
        bounds[low:high] = 0
        for j in range(len(words)):
            if words[j] < 0:
                continue
            share = np.uint64(np.ceil(left[j] * unit))
            for c in range(CLASSES):
                adds[c] = (share * reach[c] + np.uint64(WHOLE - 1)) // np.uint64(WHOLE)
            end = postings_ptr[words[j] + 1]
            if high < len(bounds):
                end = at[j] + np.searchsorted(postings[at[j] : end], high)
            for row in postings[at[j] : end]:
                # Unsigned numbers need no test for negative ones, which count from the end.
                bounds[np.uint32(row)] += adds[classes[np.uint32(row)]]
            at[j] = end
        for row in taken:
            if low <= row < high:
                bounds[row] = 0
        _set_peaks(bounds, peaks, low, high)


@njit(cache=True, nogil=True)
def _set_peaks(bounds, peaks, low, high):  # type: ignore[no-untyped-def]
    for b in range(low // BLOCK, high // BLOCK):
        some = bounds[b * BLOCK : b * BLOCK + BLOCK]
        peak = some[0]
        for i in range(BLOCK):  # a constant number of steps becomes vector instructions
            peak = max(peak, some[i])
        peaks[b] = peak
    for i in range(high // BLOCK * BLOCK, high):
        peaks[i // BLOCK] = max(peaks[i // BLOCK], bounds[i])


@njit(cache=True, nogil=True)
def _reaching(bounds, peaks, threshold):  # type: ignore[no-untyped-def]
    """Return the sentences whose bound reaches the threshold, ascending."""
    blocks = np.flatnonzero(peaks >= threshold)
    rows = np.empty(len(blocks) * BLOCK, np.int32)
    n = 0
    for b in blocks:
        some = bounds[b * BLOCK : min(len(bounds), (b + 1) * BLOCK)]
        for i in range(len(some)):
            if some[i] >= threshold:
                rows[n] = b * BLOCK + i
                n += 1
    return rows[:n].copy()


@njit(cache=True, nogil=True)
def _words_of(rows, indptr, indices, words, place):  # type: ignore[no-untyped-def]
    """Return, for each row, where the positions in U of its words begin, and all these positions."""
    for i in range(len(words)):
        if words[i] >= 0:
            place[words[i]] = i
    first = np.zeros(len(rows) + 1, np.int32)
    total = 0
    for row in rows:
        total += indptr[row + 1] - indptr[row]
    found = np.empty(total, np.int32)
    n = 0
    for c in range(len(rows)):
        for word in indices[indptr[rows[c]] : indptr[rows[c] + 1]]:
            if place[word] >= 0:
                found[n] = place[word]
                n += 1
        first[c + 1] = n
    for word in words:
        if word >= 0:
            place[word] = -1
    return first, found[:n].copy()


@njit(cache=True, nogil=True)
def next_candidate(first, found, norms, scores, left, groups, chosen, kept):  # type: ignore[no-untyped-def]
    """Cover the words of the candidate `chosen` last (-1: none), then return the next best candidate and its score.

    A covered word keeps the share `kept` of its weight. The score is mass / norm; -1 is returned where none is
    positive. Weights only fall between two calls, so an old score is an upper bound: only candidates whose old
    score is above the best so far are counted again (lazy greedy). Candidates are in the order of their rows,
    so that equal scores go to the lower row.
    """
    if chosen >= 0:
        for k in found[first[chosen] : first[chosen + 1]]:
            left[k] = np.floor(left[k] * kept)
    best, top = -1, 0.0
    highest = np.zeros(groups.max() + 1, np.float32)  # some groups may have no words
    for c in range(len(scores)):
        if scores[c] > top:
            scores[c] = _mass(found[first[c] : first[c + 1]], left, groups, highest) / norms[c]
            if scores[c] > top:
                best, top = c, scores[c]
    return best, top


@njit(cache=True, nogil=True)
def _mass(found, left, groups, highest):  # type: ignore[no-untyped-def]
    """Return the mass of the words at some positions in U.

    `highest` has a place for each group, all zeros before and after.
    """
    total = np.float32(0)
    for k in found:
        if left[k] > highest[groups[k]]:
            total += left[k] - highest[groups[k]]
            highest[groups[k]] = left[k]
    for k in found:
        highest[groups[k]] = 0
    return total
