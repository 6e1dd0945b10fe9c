"""Words of bits, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.compiled import njit
from lexicloud.neighbours.bits_numba import less, lowest, place, population

RNG = np.random.default_rng(0)


@njit(cache=False)
def compared(row, at, other, there):
    return less(row, np.uintp(at), other, np.uintp(there))


@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_a_bit_says_which_number_is_less(kind):
    row, other = (RNG.integers(-5, 5, 200).astype(kind) for _ in range(2))
    row[40:44] = (
        np.array([-np.inf, np.inf, np.nan, 0])
        if kind == np.float32
        else np.array([-(2**31), 2**31 - 1, 0, 0])
    )
    for at, there in [(0, 0), (7, 100), (136, 3)]:
        word = compared(row, at, other, there)
        expected = row[at : at + 64] < other[there : there + 64]
        assert [bool(word >> i & 1) for i in range(64)] == expected.tolist()


@pytest.mark.parametrize("word", [1, 2**63, 2**64 - 1, 0b1011_0000, 0x8000_0000_0000_0001])
def test_bits_are_counted_and_found(word):
    bits = [i for i in range(64) if word >> i & 1]
    assert population(np.uint64(word)) == len(bits)
    assert lowest(np.uint64(word)) == bits[0]
    assert [int(place(np.uint64(word), rank)) for rank in range(1, len(bits) + 1)] == bits
