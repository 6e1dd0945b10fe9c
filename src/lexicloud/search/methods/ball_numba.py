"""Selecting the smallest entries of long rows (compiled)."""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit


@njit(cache=True, nogil=True)
def smallest(rows, m):  # type: ignore[no-untyped-def]
    """Return the columns of the `m` smallest finite entries of each row, ascending, padded with -1."""
    out = np.full((rows.shape[0], m), -1, np.int32)
    best = np.empty(m, rows.dtype)
    for i in range(rows.shape[0]):
        best[:] = np.inf
        for j in range(rows.shape[1]):
            value = rows[i, j]
            if value < best[m - 1]:
                k = m - 1
                while k > 0 and best[k - 1] > value:
                    best[k] = best[k - 1]
                    out[i, k] = out[i, k - 1]
                    k -= 1
                best[k] = value
                out[i, k] = j
    return out


@njit(cache=True, nogil=True)
def unite(own, near, far, origins, r, ignored):  # type: ignore[no-untyped-def]
    """Return the words `own` (at distance 0, each its own origin) and the first `r` of each row of `near` that
    are not ignored, ascending, each once: with its least distance `far`, and the first origin it has this from.
    """
    ids = np.empty(len(own) + len(near) * r, np.int32)
    distances = np.zeros(len(ids), np.float64)
    sources = np.empty(len(ids), np.int32)
    ids[: len(own)] = own
    sources[: len(own)] = np.arange(len(own))
    n = len(own)
    for i in range(len(near)):
        for j in range(r):
            if near[i, j] >= 0 and not ignored[near[i, j]]:
                ids[n], distances[n], sources[n] = near[i, j], far[i, j], origins[i]
                n += 1
    return _nearest_only(ids[:n], distances[:n], sources[:n])


@njit(cache=True, nogil=True)
def _nearest_only(ids, distances, sources):  # type: ignore[no-untyped-def]
    """Sort by word and keep each word once, where it is nearest, the lowest source first among equals."""
    kept = np.empty(len(ids), np.int64)
    n = 0
    for i in np.argsort(ids):
        if not n or ids[kept[n - 1]] != ids[i]:
            kept[n] = i
            n += 1
        elif (distances[i], sources[i]) < (distances[kept[n - 1]], sources[kept[n - 1]]):
            kept[n - 1] = i
    kept = kept[:n]
    return ids[kept], distances[kept], sources[kept]
