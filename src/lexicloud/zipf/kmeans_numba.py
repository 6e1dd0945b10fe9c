"""Compiled loops of k-means; they release Python's lock, so that threads run side by side.

A *bound* is a least distance of a point from a centre that is not its own: the distance when it was last measured, less
the way that the centre has moved since (Elkan, 2003). The stored number is that distance plus the way that the centre
had moved by then, so that a step reads all bounds but writes only those it measures. Both are whole numbers of a small
unit, which halves the memory to read.
"""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit

# Distances and ways have at most so many units, so that their sum, and a little more, fits into 16 bits.
LONGEST = 32_000
_OWN = np.uint16(2**16 - 1)  # the bound of a point's own centre, larger than any other
# A safe bound on the relative error of a squared distance from a matrix product in single precision (24 bits).
_ERROR = np.float32(2e-6)
# The compiler may reorder sums, to use vector instructions, but not change other floating-point rules.
_ANY_ORDER = {"reassoc", "contract"}
_WORD = 8  # bytes in a machine word


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
def _squared(points, i, centres, c):  # type: ignore[no-untyped-def]
    total = np.float32(0)
    for j in range(points.shape[1]):
        gap = points[i, j] - centres[c, j]
        total += gap * gap
    return total


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
def bound_all(scores, norms, longest, per_unit, labels, bounds):  # type: ignore[no-untyped-def]
    """Set all bounds from scores x·c − |c|²/2.

    `norms` are the points' squared lengths, `longest` the largest of the centres'.
    """
    for i in range(scores.shape[0]):
        # |x − c|² = |x|² − 2 (x·c − |c|²/2)
        surely = norms[i] - _ERROR * (norms[i] + longest)
        for c in range(scores.shape[1]):
            distance = np.sqrt(max(surely - np.float32(2) * scores[i, c], np.float32(0)))
            bounds[i, c] = np.uint16(np.int32(distance * per_unit))
        bounds[i, labels[i]] = _OWN


@njit(cache=True, nogil=True)
def assign_bounded(points, centres, gone, per_unit, bounds, labels, squared):  # type: ignore[no-untyped-def]
    """Assign each point to its nearest centre, measuring only centres that may be nearer than its present one.

    `gone` is the way that each centre has moved since `bound_all`, in units, rounded down.
    """
    k = centres.shape[0]
    flags = np.zeros((k + _WORD - 1) // _WORD * _WORD, np.uint8)
    words = flags.view(np.uint64)
    near = np.empty(len(flags) + 1, np.int32)
    for i in range(points.shape[0]):
        own = labels[i]
        nearest = _squared(points, i, centres, own)
        reach = _reach(nearest, per_unit)
        for c in range(k):
            flags[c] = np.uint16(reach + gone[c]) > bounds[i, c]
        for position in range(_gather(flags, words, near)):
            c = near[position]
            if np.uint16(reach + gone[c]) <= bounds[i, c]:
                continue  # a nearer centre has been found since the flag was set
            other = _squared(points, i, centres, c)
            if other < nearest:
                bounds[i, own] = np.uint16(np.int32(np.sqrt(nearest) * per_unit) + gone[own])
                bounds[i, c] = _OWN
                own, nearest = c, other
                reach = _reach(nearest, per_unit)
            else:
                bounds[i, c] = np.uint16(np.int32(np.sqrt(other) * per_unit) + gone[c])
        labels[i] = own
        squared[i] = nearest


@njit(cache=True, nogil=True)
def _gather(flags, words, found):  # type: ignore[no-untyped-def]
    """Collect the positions of the flags that are set, and return how many; most words of flags are zero.

    A position is written before the test, and the flag only moves the end: there is no branch to mispredict.
    """
    count = 0
    for word in range(len(words)):
        if words[word]:
            for c in range(_WORD * word, _WORD * (word + 1)):
                found[count] = c
                count += flags[c]
    return count


@njit(cache=True, nogil=True)
def _reach(squared, per_unit):  # type: ignore[no-untyped-def]
    """Return a distance in units, rounded up, and one more because the way of a centre is rounded down."""
    return np.uint16(np.int32(np.sqrt(squared) * per_unit) + 2)


@njit(cache=True, nogil=True)
def move(points, before, labels, sums, sizes):  # type: ignore[no-untyped-def]
    """Move each point that changed its cluster to the sum and size of the new one; return how many did."""
    changed = 0
    for i in range(points.shape[0]):
        old, new = before[i], labels[i]
        if old == new:
            continue
        changed += 1
        before[i] = new
        sizes[new] += 1
        for j in range(points.shape[1]):
            sums[new, j] += points[i, j]
        if old >= 0:
            sizes[old] -= 1
            for j in range(points.shape[1]):
                sums[old, j] -= points[i, j]
    return changed
