"""Collects scores below a limit from a tile of scores; it releases Python's lock, so that threads run side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from lexicloud.compiled import njit

_I, _W = np.uintp, np.uint64
_ONE = _W(1)


@intrinsic
def _mask(_context: Any, row: Any, at: Any, limit: Any) -> Any:  # noqa: ARG001 (numba looks at the number of arguments)
    """Return a word whose bit i says whether row[at + i] is below the limit: a few instructions for 64 scores."""
    signature = types.uint64(row, types.uintp, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        wide = ir.VectorType(ir.FloatType(), 64)
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), wide.as_pointer())
        first = builder.insert_element(
            ir.Constant(wide, ir.Undefined), arguments[2], ir.Constant(ir.IntType(32), 0)
        )
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        limits = builder.shuffle_vector(first, first, zeros)
        return builder.bitcast(
            builder.fcmp_ordered("<", builder.load(place, align=4), limits), ir.IntType(64)
        )

    return signature, generate


@njit(cache=True, nogil=True, inline="always")
def _lowest(word):  # type: ignore[no-untyped-def]
    """Return the place of the lowest set bit: the bits below it, counted in the form that compilers know."""
    word = (word & (~word + _ONE)) - _ONE
    word = word - ((word >> _ONE) & _W(0x5555555555555555))
    word = (word & _W(0x3333333333333333)) + ((word >> _W(2)) & _W(0x3333333333333333))
    word = (word + (word >> _W(4))) & _W(0x0F0F0F0F0F0F0F0F)
    return _I((word * _W(0x0101010101010101)) >> _W(56))


@njit(cache=True, nogil=True)
def below(scores, first, limits, columns, kept, counts):  # type: ignore[no-untyped-def]
    """Append to each row of `columns` and `kept` the columns (from `first` on) and scores that are below its limit.

    `counts` says how many a row has so far; it becomes -1, for good, where they might not fit.
    """
    width = _I(scores.shape[1])
    whole = width - width % _I(64)
    for r in range(_I(scores.shape[0])):
        row, limit, count = scores[r], limits[r], _I(counts[r])
        if counts[r] < 0 or count + width > _I(columns.shape[1]):
            counts[r] = -1
            continue
        for start in range(_I(0), whole, _I(64)):
            word = _mask(row, start, limit)
            while word:
                j = start + _lowest(word)
                columns[r, count] = first + j
                kept[r, count] = row[j]
                count += _I(1)
                word &= word - _ONE
        for j in range(whole, width):
            columns[r, count] = first + j
            kept[r, count] = row[j]
            count += _I(row[j] < limit)
        counts[r] = count
