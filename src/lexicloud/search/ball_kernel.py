"""Selecting the smallest entries of long rows (compiled)."""

from __future__ import annotations

import numpy as np
from numba import njit


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
