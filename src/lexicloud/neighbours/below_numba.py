"""Collects scores below a limit from a tile of scores; it releases Python's lock, so that threads run side by side."""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit
from lexicloud.neighbours.bits_numba import less, lowest

_I, _W = np.uintp, np.uint64


@njit(cache=True, nogil=True)
def below(scores, first, limits, columns, kept, counts):  # type: ignore[no-untyped-def]
    """Append to each row of `columns` and `kept` the columns (from `first` on) and scores that are below its limit.

    `counts` says how many a row has so far; it becomes -1, for good, where they might not fit.
    """
    width, limit = _I(scores.shape[1]), np.empty(64, np.float32)
    whole = width - width % _I(64)
    for r in range(_I(scores.shape[0])):
        row, count = scores[r], _I(counts[r])
        if counts[r] < 0 or count + width > _I(columns.shape[1]):
            counts[r] = -1
            continue
        for i in range(64):
            limit[i] = limits[r]
        for start in range(_I(0), whole, _I(64)):
            word = less(row, start, limit, _I(0))
            while word:
                j = start + lowest(word)
                columns[r, count] = first + j
                kept[r, count] = row[j]
                count += _I(1)
                word &= word - _W(1)
        for j in range(whole, width):
            columns[r, count] = first + j
            kept[r, count] = row[j]
            count += _I(row[j] < limits[r])
        counts[r] = count
