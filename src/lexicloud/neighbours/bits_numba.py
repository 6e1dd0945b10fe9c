"""Words of 64 bits: comparisons that give one, what is asked of one, and all scores below a limit by their help.

The small ones are compiled into their callers. Numba recompiles a cached caller only when its own file has changed:
whoever changes something here changes a line in `kth_neighbour_numba` too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from lexicloud.compiled import njit

_W = np.uint64
_ONE = _W(1)
_BYTES = _W(0x0101010101010101)


def _less(_context: Any, row: Any, at: Any, other: Any, there: Any) -> Any:  # noqa: ARG001 (numba counts the arguments)
    """Return a word whose bit i says whether row[at + i] < other[there + i]: a few instructions for 64 of them."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def values(array: int, place: int) -> Any:
            data = context.make_array(signature.args[array])(context, builder, arguments[array]).data
            kind = ir.VectorType(data.type.pointee, 64).as_pointer()
            return builder.load(builder.bitcast(builder.gep(data, [arguments[place]]), kind), align=4)

        compare = builder.fcmp_ordered if row.dtype == types.float32 else builder.icmp_signed
        return builder.bitcast(compare("<", values(0, 1), values(2, 3)), ir.IntType(64))

    return types.uint64(row, types.uintp, other, types.uintp), generate


less: Any = intrinsic(_less)


@njit(cache=True, nogil=True, inline="always")
def population(word):  # type: ignore[no-untyped-def]
    """Count the bits that are set, in the form that compilers know as one instruction."""
    word = word - ((word >> _ONE) & _W(0x5555555555555555))
    word = (word & _W(0x3333333333333333)) + ((word >> _W(2)) & _W(0x3333333333333333))
    word = (word + (word >> _W(4))) & _W(0x0F0F0F0F0F0F0F0F)
    return np.int32((word * _BYTES) >> _W(56))


@njit(cache=True, nogil=True, inline="always")
def lowest(word):  # type: ignore[no-untyped-def]
    """Return the place of the lowest bit that is set."""
    return np.uintp(population((word & (~word + _ONE)) - _ONE))


@njit(cache=True, nogil=True, inline="always")
def place(word, rank):  # type: ignore[no-untyped-def]
    """Return the place of the `rank`-th bit that is set, of which the first has rank one."""
    for _ in range(rank - 1):
        word &= word - _ONE
    return lowest(word)


_I = np.uintp


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
