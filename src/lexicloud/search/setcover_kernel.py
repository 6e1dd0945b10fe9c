"""The inner loops of set cover search (compiled, free of the GIL, and safe to run in many threads).

The words of U come in groups, of which a sentence is given the best word only: `mass` is the sum over
groups of the highest weight `left` among the sentence's words. Weights are whole numbers held in float32
and every sum stays below 2^24, so sums are exact in any order.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 512  # sentences that share one upper bound; 470 bounds for 240,000 sentences
STRETCH = 128 * BLOCK  # sentences: their masses and marks take 512 KB, which the second-level cache holds
LANES = 64  # running maxima side by side, which the compiler turns into vector instructions
TAKEN = np.float32(-1e30)  # the mass of a sentence that may not be chosen (again)
# The bounds come from float32 products, each off by less than 2^-23 of its value; twice that is a safe margin.
SLACK = 1.0 + 2.0**-22


@njit(cache=True, nogil=True)
def _highest(mass, inverse, low, high, lanes):  # type: ignore[no-untyped-def]
    """Return the highest mass × inverse of the sentences from `low` to `high`."""
    lanes[:] = 0
    strides = (high - low) // LANES
    for k in range(strides):
        some = mass[low + k * LANES : low + (k + 1) * LANES]
        scaled = inverse[low + k * LANES : low + (k + 1) * LANES]
        for j in range(LANES):
            score = some[j] * scaled[j]
            # Written out because max() would not become a vector instruction.
            lanes[j] = score if score > lanes[j] else lanes[j]  # noqa: FURB136
    highest = np.float32(0)
    for j in range(LANES):
        highest = max(highest, lanes[j])
    for i in range(low + strides * LANES, high):
        highest = max(highest, mass[i] * inverse[i])
    return highest


@njit(cache=True, nogil=True)
def begin(postings_ptr, postings, words, left, groups, order, mass, inverse, bounds):  # type: ignore[no-untyped-def]
    """Set the mass of every sentence, and each block's bound to its highest score, within rounding.

    `order` lists U group by group, the highest weight first; `seen` marks, for one stretch, the group that
    counted last. The database is walked in stretches that fit the processor's cache, each word's postings
    going on where the last stretch ended.
    """
    at = postings_ptr[words[order]]
    stop = postings_ptr[words[order] + 1]
    lanes = np.empty(LANES, np.float32)
    seen = np.empty(STRETCH, np.int32)
    for low in range(0, len(mass), STRETCH):
        high = min(len(mass), low + STRETCH)
        mass[low:high] = 0
        seen[:] = -1
        for j in range(len(order)):
            p, end, weight, group = at[j], stop[j], left[order[j]], groups[order[j]]
            while p < end and postings[p] < high:
                row = postings[p]
                if seen[row - low] != group:
                    seen[row - low] = group
                    mass[row] += weight
                p += 1
            at[j] = p
        for b in range(low // BLOCK, (high + BLOCK - 1) // BLOCK):
            bounds[b] = _highest(mass, inverse, b * BLOCK, min(high, (b + 1) * BLOCK), lanes)


@njit(cache=True, nogil=True)
def best_sentence(mass, inverse, bounds, lengths, norms, indptr, indices, place, left, groups):  # type: ignore[no-untyped-def]
    """Return the sentence with the highest mass / norms[length] and that score; -1 where none is positive.

    Weights only ever fall between two calls, so an old mass is an upper bound, and so is a block's: only
    sentences whose old score reaches the best so far are counted again (lazy greedy). Equal scores go to
    the lower sentence.
    """
    row, best = -1, 0.0
    lanes = np.empty(LANES, np.float32)
    highest = np.zeros(len(left), np.float32)
    # The most promising block comes first: a good score early spares most of the others.
    first = np.argmax(bounds) if len(bounds) else 0
    for step in range(-1, len(bounds)):
        b = first if step < 0 else step
        if bounds[b] <= 0 or bounds[b] * SLACK < best:
            continue
        low, high = b * BLOCK, min(len(mass), (b + 1) * BLOCK)
        for i in range(low, high):
            if mass[i] <= 0 or mass[i] * inverse[i] * SLACK < best or inverse[i] <= 0:
                continue
            mass[i] = _count(indptr, indices, i, place, left, groups, highest)
            score = mass[i] / norms[lengths[i]]
            if score > best or (score == best and i < row):
                row, best = i, score
        bounds[b] = _highest(mass, inverse, low, high, lanes)
    return row, best


@njit(cache=True, nogil=True)
def _count(indptr, indices, row, place, left, groups, highest):  # type: ignore[no-untyped-def]
    """Return the mass of one sentence. `place` is a word's position in U or -1; `highest` is all zeros
    before and after.
    """
    total = np.float32(0)
    for word in indices[indptr[row] : indptr[row + 1]]:
        k = place[word]
        if k >= 0 and left[k] > highest[groups[k]]:
            total += left[k] - highest[groups[k]]
            highest[groups[k]] = left[k]
    for word in indices[indptr[row] : indptr[row + 1]]:
        if place[word] >= 0:
            highest[groups[place[word]]] = 0
    return total
