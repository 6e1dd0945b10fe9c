"""The compiled pieces of reach, against numpy."""

from __future__ import annotations

import numpy as np

from lexicloud.neighbours import kth_neighbour_numba as kernel

RNG = np.random.default_rng(0)


def test_sorting_is_by_score_and_then_by_number():
    scores = np.concatenate([RNG.normal(size=400), RNG.integers(-3, 3, 400), [0.0, 1e30, -1e30, 1e-30]])
    row = RNG.permutation(scores).astype(np.float32)
    columns = np.flatnonzero(RNG.random(len(row)) < 0.7).astype(np.uint32)
    expected = columns[np.argsort(row[columns], kind="stable")]
    spare, keys, spare_keys = (np.empty(len(columns), dtype=np.uint32) for _ in range(3))
    kernel._sort(row, columns.copy(), np.uint64(len(columns)), keys, spare, spare_keys)
    np.testing.assert_array_equal(spare, expected)


def test_turning_words_of_bits_transposes_them():
    square = RNG.random((64, 64)) < 0.3
    words, expected = (
        np.packbits(np.ascontiguousarray(s), axis=1, bitorder="little").view(np.uint64).ravel()
        for s in (square, square.T)
    )
    kernel._turn(words, np.zeros(64, dtype=np.uint64))
    np.testing.assert_array_equal(words, expected)
