"""The compiled pieces of reach, against numpy."""

from __future__ import annotations

import numpy as np

from lexicloud.neighbours import kth_neighbour_numba as kernel

RNG = np.random.default_rng(0)


def test_sorting_is_by_score_and_then_by_number():
    scores = np.concatenate([RNG.normal(size=400), RNG.integers(-3, 3, 400), [0.0, 1e30, -1e30, 1e-30]])
    row = RNG.permutation(scores).astype(np.float32)
    near = np.flatnonzero(RNG.random(len(row)) < 0.7).astype(np.uint32)
    columns, keys, spare, spare_keys = (np.empty(len(near) + 1, dtype=np.uint32) for _ in range(4))
    for low, high, own in [(-np.inf, np.inf, -1), (-1, 0.5, near[5]), (0, 2, near[0])]:
        expected = near[(row[near] >= low) & (row[near] < high) & (near != own)]
        limits = np.float32(low), np.float32(high)
        count = kernel._portion(near, row[near], len(near), *limits, np.int32(own), columns, keys)
        kernel._sort(columns, keys, np.uint64(count), spare, spare_keys)
        np.testing.assert_array_equal(spare[:count], expected[np.argsort(row[expected], kind="stable")])


def test_turning_words_of_bits_transposes_them():
    square = RNG.random((64, 64)) < 0.3
    words, expected = (
        np.packbits(np.ascontiguousarray(s), axis=1, bitorder="little").view(np.uint64).ravel()
        for s in (square, square.T)
    )
    kernel._turn(words, np.zeros(64, dtype=np.uint64))
    np.testing.assert_array_equal(words, expected)
